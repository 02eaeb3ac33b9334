"""Vectors of chunks, kept as half floats in the index and compared there or in NumPy.

SQLite without extensions cannot compare vectors, and need not: those of a session are a few
megabytes, held in memory once they were read. PostgreSQL with pgvector compares them itself.
Vectors have length one, so that a product tells how near two are.

What a person wrote often answers a question in one sentence of several, so a chunk of theirs
has a vector for each sentence beside its own; a chunk is as near as the nearest of them. What
they only ask has none: a later question is near to it, and not answered by it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steno.core.errors import ModelFailed, needs_extra
from steno.recall.embedders import Embedder
from steno.recall.rows import RowId, row_range, session_number
from steno.recall.sql import RecallIndex, RecallSearch

HELD_MOST = 256 * 1024 * 1024
"""Bytes of vectors that are held in memory."""
PAGE = 4_000
"""Rows that are put to the filters at once, nearest first."""
SENTENCE_LEAST, SENTENCES_MOST = 15, 12
"""Characters of a sentence that gets a vector, and such sentences of a chunk."""

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')]{0,4}\s+|\n+|(?<=[。！？])")


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
    """The row of each vector; a row may have several."""
    matrix: Any


class Vectors:
    """The vectors of one index by one embedder."""

    def __init__(self, index: RecallIndex, embedder: Embedder) -> None:
        self._index = index
        self._embedder = embedder
        self._numpy = numpy()
        self._held: dict[int, SessionVectors] = {}

    def embed_next(self, number: int, most: int) -> bool:
        """Give vectors to the next chunks of a session; tell whether there were any."""
        chunks = self._index.chunks_without_vector(self._embedder.name, number, most)
        if not chunks:
            return False
        texts: list[str] = []
        ends: list[int] = []
        for _, role, text in chunks:
            texts += [text, *_sentences(role, text)]
            ends.append(len(texts))
        # No lock is held here: an embedder may take seconds.
        halves = self._embed(texts).astype("float16")
        kept = [
            (row, text, [half.tobytes() for half in halves[start:end]])
            for (row, _, text), start, end in zip(chunks, [0, *ends], ends, strict=False)
        ]
        self._index.add_vectors(self._embedder.name, number, kept)
        return True

    def nearest(
        self, query: str, search: RecallSearch, numbers: Sequence[int], most: int
    ) -> list[tuple[RowId, float]]:
        """Return the rows in scope whose vectors are nearest to a query's, best first.

        A score says how much nearer a row is than the rows in scope are on average: models
        differ in how near they put any two texts.
        """
        np = self._numpy
        wanted = self._embed([query])[0]
        found = search.nearest(self._embedder.name, wanted.tolist(), most)
        if found is not None:
            return found
        rows = []
        scores = []
        # In order, so that the vectors of a row follow each other.
        for number in sorted(numbers):
            held = self._session_vectors(number, len(wanted))
            inside = np.zeros(len(held.rows), bool)
            for start, stop in search.scope.ranges:
                if session_number(start) <= number <= session_number(stop):
                    inside |= (held.rows >= start) & (held.rows <= stop)
            if inside.any():
                rows.append(held.rows[inside])
                # Selecting rows copies the matrix, which is not needed if all are inside.
                matrix = held.matrix
                if not inside.all():
                    matrix = matrix[inside]
                # Row by row: a product of the whole matrix is spread over threads, which wait for
                # each other on a busy machine, and keep their cores busy for a while afterwards.
                scores.append(np.vecdot(matrix, wanted))
        if not rows:
            return []
        all_rows, first = np.unique(np.concatenate(rows), return_index=True)
        all_scores = np.maximum.reduceat(np.concatenate(scores), first)
        all_scores -= all_scores.mean()
        order = np.argsort(-all_scores, kind="stable")
        if not search.filters:
            return [(int(all_rows[at]), float(all_scores[at])) for at in order[:most]]
        found = []
        for start in range(0, len(order), PAGE):
            chosen = order[start : start + PAGE]
            page = [(int(all_rows[at]), float(all_scores[at])) for at in chosen]
            allowed = search.filter_rows([row for row, _ in page])
            found += [(row, score) for row, score in page if row in allowed]
            if len(found) >= most:
                break
        return found[:most]

    def _session_vectors(self, number: int, length: int) -> SessionVectors:
        """Return a session's vectors; read those that were added since the last time.

        A vector has `length` numbers; a row may have several vectors.
        """
        np = self._numpy
        held = self._held.get(number)
        # Ids grow with positions, so what is new comes after what is held.
        after = row_range(number)[0] - 1
        if held is not None and len(held.rows):
            after = int(held.rows[-1])
        born, new = self._index.vectors_after(self._embedder.name, number, after)
        if held is not None and held.born != born:
            self._held.pop(number)
            return self._session_vectors(number, length)
        if held is None:
            held = SessionVectors(born, np.zeros(0, "int64"), np.zeros((0, 0), "float32"))
        if new:
            counts = [len(value) // (2 * length) for _, value in new]
            rows = np.repeat(np.array([row for row, _ in new], "int64"), counts)
            halves = np.frombuffer(b"".join(value for _, value in new), "float16")
            matrix = halves.reshape(len(rows), length).astype("float32")
            if len(held.rows):
                rows = np.concatenate([held.rows, rows])
                matrix = np.concatenate([held.matrix, matrix])
            held = SessionVectors(born, rows, matrix)
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

    def _embed(self, texts: Sequence[str]) -> Any:
        """Return vectors of length one as a matrix; raise `ModelFailed` if they are none."""
        np = self._numpy
        vectors = self._embedder.embed(texts)
        try:
            matrix = np.asarray(vectors, "float32")
        except (TypeError, ValueError):
            matrix = np.zeros(0)
        if matrix.ndim != 2 or len(matrix) != len(texts) or not np.isfinite(matrix).all():
            raise ModelFailed(
                f"the embedder {self._embedder.name} did not return {len(texts)} vectors "
                "of one length"
            )
        # A vector of zeros stays one instead of becoming NaN.
        return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)


def _sentences(role: str, text: str) -> list[str]:
    """Return the sentences of a person's words that get vectors of their own."""
    if role != "user":
        return []
    parts = (part.strip() for part in _SENTENCE_END.split(text))
    sentences = [part for part in parts if len(part) >= SENTENCE_LEAST]
    if len(sentences) < 2:
        return []
    first = sentences[:SENTENCES_MOST]
    return [sentence for sentence in first if not sentence.endswith(("?", "？"))]
