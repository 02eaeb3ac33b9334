"""Recall's index in PostgreSQL, beside the sessions: every host searches what one has filled.

A term's rows are kept as lists, one for each session, term and thousand messages, under a hash
of the term. So a search within a session reads the lists of that session alone, however many
others there are; comparisons of numbers are all that row-level security lets an index answer
before it has looked whose rows they are. Ranking is in `rank`, as for SQLite.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from struct import Struct
from typing import Any

from steno.core.store import no_session
from steno.recall.rows import (
    CHUNK_BITS,
    SESSION_BITS,
    Filters,
    IndexMark,
    Occurrences,
    RowId,
    RowScope,
    TextChunk,
    message_row,
    row_range,
    session_number,
)
from steno.recall.sql import (
    MARK,
    PAGE,
    Clause,
    RecallIndex,
    RecallSearch,
    containment,
    filter_clauses,
    index_chunks,
)
from steno.recall.terms import OFTEN, VERSION, is_unspaced
from steno.store.database import SharedDatabase
from steno.store.postgres_schema import HAS_EMBEDDING, INDEX_SHIFT

SEGMENT_BITS = 10 + CHUNK_BITS
"""Bits of a row below its segment: a list of rows spans a thousand messages."""
OFFSET_MASK = (1 << SEGMENT_BITS) - 1
SEGMENT_MASK = (1 << SESSION_BITS - SEGMENT_BITS) - 1

HALF = Struct("<e")
LENGTH_MOST = 4_000
"""Numbers of a vector that pgvector indexes as half floats."""
COMPARED_MOST = 20_000
"""Chunks of a scope whose vectors are all compared; with more, an index is walked."""
WALKED_MOST = 1_600
"""Vectors that a walk brings: some rows have several."""
SAMPLED = 2_000
"""Rows whose mean stands for that of a scope whose vectors are not all compared."""
WALK_SETTINGS = (
    ("hnsw.ef_search", "1000"),
    ("hnsw.iterative_scan", "strict_order"),
    ("enable_sort", "off"),
)
# As float32, as NumPy compares them: the query is not rounded to half floats. By functions,
# because in our schema `vector` is the name of a table.
NEARNESS = "-(halfvec_to_vector(e.value, -1, false) <#> array_to_vector(?::real[], -1, false))"
SPANS = "unnest(?::bigint[], ?::bigint[]) AS span (first, last)"


@lru_cache(maxsize=65_536)
def _term_key(term: str) -> int:
    """Return the number that stands for a term."""
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "big", signed=True)


def _embedder_key(embedder: str, length: int) -> int:
    """Return the number that stands for an embedder's vectors; not negative, to be in a name."""
    return abs(_term_key(f"{embedder} {length}"))


def _half_text(half: bytes) -> str:
    # Five digits tell any two half floats apart.
    return f"[{','.join(f'{value:.5g}' for (value,) in HALF.iter_unpack(half))}]"


def _any_after(character: str) -> str:
    """Return the term that stands for all terms that begin with a character."""
    return f"{character}*"


class PostgresIndex(RecallIndex):
    """The chunks, terms, facts and vectors of the sessions in a PostgreSQL store."""

    is_current = f" AND version = {VERSION}"

    def __init__(self, database: SharedDatabase) -> None:
        self.db = database
        self._has_embedding = False
        self._indexed: set[int] = set()

    def search(self, scope: RowScope, filters: Filters, seconds: float) -> PostgresSearch:
        return PostgresSearch(self, scope, filters, seconds)

    @contextmanager
    def reading(self) -> Iterator[SharedDatabase]:
        """Open a transaction, or join the one that is open."""
        with self.db.errors(), self.db.transaction("read"):
            yield self.db

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        # Also the store's reads join it: a transaction by itself is two trips more.
        with self.reading():
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Open a write transaction, which reads of the store join."""
        with self.db.errors(), self.db.transaction("write"):
            # What a crash of the server takes is filled in again.
            self.db.execute("SET LOCAL synchronous_commit = off")
            yield

    def rebuild(self) -> None:
        with self.writing():
            for (name,) in self.db.execute("SELECT name FROM shelf").fetchall():
                self.drop(name)

    def close(self) -> None:
        """Do nothing: the store closes its database."""

    def ensure_mark(self, name: str, user: str) -> IndexMark:
        # Hosts that fill the same session wait for each other.
        self.db.lock(f"index {name}")
        mark = self.mark(name)
        if mark is not None:
            return mark
        # There may be one of another version of the terms.
        self.drop(name)
        query = (
            'INSERT INTO shelf (number, name, "user", version) '
            f'SELECT id, name, "user", ? FROM session WHERE name = ? RETURNING {MARK}'
        )
        row = self.db.execute(query, (VERSION, name)).fetchone()
        if row is None:
            raise no_session(name, [])
        return IndexMark(*row)

    def add_chunks(
        self, mark: IndexMark, chunks: Sequence[TextChunk], upto: int, chain: bytes
    ) -> None:
        added = index_chunks(mark, chunks)
        keys: list[int] = []
        rows: list[RowId] = []
        for chunk in added:
            found = set(chunk.terms.split())
            found |= {_any_after(term[0]) for term in found if is_unspaced(term)}
            keys += map(_term_key, found)
            rows += [chunk.row] * len(found)
        self.execute_many(
            "INSERT INTO piece (id, size, role, tool, said, block, start, paths, text) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(chunk.row, chunk.size, *chunk.columns, chunk.text) for chunk in added],
        )
        self.db.execute(
            "INSERT INTO posting AS kept (number, term, segment, offsets) "
            "SELECT ?, term, segment, array_agg(place ORDER BY place) "
            "FROM unnest(?::bigint[], ?::int[], ?::int[]) AS new (term, segment, place) "
            "GROUP BY term, segment ORDER BY term, segment "
            "ON CONFLICT (number, term, segment) "
            "DO UPDATE SET offsets = kept.offsets || excluded.offsets",
            (
                mark.number,
                keys,
                [row >> SEGMENT_BITS & SEGMENT_MASK for row in rows],
                [row & OFFSET_MASK for row in rows],
            ),
        )
        self.note_chunks(mark, upto, chain, added)

    def execute_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        self.db.execute_many(statement, rows)

    def drop(self, name: str) -> None:
        found = self.db.execute("SELECT number FROM shelf WHERE name = ?", (name,)).fetchone()
        if found is not None:
            self.db.drop_index(found[0])

    def erase(self, name: str) -> None:
        """Do nothing: the store removes a session and its index in one transaction."""

    def compares_vectors(self, length: int) -> bool:
        """Tell whether the server compares vectors of a length: it has pgvector."""
        if not self._has_embedding:
            # Asked until it has: the extension may be added while we run.
            with self.reading() as db:
                (self._has_embedding,) = db.execute(HAS_EMBEDDING).fetchone()
        return self._has_embedding and length <= LENGTH_MOST

    def add_vectors(
        self, embedder: str, number: int, vectors: Sequence[tuple[RowId, str, Sequence[bytes]]]
    ) -> None:
        length = len(vectors[0][2][0]) // HALF.size
        if self.compares_vectors(length):
            self._make_vector_index(_embedder_key(embedder, length), length)
        with self.writing():
            # First, so that who adds the table for pgvector waits for us or we for them.
            self.db.execute(
                "INSERT INTO embedded (embedder, number, upto) "
                "SELECT ?::text, number, ?::bigint FROM shelf WHERE number = ? "
                "ON CONFLICT (embedder, number) DO UPDATE SET upto = excluded.upto",
                (embedder, vectors[-1][0], number),
            )
            # Only if the row still has this text: the session may have been deleted
            # while the embedder worked.
            if self.compares_vectors(length):
                self.db.execute_many(
                    "INSERT INTO embedding (embedder, id, part, value) "
                    "SELECT ?::bigint, id, part, value::halfvec FROM piece, "
                    "unnest(?::text[]) WITH ORDINALITY AS each (value, part) "
                    "WHERE id = ? AND text = ? "
                    "ON CONFLICT (id, embedder, part) DO UPDATE SET value = excluded.value",
                    [
                        (_embedder_key(embedder, length), list(map(_half_text, values)), row, text)
                        for row, text, values in vectors
                    ],
                )
                return
            self.db.execute_many(
                "INSERT INTO vector (embedder, id, value) "
                "SELECT ?::text, id, ?::bytea FROM piece WHERE id = ? AND text = ? "
                "ON CONFLICT (embedder, id) DO UPDATE SET value = excluded.value",
                [(embedder, b"".join(values), row, text) for row, text, values in vectors],
            )

    def _make_vector_index(self, key: int, length: int) -> None:
        """Make the index of an embedder's vectors if there is none.

        In a transaction of its own: it waits for all that write vectors.
        """
        if key in self._indexed:
            return
        with self.writing():
            query = "SELECT to_regclass(?) IS NOT NULL"
            if not self.db.execute(query, (f"nearest_{key}",)).fetchone()[0]:
                self.db.lock(f"vectors {key}")
                self.db.execute("SELECT index_vectors(?::bigint, ?::int)", (key, length))
        self._indexed.add(key)


@dataclass(frozen=True)
class PostgresSearch(RecallSearch):
    """Looks within a scope, through filters."""

    index: PostgresIndex
    among = "{} = ANY(?::bigint[])"

    @staticmethod
    def bind_list(numbers: Iterable[int]) -> list[int]:
        return list(numbers)

    def occurrences(self, term: str) -> Occurrences:
        if len(term) == 1 and is_unspaced(term):
            return dict.fromkeys(self._newest_of_terms([_any_after(term)]).get(0, ()), 1)
        often = [f"{times}·{term}" for times in OFTEN]
        lists = self._newest_of_terms([term, *often])
        found = dict.fromkeys(lists.get(0, ()), 1)
        # As in SQLite: how often a common term occurs weighs too little to count.
        if not found or len(found) >= self.scope.common:
            return found
        for at, times in enumerate(OFTEN, start=1):
            found.update(dict.fromkeys(lists.get(at, ()), times))
        return found

    def _rows_of_terms(self, terms: Sequence[str]) -> dict[int, list[RowId]]:
        """Return the rows in scope of each term by its place, newest first."""
        places = {_term_key(term): place for place, term in enumerate(terms)}
        query = (
            "SELECT term, number, segment, offsets FROM posting WHERE number = ANY(?::bigint[]) "
            "AND term = ANY(?::bigint[]) ORDER BY number DESC, segment DESC"
        )
        with self.index.reading() as db:
            found = db.execute(query, (self._numbers(), list(places))).fetchall()
        rows: dict[int, list[RowId]] = {}
        for key, number, segment, offsets in found:
            first = number << SESSION_BITS | segment << SEGMENT_BITS
            newest = (first | offset for offset in reversed(offsets))
            rows.setdefault(places[key], []).extend(filter(self.scope.holds, newest))
        return rows

    def _newest_of_terms(self, terms: Sequence[str]) -> dict[int, list[RowId]]:
        """Return the newest rows of each term that pass the filters, not too many."""
        lists = self._rows_of_terms(terms)
        if self.filters:
            allowed = self.filter_rows([row for rows in lists.values() for row in rows])
            for place, rows in lists.items():
                lists[place] = [row for row in rows if row in allowed]
        return {place: rows[: self.scope.common] for place, rows in lists.items()}

    def _numbers(self) -> list[int]:
        if self.scope.numbers is not None:
            return list(self.scope.numbers)
        return sorted({session_number(start) for start, _ in self.scope.ranges})

    def _with_all_terms(self, terms: Sequence[str], quote: str, most: int) -> list[RowId]:
        lists = self._rows_of_terms(terms)
        shared = set(lists.get(0, ()))
        for place in range(1, len(terms)):
            shared &= set(lists.get(place, ()))
        among: Clause = ("p.id = ANY(?::bigint[])", list(shared))
        found = self._select("p.id", [among], containment(quote))
        return [row for (row,) in islice(found, most)]

    def _scan(self, condition: Clause, most: int) -> tuple[list[RowId], bool]:
        until = time.monotonic() + self.seconds
        rows: list[RowId] = []
        for page in self._pages("p.id", condition):
            rows += [row for (row, *_) in page]
            if len(rows) >= most:
                return rows[:most], True
            if time.monotonic() > until:
                return rows, False
        return rows, True

    def newest(self, most: int) -> list[RowId]:
        rows: list[RowId] = []
        with self.index.reading():
            for page in self._pages("p.id"):
                rows += [row for (row,) in page]
                if len(rows) >= most:
                    break
        return rows[:most]

    def _pages(self, columns: str, *conditions: Clause) -> Iterator[list[Any]]:
        """Read what passes the filters page by page, whole messages, newest first."""
        for start, stop in reversed(self.scope.ranges):
            while stop >= start:
                with self.index.reading() as db:
                    # Bounded by rows that were looked at, so that a page takes a bounded time.
                    query = (
                        "SELECT min(id) FROM (SELECT id FROM piece WHERE id BETWEEN ? AND ? "
                        "ORDER BY id DESC LIMIT ?) page"
                    )
                    (first,) = db.execute(query, (start, stop, PAGE)).fetchone()
                    if first is None:
                        break
                    first = max(start, message_row(first))
                    span: Clause = ("p.id BETWEEN ? AND ?", (first, stop))
                    page = list(self._select(columns, [span], *conditions))
                yield page
                stop = first - 1

    def _select(self, columns: str, spans: Sequence[Clause], *conditions: Clause) -> Iterable[Any]:
        clauses = [*spans, *filter_clauses(self.filters), *conditions]
        if self.scope.numbers is not None:
            clauses.append((f"p.id >> {INDEX_SHIFT} = ANY(?::bigint[])", list(self.scope.numbers)))
        where, values = _join_clauses(clauses)
        query = f"SELECT {columns} FROM piece p WHERE {where} ORDER BY p.id DESC"
        found: Iterable[Any] = self.index.db.execute(query, values)
        return found

    def nearest(
        self, embedder: str, wanted: Sequence[float], most: int
    ) -> list[tuple[RowId, float]] | None:
        with self.index.reading():
            if not self.index.compares_vectors(len(wanted)):
                return None
            key = _embedder_key(embedder, len(wanted))
            vector = list(wanted)
            if self.scope.chunks > COMPARED_MOST:
                found = self._walk_to_nearest(key, vector, len(wanted), most)
                # If it found too few, the scope is a small part of what the walk went through.
                if len(found) >= most:
                    return found[:most]
            return self._compare_all(key, vector, most)

    def _compare_all(self, key: int, vector: list[float], most: int) -> list[tuple[RowId, float]]:
        """Compare every vector in scope, which lie together by their rows."""
        where, values = _join_clauses([("true", ()), *filter_clauses(self.filters)])
        query = (
            f"WITH scored AS MATERIALIZED (SELECT e.id, max({NEARNESS}) AS score FROM {SPANS} "
            "JOIN embedding e ON e.id BETWEEN span.first AND span.last AND e.embedder = ?::bigint "
            "GROUP BY e.id) SELECT id, score - (SELECT avg(score) FROM scored) "
            f"FROM scored JOIN piece p USING (id) WHERE {where} ORDER BY score DESC, id LIMIT ?"
        )
        values = [vector, *self._spans(), key, *values, most]
        found: list[tuple[RowId, float]] = self.index.db.execute(query, values).fetchall()
        return found

    def _walk_to_nearest(
        self, key: int, vector: list[float], length: int, most: int
    ) -> list[tuple[RowId, float]]:
        """Walk the index of all vectors from near to far, and keep what is in scope."""
        db = self.index.db
        # The planner does not know how many of the nearest are in scope, and would sort.
        for name, value in WALK_SETTINGS:
            db.execute("SELECT set_config(?, ?, true)", (name, value))
        found = db.execute(
            f"SELECT e.id, {NEARNESS} FROM (SELECT id, value FROM embedding "
            f"WHERE embedder = {key} AND id >> {INDEX_SHIFT} = ANY(?::bigint[]) "
            f"ORDER BY value::halfvec({length}) <#> ?::real[]::halfvec({length}) LIMIT ?) e",
            (vector, self._numbers(), vector, WALKED_MOST),
        ).fetchall()
        db.execute("SELECT set_config('enable_sort', 'on', true)")
        scores: dict[RowId, float] = {}
        for row, score in found:
            if self.scope.holds(row):
                scores[row] = max(score, scores.get(row, score))
        if self.filters:
            allowed = self.filter_rows(list(scores))
            scores = {row: score for row, score in scores.items() if row in allowed}
        mean = self._sample_mean(key, vector)
        rows = sorted(scores, key=lambda row: (-scores[row], row))
        return [(row, scores[row] - mean) for row in rows]

    def _sample_mean(self, key: int, vector: list[float]) -> float:
        """Return how near the newest rows of each session are on average."""
        query = (
            f"SELECT avg(score) FROM {SPANS}, LATERAL (SELECT max({NEARNESS}) AS score "
            "FROM embedding e WHERE e.id BETWEEN span.first AND span.last "
            "AND e.embedder = ?::bigint GROUP BY e.id ORDER BY e.id DESC LIMIT ?) newest"
        )
        starts, stops = self._spans()
        each = -(-SAMPLED // max(1, len(starts)))
        (mean,) = self.index.db.execute(query, (starts, stops, vector, key, each)).fetchone()
        return float(mean or 0.0)

    def _spans(self) -> tuple[list[RowId], list[RowId]]:
        """Return the first and the last rows of what is in scope, session by session."""
        ranges: Sequence[tuple[RowId, RowId]] = self.scope.ranges
        if self.scope.numbers is not None:
            ranges = [row_range(number) for number in self.scope.numbers]
        return [start for start, _ in ranges], [stop for _, stop in ranges]


def _join_clauses(clauses: Sequence[Clause]) -> tuple[str, list[object]]:
    """Return clauses as one condition, and their values in order."""
    values: list[object] = []
    for clause, value in clauses:
        if clause.count("?") == 1:
            values.append(value)
        else:
            values += value
    return " AND ".join(clause for clause, _ in clauses), values
