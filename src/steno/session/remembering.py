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

from steno.core.ask import Limits
from steno.core.error import BadInput
from steno.core.fence import Fence
from steno.core.log import Commit
from steno.core.mend import clean
from steno.core.message import Message, user
from steno.core.store import Memory
from steno.engine.compact import Outcome
from steno.ledger.durable import Durable, durable, noted
from steno.ledger.ledger import Ledger
from steno.ledger.offer import KIND, MOST, SHARE, offered, ranked
from steno.ledger.remembered import learned, standing
from steno.session.background import Underway
from steno.session.desk import WRITER_WINDOW
from steno.session.held import Held
from steno.steps.remembering import remembering

TOLD = "offered"
"""The jot that says which memories this session was told."""
ASKED = "memorized"
"""The jot that says how many messages a writer was asked about."""


class Remembering(Held):
    _memorizing: Underway | None = None
    _closing = False

    @property
    def user(self) -> str:
        """Whose it is."""
        return self._shelf.store.card(self.name).user

    def memories(self, about: str = "") -> list[Memory]:
        """What is known of this session's user from all sessions: the most useful first, for what is asked."""
        return ranked(standing(self._shelf.store.memories(self._whose())), self.clean(about))

    def memorize(self, seconds: float | None = None) -> list[Memory]:
        """Learn now what holds beyond this session, from a writer too where there is one; gives what is new."""
        return self._memorized(self._whose(), seconds, _nobody())

    def landed(self, outcome: Outcome) -> Commit | None:
        commit = super().landed(outcome)
        if commit is not None and self.setup.memory:
            self._memorize_soon()
        return commit

    def recollected(self, new: list[Message]) -> list[Message]:
        """These messages, with what is known of their user before the first that is not the system's."""
        if not self.setup.memory or any(message.role != "system" for message in self.log.messages):
            return new
        at = next((n for n, message in enumerate(new) if message.role != "system"), None)
        told: list[Message] = []
        if at is not None:
            self._guarded(lambda: told.extend(self._offer(new[at:])))
        return new if at is None else [*new[:at], *told, *new[at:]]

    def learn_before_closing(self, wait: float) -> None:
        """What patterns find, and a writer too where there is time to wait for it; nothing of it may fail a close."""
        if not self.setup.memory or self._closing:
            return
        self._closing = True
        if self._memorizing is not None:
            self._memorizing.wait(wait)
            self._memorizing.abandon()
        self._guarded(lambda: self._memorized(self._whose(), wait, _nobody()))

    def _offer(self, new: Sequence[Message]) -> list[Message]:
        asked = next((message.text for message in new if message.role == "user"), "")
        room = min(MOST, int(self.budget.usable * SHARE))
        known = standing(self._shelf.store.memories(self._whose()))
        text, ids = offered(known, asked, room, self.view.meter.count)
        if not text:
            return []
        self.jot(TOLD, ids)
        return [user(clean(str(Fence({"kind": KIND}, self.clean(text)))), by="steno")]

    def _whose(self) -> str:
        whose = self.user
        if not whose:
            raise BadInput("memories belong to somebody: begin the session with user=")
        return whose

    def _memorize_soon(self) -> None:
        """In a thread of its own: whoever compacts goes on."""
        if self._memorizing is None or self._memorizing.done:
            self._memorizing = Underway(self._memorized_soon).begin()

    def _memorized_soon(self, underway: Underway) -> None:
        self._guarded(lambda: self._memorized(self._whose(), None, underway))

    def durable(self, seconds: float | None = None, underway: Underway | None = None) -> list[Durable]:
        """What holds beyond this session, by patterns and by a writer where there is one; nothing is kept."""
        with self._lock:
            self.refresh()
            messages, start = self.view.messages, self._own()
            notes = [(max(start, note.at - 1), note.text) for note in self.notes()]
        found = [*durable(Ledger.of(messages), start), *noted(notes)]
        found += self._asked(messages, start, seconds, underway or _nobody())
        return sorted(found, key=_position)

    def _memorized(self, whose: str, seconds: float | None, underway: Underway) -> list[Memory]:
        """Read and asked without the lock, and kept in one go with what others learn meanwhile."""
        found = self.durable(seconds, underway)
        with self._lock:
            if underway.abandoned or not found:
                return []
            times = {each.position: self._when(each.position) for each in found}
            return self._shelf.store.memorize(whose, lambda kept: learned(kept, found, self.name, times.__getitem__))

    def _asked(
        self, messages: Sequence[Message], start: int, seconds: float | None, underway: Underway
    ) -> tuple[Durable, ...]:
        """What a writer adds, asked about what is new; nothing where there is none, or no time."""
        writer = self.setup.writer
        before = max((value for _, value in self.jots(ASKED)), default=0)
        new = {at: messages[at] for at in range(max(start, before), len(messages))}
        if writer is None or not self.setup.asks or seconds == 0 or not new:
            return ()
        window = getattr(writer, "window", None) or WRITER_WINDOW
        flow = remembering(new, window, self.view.meter.count)
        found = cast(Any, self.drive)(flow, writer, self._patience(seconds), underway)
        if not underway.abandoned:
            self.jot(ASKED, len(messages))
        return cast(tuple[Durable, ...], found)

    def _patience(self, seconds: float | None) -> Limits:
        limits = self.setup.limits
        return limits if seconds is None else msgspec.structs.replace(limits, seconds=min(limits.seconds, seconds))

    def _own(self) -> int:
        """Where this session's own words begin: what a fork began with is its parent's to learn from."""
        return self._shelf.store.card(self.name).fork or 0

    def _when(self, position: int) -> float:
        said = self._shelf.store.said(self.name, self._read, position, 1)
        return said[0].when or time.time() if said else time.time()


def _position(each: Durable) -> int:
    return each.position


def _nobody() -> Underway:
    """For work that is done at once: it is never abandoned."""
    return Underway(lambda _: None)
