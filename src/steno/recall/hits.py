"""The few words of a hit that show why it was found, and who wrote them.

From rows in order to hits that cite positions: the best piece of each message, and who wrote its words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from steno.core.message import Call, Message, Text, Thinking
from steno.core.store import SessionInfo, Store
from steno.facts.authorship import split_by_author
from steno.facts.fact import Trust
from steno.recall.fill import ReaderFor
from steno.recall.index import CHUNK_BITS
from steno.recall.index import SESSION_BITS as SHELF_BITS
from steno.recall.query import Query
from steno.recall.search import RowId, Search, fuse_ranks
from steno.recall.terms import name_terms, query_terms

SNIPPET_LENGTH = 280
SNIPPET_BEFORE = 80
"""Characters that are shown ahead of what was found."""
PLACES_MOST = 200
_NAME = re.compile(r"\w+")
_LEAST_TRUSTED_FIRST: tuple[Trust, ...] = ("tool", "assistant", "person", "system")


@dataclass(frozen=True)
class Spot:
    """Where in a text something was found."""

    start: int
    stop: int
    text: str
    shift: int = 0
    """Where in its block the text begins."""


def find_spot(text: str, query: str) -> Spot:
    """The very words of a query; or the stretch that holds most of them."""
    said = text.lower().find(query.lower().strip()) if query.strip() else -1
    if said >= 0:
        return Spot(said, said + len(query.strip()), text)
    wanted = set(query_terms(query))
    names = _NAME.finditer(text) if wanted else ()
    places = [
        (found.start(), term) for found in names for term in name_terms(found[0]) if term in wanted
    ][:PLACES_MOST]
    if not places:
        return Spot(0, min(len(text), SNIPPET_LENGTH), text)
    best, start = 0, places[0][0]
    for at, (begin, _) in enumerate(places):
        held = {
            term for place, term in places[at:] if place < begin + SNIPPET_LENGTH - SNIPPET_BEFORE
        }
        if len(held) > best:
            best, start = len(held), begin
    return Spot(start, min(len(text), start + SNIPPET_LENGTH - SNIPPET_BEFORE), text)


def snippet(spot: Spot) -> str:
    """One line around what was found; dots where it was cut."""
    start = max(0, min(spot.start - SNIPPET_BEFORE, len(spot.text) - SNIPPET_LENGTH))
    stop = min(len(spot.text), start + SNIPPET_LENGTH)
    said = " ".join(spot.text[start:stop].split())
    return ("… " if start else "") + said + (" …" if stop < len(spot.text) else "")


def trust_of(message: Message, block: int, spot: Spot) -> Trust:
    """The least trusted author of the words that are shown."""
    found = message.blocks[block] if block < len(message.blocks) else None
    if isinstance(found, Call):
        return "assistant"
    if (
        message.role == "assistant"
        and isinstance(found, Text | Thinking)
        and "<steno-" not in found.text
    ):
        if message.by == "caller":
            return "assistant"
        return "tool"  # only our own fences are not its words
    start, stop = (
        spot.shift + max(0, spot.start - SNIPPET_BEFORE),
        spot.shift + spot.start + SNIPPET_LENGTH,
    )
    authors: set[Trust] = set()
    at = 0
    for piece in split_by_author(message):
        if piece.block == block:
            if at < stop and at + len(piece.text) > start:
                authors.add(piece.trust)
            at += len(piece.text)
    return next((trust for trust in _LEAST_TRUSTED_FIRST if trust in authors), "tool")


MatchKind = Literal["words", "exact", "regex", "meaning", "filter"]
_POSITION_MASK = (1 << SHELF_BITS - CHUNK_BITS) - 1


@dataclass(frozen=True)
class Hit:
    """One message that was found, and where it can be opened."""

    session: str
    position: int
    place: str
    """The message, or the block of it: `17` or `17.2`, as `open` takes it."""
    role: str
    tool: str
    """The tool that was called, or whose result this is; empty for neither."""
    snippet: str
    score: float
    why: tuple[MatchKind, ...]
    """Which ways of looking found it."""
    trust: Trust
    """Who wrote the words, whatever the role they came under."""
    when: float | None
    """When it was kept, in seconds since 1970, where that is known."""


@dataclass(frozen=True)
class Found:
    hits: tuple[Hit, ...]
    more: int = 0
    """Further messages that were found and not asked for; at least so many."""
    complete: bool = True
    """Everything in reach was looked at; where not, `note` says what was left out."""
    note: str = ""

    def __bool__(self) -> bool:
        return bool(self.hits)


@dataclass(frozen=True)
class RankedRows:
    """Rows in the order that one way of looking put them in."""

    why: MatchKind
    rows: Sequence[RowId]
    spots: Mapping[RowId, Spot] | None = None
    scores: Mapping[RowId, float] | None = None

    @property
    def best_rows(self) -> dict[int, RowId]:
        """Messages in order, each with its best row."""
        found: dict[int, RowId] = {}
        for row in self.rows:
            found.setdefault(row >> CHUNK_BITS, row)
        return found


@dataclass(frozen=True)
class HitBuilder:
    """What hits are made of."""

    store: Store
    reads: ReaderFor
    cards: Mapping[str, SessionInfo]
    search: Search
    wanted: Query
    called: str
    """The session that is searched, for what it inherited from those it was forked from."""

    def build_hits(self, lists: Sequence[RankedRows]) -> tuple[tuple[Hit, ...], int]:
        """The best messages, and how many more there are."""
        filled = [(each, firsts) for each in lists if (firsts := each.best_rows)]
        scored = fuse_ranks([list(firsts) for _, firsts in filled])
        if len(filled) == 1 and (scores := filled[0][0].scores):
            scored = [(message, scores[row]) for message, row in filled[0][1].items()]
        chosen = scored[: self.wanted.most]
        by = {
            message: [each for each, firsts in filled if message in firsts] for message, _ in chosen
        }
        best = {
            message: next(firsts[message] for _, firsts in filled if message in firsts)
            for message, _ in chosen
        }
        pieces = self.search.chunks(list(best.values()))
        names = self.search.names(pieces)
        hits = [
            self._build_hit(best[message], by[message], score, pieces, names)
            for message, score in chosen
        ]
        return tuple(hit for hit in hits if hit is not None), max(0, len(scored) - len(chosen))

    def _build_hit(
        self,
        row: RowId,
        by: Sequence[RankedRows],
        score: float,
        pieces: Mapping[RowId, tuple[Any, ...]],
        names: Mapping[int, str],
    ) -> Hit | None:
        card = self.cards.get(names.get(row >> SHELF_BITS, ""))
        message = (
            None
            if card is None or row not in pieces
            else self._message(card, row >> CHUNK_BITS & _POSITION_MASK)
        )
        if card is None or message is None:
            return None  # forgotten while we looked
        role, tool, when, block, start, text = pieces[row]
        given = next((each.spots[row] for each in by if each.spots and row in each.spots), None)
        spot = given or replace(find_spot(text, self.wanted.query), shift=start)
        position = row >> CHUNK_BITS & _POSITION_MASK
        return Hit(
            session=self.called if self.wanted.where == "session" else card.name,
            position=position,
            place=str(position) if len(message.blocks) == 1 else f"{position}.{block}",
            role=role,
            tool=tool,
            snippet=snippet(spot),
            score=round(score, 6),
            why=tuple(dict.fromkeys(each.why for each in by)),
            trust=trust_of(message, block, spot),
            when=when,
        )

    def _message(self, card: SessionInfo, position: int) -> Message | None:
        said = self.store.messages_from(card.name, self.reads(card), position, 1)
        if said and said[0].position == position:
            return said[0].message
        return None
