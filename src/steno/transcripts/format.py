"""What a transcript is made of, and what every format can do.

A transcript is read as pieces in the order of the file: an entry is one message
of the conversation with the very text it came from, an aside is everything
else. What is shown otherwise is a change. The texts of all pieces, put together,
are the file. Which rows are messages is each format's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Json = dict[str, Any]
PiecePart = Literal["row", "head", "item", "tail"]
"""A row of its own, or what a line is made of that holds a list: its head, the items, its tail."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message in its provider's JSON, and the lines it came from."""

    message: Json
    lines: tuple[str, ...]
    part: PiecePart = "row"


@dataclass(frozen=True, slots=True)
class Aside:
    """Lines that are no message of the conversation; they travel along."""

    lines: tuple[str, ...]
    part: PiecePart = "row"
    warning: str | None = None
    """What is odd about them, for who reads."""


@dataclass(frozen=True, slots=True)
class Change:
    """These messages instead of those entries; instead of none, they are new."""

    messages: tuple[Json, ...]
    instead: tuple[Entry, ...] = ()


ReadPiece = Entry | Aside
Piece = Entry | Aside | Change


class Format(Protocol):
    """A way to keep a conversation in a file, read and written."""

    @property
    def name(self) -> str: ...
    @property
    def wire(self) -> str:
        """Whose JSON its messages are: the name of a wire."""
        ...

    @property
    def many(self) -> bool:
        """A file may hold several conversations; each begins with a head."""
        ...

    @property
    def looks_for(self) -> str:
        """What a file of this format has, in words."""
        ...

    def recognises(self, head: Sequence[str]) -> str | None:
        """What in these first lines is of this format; None if nothing."""
        ...

    def covered_lines(self, lines: Iterable[str]) -> int:
        """How many lines the agent's own newest compaction has taken out of the model's sight."""
        ...

    def read(
        self,
        lines: Iterable[str],
        *,
        name: str = "transcript",
        strict: bool = False,
        covered: int = 0,
    ) -> Iterator[ReadPiece]:
        """The pieces, one at a time; the first `covered` lines are asides."""
        ...

    def write(self, pieces: Iterable[Piece]) -> Iterator[str]:
        """The text of a file of this format: what is not changed, as it was."""
        ...


def conversations(format: Format, pieces: Iterable[ReadPiece]) -> Iterator[list[ReadPiece]]:
    """The pieces of each conversation in a file."""
    held: list[ReadPiece] = []
    for piece in pieces:
        if format.many and piece.part == "head" and held:
            yield held
            held = []
        held.append(piece)
    if held:
        yield held
