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
from typing import Any

from steno.core.store import no_session
from steno.recall.rows import (
    CHUNK_BITS,
    SESSION_BITS,
    BlockText,
    Filters,
    FoundChunk,
    IndexMark,
    Occurrences,
    RowId,
    RowScope,
    RowTraits,
    TextChunk,
    message_row,
    session_number,
)
from steno.recall.search import (
    PAGE,
    TERMS_MOST,
    Clause,
    containment,
    filter_clauses,
    join_chunks,
    matching_blocks,
)
from steno.recall.sql import MARK, SQLIndex
from steno.recall.terms import OFTEN, VERSION, index_terms, is_unspaced, terms_of, valid_text
from steno.store.database import SharedDatabase
from steno.store.postgres_schema import INDEX_SHIFT

SEGMENT_BITS = 10 + CHUNK_BITS
"""Bits of a row below its segment: a list of rows spans a thousand messages."""
OFFSET_MASK = (1 << SEGMENT_BITS) - 1
SEGMENT_MASK = (1 << SESSION_BITS - SEGMENT_BITS) - 1


@lru_cache(maxsize=65_536)
def _term_key(term: str) -> int:
    """Return the number that stands for a term."""
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "big", signed=True)


def _any_after(character: str) -> str:
    """Return the term that stands for all terms that begin with a character."""
    return f"{character}*"


class PostgresIndex(SQLIndex[SharedDatabase]):
    """The chunks, terms, facts and vectors of the sessions in a PostgreSQL store."""

    path = None
    rebuilt = False

    def __init__(self, database: SharedDatabase) -> None:
        self.db = database

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

    def mark(self, name: str) -> IndexMark | None:
        with self.reading() as db:
            query = f"SELECT {MARK} FROM shelf WHERE name = ? AND version = ?"
            row = db.execute(query, (name, VERSION)).fetchone()
        if row is None:
            return None
        return IndexMark(*row)

    def marks(self, user: str) -> dict[str, IndexMark]:
        query = f'SELECT name, {MARK} FROM shelf WHERE "user" = ? AND version = ?'
        with self.reading() as db:
            return {name: IndexMark(*rest) for name, *rest in db.execute(query, (user, VERSION))}

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
        number, position, total = 0, -1, 0
        pieces = []
        keys: list[int] = []
        rows: list[RowId] = []
        for chunk in chunks:
            number += 1
            if chunk.position != position:
                number, position = 0, chunk.position
            text = valid_text(chunk.text)
            terms, size = index_terms(text, valid_text(chunk.call))
            total += size
            row = mark.row(position) | number
            found = set(terms.split())
            found |= {_any_after(term[0]) for term in found if is_unspaced(term)}
            keys += map(_term_key, found)
            rows += [row] * len(found)
            tool, paths = valid_text(chunk.tool), valid_text(chunk.paths)
            where = (chunk.block, chunk.start)
            pieces.append((row, size, chunk.role, tool, chunk.when, *where, paths, text))
        self.db.execute_many(
            "INSERT INTO piece (id, size, role, tool, said, block, start, paths, text) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            pieces,
        )
        self.db.execute(
            "INSERT INTO posting AS kept (number, term, segment, offsets) SELECT ?, term, "
            "segment, array_agg(place ORDER BY place) FROM unnest(?::bigint[], ?::int[], "
            "?::int[]) AS new (term, segment, place) GROUP BY term, segment ORDER BY term, "
            "segment ON CONFLICT (number, term, segment) DO UPDATE SET offsets = kept.offsets |"
            "| excluded.offsets",
            (
                mark.number,
                keys,
                [row >> SEGMENT_BITS & SEGMENT_MASK for row in rows],
                [row & OFFSET_MASK for row in rows],
            ),
        )
        self.note_chunks(mark, upto, chain, len(chunks), total)

    def add_facts(
        self, mark: IndexMark, facts: Sequence[tuple[int, int, str]], upto: int, vocabulary: int
    ) -> None:
        self.db.execute_many(
            "INSERT INTO stated (kind, id, block) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [(kind, mark.row(position), block) for position, block, kind in facts],
        )
        self.note_facts(mark, upto, vocabulary)

    def drop(self, name: str) -> None:
        found = self.db.execute("SELECT number FROM shelf WHERE name = ?", (name,)).fetchone()
        if found is not None:
            self.db.drop_index(found[0])

    def erase(self, name: str) -> None:
        """Do nothing: the store removes a session and its index in one transaction."""

    def add_vectors(
        self, embedder: str, number: int, vectors: Sequence[tuple[RowId, str, bytes]]
    ) -> None:
        with self.writing():
            self.db.execute_many(
                # Only if the row still has this text: the session may have been deleted
                # while the embedder worked.
                "INSERT INTO vector (embedder, id, value) "
                "SELECT ?::text, id, ?::bytea FROM piece WHERE id = ? AND text = ? "
                "ON CONFLICT (embedder, id) DO UPDATE SET value = excluded.value",
                [(embedder, value, row, text) for row, text, value in vectors],
            )
            self.db.execute(
                "INSERT INTO embedded (embedder, number, upto) "
                "SELECT ?::text, number, ?::bigint FROM shelf WHERE number = ? "
                "ON CONFLICT (embedder, number) DO UPDATE SET upto = excluded.upto",
                (embedder, vectors[-1][0], number),
            )


@dataclass(frozen=True)
class PostgresSearch:
    """Looks within a scope, through filters."""

    index: PostgresIndex
    scope: RowScope
    filters: Filters
    seconds: float

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
            rows.setdefault(places[key], []).extend(filter(self._is_inside, newest))
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

    def _is_inside(self, row: RowId) -> bool:
        return any(start <= row <= stop for start, stop in self.scope.ranges)

    def traits(self, rows: Sequence[RowId]) -> dict[RowId, RowTraits]:
        query = "SELECT id, size, role, said FROM piece WHERE id = ANY(?::bigint[])"
        with self.index.reading() as db:
            return {row: RowTraits(*rest) for row, *rest in db.execute(query, (list(rows),))}

    def exact(self, quote: str, most: int, *, thorough: bool = True) -> tuple[list[RowId], bool]:
        quote = valid_text(quote)
        terms = list(dict.fromkeys(terms_of(quote)))[:TERMS_MOST]
        rows: list[RowId] = []
        with self.index.reading():
            if terms:
                rows = self._with_all_terms(terms, quote, most)
            if len(rows) >= most or not thorough:
                return rows, True
            rows, complete = self._scan(containment(quote), most)
            return matching_blocks(rows, quote, self.index.db), complete

    def _with_all_terms(self, terms: Sequence[str], quote: str, most: int) -> list[RowId]:
        lists = self._rows_of_terms(terms)
        shared = set(lists.get(0, ()))
        for place in range(1, len(terms)):
            shared &= set(lists.get(place, ()))
        among: Clause = ("p.id = ANY(?::bigint[])", list(shared))
        found = self._select("p.id", [among], containment(quote))
        return matching_blocks([row for (row,) in islice(found, most)], quote, self.index.db)

    def _scan(self, condition: Clause, most: int) -> tuple[list[RowId], bool]:
        """Read every row in scope, newest first, until the time is up."""
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

    def blocks(self) -> Iterator[BlockText]:
        for page in self._pages("p.id, p.block, p.start, p.text"):
            yield from join_chunks(page)

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
        values: list[object] = []
        for clause, value in clauses:
            if clause.count("?") > 1:
                values += value
            else:
                values.append(value)
        if self.scope.numbers is not None:
            clauses.append((f"p.id >> {INDEX_SHIFT} = ANY(?::bigint[])", None))
            values.append(list(self.scope.numbers))
        where = " AND ".join(clause for clause, _ in clauses)
        query = f"SELECT {columns} FROM piece p WHERE {where} ORDER BY p.id DESC"
        return self.index.db.execute(query, values)

    def filter_rows(self, rows: Sequence[RowId]) -> set[RowId]:
        with self.index.reading():
            found = self._select("p.id", [("p.id = ANY(?::bigint[])", list(rows))])
            return {row for (row,) in found}

    def chunks(self, rows: Sequence[RowId]) -> dict[RowId, FoundChunk]:
        query = (
            "SELECT id, role, tool, said, block, start, text FROM piece WHERE id = ANY(?::bigint[])"
        )
        with self.index.reading() as db:
            return {row: FoundChunk(*rest) for row, *rest in db.execute(query, (list(rows),))}

    def names(self, rows: Iterable[RowId]) -> dict[int, str]:
        numbers = sorted({session_number(row) for row in rows})
        query = "SELECT number, name FROM shelf WHERE number = ANY(?::bigint[])"
        with self.index.reading() as db:
            return dict(db.execute(query, (numbers,)).fetchall())
