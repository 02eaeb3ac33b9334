"""Which of many rows answer best: BM25 from lists of rows, and lists fused by rank. Pure.

How an index is asked: a scope, filters, and the four ways to look within them.

Owns every SQL statement of a search; what a caller says is only ever a bound
value or a term made of letters and digits. A search within a session reads the
rows of its ranges alone, so that it costs the same however much else there is.
"""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

from steno.recall.index import CHUNK_BITS, CHUNKS_MOST, Index
from steno.recall.index import SESSION_BITS as SHELF_BITS
from steno.recall.terms import OFTEN, is_unspaced, query_terms, terms_of, valid_text
from steno.store.file import file_errors

K1, B = 2.0, 1.0
"""A word weighs by its share of the piece (B = 1): what says little else is about it."""
FUSION_K = 60
"""How fast a rank loses weight, in lists that are fused; the usual figure."""
TIMES_MOST = 5
"""What occurs more often counts as if it did so often."""
POOL = 400
"""Rows whose length is looked at, the best by their words alone."""

Occurrences = Mapping[int, int]
"""Rows that hold a term, and how often."""
T = TypeVar("T", bound=Hashable)


def rank_bm25(
    found: Sequence[Occurrences],
    pieces: int,
    mean: float,
    sizes: Callable[[list[int]], Mapping[int, int]],
) -> list[tuple[int, float]]:
    """Rows and their scores, best first; `found` has one entry a term, `mean` is the usual size of a piece."""
    rarity = [
        math.log(1 + (max(pieces, len(rows)) - len(rows) + 0.5) / (len(rows) + 0.5))
        for rows in found
    ]
    gains: dict[int, float] = {}
    for weight, rows in zip(rarity, found, strict=True):
        by_times = [weight * times * (K1 + 1) / (times + K1) for times in range(TIMES_MOST + 1)]
        for row, times in rows.items():
            gains[row] = gains.get(row, 0.0) + by_times[times]
    pool = sorted(gains, key=gains.__getitem__, reverse=True)[:POOL]
    scores = dict.fromkeys(pool, 0.0)
    damped = {row: K1 * (1 - B + B * size / max(mean, 1.0)) for row, size in sizes(pool).items()}
    for weight, rows in zip(rarity, found, strict=True):
        for row, damp in damped.items():
            times = rows.get(row, 0)
            scores[row] += weight * times * (K1 + 1) / (times + damp)
    return sorted(scores.items(), key=lambda each: (-each[1], -each[0]))


def fuse_ranks(lists: Sequence[Sequence[T]]) -> list[tuple[T, float]]:
    """Reciprocal rank fusion: what several lists agree on comes first."""
    scores: dict[T, float] = {}
    for ranks in lists:
        for rank, each in enumerate(ranks, start=1):
            scores[each] = scores.get(each, 0.0) + 1 / (FUSION_K + rank)
    return sorted(scores.items(), key=lambda each: -each[1])


ROWS_MOST, COMMON_LEAST = 20_000, 2_000
"""Rows looked at for one term, the newest first: an eighth of all there are, within these bounds."""
TERMS_MOST = 32
NEEDLE_MOST = 100
"""Characters of a quote that are looked up; pieces overlap by more."""
STEPS = 2_000
"""Of SQLite's machine, between two looks at the clock."""

PAGE = 2 * CHUNKS_MOST
"""Rows read at once: more than one message can have, so that one is always whole."""

RowId = int
Clause = tuple[str, Any]


@dataclass(frozen=True)
class RowScope:
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
        same = f"s.id = p.id >> {CHUNK_BITS} << {CHUNK_BITS} AND s.block = p.block"
        kind = f"EXISTS (SELECT 1 FROM stated s WHERE s.kind = ? AND {same})"
        step = None if self.path is None else f"/{valid_text(self.path).strip('/')}/"
        told = (
            (kind, self.kind),
            ("p.role = ?", self.role),
            ("p.tool = ?", None if self.tool is None else valid_text(self.tool)),
            ("instr(p.paths, ?) > 0", step),
            ("p.said >= ?", self.since),
            ("p.said <= ?", self.until),
        )
        return [(clause, value) for clause, value in told if value is not None]


ANY = Filters()


@dataclass(frozen=True)
class BlockText:
    """The whole text of a block, put together again from its pieces."""

    row: RowId
    text: str


@dataclass(frozen=True)
class Search:
    index: Index
    scope: RowScope
    filters: Filters = ANY
    seconds: float = 2.0
    """How long a look at every row may take."""

    def words(self, query: str) -> list[tuple[RowId, float]]:
        """Full text: rows that hold words of the query, best first."""
        with self.index.lock, file_errors(self.index.path):
            found = [
                rows
                for term in query_terms(query)[:TERMS_MOST]
                if (rows := self._occurrences(term))
            ]
            # What most pieces hold tells little of any: it counts only where nothing rarer was asked for.
            telling = [rows for rows in found if len(rows) < self._common] or found
            return rank_bm25(telling, self.scope.pieces, self.scope.mean, self._sizes)

    def exact(self, quote: str, most: int, *, thorough: bool = True) -> tuple[list[RowId], bool]:
        """Rows that hold the very words, newest first, and whether all were looked at."""
        quote = valid_text(quote)
        whole = list(dict.fromkeys(terms_of(quote)))[:TERMS_MOST]
        match = " AND ".join(_quote_term(term) for term in whole)
        with self.index.lock, file_errors(self.index.path):
            rows = (
                self._matching_blocks(self._rows(match, most, _containment(quote)), quote)
                if match
                else []
            )
            if len(rows) >= most or not thorough:
                return rows, True
            rows = []
            with self._clock() as late:
                # It may begin or end within a word.
                self._rows(None, most, _containment(quote), into=rows)
            return self._matching_blocks(rows, quote), not late

    def _matching_blocks(self, rows: list[RowId], quote: str) -> list[RowId]:
        """Those of the rows whose block goes on as the quote does, where only its beginning was looked up."""
        if len(quote) <= NEEDLE_MOST:
            return rows
        fold = str.casefold if _is_lower_case(quote) else str
        return [row for row in rows if fold(quote) in fold(self._block(row))]

    def _block(self, row: RowId) -> str:
        first = row >> CHUNK_BITS << CHUNK_BITS
        sql = (
            "SELECT id, block, start, text FROM piece WHERE id BETWEEN ? AND ? "
            "AND block = (SELECT block FROM piece WHERE id = ?) ORDER BY id DESC"
        )
        page = self.index.db.execute(sql, (first, first + (1 << CHUNK_BITS) - 1, row)).fetchall()
        return "".join(block.text for block in _join_chunks(page))

    def newest(self, most: int) -> list[RowId]:
        """Whatever passes the filters, newest first."""
        with self.index.lock, file_errors(self.index.path):
            return self._rows(None, most)

    def blocks(self) -> Iterator[BlockText]:
        """Every block that passes the filters, newest message first, read page by page."""
        for start, stop in reversed(self.scope.ranges):
            while stop >= start:
                page = self._page(start, stop)
                yield from _join_chunks(page)
                stop = (page[-1][0] >> CHUNK_BITS << CHUNK_BITS) - 1 if page else -1

    def _page(self, start: RowId, stop: RowId) -> list[tuple[int, int, int, str]]:
        """Rows of whole messages, newest first."""
        sql, values = self._sql("p.id, p.block, p.start, p.text", None, (start, stop))
        with self.index.lock, file_errors(self.index.path):
            rows = self.index.db.execute(f"{sql} LIMIT ?", (*values, PAGE)).fetchall()
        last = rows[-1][0] >> CHUNK_BITS if len(rows) == PAGE else -1
        return [row for row in rows if row[0] >> CHUNK_BITS != last] or rows

    def filter_rows(self, rows: Sequence[RowId]) -> set[RowId]:
        """Those of the rows that pass scope and filters."""
        clauses = "".join(f" AND {clause}" for clause, _ in self.filters.clauses)
        sql = (
            f"SELECT p.id FROM json_each(?) j CROSS JOIN piece p ON p.id = j.value WHERE 1{clauses}"
        )
        values = [json.dumps(list(rows)), *(value for _, value in self.filters.clauses)]
        with self.index.lock, file_errors(self.index.path):
            return {row for (row,) in self.index.db.execute(sql, values)}

    def chunks(self, rows: Sequence[RowId]) -> dict[RowId, tuple[Any, ...]]:
        """Role, tool, time, block, start and text of rows."""
        sql = "SELECT id, role, tool, said, block, start, text FROM piece WHERE id IN (SELECT value FROM json_each(?))"
        with self.index.lock, file_errors(self.index.path):
            return {
                row: rest for row, *rest in self.index.db.execute(sql, (json.dumps(list(rows)),))
            }

    def names(self, rows: Iterable[RowId]) -> dict[int, str]:
        """Which sessions rows are of, by shelf."""
        numbers = json.dumps(sorted({row >> SHELF_BITS for row in rows}))
        sql = "SELECT number, name FROM shelf WHERE number IN (SELECT value FROM json_each(?))"
        with self.index.lock, file_errors(self.index.path):
            return dict(self.index.db.execute(sql, (numbers,)).fetchall())

    @property
    def _common(self) -> int:
        return max(COMMON_LEAST, min(ROWS_MOST, self.scope.pieces // 8))

    def _occurrences(self, term: str) -> Occurrences:
        """Where a term occurs, and how often, as far as that is kept."""
        if len(term) == 1 and is_unspaced(term):
            return dict.fromkeys(self._rows(f"{_quote_term(term)} *", self._common), 1)
        found = dict.fromkeys(self._rows(_quote_term(term), self._common), 1)
        if len(found) < self._common:
            for times in OFTEN:
                more = self._rows(_quote_term(f"{times}·{term}"), self._common) if found else []
                found.update(dict.fromkeys(more, times))
                if not more:
                    break
        return found

    def _rows(
        self, match: str | None, most: int, *conditions: Clause, into: list[RowId] | None = None
    ) -> list[RowId]:
        rows: list[RowId] = [] if into is None else into
        what = "p.id" if match is None else "w.rowid"
        for span in reversed(self.scope.ranges):
            sql, values = self._sql(what, match, span, *conditions)
            found = self.index.db.execute(f"{sql} LIMIT ?", (*values, most - len(rows)))
            if into is None:
                rows += [row for (row,) in found.fetchall()]
            else:
                rows.extend(
                    row for (row,) in found
                )  # one by one: what was found stays when the time is up
            if len(rows) >= most:
                break
        return rows

    def _sql(
        self, what: str, match: str | None, span: tuple[RowId, RowId], *conditions: Clause
    ) -> tuple[str, list[Any]]:
        """Rows of a range that pass, newest first; the pieces are read only where a condition is on them."""
        on_piece = [*self.filters.clauses, *conditions]
        row = "p.id" if match is None else "w.rowid"
        joined = " CROSS JOIN piece p ON p.id = w.rowid" if on_piece else ""
        source = "piece p" if match is None else f"words w{joined}"
        clauses = [(f"{row} >= ?", span[0]), (f"{row} <= ?", span[1]), *on_piece]
        if match is not None:
            clauses.insert(0, ("words MATCH ?", match))
        if self.scope.numbers is not None:
            member = f"{row} >> {SHELF_BITS} IN (SELECT value FROM json_each(?))"
            clauses.append((member, json.dumps(self.scope.numbers)))
        where = " AND ".join(clause for clause, _ in clauses)
        return f"SELECT {what} FROM {source} WHERE {where} ORDER BY {row} DESC", [
            value for _, value in clauses
        ]

    def _sizes(self, rows: list[RowId]) -> Mapping[RowId, int]:
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


def _join_chunks(page: Sequence[tuple[int, int, int, str]]) -> Iterator[BlockText]:
    for _, rows in groupby(page, key=lambda row: (row[0] >> CHUNK_BITS, row[1])):
        first, text = 0, ""
        for id, _, start, part in reversed(list(rows)):
            first = first or id
            text += part[max(0, len(text) - start) :]
        yield BlockText(first, text)


def _quote_term(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def _containment(quote: str) -> tuple[str, str]:
    """Case matters once a quote has a capital."""
    needle = quote[:NEEDLE_MOST]
    if not _is_lower_case(quote):
        return "instr(p.text, ?) > 0", needle
    if needle.isascii():
        return "instr(lower(p.text), ?) > 0", needle
    return (
        "instr(casefold(p.text), ?) > 0",
        needle.casefold(),
    )  # SQLite's own lower knows a to z alone


def _is_lower_case(quote: str) -> bool:
    return quote == quote.lower()
