"""Where a search may look: a session, several, or all of a user's; never another user's.

A fork reaches into those it was forked from, up to where that was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steno.core.errors import NotHere
from steno.core.store import SessionInfo, Store, session_names
from steno.recall.fill import drop_deleted_sessions
from steno.recall.index import IndexMark, index_of, row_range
from steno.recall.search import RowId, RowScope

RANGES_MOST = 8
"""Sessions looked at one by one; of more, rows are told apart by whose they are."""


@dataclass(frozen=True)
class SessionScope:
    cards: tuple[SessionInfo, ...]
    """The sessions that are searched, after those they were forked from."""
    named: frozenset[str] | None
    """Those that are meant whole; None for all of them."""

    @classmethod
    def of(cls, store: Store, name: str, where: str | Sequence[str]) -> SessionScope:
        own = store.session_info(name)
        if where == "user":
            drop_deleted_sessions(store)
            return cls(tuple(store.sessions(own.user)), None)
        wanted = (name,) if where == "session" else tuple(where)
        theirs = (
            frozenset((name,)) if where == "session" else frozenset(session_names(store, own.user))
        )
        cards: dict[str, SessionInfo] = {}
        for each in wanted:
            if each not in theirs:
                raise NotHere(f"no session of this user is named {each!r}")
            cards |= {card.name: card for card in _lineage(store, store.session_info(each))}
        return cls(tuple(cards.values()), frozenset(wanted))

    def marks(self, store: Store) -> dict[str, IndexMark]:
        """How far each session is in the index, as far as it is there."""
        index = index_of(store)
        if len(self.cards) > RANGES_MOST:
            return index.marks(self.cards[0].user)
        return {
            card.name: mark for card in self.cards if (mark := index.mark(card.name)) is not None
        }

    def row_scope(self, marks: Mapping[str, IndexMark]) -> RowScope:
        known = [(card, marks[card.name]) for card in self.cards if card.name in marks]
        pieces, size = sum(mark.chunks for _, mark in known), sum(mark.size for _, mark in known)
        if self.named is None and len(known) > RANGES_MOST:
            numbers = tuple(sorted(mark.number for _, mark in known))
            return RowScope(
                ((row_range(numbers[0])[0], row_range(numbers[-1])[1]),), pieces, size, numbers
            )
        return RowScope(tuple(sorted(self._ranges(known))), pieces, size)

    def _ranges(self, known: Sequence[tuple[SessionInfo, IndexMark]]) -> list[tuple[RowId, RowId]]:
        upto = self._upto()
        return [
            (mark.row(0), mark.row(upto[card.name]) - 1)
            for card, mark in known
            if upto.get(card.name)
        ]

    def _upto(self) -> dict[str, int]:
        """How many messages of each session are in reach: all of those that are meant, of others what forks share."""
        cards = {card.name: card for card in self.cards}
        if self.named is None:
            return {name: card.messages for name, card in cards.items()}
        upto: dict[str, int] = {}
        for name in self.named:
            card, reach = cards[name], cards[name].messages
            upto[name] = reach
            while card.parent is not None:
                reach = min(reach, card.fork or 0)
                card = cards[card.parent]
                upto[card.name] = max(upto.get(card.name, 0), reach)
        return upto


def _lineage(store: Store, card: SessionInfo) -> list[SessionInfo]:
    """A session after those it was forked from."""
    cards = [card]
    while cards[0].parent is not None:
        cards.insert(0, store.session_info(cards[0].parent))
    return cards
