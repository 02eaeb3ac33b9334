"""Fill the index from a store, off the agent's path, in steps that are kept or not.

Each step reads messages and keeps their chunks in one transaction with how far it came: a
process that is killed loses nothing, and two that fill at once double nothing. The mark
carries the chain key of what was read, so that an index of another history is filled anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from time import monotonic

from steno.core.store import MessageReader, SessionInfo, Store, StoredMessage, session_names
from steno.facts.fact import FACTS_VERSION
from steno.facts.ledger import all_facts_of
from steno.recall.chunks import Calls, chunks_of, remember_calls
from steno.recall.index import index_of
from steno.recall.rows import IndexMark
from steno.recall.sql import RecallIndex
from steno.recall.vectors import Vectors

STEP = 64
"""Messages kept at once; a search in the same process waits no longer than for these."""
BACK = 64
"""Messages read again before the new ones: a result may answer a call there."""
CHUNKS_EMBEDDED = 16
"""Chunks embedded at once; a search is late by at most these."""

ReaderFor = Callable[[SessionInfo], MessageReader]
"""Returns the reader for a session's messages, whatever its wire."""


@dataclass(frozen=True)
class IndexFiller:
    """Fills the index of a store until a deadline."""

    store: Store
    reads: ReaderFor
    until: float = float("inf")
    """Deadline on the monotonic clock."""
    share: float = 1.0
    """How much of the time it works; it rests for the others."""
    stop: Event = field(default_factory=Event)
    """Ends the work after the step that is under way."""

    @property
    def index(self) -> RecallIndex:
        return index_of(self.store)

    @property
    def is_late(self) -> bool:
        return self.stop.is_set() or monotonic() > self.until

    def is_full(self, info: SessionInfo, mark: IndexMark | None) -> bool:
        """Tell whether the index holds the session's own messages, and nothing else."""
        # It has no messages of its own: what is in the index is from another of its name.
        if info.messages == (info.fork or 0):
            return mark is None or mark.upto == 0
        return mark is not None and mark.upto == info.messages and mark.chain == info.chain

    def fill_words(self, info: SessionInfo) -> bool:
        """Index a session's own messages; return False if the time was up before the end."""
        if self.is_full(info, self.index.mark(info.name)):
            return True
        calls: Calls = {}
        back = BACK
        more = True
        while more:
            more = self._work_and_rest(partial(self._fill_step, info, calls, back))
            # Later steps have the calls of this one in `calls`.
            back = 0
            # Also after the last step: there may be a thousand other sessions to fill.
            if self.is_late:
                return False
        return True

    def fill_kinds(self, info: SessionInfo) -> bool:
        """Index which kinds of facts a session's own messages state."""
        while self._kinds_step(info):
            if self.is_late:
                return False
        return True

    def fill_vectors(self, info: SessionInfo, vectors: Vectors) -> bool:
        """Give vectors to a session's own chunks."""
        mark = self.index.mark(info.name)
        if mark is None:
            return True
        while self._work_and_rest(partial(vectors.embed_next, mark.number, CHUNKS_EMBEDDED)):
            if self.is_late:
                return False
        return True

    def _work_and_rest(self, step: Callable[[], bool]) -> bool:
        """Do a step, then rest for as long as the share asks; return what the step returned."""
        began = monotonic()
        more = step()
        if more and self.share < 1:
            spent = monotonic() - began
            self.stop.wait(min(spent / self.share - spent, max(0.0, self.until - monotonic())))
        return more

    def _fill_step(self, info: SessionInfo, calls: Calls, back: int) -> bool:
        """Index some messages; tell whether there may be more."""
        index = self.index
        with index.writing():
            mark = index.ensure_mark(info.name, info.user)
            # A session that was deleted and made again under its name, or another store's file.
            if mark.upto and not self._same_history(info, mark):
                index.drop(info.name)
                mark = index.ensure_mark(info.name, info.user)
            messages = self._read(info, mark.upto - back, STEP + back)
            known = [message for message in messages if message.position < mark.upto]
            new = messages[len(known) :]
            if not new:
                return False
            remember_calls(known, calls)
            last = new[-1]
            chunks = list(chunks_of(new, calls))
            index.add_chunks(mark, chunks, last.position + 1, last.chain)
        return len(messages) == STEP + back

    def _same_history(self, info: SessionInfo, mark: IndexMark) -> bool:
        """Tell whether the mark was made from the messages that the store has now."""
        last = self._read(info, mark.upto - 1, 1)
        return bool(last) and last[0].position == mark.upto - 1 and last[0].chain == mark.chain

    def _kinds_step(self, info: SessionInfo) -> bool:
        index = self.index
        mark = index.mark(info.name)
        if mark is None:
            return False
        if mark.facts_upto >= mark.upto and mark.vocabulary == FACTS_VERSION:
            return False
        with index.writing():
            # Read again under the lock: another process may have gone on meanwhile.
            mark = index.ensure_mark(info.name, info.user)
            if mark.vocabulary != FACTS_VERSION:
                index.clear_facts(mark)
                mark = index.ensure_mark(info.name, info.user)
            messages = self._read(info, mark.facts_upto, STEP)
            messages = [message for message in messages if message.position < mark.upto]
            facts: list[tuple[int, int, str]] = []
            for stored in messages:
                for fact in all_facts_of(stored.message):
                    facts.append((stored.position, fact.block, fact.kind))
            upto = mark.upto
            if messages:
                upto = messages[-1].position + 1
            index.add_facts(mark, facts, upto, FACTS_VERSION)
        return bool(messages)

    def _read(self, info: SessionInfo, start: int, most: int) -> list[StoredMessage]:
        return self.store.messages_from(info.key, self.reads(info), start, most)


def drop_deleted_sessions(store: Store, user: str) -> None:
    """Remove a user's sessions from the index that are no longer in the store.

    They are left behind if a process deleted them with a store that does not announce it.
    """
    index = index_of(store)
    # Both are read under the lock, or a session that was just created would seem deleted.
    with index.writing():
        for name in index.marks(user).keys() - set(session_names(store, user)):
            index.drop(name)
