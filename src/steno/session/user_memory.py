"""What a session learns beyond itself, and what it is given of earlier ones.

Learning never happens in `add`: it happens when a session is closed, and on request. What earlier
sessions learned is offered once, before the user's first message, within a bound.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from steno.core.errors import BadInput, SessionGone
from steno.core.message import Message
from steno.core.store import Memory, store_of_memories
from steno.facts.ledger import Ledger
from steno.facts.memory_offer import OFFER_KIND
from steno.memory.extract import MemoryCandidate, extract_memories, extract_notes
from steno.memory.merge import learn_memories, live_memories
from steno.memory.offer import OFFER_MOST, OFFER_SHARE, rank_memories, render_offer
from steno.session.agent_tools.notes import Notes
from steno.session.background import BackgroundDraft
from steno.session.compactor import Compactor, limits_within
from steno.session.journal import WRITER_WINDOW, Journal

OFFERED_KIND = "offered"
"""Kind of the record that says which memories this session was given."""
MEMORIZED_KIND = "memorized"
"""Kind of the record that says up to which position a writer was asked."""


class UserMemory:
    """The memories of the session's user: offered, learned, listed."""

    def __init__(self, journal: Journal, compactor: Compactor, notes: Notes) -> None:
        self._journal = journal
        self._compactor = compactor
        self._notes = notes
        self._is_on = journal.settings.options["memory"]
        """Whether the session learns and offers by itself; on request it always does."""
        self._closed = False

    def memories(self, about: str = "") -> list[Memory]:
        """Return what is known of the user from all sessions, the most useful first."""
        return rank_memories(self._read_memories(), self._journal.clean(about))

    def learn(self, seconds: float | None = None) -> list[Memory]:
        """Learn what holds beyond this session, with the writer too; return what is new."""
        # Read and ask without the lock; store in one step with what others learn meanwhile.
        user, journal = self._require_user(), self._journal
        found = self.candidates(seconds)
        if not found:
            return []
        with journal.lock:
            times = {candidate.position: self._time_of(candidate.position) for candidate in found}

            def learn(kept: Sequence[Memory]) -> list[Memory]:
                # What a deleted session said may not come back as a memory.
                journal.stored.require_session()
                return learn_memories(kept, found, journal.name, times.__getitem__, time.time())

            return store_of_memories(journal.store).update_memories(user, learn)

    def with_offer(self, messages: list[Message], covered: int = 0) -> list[Message]:
        """Return messages with what is known of the user after their prompt and the `covered`."""
        if not self._is_on:
            return messages
        if any(message.role != "system" for message in self._journal.log.messages):
            return messages
        at = covered
        while at < len(messages) and messages[at].role == "system":
            at += 1
        if at == len(messages) and not covered:
            return messages
        offer: list[Message] = []
        self._journal.guard(lambda: offer.extend(self._offer(messages[at:])))
        return [*messages[:at], *offer, *messages[at:]]

    def _offer(self, messages: Sequence[Message]) -> list[Message]:
        asked = next((message.text for message in messages if message.role == "user"), "")
        room = min(OFFER_MOST, int(self._journal.budget.usable * OFFER_SHARE))
        text, ids = render_offer(self._read_memories(), asked, room, self._journal.view.meter.count)
        if not text:
            return []
        self._journal.records.add(OFFERED_KIND, ids)
        return [self._journal.own_message(OFFER_KIND, text)]

    def _read_memories(self) -> list[Memory]:
        store = store_of_memories(self._journal.store)
        known = live_memories(store.memories(self._require_user()))
        # Another session may have kept them with their secrets.
        clean = self._journal.clean
        return [replace(memory, text=clean(memory.text)) for memory in known]

    def _require_user(self) -> str:
        user = self._journal.user
        if not user:
            raise BadInput("memories belong to a user: begin the session with user=")
        return user

    def close(self, wait: float) -> None:
        """Learn before the session closes, with the writer if there is time to wait for it."""
        if not self._is_on or self._closed:
            return
        self._closed = True
        # Closing must succeed, whatever comes of learning.
        with suppress(SessionGone):
            self._journal.guard(lambda: self.learn(wait))

    def candidates(self, seconds: float | None = None) -> list[MemoryCandidate]:
        """Return what holds beyond this session, by patterns and by the writer; keep nothing."""
        journal = self._journal
        with journal.lock:
            journal.refresh()
            messages = journal.view.messages
            # What a fork began with is its parent's to learn from.
            start = journal.store.session_info(journal.key).fork or 0
            notes = [
                (max(start, note.at - 1), note.text)
                for note in self._notes.standing()
                if not note.by
            ]
        found = [*extract_memories(Ledger.of(messages), start), *extract_notes(notes)]
        found += self._ask_writer(messages, start, seconds)
        return sorted(found, key=lambda candidate: candidate.position)

    def _ask_writer(
        self, messages: Sequence[Message], start: int, seconds: float | None
    ) -> tuple[MemoryCandidate, ...]:
        """Return what the writer adds about messages that it has not been asked about."""
        journal = self._journal
        writer = journal.settings.writer
        if writer is None or not journal.settings.asks or seconds == 0:
            return ()
        asked = max((position for _, position in journal.records.of(MEMORIZED_KIND)), default=0)
        new = {at: messages[at] for at in range(max(start, asked), len(messages))}
        if not new:
            return ()
        window = getattr(writer, "window", None) or WRITER_WINDOW
        # Most sessions ask no writer, and need not load what does.
        from steno.memory.ask_writer import ask_for_memories

        flow = ask_for_memories(new, window, journal.view.meter.count)
        limits = limits_within(journal.settings.limits, seconds)
        found = self._compactor.drive(flow, writer, limits, BackgroundDraft(lambda _: None))
        journal.records.add(MEMORIZED_KIND, len(messages))
        return found

    def _time_of(self, position: int) -> float:
        journal = self._journal
        stored = journal.store.messages_from(journal.key, journal.read_message, position, 1)
        return next((message.when for message in stored if message.when), time.time())
