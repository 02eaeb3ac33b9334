"""Look into SQLite's index: a scope, filters, and the ways to look within them.

Owns every SQL statement of a search. What a caller passes is only ever a bound value, or a
term made of letters and digits. A search within a session reads the rows of its ranges alone,
so it costs the same however much else the index holds. Ranking is in `rank`.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, Protocol

from steno.recall.rows import (
    ANY,
    CHUNK_BITS,
    CHUNKS_MOST,
    SESSION_BITS,
    BlockText,
    Filters,
    FoundChunk,
    Occurrences,
    RowId,
    RowScope,
    RowTraits,
    message_row,
    session_number,
)
from steno.recall.terms import OFTEN, is_unspaced, terms_of, valid_text

TERMS_MOST = 32
NEEDLE_MOST = 100
"""Characters of a quote that are looked up; chunks overlap by more."""
CLOCK_STEPS = 2_000
"""Steps of SQLite's machine between two looks at the clock."""
SLICE = 4
"""How many times the rows wanted of a term the first slice of a scope holds."""
PAGE = 2 * CHUNKS_MOST
"""Rows read at once: more than one message can have, so that one is always whole."""

Clause = tuple[str, Any]
"""A condition, and the value that is bound to it."""


class IndexFile(Protocol):
    """An index as far as a search reads it."""

    db: sqlite3.Connection

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """Hold the connection for some statements."""
        ...


@dataclass(frozen=True)
class Search:
    """Looks within a scope, through filters."""

    index: IndexFile
    scope: RowScope
    filters: Filters = ANY
    seconds: float = 2.0
    """How long a look at every row may take."""

    def occurrences(self, term: str) -> Occurrences:
        """Return where a term occurs, and how often as far as that is indexed."""
        if len(term) == 1 and is_unspaced(term):
            return dict.fromkeys(self._lock_and_read(f"{_quote_term(term)} *"), 1)
        found = dict.fromkeys(self._lock_and_read(_quote_term(term)), 1)
        # A common term weighs too little to be worth three more look-ups.
        if not found or len(found) >= self.scope.common:
            return found
        for times in OFTEN:
            more = self._lock_and_read(_quote_term(f"{times}·{term}"))
            if not more:
                break
            found.update(dict.fromkeys(more, times))
        return found

    def _lock_and_read(self, match: str) -> list[RowId]:
        """Return the newest rows that match, newest first."""
        most = self.scope.common
        with self.index.reading():
            if self.filters or self.scope.numbers is not None:
                return self._rows(match, most)
            query = (
                "SELECT rowid AS id FROM words "
                "WHERE words MATCH ? AND rowid >= ? AND rowid <= ? ORDER BY rowid"
            )
            rows: list[RowId] = []
            for span in self._newest_slices():
                rows += reversed(self._ids(query, (match, *span)))
                if len(rows) >= most:
                    break
            return rows[:most]

    def _newest_slices(self) -> Iterator[tuple[RowId, RowId]]:
        """Cut the scope into slices that are read upwards: the newest first, each 4 times as long.

        FTS5 finds the beginning of a range at once if it reads upwards. Downwards it passes all
        newer rows of the term, so that a search would cost more with every session that is added.
        """
        spanned = sum(stop + 1 - start for start, stop in self.scope.ranges)
        length = SLICE * self.scope.common * spanned // max(1, self.scope.chunks)
        for start, stop in reversed(self.scope.ranges):
            while stop >= start:
                first = max(start, stop + 1 - length)
                # What would be left is less than this: one statement takes less time than two.
                if first - start < length:
                    first = start
                yield first, stop
                stop = first - 1
                length *= 4

    def traits(self, rows: Sequence[RowId]) -> dict[RowId, RowTraits]:
        """Return what ranking needs to know of rows."""
        query = (
            "SELECT p.id, p.size, p.role, p.said "
            "FROM json_each(?) j CROSS JOIN piece p ON p.id = j.value"
        )
        with self.index.reading() as db:
            found = db.execute(query, (json.dumps(list(rows)),))
            return {row: RowTraits(size, role, said) for row, size, role, said in found}

    def exact(self, quote: str, most: int, *, thorough: bool = True) -> tuple[list[RowId], bool]:
        """Return rows that hold the very words, newest first, and whether all were looked at.

        Looks up whole words first. If `thorough`, it then reads every row, because a quote
        may begin or end within a word.
        """
        quote = valid_text(quote)
        terms = list(dict.fromkeys(terms_of(quote)))[:TERMS_MOST]
        match = " AND ".join(_quote_term(term) for term in terms)
        with self.index.reading():
            rows: list[RowId] = []
            if match:
                candidates = self._rows(match, most, containment(quote))
                rows = matching_blocks(candidates, quote, self.index.db)
            if len(rows) >= most or not thorough:
                return rows, True
            rows = []
            with self._clock() as clock:
                self._scan(most, containment(quote), rows)
            return matching_blocks(rows, quote, self.index.db), not clock.is_late

    def newest(self, most: int) -> list[RowId]:
        """Return whatever passes the filters, newest first."""
        with self.index.reading():
            return self._rows(None, most)

    def blocks(self) -> Iterator[BlockText]:
        """Read every block that passes the filters page by page, newest message first."""
        for start, stop in reversed(self.scope.ranges):
            while stop >= start:
                page = self._page(start, stop)
                if not page:
                    break
                yield from join_chunks(page)
                stop = message_row(page[-1][0]) - 1

    def filter_rows(self, rows: Sequence[RowId]) -> set[RowId]:
        """Return those of the rows that pass the filters."""
        clauses = filter_clauses(self.filters)
        conditions = "".join(f" AND {clause}" for clause, _ in clauses)
        values = [value for _, value in clauses]
        query = (
            # One JSON value, because SQLite bounds the number of parameters.
            "SELECT p.id FROM json_each(?) j CROSS JOIN piece p ON p.id = j.value "
            f"WHERE 1{conditions}"
        )
        with self.index.reading() as db:
            return {row for (row,) in db.execute(query, [json.dumps(list(rows)), *values])}

    def nearest(self, embedder: str, wanted: Sequence[float], most: int) -> None:
        """Leave it to `Vectors`: SQLite without extensions compares no vectors."""

    def chunks(self, rows: Sequence[RowId]) -> dict[RowId, FoundChunk]:
        """Return the chunks of rows."""
        query = (
            "SELECT id, role, tool, said, block, start, paths, text FROM piece "
            "WHERE id IN (SELECT value FROM json_each(?))"
        )
        with self.index.reading() as db:
            found = db.execute(query, (json.dumps(list(rows)),))
            return {row: FoundChunk(*columns) for row, *columns in found}

    def names(self, rows: Iterable[RowId]) -> dict[int, str]:
        """Return the names of the sessions that rows belong to, by number."""
        numbers = json.dumps(sorted({session_number(row) for row in rows}))
        query = "SELECT number, name FROM shelf WHERE number IN (SELECT value FROM json_each(?))"
        with self.index.reading() as db:
            return dict(db.execute(query, (numbers,)).fetchall())

    def _page(self, start: RowId, stop: RowId) -> list[tuple[int, int, int, str]]:
        """Return rows of whole messages, newest first."""
        query, values = self._sql("p.id, p.block, p.start, p.text", None, (start, stop))
        with self.index.reading() as db:
            rows = db.execute(f"{query} LIMIT ?", (*values, PAGE)).fetchall()
        if len(rows) < PAGE:
            return rows
        # The last message may go on beyond the page.
        cut = message_row(rows[-1][0])
        return [row for row in rows if message_row(row[0]) != cut] or rows

    def _rows(self, match: str | None, most: int, *conditions: Clause) -> list[RowId]:
        """Return rows in scope that match and pass, newest first."""
        rows: list[RowId] = []
        for query, values in self._newest_first(match, *conditions):
            rows += self._ids(f"{query} LIMIT ?", (*values, most - len(rows)))
            if len(rows) >= most:
                break
        return rows

    def _ids(self, query: str, values: Sequence[Any]) -> list[RowId]:
        """Return the ids that a query selects, in its order."""
        # All in one text: Python takes longer to fetch a row than SQLite to find it.
        joined = f"SELECT group_concat(id) FROM ({query})"
        (ids,) = self.index.db.execute(joined, values).fetchone()
        if ids is None:
            return []
        return list(map(int, ids.split(",")))

    def _scan(self, most: int, condition: Clause, into: list[RowId]) -> None:
        """Add rows in scope that pass one by one, so that those stay which the clock left."""
        for query, values in self._newest_first(None, condition):
            found = self.index.db.execute(f"{query} LIMIT ?", (*values, most - len(into)))
            into.extend(row for (row,) in found)
            if len(into) >= most:
                break

    def _newest_first(
        self, match: str | None, *conditions: Clause
    ) -> Iterator[tuple[str, list[Any]]]:
        """Yield the query for the ids of each range and its values, newest range first."""
        column = "p.id AS id" if match is None else "w.rowid AS id"
        for span in reversed(self.scope.ranges):
            yield self._sql(column, match, span, *conditions)

    def _sql(
        self, columns: str, match: str | None, span: tuple[RowId, RowId], *conditions: Clause
    ) -> tuple[str, list[Any]]:
        """Build a query for the rows of a range, newest first.

        The chunks are joined only if a condition is on them.
        """
        on_chunk = [*filter_clauses(self.filters), *conditions]
        clauses: list[Clause] = []
        if match is None:
            row, source = "p.id", "piece p"
        else:
            row, source = "w.rowid", "words w"
            clauses.append(("words MATCH ?", match))
            if on_chunk:
                # CROSS fixes the order: first the few rows that match, then their chunks.
                source += " CROSS JOIN piece p ON p.id = w.rowid"
        clauses += [(f"{row} >= ?", span[0]), (f"{row} <= ?", span[1]), *on_chunk]
        if self._others:
            other = f"{row} >> {SESSION_BITS} IN (SELECT value FROM json_each(?))"
            clauses.append((f"NOT {other}", self._others))
        where = " AND ".join(clause for clause, _ in clauses)
        values = [value for _, value in clauses]
        return f"SELECT {columns} FROM {source} WHERE {where} ORDER BY {row} DESC", values

    @cached_property
    def _others(self) -> str:
        """The sessions that lie between those of the scope without being in it, as JSON.

        Mostly there are few or none, while a user may have thousands of sessions. A session that
        another process adds meanwhile becomes no hit: `HitBuilder` knows only those of the scope.
        """
        if self.scope.numbers is None:
            return ""
        shelf = "FROM shelf WHERE number BETWEEN ? AND ?"
        span = (self.scope.numbers[0], self.scope.numbers[-1])
        with self.index.reading() as db:
            (count,) = db.execute(f"SELECT count(*) {shelf}", span).fetchone()
            if count == len(self.scope.numbers):
                return ""
            between = {number for (number,) in db.execute(f"SELECT number {shelf}", span)}
        others = between.difference(self.scope.numbers)
        return json.dumps(sorted(others)) if others else ""

    @contextmanager
    def _clock(self) -> Iterator[_Clock]:
        """Interrupt SQLite when the time is up."""
        clock = _Clock(time.monotonic() + self.seconds)
        self.index.db.set_progress_handler(clock.check, CLOCK_STEPS)
        try:
            yield clock
        except sqlite3.OperationalError:
            # The interruption comes as this error; any other is a failure.
            if not clock.is_late:
                raise
        finally:
            self.index.db.set_progress_handler(None, 0)


@dataclass
class _Clock:
    until: float
    is_late: bool = False

    def check(self) -> int:
        """Tell SQLite to stop, by anything but 0, once the time is up."""
        self.is_late = self.is_late or time.monotonic() > self.until
        return int(self.is_late)


def join_chunks(page: Sequence[tuple[int, int, int, str]]) -> Iterator[BlockText]:
    """Join the chunks of each block; `page` holds id, block, start and text, newest first."""
    for _, rows in groupby(page, key=lambda row: (message_row(row[0]), row[1])):
        first = 0
        text = ""
        for id, _, start, part in reversed(list(rows)):
            first = first or id
            # Chunks overlap; what is there already is skipped.
            text += part[max(0, len(text) - start) :]
        yield BlockText(first, text)


def matching_blocks(rows: list[RowId], quote: str, db: Any) -> list[RowId]:
    """Return the rows whose block holds a long quote to its end."""
    if len(quote) <= NEEDLE_MOST:
        return rows
    if _is_lower_case(quote):
        folded = quote.casefold()
        return [row for row in rows if folded in _block_text(db, row).casefold()]
    return [row for row in rows if quote in _block_text(db, row)]


def _block_text(db: Any, row: RowId) -> str:
    """Return the whole text of the block that a row belongs to."""
    first = message_row(row)
    query = (
        "SELECT id, block, start, text FROM piece WHERE id BETWEEN ? AND ? "
        "AND block = (SELECT block FROM piece WHERE id = ?) ORDER BY id DESC"
    )
    page = db.execute(query, (first, first + CHUNKS_MOST - 1, row)).fetchall()
    return "".join(block.text for block in join_chunks(page))


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


def _quote_term(term: str) -> str:
    doubled = term.replace('"', '""')
    return f'"{doubled}"'


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
