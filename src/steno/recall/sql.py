"""What every index of recall answers, and what SQLite and PostgreSQL do alike.

`RecallIndex` holds the chunks, terms, facts and vectors of a store's sessions; `RecallSearch`
looks into it within a scope and answers with lists of rows, so that both databases rank alike
(`rank`). SQLite's are in `index` and `search`, PostgreSQL's in `postgres`. What a caller passes
is only ever a bound value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

from steno.recall.rows import (
    ANY,
    CHUNK_BITS,
    CHUNKS_MOST,
    Filters,
    IndexMark,
    Occurrences,
    RowId,
    RowScope,
    RowTraits,
    TextChunk,
    message_row,
    position_of,
    row_range,
    session_number,
)
from steno.recall.terms import index_terms, terms_of, valid_text

MARK = "number, upto, chain, pieces, size, stated, vocabulary"
"""The columns of a mark, in the order of its fields."""
TERMS_MOST = 32
NEEDLE_MOST = 100
"""Characters of a quote that are looked up; chunks overlap by more."""
PAGE = 2 * CHUNKS_MOST
"""Rows read at once: more than one message can have, so that one is always whole."""

Clause = tuple[str, Any]
"""A condition, and the value that is bound to it."""


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk with its row, and the terms it is found by."""

    row: RowId
    size: int
    terms: str
    columns: tuple[Any, ...]
    """Role, tool, time, block, start and paths."""
    call: str
    text: str


class RecallIndex(ABC):
    """The chunks, terms, facts and vectors of a store's sessions."""

    db: Any
    path: Path | None = None
    """The file it is in, if it is one."""
    rebuilt: bool = False
    """True after a damaged index was replaced by an empty one."""
    is_current: ClassVar[str] = ""
    """Condition that a session was indexed by this version, if it is noted for each session."""

    @abstractmethod
    def search(self, scope: RowScope, filters: Filters, seconds: float) -> RecallSearch:
        """Return what looks within a scope."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[Any]:
        """Hold the connection for some statements."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[None]:
        """Hold one state for a search, if each look by itself would cost a trip to a server."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[None]:
        """Open a write transaction.

        The caller also reads from the store within it, so that a session cannot be deleted
        between reading its messages and keeping their words.
        """

    @abstractmethod
    def rebuild(self) -> None:
        """Begin again, with nothing indexed."""

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def ensure_mark(self, name: str, user: str) -> IndexMark:
        """Return the mark of a session, made if it is new; call within `writing`."""

    @abstractmethod
    def add_chunks(
        self, mark: IndexMark, chunks: Sequence[TextChunk], upto: int, chain: bytes
    ) -> None:
        """Add chunks, and note how far they go; call within `writing`."""

    @abstractmethod
    def drop(self, name: str) -> None:
        """Remove a session; call within `writing`."""

    @abstractmethod
    def erase(self, name: str) -> None:
        """Remove a session so that none of its words is left in the bytes of the index."""

    @abstractmethod
    def add_vectors(
        self, embedder: str, number: int, vectors: Sequence[tuple[RowId, str, Sequence[bytes]]]
    ) -> None:
        """Keep the vectors of chunks, with row and text: one or more, as bytes of half floats."""

    @abstractmethod
    def execute_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement for each row of values."""

    def mark(self, name: str) -> IndexMark | None:
        """Return how far a session is in; None if it is not."""
        query = f"SELECT {MARK} FROM shelf WHERE name = ?{self.is_current}"
        with self.reading() as db:
            row = db.execute(query, (name,)).fetchone()
        if row is None:
            return None
        return IndexMark(*row)

    def marks(self, user: str) -> dict[str, IndexMark]:
        """Return how far each of a user's sessions is in."""
        query = f'SELECT name, {MARK} FROM shelf WHERE "user" = ?{self.is_current}'
        with self.reading() as db:
            return {name: IndexMark(*rest) for name, *rest in db.execute(query, (user,))}

    def add_facts(
        self, mark: IndexMark, facts: Sequence[tuple[int, int, str]], upto: int, vocabulary: int
    ) -> None:
        """Note position, block and kind of facts; call within `writing`."""
        self.execute_many(
            "INSERT INTO stated (kind, id, block) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [(kind, mark.row(position), block) for position, block, kind in facts],
        )
        self._note_facts(mark, upto, vocabulary)

    def clear_facts(self, mark: IndexMark) -> None:
        """Remove the facts that another version of the readers found; call within `writing`."""
        self.db.execute("DELETE FROM stated WHERE id BETWEEN ? AND ?", row_range(mark.number))
        self._note_facts(mark, 0, 0)

    def _note_facts(self, mark: IndexMark, upto: int, vocabulary: int) -> None:
        self.db.execute(
            "UPDATE shelf SET stated = ?, vocabulary = ? WHERE number = ?",
            (upto, vocabulary, mark.number),
        )

    def note_chunks(
        self, mark: IndexMark, upto: int, chain: bytes, added: Sequence[IndexedChunk]
    ) -> None:
        """Note how far the chunks of a session are in, and how many came; call within `writing`."""
        self.db.execute(
            "UPDATE shelf SET upto = ?, chain = ?, pieces = pieces + ?, size = size + ? "
            "WHERE number = ?",
            (upto, chain, len(added), sum(chunk.size for chunk in added), mark.number),
        )

    def chunks_without_vector(
        self, embedder: str, number: int, most: int
    ) -> list[tuple[RowId, str, str]]:
        """Return row, role and text of chunks that have no vector yet, oldest first."""
        query = "SELECT id, role, text FROM piece WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"
        with self.reading() as db:
            values = (*self._without_vector(embedder, number), most)
            found: list[tuple[RowId, str, str]] = db.execute(query, values).fetchall()
        return found

    def vectors_after(
        self, embedder: str, number: int, after: RowId
    ) -> tuple[int, list[tuple[RowId, bytes]]]:
        """Return a session's vectors in rows after this one, and to which filling they belong.

        A row has one or more, as bytes of half floats. The filling changes with a drop.
        """
        _, last = row_range(number)
        with self.reading() as db:
            found = db.execute("SELECT born FROM shelf WHERE number = ?", (number,)).fetchone()
            new = db.execute(
                "SELECT id, value FROM vector "
                "WHERE embedder = ? AND id > ? AND id <= ? ORDER BY id",
                (embedder, after, last),
            ).fetchall()
        if found is None:
            return 0, []
        return found[0], new

    def _without_vector(self, embedder: str, number: int) -> tuple[RowId, RowId]:
        """Return the row after which vectors are missing, and the last possible row."""
        first, last = row_range(number)
        query = "SELECT upto FROM embedded WHERE embedder = ? AND number = ?"
        found = self.db.execute(query, (embedder, number)).fetchone()
        if found is None:
            return first - 1, last
        return max(first - 1, int(found[0])), last


@dataclass(frozen=True)
class RecallSearch(ABC):
    """Looks into an index within a scope, through filters, and leaves the ranking to `rank`."""

    index: RecallIndex
    scope: RowScope
    filters: Filters = ANY
    seconds: float = 2.0
    """How long a look at every row may take."""

    among: ClassVar[str]
    """Condition that a column is one of a list of numbers."""

    @staticmethod
    @abstractmethod
    def bind_list(numbers: Iterable[int]) -> Any:
        """Return the value that `among` takes."""

    @abstractmethod
    def occurrences(self, term: str) -> Occurrences:
        """Return where a term occurs, at most `scope.common` rows, the newest."""

    @abstractmethod
    def newest(self, most: int) -> list[RowId]:
        """Return whatever passes the filters, newest first."""

    @abstractmethod
    def nearest(
        self, embedder: str, wanted: Sequence[float], most: int
    ) -> list[tuple[RowId, float]] | None:
        """Return the rows nearest to a vector, as `Vectors.nearest` does.

        None if the index only keeps vectors, and `Vectors` has to compare them.
        """

    @abstractmethod
    def _with_all_terms(self, terms: Sequence[str], quote: str, most: int) -> list[RowId]:
        """Return rows that have all terms and hold a quote, newest first."""

    @abstractmethod
    def _scan(self, condition: Clause, most: int) -> tuple[list[RowId], bool]:
        """Return rows that pass, newest first, and whether the time sufficed for all."""

    def exact(self, quote: str, most: int, *, thorough: bool = True) -> tuple[list[RowId], bool]:
        """Return rows that hold the very words, newest first, and whether all were looked at.

        Looks up whole words first. If `thorough`, it then reads every row, because a quote
        may begin or end within a word.
        """
        quote = valid_text(quote)
        terms = list(dict.fromkeys(terms_of(quote)))[:TERMS_MOST]
        rows: list[RowId] = []
        with self.index.reading() as db:
            if terms:
                rows = _matching_blocks(self._with_all_terms(terms, quote, most), quote, db)
            if len(rows) >= most or not thorough:
                return rows, True
            rows, complete = self._scan(containment(quote), most)
            return _matching_blocks(rows, quote, db), complete

    def traits(self, rows: Sequence[RowId]) -> dict[RowId, RowTraits]:
        """Return what ranking needs to know of rows."""
        found = self._look_up("id, size, role, said", "piece", "id", rows)
        return {row: RowTraits(*columns) for row, *columns in found}

    def chunks(self, rows: Sequence[RowId]) -> dict[RowId, TextChunk]:
        """Return the chunks of rows."""
        columns = "id, block, start, text, role, tool, paths, said"
        found = self._look_up(columns, "piece", "id", rows)
        return {row: TextChunk(position_of(row), *columns) for row, *columns in found}

    def names(self, rows: Iterable[RowId]) -> dict[int, str]:
        """Return the names of the sessions that rows belong to, by number."""
        numbers = sorted({session_number(row) for row in rows})
        return dict(self._look_up("number, name", "shelf", "number", numbers))

    def filter_rows(self, rows: Sequence[RowId]) -> set[RowId]:
        """Return those of the rows that pass the filters."""
        found = self._look_up("p.id", "piece p", "p.id", rows, *filter_clauses(self.filters))
        return {row for (row,) in found}

    def _look_up(
        self, columns: str, table: str, key: str, numbers: Iterable[int], *conditions: Clause
    ) -> list[Any]:
        """Return the rows of a table whose key is one of some numbers."""
        clauses = [(self.among.format(key), self.bind_list(numbers)), *conditions]
        where = " AND ".join(clause for clause, _ in clauses)
        query = f"SELECT {columns} FROM {table} WHERE {where}"
        with self.index.reading() as db:
            found: list[Any] = db.execute(query, [value for _, value in clauses]).fetchall()
        return found


def index_chunks(mark: IndexMark, chunks: Iterable[TextChunk]) -> list[IndexedChunk]:
    """Give chunks of a session their rows and terms."""
    indexed: list[IndexedChunk] = []
    for position, together in groupby(chunks, key=lambda chunk: chunk.position):
        for number, chunk in enumerate(together):
            text, call = valid_text(chunk.text), valid_text(chunk.call)
            terms, size = index_terms(text, call)
            tool, paths = valid_text(chunk.tool), valid_text(chunk.paths)
            columns = (chunk.role, tool, chunk.when, chunk.block, chunk.start, paths)
            row = mark.row(position) | number
            indexed.append(IndexedChunk(row, size, terms, columns, call, text))
    return indexed


def _matching_blocks(rows: list[RowId], quote: str, db: Any) -> list[RowId]:
    """Return the rows whose block holds a long quote to its end."""
    if len(quote) <= NEEDLE_MOST:
        return rows
    folds = _is_lower_case(quote)
    if folds:
        quote = quote.casefold()
    holds: dict[RowId, bool] = {}
    for row in rows:
        # All rows may be of one block: each block is read once.
        if row in holds:
            continue
        of_block, text = _block_text(db, row)
        if folds:
            text = text.casefold()
        holds |= dict.fromkeys(of_block, quote in text)
    return [row for row in rows if holds[row]]


def _block_text(db: Any, row: RowId) -> tuple[list[RowId], str]:
    """Return the rows of the block that a row belongs to, and the block's whole text."""
    first = message_row(row)
    query = (
        "SELECT id, start, text FROM piece WHERE id BETWEEN ? AND ? "
        "AND block = (SELECT block FROM piece WHERE id = ?) ORDER BY id"
    )
    rows: list[RowId] = []
    text = ""
    for each, start, part in db.execute(query, (first, first + CHUNKS_MOST - 1, row)).fetchall():
        rows.append(each)
        # Chunks overlap; what is there already is skipped.
        text += part[max(0, len(text) - start) :]
    return rows, text


def filter_clauses(filters: Filters) -> list[Clause]:
    """Return the conditions as SQL on a chunk `p`."""
    clauses: list[Clause] = []
    if filters.kind is not None:
        same = f"s.id = p.id >> {CHUNK_BITS} << {CHUNK_BITS} AND s.block = p.block"
        exists = f"EXISTS (SELECT 1 FROM stated s WHERE s.kind = ? AND {same})"
        clauses.append((exists, filters.kind))
    if filters.role is not None:
        clauses.append(("p.role = ?", filters.role))
    if filters.tool is not None:
        clauses.append(("p.tool = ?", valid_text(filters.tool)))
    if filters.path is not None:
        # Paths are kept between slashes, so that only whole parts of one match.
        clauses.append(("instr(p.paths, ?) > 0", f"/{valid_text(filters.path).strip('/')}/"))
    if filters.since is not None:
        clauses.append(("p.said >= ?", filters.since))
    if filters.until is not None:
        clauses.append(("p.said <= ?", filters.until))
    return clauses


def containment(quote: str) -> Clause:
    """Return the condition that a chunk holds a quote; case counts if it has a capital."""
    needle = quote[:NEEDLE_MOST]
    if not _is_lower_case(quote):
        return "instr(p.text, ?) > 0", needle
    if needle.isascii():
        return "instr(lower(p.text), ?) > 0", needle
    # SQLite's own lower() knows a to z alone.
    return "instr(casefold(p.text), ?) > 0", needle.casefold()


def _is_lower_case(quote: str) -> bool:
    return quote == quote.lower()
