"""The ledger of a log: what its messages state, added up.

The facts of a message are read once, when they are first needed, and never in
`add`. What stands at the end (rules in force, loops still open, things touched,
errors not overcome) is folded from them, so it is the same however the log was
read; the folds are shared by all values of one history, so a longer log costs
what is new in it. Atoms are many and are read apart, by who asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from steno.core.message import Message
from steno.core.tape import Tape
from steno.ledger import artifact, constraint, decision, error, loop, marker
from steno.ledger.artifact import Touched, Touches
from steno.ledger.constraint import CONSENT, Rules
from steno.ledger.fact import Fact
from steno.ledger.failure import Failed, Failures
from steno.ledger.loop import Loops

READERS = (constraint.read, loop.read, decision.read, marker.read, artifact.read, error.read)
KEPT_MOST = 16_384
"""Messages whose facts are held ready; reading one again is only work."""

Stated = tuple[int, Fact]
Facts = tuple[Fact, ...]
Entry = tuple[Message, Facts]
"""A message and what it states."""


@lru_cache(maxsize=KEPT_MOST)
def facts_of(message: Message) -> Facts:
    """Every fact that one message states, atoms apart."""
    return tuple(fact for read in READERS for fact in read(message))


@dataclass(frozen=True)
class Ledger:
    """The facts of messages, each with the position that states it."""

    entries: Tape[Entry]

    @classmethod
    def of(cls, messages: Iterable[Message]) -> Ledger:
        """What these messages state; of a tape, only what no other value of its history has read is read."""
        tape = messages if isinstance(messages, Tape) else Tape(messages)
        return cls(tape.folded(_entered))

    @property
    def stated(self) -> tuple[Stated, ...]:
        return tuple(_stated(self.entries, 0))

    def at(self, position: int) -> Facts:
        """What the message there states."""
        return self.entries[position][1]

    @cached_property
    def constraints(self) -> list[Stated]:
        """The rules in force."""
        return list(self.entries.folded(_regulated).live)

    @property
    def changed(self) -> Sequence[tuple[Stated, Stated]]:
        """The rules that were in force, each with what lifted it or took its place."""
        return self.entries.folded(_regulated).changed

    @property
    def rulings(self) -> Sequence[Stated]:
        """Every rule that was ever laid down or lifted."""
        return self.entries.folded(_ruled).stated

    @cached_property
    def loops(self) -> list[Stated]:
        """What is still open; a rule is no loop, however it was asked for, and nor is what lifts one."""
        rules = self.entries.folded(_ruled).words | {by.words for _, (_, by) in self.changed}
        return [each for each in self.entries.folded(_looped).standing if each[1].words not in rules]

    @cached_property
    def touched(self) -> list[Touched]:
        """Files, commands and addresses, by their newest touch."""
        return list(self.things.values())

    @property
    def things(self) -> Mapping[str, Touched]:
        """The same by their keys."""
        return self.entries.folded(_touched).things

    @cached_property
    def errors(self) -> Sequence[Failed]:
        """What failed, and whether it was overcome."""
        return self.entries.folded(_failed).failed

    @property
    def decisions(self) -> Sequence[Stated]:
        return self.entries.folded(_decided)

    @property
    def markers(self) -> Sequence[Stated]:
        return self.entries.folded(_doubted)


def known(messages: Tape[Message], facts: Mapping[int, Facts]) -> None:
    """Take over facts that were read before and kept; what is missing among them is read again."""
    at, entries = messages.begun(_entered)
    upto = min(max(facts, default=-1) + 1, len(messages))
    if upto > at:
        new = messages[at:upto]
        read = ((message, facts[n] if n in facts else facts_of(message)) for n, message in enumerate(new, start=at))
        messages.knowing(_entered, upto, (entries or Tape()).plus(read))


def read_so_far(messages: Tape[Message]) -> Sequence[Entry]:
    """What has been read of these messages, the first ones first; nothing more is read for it."""
    return messages.begun(_entered)[1] or Tape()


def _entered(entries: Tape[Entry] | None, messages: Sequence[Message], at: int) -> Tape[Entry]:
    return (entries or Tape()).plus((message, facts_of(message)) for message in messages)


def _stated(entries: Iterable[Entry], at: int, *kinds: str) -> Iterator[Stated]:
    """The facts of these kinds, or all of them, each with its position."""
    for position, (_, facts) in enumerate(entries, start=at):
        for fact in facts:
            if not kinds or fact.kind in kinds:
                yield position, fact


def _regulated(rules: Rules | None, entries: Sequence[Entry], at: int) -> Rules:
    return (rules or Rules()).plus(_stated(entries, at, "constraint", "release"))


@dataclass(frozen=True)
class _Ruled:
    stated: Tape[Stated]
    words: frozenset[str]
    """Of all but consents, which may be no more than a go-ahead."""


def _ruled(ruled: _Ruled | None, entries: Sequence[Entry], at: int) -> _Ruled:
    before = ruled or _Ruled(Tape(), frozenset())
    new = list(_stated(entries, at, "constraint", "release"))
    return _Ruled(before.stated.plus(new), before.words.union(fact.words for _, fact in new if fact.note != CONSENT))


def _looped(loops: Loops | None, entries: Sequence[Entry], at: int) -> Loops:
    after = loops or Loops()
    for position, (_, facts) in enumerate(entries, start=at):
        after = after.plus(position, facts)
    return after


def _touched(touches: Touches | None, entries: Sequence[Entry], at: int) -> Touches:
    return (touches or Touches()).plus(_stated(entries, at))


def _failed(failures: Failures | None, entries: Sequence[Entry], at: int) -> Failures:
    said = ((position, message, facts) for position, (message, facts) in enumerate(entries, start=at))
    return (failures or Failures()).plus(said)


def _decided(decided: Tape[Stated] | None, entries: Sequence[Entry], at: int) -> Tape[Stated]:
    return (decided or Tape()).plus(_stated(entries, at, "decision"))


def _doubted(doubted: Tape[Stated] | None, entries: Sequence[Entry], at: int) -> Tape[Stated]:
    return (doubted or Tape()).plus(_stated(entries, at, "marker"))
