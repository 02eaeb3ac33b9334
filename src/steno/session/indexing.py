"""Filling the index from a store: off the agent's path, in steps that are kept or not.

Each step reads messages and keeps their pieces in one transaction with how far it
came, so that whoever is killed, or does it at the same time, loses and doubles
nothing. The mark carries the chain key of what was read: an index that belongs to
another history is filled anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from steno.core.error import BadInput, NotHere
from steno.core.store import Card, Read, Store
from steno.embedders import Embedder
from steno.ledger.fact import VERSION
from steno.ledger.ledger import facts_of
from steno.session.pieces import Calls, pieces_of
from steno.store.index import Index, Indexed, Mark
from steno.store.vectors import Vectors

STEP = 64
"""Messages kept at once: a search in the same process waits no longer than for these."""
BACK = 64
"""Messages read again before those that are new: a result may answer a call there."""
TEXTS = 32
"""Embedded at once."""

Reads = Callable[[Card], Read]
"""How the messages of a session are read, whatever its wire."""


def index_of(store: Store) -> Index:
    if not isinstance(store, Indexed):
        raise BadInput(f"{type(store).__name__} has no index to search: it needs an `index`")
    return store.index


@dataclass(frozen=True)
class Filling:
    """Where the words come from, and when to stop."""

    store: Store
    reads: Reads
    until: float = float("inf")
    """By the monotonic clock."""

    @property
    def index(self) -> Index:
        return index_of(self.store)

    @property
    def late(self) -> bool:
        return time.monotonic() > self.until

    def words(self, card: Card) -> bool:
        """Bring a session's own messages into the index; False where the time was up before."""
        if self.is_full(card, self.index.mark(card.name)):
            return True
        calls: Calls = {}
        back = BACK
        while self._step(card, calls, back):
            back = 0
            if self.late:
                return False
        return True

    def is_full(self, card: Card, mark: Mark | None) -> bool:
        """Everything that a session says of its own is in the index, and nothing else."""
        if card.messages == (card.fork or 0):
            return mark is None or not mark.upto
        return mark is not None and mark.upto == card.messages and mark.chain == card.chain

    def _step(self, card: Card, calls: Calls, back: int) -> bool:
        """One step, and whether there may be more."""
        index = self.index
        with index.writing():
            mark = index.begun(card.name, card.user)
            if mark.upto and not self._is_ours(card.name, mark):
                index.drop(card.name)
                mark = index.begun(card.name, card.user)
            said = self.store.said(card.name, self.reads(card), mark.upto - back, STEP + back)
            new = [each for each in said if each.position >= mark.upto]
            if not new:
                return False
            for each in said[: len(said) - len(new)]:
                calls.update((call.id, call) for call in each.message.calls if call.id)
            upto = new[-1].position + 1
            index.keep(mark, list(pieces_of(new, calls)), upto, self.store.chain(card.name, upto))
        return True

    def _is_ours(self, name: str, mark: Mark) -> bool:
        try:
            return self.store.chain(name, mark.upto) == mark.chain
        except NotHere:
            return False

    def kinds(self, card: Card) -> bool:
        """Say of a session's own messages which kinds of facts they state."""
        while self._kinds_step(card):
            if self.late:
                return False
        return True

    def _kinds_step(self, card: Card) -> bool:
        index = self.index
        mark = index.mark(card.name)
        if mark is None or (mark.stated >= mark.upto and mark.vocabulary == VERSION):
            return False
        with index.writing():
            mark = index.begun(card.name, card.user)
            if mark.vocabulary != VERSION:
                index.restate(mark)
                mark = index.begun(card.name, card.user)
            said = self.store.said(card.name, self.reads(card), mark.stated, STEP)
            said = [each for each in said if each.position < mark.upto]
            stated = [(each.position, fact.block, fact.kind) for each in said for fact in facts_of(each.message)]
            index.state(mark, stated, said[-1].position + 1 if said else mark.upto, VERSION)
        return bool(said)

    def vectors(self, card: Card, vectors: Vectors, embedder: Embedder) -> bool:
        """Give a session's own pieces vectors; the embedder is asked while nothing is held."""
        mark = self.index.mark(card.name)
        while mark is not None and (some := vectors.waiting(mark.number, TEXTS)):
            vectors.keep(mark.number, some, embedder.embed([text for _, text in some]))
            if self.late:
                return False
        return True


def drop_strangers(store: Store) -> None:
    """Take out of the index what is not in the store any more."""
    index = index_of(store)
    for name in set(index.names()) - set(store.names()):
        with index.writing():
            if name not in store.names():
                index.drop(name)
