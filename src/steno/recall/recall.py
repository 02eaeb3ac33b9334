"""Find messages: in one session, in several, or in all of a user's.

Owns the ways to look and how they go together. `scope` settles first where to look, so that
a search never finds another user's words; `fill` fills the index, `search` asks it. A search
is bounded in time, and says so if that kept it from looking everywhere.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import TypeVar

from steno.core.errors import BadInput
from steno.core.store import SessionInfo, Store
from steno.recall.embedders import Embedder
from steno.recall.fill import IndexFiller, ReaderFor
from steno.recall.hits import HitBuilder, RankedRows
from steno.recall.index import index_of
from steno.recall.query import Found, Query
from steno.recall.rank import rank_nearest, rank_words
from steno.recall.rows import IndexMark, session_number
from steno.recall.scope import SessionScope
from steno.recall.sql import RecallSearch
from steno.recall.vectors import Vectors
from steno.store.file import DamagedFile

ROWS_MOST = 400
"""Rows that one way of looking returns."""
QUOTED_MOST, QUOTES_MOST = 50, 4
"""Rows for each quote in a query, and quotes of a query that are looked up."""
REBUILT = "the index was damaged, and was built anew from what is kept"
TIME_WAS_UP = "the time was up before every message was looked at, newest first"
NOT_FILLED = "{} of {} sessions are indexed whole so far: search again to look at the rest"
NOT_EMBEDDED = "some pieces have no vector yet and are found by their words alone"
FACTS_BEHIND = "the newest messages were not read for facts yet: search again"

T = TypeVar("T")

_QUOTED = re.compile(r'"([^"]{2,200})"|`([^`]{2,200})`|“([^”]{2,200})”')


@dataclass(frozen=True)
class _SearchJob:
    """One search under way."""

    query: Query
    search: RecallSearch
    notes: list[str]
    """What was left out, in plain sentences."""
    embedded: bool
    """Whether every chunk has a vector."""


class Recall:
    """Searches a store for one session: what it may see, and by which embedder."""

    def __init__(
        self,
        store: Store,
        name: str,
        reads: ReaderFor,
        embedder: Embedder | None = None,
        clean: Callable[[str], str] = str,
    ) -> None:
        """Search for a session; `clean` takes out of Steno's own words what it does not show."""
        self._store = store
        self._clean = clean
        self._name = name
        self._reads = reads
        self._vectors: Vectors | None = None
        if embedder is not None:
            self._vectors = Vectors(index_of(store), embedder)

    def fill(
        self,
        where: str | Sequence[str] = "session",
        seconds: float | None = None,
        share: float = 1.0,
        stop: Event | None = None,
    ) -> bool:
        """Bring the index up to date, vectors included; return False if the time was up.

        It works for at most `share` of the time, and rests between its steps. Setting `stop`
        ends it after the step that is under way.
        """
        if not 0 < share <= 1:
            raise BadInput(f"share= is a number over 0, at most 1; got {share!r}")
        filler = self._filler(float("inf") if seconds is None else seconds)
        filler = replace(filler, share=share, stop=stop or Event())
        sessions = SessionScope.of(self._store, self._name, where).sessions
        return self._rebuild_if_damaged(
            lambda: all(self._fill_session(filler, info) for info in sessions)
        )

    def find(self, query: Query) -> Found:
        """Search, after indexing what is new as far as the time allows."""
        found = self._rebuild_if_damaged(lambda: self._find(query))
        index = index_of(self._store)
        if not index.rebuilt:
            return found
        index.rebuilt = False
        note = "; ".join(filter(None, (found.note, REBUILT)))
        return replace(found, note=note)

    def _rebuild_if_damaged(self, work: Callable[[], T]) -> T:
        """Do the work; if the index is damaged, begin it anew and do the work again."""
        try:
            return work()
        except DamagedFile as damaged:
            index = index_of(self._store)
            # It is the store that is damaged, and nothing could be built anew from it.
            if damaged.path != index.path:
                raise
            index.rebuild()
            return work()

    def _filler(self, seconds: float) -> IndexFiller:
        return IndexFiller(self._store, self._reads, time.monotonic() + seconds)

    def _fill_session(self, filler: IndexFiller, info: SessionInfo) -> bool:
        full = filler.fill_words(info)
        if self._vectors is None:
            return full
        return filler.fill_vectors(info, self._vectors) and full

    def _find(self, query: Query) -> Found:
        scope = SessionScope.of(self._store, self._name, query.where)
        marks = scope.marks(self._store)
        notes = self._catch_up(scope, query, marks)
        embedded = self._embed_new(scope, query, notes)
        index = index_of(self._store)
        with index.snapshot():
            rows = scope.row_scope(marks)
            search = index.search(rows, query.filters, query.seconds)
            lists = self._ranked_lists(_SearchJob(query, search, notes, embedded))
            builder = HitBuilder(
                self._store, self._reads, scope.by_name, search, query, self._name, self._clean
            )
            hits, more = builder.build_hits(lists)
        return Found(hits, more, complete=not notes, note="; ".join(notes))

    def _catch_up(
        self, scope: SessionScope, query: Query, marks: dict[str, IndexMark]
    ) -> list[str]:
        """Index what is new, as far as the time allows; return notes of what is left out.

        The marks of sessions that were indexed are brought up to date.
        """
        notes: list[str] = []
        filler = self._filler(query.seconds)
        behind = [info for info in scope.sessions if not filler.is_full(info, marks.get(info.name))]
        left = len(behind)
        for info in behind:
            filled = filler.fill_words(info)
            mark = index_of(self._store).mark(info.name)
            if mark is not None:
                marks[info.name] = mark
            if not filled:
                break
            left -= 1
        if left:
            total = len(scope.sessions)
            notes.append(NOT_FILLED.format(total - left, total))
        if query.filters.kind is None:
            return notes
        if not all(filler.fill_kinds(info) for info in scope.sessions):
            notes.append(FACTS_BEHIND)
        return notes

    def _ranked_lists(self, job: _SearchJob) -> list[RankedRows]:
        """Look in every way that the mode asks for."""
        if not job.query.query.strip():
            return [RankedRows("filter", job.search.newest(ROWS_MOST))]
        match job.query.mode:
            case "words":
                return [self._by_words(job)]
            case "exact":
                return [self._by_quote(job)]
            case "meaning":
                if self._vectors is None:
                    raise BadInput("a search by meaning needs an embedder: Session(…, embedder=…)")
                return [self._by_vectors(job)]
        return self._by_all(job)

    def _by_all(self, job: _SearchJob) -> list[RankedRows]:
        lists = [self._by_words(job)]
        for quote in _quotes_in(job.query.query):
            rows, _ = job.search.exact(quote, QUOTED_MOST, thorough=False)
            lists.append(RankedRows("exact", rows))
        # While some chunks have no vector, those that have one would rank higher
        # for no other reason.
        if job.embedded:
            lists.append(self._by_vectors(job))
        if any(ranked.rows for ranked in lists):
            return lists
        # Nothing by whole words: the query may be part of one.
        return [self._by_quote(job)]

    def _by_words(self, job: _SearchJob) -> RankedRows:
        found = rank_words(job.search, job.query.query)
        return RankedRows("words", [row for row, _ in found], scores=dict(found))

    def _by_quote(self, job: _SearchJob) -> RankedRows:
        rows, complete = job.search.exact(job.query.query.strip(), ROWS_MOST)
        if not complete:
            job.notes.append(TIME_WAS_UP)
        return RankedRows("exact", rows)

    def _embed_new(self, scope: SessionScope, query: Query, notes: list[str]) -> bool:
        """Embed what is new, as far as the time allows; tell whether every chunk has a vector."""
        if (
            self._vectors is None
            or query.mode not in ("auto", "meaning")
            or not query.query.strip()
        ):
            return False
        filler = self._filler(query.seconds / 2)
        if all(filler.fill_vectors(info, self._vectors) for info in scope.sessions):
            return True
        notes.append(NOT_EMBEDDED)
        return False

    def _by_vectors(self, job: _SearchJob) -> RankedRows:
        if self._vectors is None:
            return RankedRows("meaning", ())
        scope = job.search.scope
        numbers = scope.numbers
        if not numbers:
            numbers = tuple(dict.fromkeys(session_number(start) for start, _ in scope.ranges))
        nearest = self._vectors.nearest(job.query.query, job.search, numbers, ROWS_MOST)
        nearest = rank_nearest(job.search, job.query.query, nearest)
        return RankedRows("meaning", [row for row, _ in nearest], scores=dict(nearest))


def _quotes_in(query: str) -> list[str]:
    """Return what a query quotes, each once."""
    found = (quote for groups in _QUOTED.findall(query) for quote in groups if quote)
    return list(dict.fromkeys(found))[:QUOTES_MOST]
