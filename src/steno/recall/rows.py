"""What an index of recall holds, and what it must answer.

Owns the ids of rows, the values that go into an index and come out of it, and the protocols
of an index. SQLite's is in `index` and `search`; a store may bring its own (`recall_index`).
Every index answers with lists of rows, so that all of them rank alike (`rank`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

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


@dataclass(frozen=True, slots=True)
class TextChunk:
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


class IndexMark(Value, frozen=True, gc=False):
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


@dataclass(frozen=True)
class RowScope:
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


@dataclass(frozen=True)
class Filters:
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


@dataclass(frozen=True)
class BlockText:
    """The whole text of a block, joined from its chunks."""

    row: RowId
    text: str


@dataclass(frozen=True)
class FoundChunk:
    """A chunk as the index holds it."""

    role: str
    tool: str
    when: float | None
    block: int
    start: int
    paths: str
    """As in `TextChunk`."""
    text: str


class RowTraits(NamedTuple):
    """What ranking needs to know of a row besides its terms."""

    size: int
    """How many terms it has."""
    role: str
    when: float | None


@dataclass(frozen=True, slots=True)
class NewVectors:
    """Vectors of a session, in order of their rows."""

    born: int
    """Which filling of the session they belong to; it changes if the session is dropped."""
    vectors: Sequence[tuple[RowId, bytes]]
    """Rows and their vectors, one or more a row, as bytes of half floats."""


class RecallSearch(Protocol):
    """Looks into an index within a scope, through filters, and leaves the ranking to `rank`."""

    @property
    def scope(self) -> RowScope: ...

    @property
    def filters(self) -> Filters: ...

    @property
    def seconds(self) -> float:
        """How long a look at every row may take."""
        ...

    def occurrences(self, term: str) -> Occurrences:
        """Return where a term occurs, at most `scope.common` rows, the newest."""
        ...

    def traits(self, rows: Sequence[RowId]) -> Mapping[RowId, RowTraits]:
        """Return what ranking needs to know of rows."""
        ...

    def exact(self, quote: str, most: int, *, thorough: bool = True) -> tuple[list[RowId], bool]:
        """Return rows that hold the very words, newest first, and whether all were looked at."""
        ...

    def newest(self, most: int) -> list[RowId]:
        """Return whatever passes the filters, newest first."""
        ...

    def blocks(self) -> Iterator[BlockText]:
        """Read every block that passes the filters, newest message first."""
        ...

    def filter_rows(self, rows: Sequence[RowId]) -> set[RowId]:
        """Return those of the rows that pass the filters."""
        ...

    def nearest(
        self, embedder: str, wanted: Sequence[float], most: int
    ) -> list[tuple[RowId, float]] | None:
        """Return the rows nearest to a vector, as `Vectors.nearest` does.

        None if the index only keeps vectors, and `Vectors` has to compare them.
        """
        ...

    def chunks(self, rows: Sequence[RowId]) -> dict[RowId, FoundChunk]:
        """Return the chunks of rows."""
        ...

    def names(self, rows: Iterable[RowId]) -> dict[int, str]:
        """Return the names of the sessions that rows belong to, by number."""
        ...


class RecallIndex(Protocol):
    """The chunks, terms, facts and vectors of a store's sessions.

    A store that has `recall_index()` brings its own; all others get a SQLite file.
    """

    @property
    def path(self) -> Path | None:
        """The file it is in, if it is one."""
        ...

    rebuilt: bool
    """True after a damaged index was replaced by an empty one."""

    def search(self, scope: RowScope, filters: Filters, seconds: float) -> RecallSearch:
        """Return what looks within a scope."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Hold one state for a search, if each look by itself would cost a trip to a server."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Open a write transaction."""
        ...

    def rebuild(self) -> None:
        """Begin anew, with nothing indexed."""
        ...

    def close(self) -> None: ...

    def mark(self, name: str) -> IndexMark | None:
        """Return how far a session is in; None if it is not."""
        ...

    def marks(self, user: str) -> dict[str, IndexMark]:
        """Return how far each of a user's sessions is in."""
        ...

    def ensure_mark(self, name: str, user: str) -> IndexMark:
        """Return the mark of a session, made if it is new; call within `writing`."""
        ...

    def add_chunks(
        self, mark: IndexMark, chunks: Sequence[TextChunk], upto: int, chain: bytes
    ) -> None:
        """Add chunks, and note how far they go; call within `writing`."""
        ...

    def add_facts(
        self, mark: IndexMark, facts: Sequence[tuple[int, int, str]], upto: int, vocabulary: int
    ) -> None:
        """Note position, block and kind of facts; call within `writing`."""
        ...

    def clear_facts(self, mark: IndexMark) -> None:
        """Remove the facts that another version of the readers found; call within `writing`."""
        ...

    def drop(self, name: str) -> None:
        """Remove a session; call within `writing`."""
        ...

    def erase(self, name: str) -> None:
        """Remove a session so that none of its words is left in the bytes of the index."""
        ...

    def chunks_without_vector(
        self, embedder: str, number: int, most: int
    ) -> list[tuple[RowId, str, str]]:
        """Return row, role and text of chunks that have no vector yet, oldest first."""
        ...

    def count_without_vector(self, embedder: str, number: int) -> int:
        """Count the chunks of a session that have no vector yet."""
        ...

    def add_vectors(
        self, embedder: str, number: int, vectors: Sequence[tuple[RowId, str, Sequence[bytes]]]
    ) -> None:
        """Keep the vectors of chunks, with row and text: one or more, as bytes of half floats."""
        ...

    def vectors_after(self, embedder: str, number: int, after: RowId) -> NewVectors:
        """Return a session's vectors in rows after this one."""
        ...


@runtime_checkable
class HasRecallIndex(Protocol):
    """A store that brings its own index."""

    def recall_index(self) -> RecallIndex:
        """Return the index of this store; the store closes what it is kept in."""
        ...
