"""Finding what was said: in one session, in several, or in all of a user's.

Owns the ways to look and how they go together. Where to look is `reach`'s
business and settled first, so that nobody finds another user's words; filling the
index is `indexing`'s, asking it the store's. A search is bounded in time and says
where that kept it from looking everywhere.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from steno.core.errors import BadInput
from steno.core.store import SessionInfo, Store
from steno.recall.embedders import Embedder
from steno.recall.fill import IndexFiller, ReaderFor
from steno.recall.hits import Found, Hit, HitBuilder, RankedRows, Spot
from steno.recall.index import SESSION_BITS as SHELF_BITS
from steno.recall.index import index_of
from steno.recall.query import Query
from steno.recall.regex import RegexMatcher
from steno.recall.scope import SessionScope
from steno.recall.search import RowId, Search
from steno.recall.vectors import Vectors
from steno.store.file import DamagedFile

__all__ = ["Found", "Hit", "Recall"]

FOUND_MOST = 400
QUOTED_MOST, NAMES_MOST = 50, 4
BATCH = 500
"""Texts matched at once."""
REBUILT = "the index was damaged, and was built anew from what is kept"
TIME_WAS_UP = "the time was up before every message was looked at, newest first"

T = TypeVar("T")

_QUOTED = re.compile(r'"([^"]{2,200})"|`([^`]{2,200})`|“([^”]{2,200})”')
_NAMED = re.compile(
    r"(?:~?/)?(?:[\w.-]{1,80}/){1,20}[\w-]{1,80}\.\w{1,8}"
    r"|[\w-]{2,80}\.[a-z]{1,4}(?=\W{0,3}(?:\s|$))"
    r"|[^\W_]{1,80}_\w{1,80}"
    r"|[a-z]{1,80}[A-Z]\w{1,80}"
)
"""Names as programs have them: a path, a file, snake_case, camelCase."""


@dataclass(frozen=True)
class _SearchJob:
    """One search under way."""

    wanted: Query
    search: Search
    cards: tuple[SessionInfo, ...]
    notes: list[str]


class Recall:
    """The searches of one session: what it may see, and what it searches with."""

    def __init__(
        self, store: Store, name: str, reads: ReaderFor, embedder: Embedder | None = None
    ) -> None:
        self._store, self._name, self._reads, self._embedder = store, name, reads, embedder
        self._matcher = RegexMatcher()
        self._vectors = None if embedder is None else Vectors(index_of(store), embedder.name)

    def close(self) -> None:
        self._matcher.close()

    def fill(self, where: str | Sequence[str] = "session", seconds: float | None = None) -> bool:
        """Bring the index, and the vectors if there is an embedder, up to date; False where the time was up."""
        filling = self._filler(float("inf") if seconds is None else seconds)
        cards = SessionScope.of(self._store, self._name, where).cards
        return self._rebuild_if_damaged(
            lambda: all(self._fill_session(filling, card) for card in cards)
        )

    def _fill_session(self, filling: IndexFiller, card: SessionInfo) -> bool:
        full = filling.fill_words(card)
        if self._embedder is not None and self._vectors is not None:
            return filling.fill_vectors(card, self._vectors, self._embedder) and full
        return full

    def _filler(self, seconds: float) -> IndexFiller:
        return IndexFiller(self._store, self._reads, time.monotonic() + seconds)

    def find(self, wanted: Query) -> Found:
        found = self._rebuild_if_damaged(lambda: self._find(wanted))
        index = index_of(self._store)
        if not index.rebuilt:
            return found
        index.rebuilt = False
        return replace(found, note="; ".join(filter(None, (found.note, REBUILT))))

    def _rebuild_if_damaged(self, work: Callable[[], T]) -> T:
        """Do it; an index that is damaged is begun anew, because the store can say all of it again."""
        try:
            return work()
        except DamagedFile as damaged:
            index = index_of(self._store)
            if damaged.path != index.path:
                raise
            index.rebuild()
            return work()

    def _find(self, wanted: Query) -> Found:
        reach = SessionScope.of(self._store, self._name, wanted.where)
        notes = self._catch_up(reach, wanted)
        search = Search(
            index_of(self._store),
            reach.row_scope(reach.marks(self._store)),
            wanted.filters,
            wanted.seconds,
        )
        lists = self._ranked_lists(_SearchJob(wanted, search, reach.cards, notes))
        cards = {card.name: card for card in reach.cards}
        hits, more = HitBuilder(
            self._store, self._reads, cards, search, wanted, self._name
        ).build_hits(lists)
        return Found(hits, more, complete=not notes, note="; ".join(notes))

    def _catch_up(self, reach: SessionScope, wanted: Query) -> list[str]:
        """Take in what is new, as far as the time allows; what is left out is said."""
        notes: list[str] = []
        filling = self._filler(wanted.seconds)
        marks = reach.marks(self._store)
        stale = [card for card in reach.cards if not filling.is_full(card, marks.get(card.name))]
        if not all(filling.fill_words(card) for card in stale):
            notes.append(
                "the index is not filled yet, and does not hold the newest messages: search again"
            )
        if wanted.filters.kind is not None and not all(
            filling.fill_kinds(card) for card in reach.cards
        ):
            notes.append("the newest messages were not read for facts yet: search again")
        return notes

    def _ranked_lists(self, look: _SearchJob) -> list[RankedRows]:
        query = look.wanted.query
        if not query.strip():
            return [RankedRows("filter", look.search.newest(FOUND_MOST))]
        match look.wanted.mode:
            case "words":
                return [self._by_words(look)]
            case "exact":
                return [self._by_quote(look)]
            case "regex":
                return [self._by_regex(look)]
            case "meaning":
                return [self._by_meaning(look)]
        lists = [self._by_words(look)]
        lists += [
            RankedRows("exact", look.search.exact(name, QUOTED_MOST, thorough=False)[0])
            for name in _names_in(query)
        ]
        # As long as some pieces have no vector, those that have would come before them for no other reason.
        if self._embedder is not None and self._has_vectors(look):
            lists.append(self._by_vectors(look))
        # Nothing by its words: it may be part of one.
        if any(each.rows for each in lists):
            return lists
        return [self._by_quote(look)]

    def _by_words(self, look: _SearchJob) -> RankedRows:
        found = look.search.words(look.wanted.query)
        return RankedRows("words", [row for row, _ in found], scores=dict(found))

    def _by_quote(self, look: _SearchJob) -> RankedRows:
        rows, complete = look.search.exact(look.wanted.query.strip(), FOUND_MOST)
        if not complete:
            look.notes.append(TIME_WAS_UP)
        return RankedRows("exact", rows)

    def _by_regex(self, look: _SearchJob) -> RankedRows:
        until = time.monotonic() + look.search.seconds
        spots: dict[RowId, Spot] = {}
        for batch in _batches(look.search):
            texts = [text for _, text in batch]
            found, whole = self._matcher.matches(look.wanted.query, texts, until - time.monotonic())
            for match in found:
                row, text = batch[match.at]
                spots[row] = Spot(match.start, match.stop, text)
            if len(spots) >= FOUND_MOST:
                break
            if not whole or time.monotonic() > until:
                look.notes.append(TIME_WAS_UP)
                break
        return RankedRows("regex", list(spots), spots)

    def _by_meaning(self, look: _SearchJob) -> RankedRows:
        if self._embedder is None:
            raise BadInput("a search by meaning needs an embedder: Session(…, embedder=…)")
        self._has_vectors(look)
        return self._by_vectors(look)

    def _has_vectors(self, look: _SearchJob) -> bool:
        """Every piece in reach has its vector, now that there was time for it; what is left out is said."""
        if self._embedder is None or self._vectors is None:
            return False
        filling = self._filler(look.wanted.seconds / 2)
        if all(filling.fill_vectors(card, self._vectors, self._embedder) for card in look.cards):
            return True
        marks = [
            mark for card in look.cards if (mark := look.search.index.mark(card.name)) is not None
        ]
        behind = sum(self._vectors.behind(mark.number) for mark in marks)
        if behind:
            look.notes.append(
                f"{behind:,} pieces have no vector yet and are found by their words alone"
            )
        return not behind

    def _by_vectors(self, look: _SearchJob) -> RankedRows:
        if self._embedder is None or self._vectors is None:
            return RankedRows("meaning", ())
        search = look.search
        numbers = search.scope.numbers or tuple(
            dict.fromkeys(start >> SHELF_BITS for start, _ in search.scope.ranges)
        )
        near = self._vectors.nearest(
            self._embedder.embed([look.wanted.query])[0], search, numbers, FOUND_MOST
        )
        return RankedRows("meaning", [row for row, _ in near], scores=dict(near))


def _batches(search: Search) -> Iterator[list[tuple[RowId, str]]]:
    batch: list[tuple[RowId, str]] = []
    for block in search.blocks():
        batch.append((block.row, block.text))
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch


def _names_in(query: str) -> list[str]:
    """What a query quotes, and names as programs have them."""
    quoted = [next(filter(None, found)) for found in _QUOTED.findall(query)]
    return list(dict.fromkeys([*quoted, *_NAMED.findall(query)]))[:NAMES_MOST]
