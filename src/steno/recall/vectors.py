"""Vectors of chunks, kept as half floats in the index and compared in NumPy.

SQLite without extensions cannot compare vectors, and need not: those of a session are a few
megabytes, held in memory once they were read. Vectors have length one, so that a product
tells how near two are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steno.core.errors import ModelFailed, needs_extra
from steno.recall.rows import RecallIndex, RecallSearch, RowId, row_range, session_number

HELD_MOST = 256 * 1024 * 1024
"""Bytes of vectors that are held in memory."""
PAGE = 4_000
"""Rows that are put to the filters at once, nearest first."""


def numpy() -> Any:
    """Import NumPy, or raise `BadInput` with the extra that brings it."""
    try:
        import numpy
    except ImportError:
        raise needs_extra("a search by meaning compares vectors in NumPy", "vectors") from None
    return numpy


@dataclass(frozen=True)
class SessionVectors:
    """The vectors of a session's chunks, in order of their rows."""

    born: int
    """Which filling of the session they belong to; it changes if the session is dropped."""
    rows: Any
    matrix: Any


class Vectors:
    """The vectors of one index under one embedder's name."""

    def __init__(self, index: RecallIndex, embedder: str) -> None:
        self._index = index
        self._embedder = embedder
        self._numpy = numpy()
        self._held: dict[int, SessionVectors] = {}

    def chunks_without_vector(self, number: int, most: int) -> list[tuple[RowId, str]]:
        """Return chunks of a session that have no vector yet, oldest first."""
        return self._index.chunks_without_vector(self._embedder, number, most)

    def behind(self, number: int) -> int:
        """Count the chunks of a session that have no vector yet."""
        return self._index.count_without_vector(self._embedder, number)

    def add(self, number: int, chunks: Sequence[tuple[RowId, str]], vectors: Any) -> None:
        """Keep the vectors of chunks."""
        halves = self._unit(vectors, len(chunks)).astype("float16")
        kept = [
            (row, text, half.tobytes()) for (row, text), half in zip(chunks, halves, strict=True)
        ]
        self._index.add_vectors(self._embedder, number, kept)

    def nearest(
        self, vector: Any, search: RecallSearch, numbers: Sequence[int], most: int
    ) -> list[tuple[RowId, float]]:
        """Return the rows in scope whose vectors are nearest, best first.

        A score says how much nearer a row is than the rows in scope are on average: models
        differ in how near they put any two texts.
        """
        np = self._numpy
        wanted = self._unit([vector], 1)[0]
        rows = []
        scores = []
        for number in numbers:
            held = self._session_vectors(number)
            inside = np.zeros(len(held.rows), bool)
            for start, stop in search.scope.ranges:
                if session_number(start) <= number <= session_number(stop):
                    inside |= (held.rows >= start) & (held.rows <= stop)
            if inside.any():
                rows.append(held.rows[inside])
                # Selecting rows copies the matrix, which is not needed if all are inside.
                matrix = held.matrix if inside.all() else held.matrix[inside]
                scores.append(matrix @ wanted)
        if not rows:
            return []
        all_rows = np.concatenate(rows)
        all_scores = np.concatenate(scores)
        all_scores -= all_scores.mean()
        order = np.argsort(-all_scores, kind="stable")
        if not search.filters:
            return [(int(all_rows[at]), float(all_scores[at])) for at in order[:most]]
        found: list[tuple[RowId, float]] = []
        for start in range(0, len(order), PAGE):
            chosen = order[start : start + PAGE]
            page = [(int(all_rows[at]), float(all_scores[at])) for at in chosen]
            allowed = search.filter_rows([row for row, _ in page])
            found += [(row, score) for row, score in page if row in allowed]
            if len(found) >= most:
                break
        return found[:most]

    def _session_vectors(self, number: int) -> SessionVectors:
        """Return a session's vectors; read those that were added since the last time."""
        np = self._numpy
        held = self._held.get(number)
        # Ids grow with positions, so what is new comes after what is held.
        after = row_range(number)[0] - 1
        if held is not None and len(held.rows):
            after = int(held.rows[-1])
        added = self._index.vectors_after(self._embedder, number, after)
        if held is not None and held.born != added.born:
            self._held.pop(number)
            return self._session_vectors(number)
        if held is None:
            held = SessionVectors(added.born, np.zeros(0, "int64"), np.zeros((0, 0), "float32"))
        new = added.vectors
        if new:
            rows = np.array([row for row, _ in new], "int64")
            halves = np.frombuffer(b"".join(value for _, value in new), "float16")
            matrix = halves.reshape(len(new), -1).astype("float32")
            if len(held.rows):
                rows = np.concatenate([held.rows, rows])
                matrix = np.concatenate([held.matrix, matrix])
            held = SessionVectors(added.born, rows, matrix)
        self._hold(number, held)
        return held

    def _hold(self, number: int, vectors: SessionVectors) -> None:
        """Hold a session's vectors; let go of those used longest ago if there are too many."""
        # Put last: the first key of a dict is then the one used longest ago.
        self._held.pop(number, None)
        self._held[number] = vectors
        size = sum(held.matrix.nbytes for held in self._held.values())
        while size > HELD_MOST and len(self._held) > 1:
            oldest = next(iter(self._held))
            size -= self._held.pop(oldest).matrix.nbytes

    def _unit(self, vectors: Any, count: int) -> Any:
        """Return vectors of length one as a matrix; raise `ModelFailed` if they are none."""
        np = self._numpy
        try:
            matrix = np.asarray(vectors, "float32")
        except (TypeError, ValueError):
            matrix = np.zeros(0)
        if matrix.ndim != 2 or len(matrix) != count or not np.isfinite(matrix).all():
            raise ModelFailed(
                f"the embedder {self._embedder} did not return {count} vectors of one length"
            )
        # A vector of zeros stays one instead of becoming NaN.
        return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
