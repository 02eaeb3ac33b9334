"""Look into SQLite's index: a scope, filters, and the ways to look within them.

What a caller passes is only ever a bound value, or a term made of letters and digits. A search
within a session reads the rows of its ranges alone, so it costs the same however much
else the index holds. Ranking is in `rank`.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from steno.recall.rows import SESSION_BITS, Occurrences, RowId
from steno.recall.sql import Clause, RecallSearch, containment, filter_clauses
from steno.recall.terms import OFTEN, is_unspaced

CLOCK_STEPS = 2_000
"""Steps of SQLite's machine between two looks at the clock."""
SLICE = 4
"""How many times the rows wanted of a term the first slice of a scope holds."""


@dataclass(frozen=True)
class Search(RecallSearch):
    """Looks within a scope, through filters."""

    among = "{} IN (SELECT value FROM json_each(?))"

    @staticmethod
    def bind_list(numbers: Iterable[int]) -> str:
        # One JSON value, because SQLite bounds the number of parameters.
        return json.dumps(list(numbers))

    def occurrences(self, term: str) -> Occurrences:
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

    def _with_all_terms(self, terms: Sequence[str], quote: str, most: int) -> list[RowId]:
        match = " AND ".join(_quote_term(term) for term in terms)
        return self._rows(match, most, containment(quote))

    def newest(self, most: int) -> list[RowId]:
        with self.index.reading():
            return self._rows(None, most)

    def nearest(self, embedder: str, wanted: Sequence[float], most: int) -> None:
        """Leave it to `Vectors`: SQLite without extensions compares no vectors."""

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

    def _scan(self, condition: Clause, most: int) -> tuple[list[RowId], bool]:
        rows: list[RowId] = []
        with self._clock() as clock:
            for query, values in self._newest_first(None, condition):
                # One by one, so that those stay which were found before the time was up.
                found = self.index.db.execute(f"{query} LIMIT ?", (*values, most - len(rows)))
                rows.extend(row for (row,) in found)
                if len(rows) >= most:
                    break
        return rows, not clock.is_late

    def _newest_first(
        self, match: str | None, *conditions: Clause
    ) -> Iterator[tuple[str, list[Any]]]:
        """Yield the query for the ids of each range and its values, newest range first."""
        column = "w.rowid AS id"
        if match is None:
            column = "p.id AS id"
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
        if not others:
            return ""
        return json.dumps(sorted(others))

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


def _quote_term(term: str) -> str:
    doubled = term.replace('"', '""')
    return f'"{doubled}"'
