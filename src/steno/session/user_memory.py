"""A session that learns what holds beyond it, and is told what earlier ones learned.

Learning is never done in `add`: it happens when a session is closed, in a
thread of its own after a commit has landed, and when it is asked for. What is
told is said once, before the first words of a user, within a bound. What is
durable and what stands is the ledger's business, keeping it the store's.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, cast

import msgspec

from steno.core.effects import Limits
from steno.core.errors import BadInput
from steno.core.fence import Fence
from steno.core.log import Commit
from steno.core.message import Message, user_message
from steno.core.repair import encodable_text
from steno.core.store import Memory, store_of_memories
from steno.engine.compact import CompactionOutcome
from steno.facts.ledger import Ledger
from steno.facts.memory_offer import OFFER_KIND
from steno.memory.ask_writer import ask_for_memories
from steno.memory.extract import MemoryCandidate, extract_memories, extract_notes
from steno.memory.merge import learn_memories, live_memories
from steno.memory.offer import OFFER_MOST, OFFER_SHARE, rank_memories, render_offer
from steno.session.agent_tools import AgentTools
from steno.session.background import BackgroundDraft
from steno.session.journal import WRITER_WINDOW

OFFERED_KIND = "offered"
"""The jot that says which memories this session was told."""
MEMORIZED_KIND = "memorized"
"""The jot that says how many messages a writer was asked about."""


class UserMemory(AgentTools):
    _memorizing: BackgroundDraft | None = None
    _closing = False

    @property
    def user(self) -> str:
        """Whose it is."""
        return self._shelf.store.session_info(self.name).user

    def memories(self, about: str = "") -> list[Memory]:
        """What is known of this session's user from all sessions: the most useful first, for what is asked."""
        return rank_memories(
            live_memories(store_of_memories(self._shelf.store).memories(self._require_user())),
            self.clean(about),
        )

    def memorize(self, seconds: float | None = None) -> list[Memory]:
        """Learn now what holds beyond this session, from a writer too where there is one; gives what is new."""
        return self._memorize(self._require_user(), seconds, _foreground())

    def land_outcome(self, outcome: CompactionOutcome) -> Commit | None:
        commit = super().land_outcome(outcome)
        if commit is not None and self.setup.memory:
            self._memorize_soon()
        return commit

    def with_memories(self, new: list[Message]) -> list[Message]:
        """These messages, with what is known of their user before the first that is not the system's."""
        if not self.setup.memory or any(message.role != "system" for message in self.log.messages):
            return new
        at = next((n for n, message in enumerate(new) if message.role != "system"), None)
        told: list[Message] = []
        if at is not None:
            self._run_guarded(lambda: told.extend(self._offer(new[at:])))
        if at is None:
            return new
        return [*new[:at], *told, *new[at:]]

    def learn_before_closing(self, wait: float) -> None:
        """What patterns find, and a writer too where there is time to wait for it; nothing of it may fail a close."""
        if not self.setup.memory or self._closing:
            return
        self._closing = True
        if self._memorizing is not None:
            self._memorizing.wait(wait)
            self._memorizing.abandon()
        self._run_guarded(lambda: self._memorize(self._require_user(), wait, _foreground()))

    def _offer(self, new: Sequence[Message]) -> list[Message]:
        asked = next((message.text for message in new if message.role == "user"), "")
        room = min(OFFER_MOST, int(self.budget.usable * OFFER_SHARE))
        known = live_memories(store_of_memories(self._shelf.store).memories(self._require_user()))
        text, ids = render_offer(known, asked, room, self.view.meter.count)
        if not text:
            return []
        self.record(OFFERED_KIND, ids)
        return [
            user_message(
                encodable_text(str(Fence({"kind": OFFER_KIND}, self.clean(text)))), by="steno"
            )
        ]

    def _require_user(self) -> str:
        whose = self.user
        if not whose:
            raise BadInput("memories belong to somebody: begin the session with user=")
        return whose

    def _memorize_soon(self) -> None:
        """In a thread of its own: whoever compacts goes on."""
        if self._memorizing is None or self._memorizing.done:
            self._memorizing = BackgroundDraft(self._memorize_in_background).begin()

    def _memorize_in_background(self, underway: BackgroundDraft) -> None:
        self._run_guarded(lambda: self._memorize(self._require_user(), None, underway))

    def durable_facts(
        self, seconds: float | None = None, underway: BackgroundDraft | None = None
    ) -> list[MemoryCandidate]:
        """What holds beyond this session, by patterns and by a writer where there is one; nothing is kept."""
        with self._lock:
            self.refresh()
            messages, start = self.view.messages, self._own_start()
            notes = [(max(start, note.at - 1), note.text) for note in self.notes()]
        found = [*extract_memories(Ledger.of(messages), start), *extract_notes(notes)]
        found += self._ask_writer(messages, start, seconds, underway or _foreground())
        return sorted(found, key=_position_of)

    def _memorize(
        self, whose: str, seconds: float | None, underway: BackgroundDraft
    ) -> list[Memory]:
        """Read and asked without the lock, and kept in one go with what others learn meanwhile."""
        found = self.durable_facts(seconds, underway)
        with self._lock:
            if underway.abandoned or not found:
                return []
            times = {each.position: self._time_of(each.position) for each in found}
            return store_of_memories(self._shelf.store).update_memories(
                whose, lambda kept: learn_memories(kept, found, self.name, times.__getitem__)
            )

    def _ask_writer(
        self,
        messages: Sequence[Message],
        start: int,
        seconds: float | None,
        underway: BackgroundDraft,
    ) -> tuple[MemoryCandidate, ...]:
        """What a writer adds, asked about what is new; nothing where there is none, or no time."""
        writer = self.setup.writer
        before = max((value for _, value in self.records(MEMORIZED_KIND)), default=0)
        new = {at: messages[at] for at in range(max(start, before), len(messages))}
        if writer is None or not self.setup.asks or seconds == 0 or not new:
            return ()
        window = getattr(writer, "window", None) or WRITER_WINDOW
        flow = ask_for_memories(new, window, self.view.meter.count)
        found = cast(Any, self.drive)(flow, writer, self._limits_within(seconds), underway)
        if not underway.abandoned:
            self.record(MEMORIZED_KIND, len(messages))
        return cast(tuple[MemoryCandidate, ...], found)

    def _limits_within(self, seconds: float | None) -> Limits:
        limits = self.setup.limits
        if seconds is None:
            return limits
        return msgspec.structs.replace(limits, seconds=min(limits.seconds, seconds))

    def _own_start(self) -> int:
        """Where this session's own words begin: what a fork began with is its parent's to learn from."""
        return self._shelf.store.session_info(self.name).fork or 0

    def _time_of(self, position: int) -> float:
        said = self._shelf.store.messages_from(self.name, self._decode_stored, position, 1)
        if said:
            return said[0].when or time.time()
        return time.time()


def _position_of(each: MemoryCandidate) -> int:
    return each.position


def _foreground() -> BackgroundDraft:
    """For work that is done at once: it is never abandoned."""
    return BackgroundDraft(lambda _: None)
