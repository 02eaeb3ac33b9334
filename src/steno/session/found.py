"""From rows in order to hits that cite positions: the best piece of each message, and who wrote its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from steno.core.message import Message
from steno.core.store import Card, Store
from steno.ledger.fact import Trust
from steno.session.indexing import Reads
from steno.session.snippet import Spot, snippet, spot_of_words, trust_of
from steno.session.wanted import Wanted
from steno.store.index import PIECE, SHELF
from steno.store.ranking import fused
from steno.store.search import Row, Search

Why = Literal["words", "exact", "regex", "meaning", "filter"]
_POSITION = (1 << SHELF - PIECE) - 1


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
    why: tuple[Why, ...]
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
class Ranked:
    """Rows in the order that one way of looking put them in."""

    why: Why
    rows: Sequence[Row]
    spots: Mapping[Row, Spot] | None = None
    scores: Mapping[Row, float] | None = None

    @property
    def firsts(self) -> dict[int, Row]:
        """Messages in order, each with its best row."""
        found: dict[int, Row] = {}
        for row in self.rows:
            found.setdefault(row >> PIECE, row)
        return found


@dataclass(frozen=True)
class Picking:
    """What hits are made of."""

    store: Store
    reads: Reads
    cards: Mapping[str, Card]
    search: Search
    wanted: Wanted
    called: str
    """The session that is searched, for what it inherited from those it was forked from."""

    def hits(self, lists: Sequence[Ranked]) -> tuple[tuple[Hit, ...], int]:
        """The best messages, and how many more there are."""
        filled = [(each, firsts) for each in lists if (firsts := each.firsts)]
        scored = fused([list(firsts) for _, firsts in filled])
        if len(filled) == 1 and (scores := filled[0][0].scores):
            scored = [(message, scores[row]) for message, row in filled[0][1].items()]
        chosen = scored[: self.wanted.most]
        by = {message: [each for each, firsts in filled if message in firsts] for message, _ in chosen}
        best = {message: next(firsts[message] for _, firsts in filled if message in firsts) for message, _ in chosen}
        pieces = self.search.pieces(list(best.values()))
        names = self.search.names(pieces)
        hits = [self._hit(best[message], by[message], score, pieces, names) for message, score in chosen]
        return tuple(hit for hit in hits if hit is not None), max(0, len(scored) - len(chosen))

    def _hit(
        self,
        row: Row,
        by: Sequence[Ranked],
        score: float,
        pieces: Mapping[Row, tuple[Any, ...]],
        names: Mapping[int, str],
    ) -> Hit | None:
        card = self.cards.get(names.get(row >> SHELF, ""))
        message = None if card is None or row not in pieces else self._message(card, row >> PIECE & _POSITION)
        if card is None or message is None:
            return None  # forgotten while we looked
        role, tool, when, block, start, text = pieces[row]
        given = next((each.spots[row] for each in by if each.spots and row in each.spots), None)
        spot = given or replace(spot_of_words(text, self.wanted.query), shift=start)
        position = row >> PIECE & _POSITION
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

    def _message(self, card: Card, position: int) -> Message | None:
        said = self.store.said(card.name, self.reads(card), position, 1)
        return said[0].message if said and said[0].position == position else None
