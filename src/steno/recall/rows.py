"""What an index of recall holds: the ids of rows, and the values that go in and come out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from steno.core.message import Value

# SQLite's ids have 63 bits: 23 for sessions, 28 for positions, 12 for chunks.
SESSION_BITS, CHUNK_BITS = 40, 12
"""Bits of a chunk's id below its session's number, and below its position."""
POSITION_MASK = (1 << SESSION_BITS - CHUNK_BITS) - 1
CHUNKS_MOST = 1 << CHUNK_BITS
ROWS_MOST, COMMON_LEAST = 20_000, 2_000
"""Rows read for one term, newest first: an eighth of the scope, within these bounds."""

Occurrences = Mapping[int, int]
"""Rows that hold a term, and how often."""
RowId = int


class TextChunk(Value):
    """A stretch of one block, short enough to be about one thing."""

    position: int
    block: int
    start: int
    """Where in the block's text it begins."""
    text: str
    role: str
    tool: str = ""
    paths: str = ""
    """Files that the call touches, each between slashes on a line of its own."""
    when: float | None = None
    call: str = ""
    """First words of the call that this is a result of; it is found by them too."""


class IndexMark(Value, gc=False):
    """How far a session is in the index."""

    number: int
    """The session's number in the index."""
    upto: int
    """How many messages are in."""
    chain: bytes
    """Chain key of those messages; another history has another."""
    chunks: int
    size: int
    """Terms of all chunks together."""
    facts_upto: int
    """How many messages were read for facts."""
    vocabulary: int
    """Version of the fact readers."""

    def row(self, position: int) -> RowId:
        """Return the id of a position's first chunk."""
        return self.number << SESSION_BITS | position << CHUNK_BITS


def row_range(number: int) -> tuple[RowId, RowId]:
    """Return the first and the last id that a session's chunks can have."""
    return number << SESSION_BITS, (number + 1 << SESSION_BITS) - 1


def session_number(row: RowId) -> int:
    """Return the number of the session that a chunk belongs to."""
    return row >> SESSION_BITS


def message_row(row: RowId) -> RowId:
    """Return the id of the first chunk of the same message."""
    return row >> CHUNK_BITS << CHUNK_BITS


def position_of(row: RowId) -> int:
    """Return the position of the message that a chunk belongs to."""
    return row >> CHUNK_BITS & POSITION_MASK


class RowScope(Value):
    """Where to look: ranges of rows, and how much they hold."""

    ranges: tuple[tuple[RowId, RowId], ...]
    chunks: int
    size: int
    """Terms of all chunks in scope."""
    numbers: tuple[int, ...] | None = None
    """The only sessions that count, if a range spans others too."""

    def holds(self, row: RowId) -> bool:
        """Tell whether a row is within the ranges."""
        return any(first <= row <= last for first, last in self.ranges)

    @property
    def mean(self) -> float:
        return self.size / max(1, self.chunks)

    @property
    def common(self) -> int:
        """Rows from which on a term is common."""
        return max(COMMON_LEAST, min(ROWS_MOST, self.chunks // 8))


class Filters(Value):
    """Conditions on a chunk; None for no condition."""

    kind: str | None = None
    role: str | None = None
    tool: str | None = None
    path: str | None = None
    since: float | None = None
    until: float | None = None

    def __bool__(self) -> bool:
        return self != Filters()


ANY = Filters()


class RowTraits(NamedTuple):
    """What ranking needs to know of a row besides its terms."""

    size: int
    """How many terms it has."""
    role: str
    when: float | None
