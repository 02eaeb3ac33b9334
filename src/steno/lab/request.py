"""One request as a policy would have sent it.

A part is a message with its words; whether the words are a summary matters,
because there only lines that say where they come from count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from steno.core.message import Message, Span
from steno.lab.text import CHARACTERS_PER_TOKEN, full_text


@dataclass(frozen=True, eq=False)
class ReplayPart:
    """A message that is shown."""

    message: Message
    text: str
    kind: str
    """What of the window it fills: prompt, shorthand, user, assistant or results."""
    summary: bool = False

    @classmethod
    def of(cls, message: Message, *, summary: bool = False) -> ReplayPart:
        return cls(
            message, full_text(message), "shorthand" if summary else part_kind(message), summary
        )


@dataclass(frozen=True)
class ReplayRequest:
    parts: Sequence[ReplayPart]
    pointers: Sequence[Span] = field(default=())
    """Positions that something shown says how to open."""

    @property
    def size(self) -> int:
        """Tokens, with a line break between the messages."""
        return (
            sum(len(part.text) for part in self.parts) + max(0, len(self.parts) - 1)
        ) // CHARACTERS_PER_TOKEN


class ReplayPolicy(Protocol):
    """A policy that is lived with: it is told everything, and asked before each reply."""

    @property
    def commits(self) -> int:
        """How often it has changed what was shown before."""
        ...

    def add(self, message: Message) -> None: ...

    def request(self) -> ReplayRequest: ...


def part_kind(message: Message) -> str:
    if message.only_results:
        return "results"
    return {"system": "prompt", "assistant": "assistant", "tool": "results"}.get(
        message.role, "user"
    )
