"""When a session is compacted: on request, under pressure, in the background.

Soft pressure starts a draft in the background, and no caller waits. Hard pressure waits for a
draft as long as the policy says, and then lands without a writer. A draft still lands after
messages were added meanwhile; after another commit it is drawn once more.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Protocol, TypeVar

import msgspec

from steno.core.budget import Pressure
from steno.core.effects import FATAL_ERRORS, Flow, Limits, Model, run
from steno.core.errors import Stale, TooLong
from steno.core.events import Failed, Learned, Skipped, Waited
from steno.core.log import COMPACTS, Commit, Why
from steno.core.rung import Rung
from steno.engine.compact import NO_PRESSURE, CompactionOutcome
from steno.engine.policy import Policy, Quota
from steno.facts.step_boundary import BATCH_MOST, Boundary, boundary_after
from steno.session.background import BackgroundDraft
from steno.session.event_log import place_of
from steno.session.journal import Journal
from steno.session.landing import Landing
from steno.session.overflow import (
    GUESS_DIVISOR,
    overflow_in,
    overflow_of,
    smaller_window,
)
from steno.session.sending import Sending

T = TypeVar("T")
WRITER_SHARE_OF_WAIT = 0.8
"""Share of the wait under hard pressure for the writer; the rest is for landing without it."""


class Drive(Protocol):
    """Runs a flow that asks a writer, from the thread of a background draft."""

    def __call__(
        self, flow: Flow[T], writer: Model | None, limits: Limits, draft: BackgroundDraft
    ) -> T: ...


def drive_blocking(
    flow: Flow[T], writer: Model | None, limits: Limits, draft: BackgroundDraft
) -> T:
    """Ask the writer from the thread that draws."""
    return run(flow, writer, limits)


class Compactor:
    """Compacts the journal's session under pressure, on request, or in the background."""

    def __init__(self, journal: Journal, sending: Sending, landing: Landing) -> None:
        self._journal = journal
        self._sending = sending
        self._landing = landing
        self.drive: Drive = drive_blocking
        """How a background draft asks: in its own thread, or on an event loop."""
        self.background_draft: BackgroundDraft | None = None
        """The draft that is being drawn, or the last one."""
        self._draft_for: tuple[Why, str] = ("soft", "")
        self._background_error: BaseException | None = None
        self._tried: tuple[object, ...] | None = None
        """State of the journal at the last attempt that nothing more can come of."""

    @property
    def skip_reason(self) -> str:
        """Why an attempt at this state made no commit; if there was none, why not."""
        journal = self._journal
        with journal.lock:
            skipped = self._landing.skipped
            if skipped is not None and skipped[0] == journal.state:
                return skipped[1]
            if self.background_draft is not None and not self.background_draft.done:
                return "a draft is being made in the background"
            if journal.pressure is Pressure.NONE:
                return NO_PRESSURE
            # In the order of `settle`, so that the reason is the one that stopped it.
            if journal.pressure is Pressure.SOFT and journal.has_open_call:
                return "a call waits for its result"
            if journal.pressure is Pressure.SOFT and self._is_mid_step():
                if journal.settings.policy.moment == "pause":
                    return "the provider still has the last request in its cache"
                return "a step of the agent has not ended"
            if self._landing.failed is not None:
                return f"the compaction failed: {self._landing.failed.reason}"
            if self._fell_short():
                return (
                    f"the last compaction came to {journal.load:,} tokens, still over soft "
                    f"({int(journal.budget.soft_load):,}): what is left is system prompt, pinned, "
                    "in the tail, or constraints and open loops"
                )
            return "no compaction was tried yet"

    def _fell_short(self) -> bool:
        """Return whether the newest commit left the view under pressure, with nothing new since."""
        journal = self._journal
        newest = journal.log.commits[-1:]
        return any(
            commit.why in COMPACTS
            and commit.at == len(journal.log.messages)
            and journal.budget.pressure(commit.after) is not Pressure.NONE
            for commit in newest
        )

    def use_policy(self, policy: Policy | None = None, quota: Quota | None = None) -> None:
        """Use another policy or quota from now on, in this process; what is stored stays."""
        journal = self._journal
        with journal.lock:
            settings = journal.settings
            journal.settings = settings.with_policy(
                policy or settings.base_policy, quota or settings.quota, journal.stored_settings
            )

    def make_room_for(self, tokens: int) -> None:
        """Compact now if so many more tokens would turn soft pressure into hard pressure."""
        journal = self._journal
        with journal.lock:
            raw = journal.fixed_tokens + journal.view.raw + tokens
            coming = journal.budget.pressure(journal.view.meter.load(raw))
            if journal.pressure is Pressure.SOFT and coming is Pressure.HARD:
                self._settle_without_writer(waiting=False)

    # Pressure.

    def settle(self) -> None:
        """Land what pressure demands; under soft pressure with a writer, only start a draft."""
        journal = self._journal
        with journal.lock:
            # Under hard pressure the next request would be refused: that cannot wait for a writer.
            if not journal.settings.asks or journal.pressure is not Pressure.SOFT:
                self._settle_without_writer()
                return
            if self._is_mid_step():
                return
            if journal.state != self._tried:
                self.start_draft("soft")
                self._tried = journal.state

    def _settle_without_writer(self, *, waiting: bool = True) -> None:
        journal = self._journal
        pressure = journal.pressure
        # The engine is pure: the same state gives the same outcome, so it is not drawn again.
        if pressure is Pressure.NONE or journal.state == self._tried:
            return
        why: Why = "hard"
        if pressure is Pressure.SOFT:
            why = "soft"
            if waiting and self._is_mid_step():
                return
        landing = self._landing
        failed = landing.attempt(partial(landing.without_writer, why))
        if failed is not None:
            landing.attempt(partial(landing.without_writer, why, failed))
        self._tried = journal.state

    def _is_mid_step(self) -> bool:
        """Return whether a call waits for its result, or the policy for a better moment."""
        journal = self._journal
        if journal.has_open_call:
            return True
        if journal.settings.policy.moment == "pause":
            return self._sending.is_cached
        if journal.settings.policy.moment != "step":
            return False
        # The cache is gone: a compaction now costs the provider no extra reading.
        if self._sending.sent_at is not None and not self._sending.is_cached:
            return False
        patience = journal.settings.policy.patience
        waited = journal.budget.way_to_hard(journal.load)
        # On the last part of the way a better moment is not likely to come.
        if waited >= (1 + patience) / 2:
            return False
        newest = journal.log.messages[max(0, len(journal.log.messages) - BATCH_MOST) :]
        found: list[Boundary] = []
        # Reads facts: a reader that raises must not keep a compaction from starting.
        if not journal.guard(lambda: found.append(boundary_after(newest))):
            return False
        return found[0] == "none" or (found[0] == "fair" and waited < patience)

    def land_due(self) -> None:
        """Land what pressure demands before a request; raise if no request can fit."""
        with self._journal.lock:
            self._landing.require_room()
            self.settle()

    def settle_with_writer(self) -> None:
        """Land what pressure demands, and wait for the writer as long as its limits allow."""
        journal = self._journal
        pressure = journal.pressure
        if not journal.settings.asks or pressure is Pressure.NONE:
            return
        why: Why = "hard"
        if pressure is Pressure.SOFT:
            # At the hard limit a compaction lands now, also between a call and its result.
            if self._is_mid_step():
                return
            why = "soft"
        # The same draft as in the background, so that both ways land by the same code.
        self.start_draft(why).wait()
        self.raise_background_error()

    def compact_now(
        self,
        ladder: tuple[Rung, ...] | None = None,
        focus: str = "",
        *,
        why: Why = "asked",
        asks: bool = True,
        reason: str = "",
    ) -> Commit | None:
        """Compact and wait for the writer; `reason` is why the agent wants it, for the commit."""
        settings = self._journal.settings
        asks = asks and settings.asks
        writer = None
        if asks:
            writer = settings.writer

        def draw() -> CompactionOutcome:
            flow = self._landing.draw(why, ladder, focus, asks=asks)
            outcome = run(flow, writer, settings.limits)
            if isinstance(outcome, Commit):
                return msgspec.structs.replace(outcome, reason=reason)
            return outcome

        return self._journal.land_fresh(draw, self._landing.land)

    def preview(self, focus: str = "") -> Commit | None:
        """Return the commit of a compaction that no writer is asked for; it does not land."""
        outcome = run(self._landing.draw("asked", None, focus, asks=False), None)
        if isinstance(outcome, Commit):
            return outcome
        return None

    # Refusals of a provider.

    def learn_from(self, failure: BaseException) -> int | None:
        """Learn from a refusal as too long; return the refused load, None for other failures."""
        refusal = overflow_of(failure)
        if refusal is None:
            return None
        return self.learn_window(refusal.window, refusal.sent)

    def learn_from_reply(self, reply: Any) -> None:
        """Believe in a smaller window if a reply that is not asked for again ended with it."""
        exceeded = overflow_in(reply)
        if exceeded is not None:
            self.learn_window(exceeded.window, None)

    def learn_window(self, window: int | None, counted: int | None) -> int:
        """Believe in a smaller window, because the last request was refused; return its load."""
        journal = self._journal
        with journal.lock:
            before, load = journal.budget, journal.load
            # The provider's own count first: the meter may be wrong, and the window right.
            if counted is not None:
                self._sending.calibrate(counted)
            refused = max(load, journal.stored_settings.refused or 0)
            floor = 0
            if counted is None:
                floor = refused // GUESS_DIVISOR
            believed = smaller_window(before.window, before.usable, journal.load, window, floor)
            journal.change_settings(
                lambda stored: stored.with_changes(learned=believed, refused=refused)
            )
            journal.adopt_settings(journal.stored_settings)
            journal.note_smaller_window()
            journal.emit(Learned(journal.budget.window, before.window, load, believed == window))
            return load

    def too_long_error(self, load: int) -> TooLong:
        """Return the error after a request of this load was refused; send again if less is left."""
        now, window = self._journal.load, self._journal.budget.window
        if now < load:
            return TooLong((load, now), window, again=True)
        return TooLong((load,), window, again=False)

    # In the background.

    def compact_soon(self, focus: str = "") -> BackgroundDraft:
        """Start a compaction in the background, or return the one that is under way."""
        self._journal.stored.require_session()
        self.raise_background_error()
        return self.start_draft("asked", focus)

    def start_draft(self, why: Why, focus: str = "") -> BackgroundDraft:
        """Start a draft, or return the one under way; another focus starts another draft."""
        with self._journal.lock:
            before = self.background_draft
            if before is not None and not before.done:
                # Without a focus any draft will do; two at a time would pay the writer twice.
                if not focus or self._draft_for == (why, focus):
                    return before
                before.abandon()
                reason = "a compaction with a focus was asked for in its place"
                self._journal.emit(Skipped(reason, self._journal.load))
            self.background_draft = BackgroundDraft(partial(self._run_draft, why, focus))
            self._draft_for = why, focus
            return self.background_draft.begin()

    def required_draft(self) -> BackgroundDraft | None:
        """Return the draft to wait for before the next request: under hard pressure, if any."""
        self.raise_background_error()
        journal = self._journal
        with journal.lock:
            if not journal.settings.asks or journal.pressure is not Pressure.HARD:
                return None
            if journal.state == self._tried:
                return None
            draft = self.start_draft("hard")
        # A writer that uses this session runs in the draft's thread, and must not wait for itself.
        if draft.is_current_thread:
            return None
        return draft

    def finish_waiting(self, draft: BackgroundDraft, since: float) -> None:
        """Drop a draft that was waited for and is still not done; say how long it took."""
        journal = self._journal
        with journal.lock:
            if not draft.done:
                draft.abandon()
                self.background_draft = None
        seconds = round(journal.settings.clock() - since, 3)
        journal.emit(Waited(seconds, draft.commit is not None))
        self.raise_background_error()

    def raise_background_error(self) -> None:
        """Raise what a background draft ended with, if it may not be swallowed."""
        with self._journal.lock:
            error, self._background_error = self._background_error, None
        if error is not None:
            raise error

    def abandon_draft(self) -> None:
        """Keep the draft that is under way from landing."""
        with self._journal.lock:
            if self.background_draft is not None:
                self.background_draft.abandon()

    def _run_draft(self, why: Why, focus: str, draft: BackgroundDraft) -> None:
        """Do all that the background thread does; keep what may not be swallowed."""
        journal = self._journal
        try:
            failed = self._landing.attempt(partial(self._land_draft, why, focus, draft))
            if failed is not None and not draft.abandoned:
                self._landing.attempt(partial(self._land_after, failed, why, draft))
        except BaseException as error:  # noqa: BLE001 — this thread has no caller: the next call raises it
            # No caller waits for an abandoned draft, but running out of memory concerns everyone.
            if not draft.abandoned or isinstance(error, FATAL_ERRORS):
                self._background_error = error
                journal.emit(Failed(type(error).__name__, place_of(error)))

    def _land_after(self, failed: Failed, why: Why, draft: BackgroundDraft) -> None:
        draft.commit = self._landing.without_writer(why, failed)

    def _land_draft(self, why: Why, focus: str, draft: BackgroundDraft) -> None:
        # Twice: that another commit landed meanwhile is likely once, not twice in a row.
        for is_last in (False, True):
            outcome = self._draw(why, focus, draft)
            if outcome is None:
                return
            try:
                with self._journal.lock:
                    if not draft.abandoned:
                        draft.commit = self._landing.land(outcome)
                return
            except Stale:
                if is_last or self._is_overtaken(outcome, draft):
                    reason = "another compaction landed while this one was drawn"
                    self._journal.emit(Skipped(reason, self._journal.load))
                    return

    def _draw(self, why: Why, focus: str, draft: BackgroundDraft) -> CompactionOutcome | None:
        """Return the outcome of a draft; None if it was abandoned."""
        # Closing a session takes the lock as well, and the store may not be touched after it.
        with self._journal.lock:
            if draft.abandoned:
                return None
            flow = self._landing.begin(why, focus=focus)
        return self.drive(flow, self._journal.settings.writer, self._limits(why), draft)

    def _limits(self, why: Why) -> Limits:
        settings = self._journal.settings
        # Only then a caller waits: in the background a writer may take all the time it is allowed.
        if why != "hard":
            return settings.limits
        return limits_within(settings.limits, settings.policy.wait * WRITER_SHARE_OF_WAIT)

    def _is_overtaken(self, outcome: CompactionOutcome, draft: BackgroundDraft) -> bool:
        """Return whether another compaction landed meanwhile and was enough."""
        journal = self._journal
        with journal.lock:
            if draft.abandoned or not isinstance(outcome, Commit):
                return True
            journal.refresh()
            since = journal.log.commits[outcome.base :]
            compacted = any(commit.why in COMPACTS for commit in since)
            return compacted and journal.pressure is Pressure.NONE


def limits_within(limits: Limits, seconds: float | None) -> Limits:
    """Return the limits with at most so many seconds; None leaves them."""
    if seconds is None:
        return limits
    return msgspec.structs.replace(limits, seconds=min(limits.seconds, seconds))
