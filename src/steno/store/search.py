"""How an index is asked: a scope, filters, and the four ways to look within them.

Owns every SQL statement of a search; what a caller says is only ever a bound
value or a term made of letters and digits. A search within a session reads the
rows of its ranges alone, so that it costs the same however much else there is.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from steno.store.failure import told
from steno.store.index import PIECE, PIECES_MOST, SHELF, Index
from steno.store.ranking import Occurs, ranked
from steno.store.terms import OFTEN, asked, sound, terms, unspaced

ROWS_MOST, COMMON_LEAST = 20_000, 2_000
"""Rows looked at for one term, the newest first: an eighth of all there are, within these bounds."""
TERMS_MOST = 32
NEEDLE_MOST = 100
"""Characters of a quote that are looked up; pieces overlap by more."""
STEPS = 2_000
"""Of SQLite's machine, between two looks at the clock."""

PAGE = 2 * PIECES_MOST
"""Rows read at once: more than one message can have, so that one is always whole."""

Row = int
Clause = tuple[str, Any]


@dataclass(frozen=True)
class Scope:
    """Where to look: ranges of ids, and which shelves within them."""

    ranges: tuple[tuple[int, int], ...]
    pieces: int
    size: int
    """Pieces, and their terms, that the ranges hold: what is rare, and what is long, is measured by it."""
    numbers: tuple[int, ...] | None = None
    """The only shelves that count, where a range spans more."""

    @property
    def mean(self) -> float:
        return self.size / max(1, self.pieces)


@dataclass(frozen=True)
class Filters:
    kind: str | None = None
    role: str | None = None
    tool: str | None = None
    path: str | None = None
    since: float | None = None
    until: float | None = None

    def __bool__(self) -> bool:
        return self != Filters()

    @property
    def clauses(self) -> list[Clause]:
        """Conditions on a piece, and what each is bound to."""
        same = f"s.id = p.id >> {PIECE} << {PIECE} AND s.block = p.block"
        kind = f"EXISTS (SELECT 1 FROM stated s WHERE s.kind = ? AND {same})"
        step = None if self.path is None else f"/{sound(self.path).strip('/')}/"
        told = (
            (kind, self.kind),
            ("p.role = ?", self.role),
            ("p.tool = ?", None if self.tool is None else sound(self.tool)),
            ("instr(p.paths, ?) > 0", step),
            ("p.said >= ?", self.since),
            ("p.said <= ?", self.until),
        )
        return [(clause, value) for clause, value in told if value is not None]


ANY = Filters()


@dataclass(frozen=True)
class Block:
    """The whole text of a block, put together again from its pieces."""

    row: Row
    text: str


@dataclass(frozen=True)
class Search:
    index: Index
    scope: Scope
    filters: Filters = ANY
    seconds: float = 2.0
    """How long a look at every row may take."""

    def words(self, query: str) -> list[tuple[Row, float]]:
        """Full text: rows that hold words of the query, best first."""
        with self.index.lock, told(self.index.path):
            found = [rows for term in asked(query)[:TERMS_MOST] if (rows := self._occurs(term))]
            # What most pieces hold tells little of any: it counts only where nothing rarer was asked for.
            telling = [rows for rows in found if len(rows) < self._common] or found
            return ranked(telling, self.scope.pieces, self.scope.mean, self._sizes)

    def exact(self, quote: str, most: int, *, thorough: bool = True) -> tuple[list[Row], bool]:
        """Rows that hold the very words, newest first, and whether all were looked at."""
        quote = sound(quote)
        whole = list(dict.fromkeys(terms(quote)))[:TERMS_MOST]
        match = " AND ".join(_quoted(term) for term in whole)
        with self.index.lock, told(self.index.path):
            rows = self._whole(self._rows(match, most, _holds(quote)), quote) if match else []
            if len(rows) >= most or not thorough:
                return rows, True
            rows = []
            with self._clock() as late:
                # It may begin or end within a word.
                self._rows(None, most, _holds(quote), into=rows)
            return self._whole(rows, quote), not late

    def _whole(self, rows: list[Row], quote: str) -> list[Row]:
        """Those of the rows whose block goes on as the quote does, where only its beginning was looked up."""
        if len(quote) <= NEEDLE_MOST:
            return rows
        fold = str.casefold if _small(quote) else str
        return [row for row in rows if fold(quote) in fold(self._block(row))]

    def _block(self, row: Row) -> str:
        first = row >> PIECE << PIECE
        sql = (
            "SELECT id, block, start, text FROM piece WHERE id BETWEEN ? AND ? "
            "AND block = (SELECT block FROM piece WHERE id = ?) ORDER BY id DESC"
        )
        page = self.index.db.execute(sql, (first, first + (1 << PIECE) - 1, row)).fetchall()
        return "".join(block.text for block in _put_together(page))

    def newest(self, most: int) -> list[Row]:
        """Whatever passes the filters, newest first."""
        with self.index.lock, told(self.index.path):
            return self._rows(None, most)

    def blocks(self) -> Iterator[Block]:
        """Every block that passes the filters, newest message first, read page by page."""
        for start, stop in reversed(self.scope.ranges):
            while stop >= start:
                page = self._page(start, stop)
                yield from _put_together(page)
                stop = (page[-1][0] >> PIECE << PIECE) - 1 if page else -1

    def _page(self, start: Row, stop: Row) -> list[tuple[int, int, int, str]]:
        """Rows of whole messages, newest first."""
        sql, values = self._sql("p.id, p.block, p.start, p.text", None, (start, stop))
        with self.index.lock, told(self.index.path):
            rows = self.index.db.execute(f"{sql} LIMIT ?", (*values, PAGE)).fetchall()
        last = rows[-1][0] >> PIECE if len(rows) == PAGE else -1
        return [row for row in rows if row[0] >> PIECE != last] or rows

    def allowed(self, rows: Sequence[Row]) -> set[Row]:
        """Those of the rows that pass scope and filters."""
        clauses = "".join(f" AND {clause}" for clause, _ in self.filters.clauses)
        sql = f"SELECT p.id FROM json_each(?) j CROSS JOIN piece p ON p.id = j.value WHERE 1{clauses}"
        values = [json.dumps(list(rows)), *(value for _, value in self.filters.clauses)]
        with self.index.lock, told(self.index.path):
            return {row for (row,) in self.index.db.execute(sql, values)}

    def pieces(self, rows: Sequence[Row]) -> dict[Row, tuple[Any, ...]]:
        """Role, tool, time, block, start and text of rows."""
        sql = (
            "SELECT id, role, tool, said, block, start, text FROM piece WHERE id IN (SELECT value FROM json_each(?))"
        )
        with self.index.lock, told(self.index.path):
            return {row: rest for row, *rest in self.index.db.execute(sql, (json.dumps(list(rows)),))}

    def names(self, rows: Iterable[Row]) -> dict[int, str]:
        """Which sessions rows are of, by shelf."""
        numbers = json.dumps(sorted({row >> SHELF for row in rows}))
        sql = "SELECT number, name FROM shelf WHERE number IN (SELECT value FROM json_each(?))"
        with self.index.lock, told(self.index.path):
            return dict(self.index.db.execute(sql, (numbers,)).fetchall())

    @property
    def _common(self) -> int:
        return max(COMMON_LEAST, min(ROWS_MOST, self.scope.pieces // 8))

    def _occurs(self, term: str) -> Occurs:
        """Where a term occurs, and how often, as far as that is kept."""
        if len(term) == 1 and unspaced(term):
            return dict.fromkeys(self._rows(f"{_quoted(term)} *", self._common), 1)
        found = dict.fromkeys(self._rows(_quoted(term), self._common), 1)
        if len(found) < self._common:
            for times in OFTEN:
                more = self._rows(_quoted(f"{times}·{term}"), self._common) if found else []
                found.update(dict.fromkeys(more, times))
                if not more:
                    break
        return found

    def _rows(self, match: str | None, most: int, *conditions: Clause, into: list[Row] | None = None) -> list[Row]:
        rows: list[Row] = [] if into is None else into
        what = "p.id" if match is None else "w.rowid"
        for span in reversed(self.scope.ranges):
            sql, values = self._sql(what, match, span, *conditions)
            found = self.index.db.execute(f"{sql} LIMIT ?", (*values, most - len(rows)))
            if into is None:
                rows += [row for (row,) in found.fetchall()]
            else:
                rows.extend(row for (row,) in found)  # one by one: what was found stays when the time is up
            if len(rows) >= most:
                break
        return rows

    def _sql(self, what: str, match: str | None, span: tuple[Row, Row], *conditions: Clause) -> tuple[str, list[Any]]:
        """Rows of a range that pass, newest first; the pieces are read only where a condition is on them."""
        on_piece = [*self.filters.clauses, *conditions]
        row = "p.id" if match is None else "w.rowid"
        joined = " CROSS JOIN piece p ON p.id = w.rowid" if on_piece else ""
        source = "piece p" if match is None else f"words w{joined}"
        clauses = [(f"{row} >= ?", span[0]), (f"{row} <= ?", span[1]), *on_piece]
        if match is not None:
            clauses.insert(0, ("words MATCH ?", match))
        if self.scope.numbers is not None:
            member = f"{row} >> {SHELF} IN (SELECT value FROM json_each(?))"
            clauses.append((member, json.dumps(self.scope.numbers)))
        where = " AND ".join(clause for clause, _ in clauses)
        return f"SELECT {what} FROM {source} WHERE {where} ORDER BY {row} DESC", [value for _, value in clauses]

    def _sizes(self, rows: list[Row]) -> Mapping[Row, int]:
        sql = "SELECT p.id, p.size FROM json_each(?) j CROSS JOIN piece p ON p.id = j.value"
        return dict(self.index.db.execute(sql, (json.dumps(rows),)).fetchall())

    @contextmanager
    def _clock(self) -> Iterator[list[bool]]:
        """Stop SQLite when the time is up; what it had found by then is lost, and `late` says so."""
        until, late = time.monotonic() + self.seconds, list[bool]()

        def over() -> int:
            if time.monotonic() > until and not late:
                late.append(True)
            return len(late)

        self.index.db.set_progress_handler(over, STEPS)
        try:
            yield late
        except sqlite3.OperationalError:
            if not late:
                raise
        finally:
            self.index.db.set_progress_handler(None, 0)


def _put_together(page: Sequence[tuple[int, int, int, str]]) -> Iterator[Block]:
    for _, rows in groupby(page, key=lambda row: (row[0] >> PIECE, row[1])):
        first, text = 0, ""
        for id, _, start, part in reversed(list(rows)):
            first = first or id
            text += part[max(0, len(text) - start) :]
        yield Block(first, text)


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def _holds(quote: str) -> tuple[str, str]:
    """Case matters once a quote has a capital."""
    needle = quote[:NEEDLE_MOST]
    if not _small(quote):
        return "instr(p.text, ?) > 0", needle
    if needle.isascii():
        return "instr(lower(p.text), ?) > 0", needle
    return "instr(casefold(p.text), ?) > 0", needle.casefold()  # SQLite's own lower knows a to z alone


def _small(quote: str) -> bool:
    return quote == quote.lower()
