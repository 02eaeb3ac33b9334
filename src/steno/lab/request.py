"""One request as a policy would have sent it.

A part is a message with its text, and the lines of that text as the measures compare them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from steno.core.message import Message, Span
from steno.lab.text import CHARACTERS_PER_TOKEN, full_text, line_runs, plain_lines, tells_something


# Compared by identity: most parts of a request are those of the one before.
@dataclass(frozen=True, eq=False)
class ReplayPart:
    """A message that is shown."""

    message: Message
    text: str
    kind: str
    """What it is: prompt, shorthand (a summary), user, assistant or results."""

    @classmethod
    def of(cls, message: Message, *, summary: bool = False) -> ReplayPart:
        kind = part_kind(message)
        if summary:
            kind = "shorthand"
        return cls(message, full_text(message), kind)

    # Kept with the part, because the same part is in many requests.
    @cached_property
    def lines(self) -> list[str]:
        return plain_lines(self.text)

    @cached_property
    def plain(self) -> str:
        """The lines without indents and numbers: what stands in one piece stands in here."""
        return "\n".join(self.lines)

    @cached_property
    def telling(self) -> str:
        """The lines that are more than a list of names."""
        return "\n".join(filter(tells_something, self.lines))

    @cached_property
    def runs(self) -> frozenset[str]:
        return frozenset(line_runs(self.lines))


@dataclass(frozen=True)
class ReplayRequest:
    """The parts of one request."""

    parts: Sequence[ReplayPart]
    pointers: Sequence[Span] = field(default=())
    """Spans that something shown says how to open."""

    @property
    def size(self) -> int:
        """Tokens, at four characters each."""
        return sum(len(part.text) for part in self.parts) // CHARACTERS_PER_TOKEN


class ReplayPolicy(Protocol):
    """A policy under replay: it gets every message, and makes a request before each reply."""

    @property
    def commits(self) -> int:
        """How often it has changed what it showed before."""
        ...

    def add(self, message: Message) -> None: ...

    def request(self) -> ReplayRequest: ...


def part_kind(message: Message) -> str:
    if message.only_results:
        return "results"
    return {"system": "prompt", "assistant": "assistant", "tool": "results"}.get(
        message.role, "user"
    )
