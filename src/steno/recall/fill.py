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

from steno.core.errors import BadInput, NotHere
from steno.core.store import MessageReader, SessionInfo, Store
from steno.facts.fact import FACTS_VERSION
from steno.facts.ledger import facts_of
from steno.recall.chunks import Calls, chunks_of
from steno.recall.embedders import Embedder
from steno.recall.vectors import Vectors
from steno.store.index import HasIndex, Index, IndexMark

STEP = 64
"""Messages kept at once: a search in the same process waits no longer than for these."""
BACK = 64
"""Messages read again before those that are new: a result may answer a call there."""
TEXTS = 32
"""Embedded at once."""

ReaderFor = Callable[[SessionInfo], MessageReader]
"""How the messages of a session are read, whatever its wire."""


def index_of(store: Store) -> Index:
    if not isinstance(store, HasIndex):
        raise BadInput(f"{type(store).__name__} has no index to search: it needs an `index`")
    return store.index


@dataclass(frozen=True)
class IndexFiller:
    """Where the words come from, and when to stop."""

    store: Store
    reads: ReaderFor
    until: float = float("inf")
    """By the monotonic clock."""

    @property
    def index(self) -> Index:
        return index_of(self.store)

    @property
    def is_late(self) -> bool:
        return time.monotonic() > self.until

    def fill_words(self, card: SessionInfo) -> bool:
        """Bring a session's own messages into the index; False where the time was up before."""
        if self.is_full(card, self.index.mark(card.name)):
            return True
        calls: Calls = {}
        back = BACK
        while self._fill_step(card, calls, back):
            back = 0
            if self.is_late:
                return False
        return True

    def is_full(self, card: SessionInfo, mark: IndexMark | None) -> bool:
        """Everything that a session says of its own is in the index, and nothing else."""
        if card.messages == (card.fork or 0):
            return mark is None or not mark.upto
        return mark is not None and mark.upto == card.messages and mark.chain == card.chain

    def _fill_step(self, card: SessionInfo, calls: Calls, back: int) -> bool:
        """One step, and whether there may be more."""
        index = self.index
        with index.writing():
            mark = index.ensure_mark(card.name, card.user)
            if mark.upto and not self._is_ours(card.name, mark):
                index.drop(card.name)
                mark = index.ensure_mark(card.name, card.user)
            said = self.store.messages_from(
                card.name, self.reads(card), mark.upto - back, STEP + back
            )
            new = [each for each in said if each.position >= mark.upto]
            if not new:
                return False
            for each in said[: len(said) - len(new)]:
                calls.update((call.id, call) for call in each.message.calls if call.id)
            upto = new[-1].position + 1
            index.add_chunks(
                mark, list(chunks_of(new, calls)), upto, self.store.chain_key(card.name, upto)
            )
        return True

    def _is_ours(self, name: str, mark: IndexMark) -> bool:
        try:
            return self.store.chain_key(name, mark.upto) == mark.chain
        except NotHere:
            return False

    def fill_kinds(self, card: SessionInfo) -> bool:
        """Say of a session's own messages which kinds of facts they state."""
        while self._kinds_step(card):
            if self.is_late:
                return False
        return True

    def _kinds_step(self, card: SessionInfo) -> bool:
        index = self.index
        mark = index.mark(card.name)
        if mark is None or (mark.stated >= mark.upto and mark.vocabulary == FACTS_VERSION):
            return False
        with index.writing():
            mark = index.ensure_mark(card.name, card.user)
            if mark.vocabulary != FACTS_VERSION:
                index.clear_facts(mark)
                mark = index.ensure_mark(card.name, card.user)
            said = self.store.messages_from(card.name, self.reads(card), mark.stated, STEP)
            said = [each for each in said if each.position < mark.upto]
            stated = [
                (each.position, fact.block, fact.kind)
                for each in said
                for fact in facts_of(each.message)
            ]
            index.add_facts(
                mark, stated, said[-1].position + 1 if said else mark.upto, FACTS_VERSION
            )
        return bool(said)

    def fill_vectors(self, card: SessionInfo, vectors: Vectors, embedder: Embedder) -> bool:
        """Give a session's own pieces vectors; the embedder is asked while nothing is held."""
        mark = self.index.mark(card.name)
        while mark is not None and (some := vectors.chunks_without_vector(mark.number, TEXTS)):
            vectors.add(mark.number, some, embedder.embed([text for _, text in some]))
            if self.is_late:
                return False
        return True


def drop_deleted_sessions(store: Store) -> None:
    """Take out of the index what is not in the store any more."""
    index = index_of(store)
    for name in set(index.names()) - set(store.names()):
        with index.writing():
            if name not in store.names():
                index.drop(name)
