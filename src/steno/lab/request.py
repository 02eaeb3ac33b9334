"""One request as a policy would have sent it.

A part is a message with its text. Whether it is a summary matters: in a summary only
lines that cite a position count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from steno.core.message import Message, Span
from steno.lab.text import CHARACTERS_PER_TOKEN, full_text


# Compared by identity: most parts of a request are those of the one before.
@dataclass(frozen=True, eq=False)
class ReplayPart:
    """A message that is shown."""

    message: Message
    text: str
    kind: str
    """What it is: prompt, shorthand (a summary), user, assistant or results."""
    summary: bool = False

    @classmethod
    def of(cls, message: Message, *, summary: bool = False) -> ReplayPart:
        kind = part_kind(message)
        if summary:
            kind = "shorthand"
        return cls(message, full_text(message), kind, summary)


@dataclass(frozen=True)
class ReplayRequest:
    """The parts of one request."""

    parts: Sequence[ReplayPart]
    pointers: Sequence[Span] = field(default=())
    """Spans that something shown says how to open."""

    @property
    def size(self) -> int:
        """Tokens, with a line break between the messages."""
        characters = sum(len(part.text) for part in self.parts)
        line_breaks = max(0, len(self.parts) - 1)
        return (characters + line_breaks) // CHARACTERS_PER_TOKEN


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
