"""What a transcript is made of, and what every format can do.

A transcript is read as pieces in the order of the file: an entry is one message
of the conversation with the exact text it came from, an aside is everything else.
A change replaces entries. The texts of all pieces, joined, are the file. Each
format decides which rows are messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import msgspec

from steno.core.message import Message, Speaker
from steno.core.wire import Wire
from steno.providers.shared.plain_json import json_text

Json = dict[str, Any]
Past = Literal["leave out", "include", "mark"]
"""What to do with messages that the agent's own compaction hid from the model: leave them out,
read them as if it had not compacted, or read them too and mark them as hidden."""
PiecePart = Literal["row", "head", "item", "tail"]
"""A whole row, or a part of a line that holds a list: its head, an item, its tail."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message in its provider's JSON, and the lines it came from."""

    message: Json
    lines: tuple[str, ...]
    part: PiecePart = "row"
    by: Speaker = "caller"
    """`program` for what the agent's own program put there under the user's role."""
    hidden: bool = False
    """Whether the agent's own compaction hid it from the model."""
    warnings: tuple[str, ...] = ()
    """What is wrong with lines that lie between its own, for the user."""
    where: str = field(default="", compare=False)
    """File and line, for errors."""


@dataclass(frozen=True, slots=True)
class Aside:
    """Lines that are no message of the conversation; they are written back as they are."""

    lines: tuple[str, ...]
    part: PiecePart = "row"
    warnings: tuple[str, ...] = ()
    """What is wrong with them, for the user."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What can be known of a file only once all of it was read."""

    covered: int = 0
    """How many lines the agent's own newest compaction hid from the model."""
    left: frozenset[int] = frozenset()
    """Numbers of the lines on branches that a rewind or a rollback left."""


NOTHING_COVERED = Survey()


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a file."""

    name: str = "transcript"
    """What errors call the file."""
    strict: bool = False
    """Raise an error for a damaged line, instead of keeping it as an aside with a warning."""
    survey: Survey = NOTHING_COVERED
    mark: bool = False
    """Whether to read what is covered too, and mark it as hidden."""


AS_USUAL = ReadOptions()


@dataclass(frozen=True, slots=True)
class Change:
    """Messages that replace entries; without entries, they are new."""

    messages: tuple[Json, ...]
    instead: tuple[Entry, ...] = ()


ReadPiece = Entry | Aside
Piece = Entry | Aside | Change


class Format(Protocol):
    """Read and write conversations in one kind of file."""

    @property
    def name(self) -> str: ...
    @property
    def wire(self) -> str:
        """Name of the wire that reads its messages."""
        ...

    @property
    def many(self) -> bool:
        """Whether a file may hold several conversations; each begins with a head."""
        ...

    def recognises(self, head: Sequence[str]) -> bool:
        """Tell whether these first lines show this format."""
        ...

    def survey(self, lines: Iterable[str]) -> Survey:
        """Read the file once to find its compactions and the branches that were left."""
        ...

    def read(self, lines: Iterable[str], how: ReadOptions = AS_USUAL) -> Iterator[ReadPiece]:
        """Yield the pieces; what the survey says is covered is an aside, or marked as hidden."""
        ...

    def write(self, pieces: Iterable[Piece]) -> Iterator[str]:
        """Yield the text of a file of this format; unchanged pieces as they were."""
        ...


def decode_entries(wire: Wire, entries: Iterable[Entry]) -> list[Message]:
    """Read the messages of entries by a wire; what a program put there is marked as such."""
    messages = []
    for at, entry in enumerate(entries):
        where = entry.where or f"messages[{at}]"
        message = wire.decode(entry.message, json_text(entry.message), where)
        if entry.by == "program":
            message = msgspec.structs.replace(message, by="program")
        messages.append(message)
    return messages


def conversations(format: Format, pieces: Iterable[ReadPiece]) -> Iterator[list[ReadPiece]]:
    """Yield the pieces of each conversation in a file."""
    held: list[ReadPiece] = []
    for piece in pieces:
        if format.many and piece.part == "head" and held:
            yield held
            held = []
        held.append(piece)
    if held:
        yield held
