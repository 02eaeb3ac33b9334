"""The ledger of a log: what its messages state, added up.

The facts of a message are read once, when they are first needed, and never in
`add`. What stands at the end (rules in force, loops still open, things touched,
errors not overcome) is folded from them, so it is the same however the log was
read. Atoms are many and are read apart, by who asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from steno.core.message import Message
from steno.ledger import artifact, constraint, decision, error, failure, loop, marker
from steno.ledger.artifact import Touched
from steno.ledger.fact import Fact
from steno.ledger.failure import Failed

READERS = (constraint.read, loop.read, decision.read, marker.read, artifact.read, error.read)
KEPT_MOST = 16_384
"""Messages whose facts are held ready; reading one again is only work."""

Stated = tuple[int, Fact]


@lru_cache(maxsize=KEPT_MOST)
def facts_of(message: Message) -> tuple[Fact, ...]:
    """Every fact that one message states, atoms apart."""
    return tuple(fact for read in READERS for fact in read(message))


@dataclass(frozen=True)
class Ledger:
    """The facts of messages, each with the position that states it."""

    messages: Sequence[Message]
    stated: tuple[Stated, ...]

    @classmethod
    def of(cls, messages: Iterable[Message]) -> Ledger:
        held = tuple(messages)
        return cls(held, tuple((at, fact) for at, message in enumerate(held) for fact in facts_of(message)))

    def kind(self, kind: str) -> list[Stated]:
        return [(at, fact) for at, fact in self.stated if fact.kind == kind]

    @cached_property
    def constraints(self) -> list[Stated]:
        """The rules in force."""
        return constraint.standing(self.stated)

    @cached_property
    def loops(self) -> list[Stated]:
        """What is still open; a rule is no loop, however it was asked for."""
        rules = {fact.words for _, fact in self.stated if fact.kind in ("constraint", "release")}
        return [each for each in loop.standing(self.stated) if each[1].words not in rules]

    @cached_property
    def touched(self) -> list[Touched]:
        """Files, commands and addresses, by their newest touch."""
        return artifact.standing(self.stated)

    @cached_property
    def errors(self) -> list[Failed]:
        """What failed, and whether it was overcome."""
        by_position: dict[int, list[Fact]] = {}
        for at, fact in self.stated:
            if fact.kind == "error":
                by_position.setdefault(at, []).append(fact)
        told = ((at, message, by_position.get(at, ())) for at, message in enumerate(self.messages))
        return failure.standing(told)

    @property
    def decisions(self) -> list[Stated]:
        return self.kind("decision")

    @property
    def markers(self) -> list[Stated]:
        return self.kind("marker")
