"""Vectors of pieces, kept as half floats beside their words and compared in NumPy.

SQLite that may load no extensions cannot compare vectors, and need not: a
session's are a few megabytes, held ready once they were read. Vectors are of
length one, so that a product says how near two are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steno.core.errors import BadInput, ModelFailed
from steno.recall.index import SESSION_BITS as SHELF_BITS
from steno.recall.index import Index, row_range
from steno.recall.search import RowId, Search
from steno.store.file import file_errors

HELD_MOST = 256 * 1024 * 1024
"""Bytes of vectors that are held ready."""
PAGE = 4_000
"""Rows that are put to the filters at once, nearest first."""


def numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise BadInput(
            "a search by meaning compares vectors in NumPy: pip install 'steno[vectors]'"
        ) from None
    return numpy


@dataclass(frozen=True)
class ShelfVectors:
    """The vectors of a shelf, up to a row."""

    born: int
    rows: Any
    matrix: Any


class Vectors:
    """The vectors of one index under one embedder's name."""

    def __init__(self, index: Index, embedder: str) -> None:
        self._index, self._embedder = index, embedder
        self._numpy = numpy()
        self._held: dict[int, ShelfVectors] = {}

    def chunks_without_vector(self, number: int, most: int) -> list[tuple[RowId, str]]:
        """Pieces of a shelf that have no vector yet, oldest first."""
        start, stop = row_range(number)
        with self._index.lock, file_errors(self._index.path):
            return self._index.db.execute(
                "SELECT id, text FROM piece WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
                (max(start - 1, self._upto(number)), stop, most),
            ).fetchall()

    def behind(self, number: int) -> int:
        start, stop = row_range(number)
        with self._index.lock, file_errors(self._index.path):
            (count,) = self._index.db.execute(
                "SELECT count(*) FROM piece WHERE id > ? AND id <= ?",
                (max(start - 1, self._upto(number)), stop),
            ).fetchone()
        return int(count)

    def add(self, number: int, pieces: Sequence[tuple[RowId, str]], vectors: Any) -> None:
        """Take in vectors of pieces, if those still say what they said: a session may have been forgotten."""
        halves = self._unit(vectors, len(pieces)).astype("float16")
        with self._index.writing():
            for (row, text), half in zip(pieces, halves, strict=True):
                self._index.db.execute(
                    "INSERT OR REPLACE INTO vector SELECT ?, id, ? FROM piece WHERE id = ? AND text = ?",
                    (self._embedder, half.tobytes(), row, text),
                )
            self._index.db.execute(
                "INSERT OR REPLACE INTO embedded SELECT ?, number, ? FROM shelf WHERE number = ?",
                (self._embedder, pieces[-1][0], number),
            )

    def nearest(
        self, vector: Any, search: Search, numbers: Sequence[int], most: int
    ) -> list[tuple[RowId, float]]:
        """Rows within a search's scope and filters whose vectors are nearest, best first."""
        np = self._numpy
        wanted = self._unit([vector], 1)[0]
        rows, scores = [], []
        for number in numbers:
            held = self._shelf_vectors(number)
            spans = [
                (a, b)
                for a, b in search.scope.ranges
                if a >> SHELF_BITS <= number <= b >> SHELF_BITS
            ]
            inside = np.zeros(len(held.rows), bool)
            for start, stop in spans:
                inside |= (held.rows >= start) & (held.rows <= stop)
            if inside.any():
                rows.append(held.rows[inside])
                scores.append((held.matrix if inside.all() else held.matrix[inside]) @ wanted)
        if not rows:
            return []
        every, score = np.concatenate(rows), np.concatenate(scores)
        order = np.argsort(-score, kind="stable")
        found: list[tuple[RowId, float]] = []
        for start in range(0, len(order), PAGE):
            page = order[start : start + PAGE] if search.filters else order[:most]
            near = [(int(every[at]), float(score[at])) for at in page]
            allowed = search.filter_rows([row for row, _ in near]) if search.filters else None
            found += near if allowed is None else [each for each in near if each[0] in allowed]
            if len(found) >= most or not search.filters:
                break
        return found[:most]

    def _shelf_vectors(self, number: int) -> ShelfVectors:
        """A shelf's vectors; what was added since they were last read is added here too."""
        np = self._numpy
        with self._index.lock, file_errors(self._index.path):
            found = self._index.db.execute(
                "SELECT born FROM shelf WHERE number = ?", (number,)
            ).fetchone()
            born = found[0] if found else 0
            held = self._held.get(number)
            if held is None or held.born != born:
                held = ShelfVectors(born, np.zeros(0, "int64"), np.zeros((0, 0), "float32"))
            start, stop = row_range(number)
            after = int(held.rows[-1]) if len(held.rows) else start - 1
            new = self._index.db.execute(
                "SELECT id, value FROM vector WHERE embedder = ? AND id > ? AND id <= ? ORDER BY id",
                (self._embedder, after, stop),
            ).fetchall()
        if new:
            rows = np.array([row for row, _ in new], "int64")
            matrix = np.frombuffer(b"".join(value for _, value in new), "float16").reshape(
                len(new), -1
            )
            matrix = matrix.astype("float32")
            if len(held.rows):
                rows, matrix = (
                    np.concatenate([held.rows, rows]),
                    np.concatenate([held.matrix, matrix]),
                )
            held = ShelfVectors(born, rows, matrix)
        self._cache(number, held)
        return held

    def _cache(self, number: int, held: ShelfVectors) -> None:
        self._held.pop(number, None)
        self._held[number] = held
        while (
            len(self._held) > 1
            and sum(each.matrix.nbytes for each in self._held.values()) > HELD_MOST
        ):
            self._held.pop(next(iter(self._held)))

    def _upto(self, number: int) -> int:
        found = self._index.db.execute(
            "SELECT upto FROM embedded WHERE embedder = ? AND number = ?", (self._embedder, number)
        ).fetchone()
        if found is None:
            return -1
        return int(found[0])

    def _unit(self, vectors: Any, count: int) -> Any:
        np = self._numpy
        try:
            matrix = np.asarray(vectors, "float32")
        except (TypeError, ValueError):
            matrix = np.zeros(0)
        if matrix.ndim != 2 or len(matrix) != count or not np.isfinite(matrix).all():
            raise ModelFailed(
                f"the embedder {self._embedder} gave no {count} vectors of one length"
            )
        return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
