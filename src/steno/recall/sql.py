"""What SQLite and PostgreSQL do alike in recall's index: one SQL, two databases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, Protocol, TypeVar

from steno.recall.rows import IndexMark, NewVectors, RowId, row_range

MARK = "number, upto, chain, pieces, size, stated, vocabulary"
"""The columns of a mark, in the order of its fields."""


class Executes(Protocol):
    """A connection that runs statements with `?` for values."""

    def execute(self, statement: str, values: Sequence[Any] = ..., /) -> Any: ...


Connection = TypeVar("Connection", bound=Executes)


class SQLIndex(ABC, Generic[Connection]):
    """The part of an index whose statements are the same in both databases."""

    db: Connection

    @abstractmethod
    def reading(self) -> AbstractContextManager[Connection]:
        """Hold the connection for some statements."""

    def clear_facts(self, mark: IndexMark) -> None:
        self.db.execute("DELETE FROM stated WHERE id BETWEEN ? AND ?", row_range(mark.number))
        self.note_facts(mark, 0, 0)

    def note_facts(self, mark: IndexMark, upto: int, vocabulary: int) -> None:
        """Note how far the facts of a session are in; call within `writing`."""
        self.db.execute(
            "UPDATE shelf SET stated = ?, vocabulary = ? WHERE number = ?",
            (upto, vocabulary, mark.number),
        )

    def note_chunks(self, mark: IndexMark, upto: int, chain: bytes, pieces: int, size: int) -> None:
        """Note how far the chunks of a session are in, and how many came; call within `writing`."""
        self.db.execute(
            "UPDATE shelf SET upto = ?, chain = ?, pieces = pieces + ?, size = size + ? "
            "WHERE number = ?",
            (upto, chain, pieces, size, mark.number),
        )

    def chunks_without_vector(
        self, embedder: str, number: int, most: int
    ) -> list[tuple[RowId, str, str]]:
        query = "SELECT id, role, text FROM piece WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"
        with self.reading() as db:
            values = (*self._without_vector(embedder, number), most)
            found: list[tuple[RowId, str, str]] = db.execute(query, values).fetchall()
        return found

    def count_without_vector(self, embedder: str, number: int) -> int:
        query = "SELECT count(*) FROM piece WHERE id > ? AND id <= ?"
        with self.reading() as db:
            return int(db.execute(query, self._without_vector(embedder, number)).fetchone()[0])

    def vectors_after(self, embedder: str, number: int, after: RowId) -> NewVectors:
        _, last = row_range(number)
        with self.reading() as db:
            found = db.execute("SELECT born FROM shelf WHERE number = ?", (number,)).fetchone()
            new = db.execute(
                "SELECT id, value FROM vector "
                "WHERE embedder = ? AND id > ? AND id <= ? ORDER BY id",
                (embedder, after, last),
            ).fetchall()
        if found is None:
            return NewVectors(0, ())
        return NewVectors(found[0], new)

    def _without_vector(self, embedder: str, number: int) -> tuple[RowId, RowId]:
        """Return the row after which vectors are missing, and the last possible row."""
        first, last = row_range(number)
        query = "SELECT upto FROM embedded WHERE embedder = ? AND number = ?"
        found = self.db.execute(query, (embedder, number)).fetchone()
        if found is None:
            return first - 1, last
        return max(first - 1, int(found[0])), last
