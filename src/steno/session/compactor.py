"""What pressure does where there is a writer: drafts while the agent goes on.

Soft pressure begins a draft and nobody waits for it. Hard pressure waits for one,
as long as the policy says, and lands without a writer after that. A draft lands
if it still may: what was said meanwhile does not make it stale, another commit
does, and then it is drawn anew, once. Without a writer all is the desk's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from steno.core.budget import Pressure
from steno.core.effects import FATAL_ERRORS, Flow, Limits, Model, run
from steno.core.errors import Stale
from steno.core.events import Failed, Skipped, Waited
from steno.core.log import Commit, Why
from steno.engine.compact import CompactionOutcome, NoCommit
from steno.rungs.truncate import Truncate
from steno.session.background import BackgroundDraft
from steno.session.journal import Journal

Drive = Callable[
    [Flow[CompactionOutcome], Model | None, Limits, BackgroundDraft], CompactionOutcome
]
WRITER_SHARE_OF_WAIT = 0.8
"""Of the seconds that hard pressure waits, for the writer: the rest is for landing without it."""
COMPACTION_REASONS = ("soft", "hard", "asked")


def drive_blocking(
    flow: Flow[CompactionOutcome], writer: Model | None, limits: Limits, underway: BackgroundDraft
) -> CompactionOutcome:
    return run(flow, writer, limits)


class Compactor(Journal):
    drive: Drive = staticmethod(drive_blocking)
    """How a draft's asks are put: by the thread that draws, or on somebody's event loop."""
    _underway: BackgroundDraft | None = None
    _wish: tuple[Why, str] = ("soft", "")
    """What the draft under way is drawn for."""
    _gone: BaseException | None = None

    @property
    def background_draft(self) -> BackgroundDraft | None:
        """The draft that is being drawn, or was drawn last."""
        return self._underway

    def start_draft(self, why: Why, focus: str = "") -> BackgroundDraft:
        """Begin a draft, or give the one under way; one with another focus is begun anew and not forgotten."""
        with self._lock:
            before = self._underway
            if before is None or before.done:
                self._underway = BackgroundDraft(partial(self._run_draft, why, focus))
            elif not focus or self._wish == (why, focus):
                return before
            else:
                self._underway = self._draft_after(before, why, focus)
            self._wish = why, focus
            return self._underway.begin()

    def _draft_after(self, before: BackgroundDraft, why: Why, focus: str) -> BackgroundDraft:
        """A draft that takes the place of one under soft pressure, or waits for any other to be over."""

        def drawn(underway: BackgroundDraft) -> None:
            if not before.abandoned:
                before.wait()
            if not underway.abandoned:
                self._run_draft(why, focus, underway)

        if self._wish[0] == "soft":
            before.abandon()
            self._emit(Skipped("a compaction with a focus was asked for in its place", self.load))
        after = BackgroundDraft(drawn)
        after.on_abandon(before.abandon)
        return after

    def settle(self, *, waiting: bool = True) -> None:
        if not self.setup.asks or self.pressure is not Pressure.SOFT:
            super().settle(waiting=waiting)
        elif not (waiting and self._is_mid_step()) and self._state_key() != self._tried:
            self.start_draft("soft")
            self._tried = self._state_key()

    def required_draft(self) -> BackgroundDraft | None:
        """What must be waited for before the agent goes on: a draft under hard pressure, where there is a writer."""
        self.raise_background_error()
        with self._lock:
            hard = self.pressure is Pressure.HARD and self._state_key() != self._tried
            underway = self.start_draft("hard") if hard and self.setup.asks else None
        if underway is None or underway.is_current_thread:
            return None
        return underway

    def finish_waiting(self, underway: BackgroundDraft, since: float) -> None:
        """It was waited for: where it has not come, it is not wanted any more."""
        with self._lock:
            if not underway.done:
                underway.abandon()
                self._underway = None
        self._emit(Waited(round(self.setup.clock() - since, 3), underway.commit is not None))
        self.raise_background_error()

    def wait_for_draft(self) -> None:
        """Wait for what must be waited for; never with the lock in hand, which a landing needs."""
        underway = self.required_draft()
        if underway is not None:
            since = self.setup.clock()
            underway.wait(self.setup.policy.wait)
            self.finish_waiting(underway, since)

    def settle_with_writer(self) -> None:
        """Land what pressure demands, and wait for the writer however long it may take within the limits."""
        pressure = self.pressure
        if self.setup.asks and pressure is not Pressure.NONE and not self._is_mid_step():
            self.start_draft("hard" if pressure is Pressure.HARD else "soft").wait()
            self.raise_background_error()

    def raise_background_error(self) -> None:
        """Raise what a draft in the background ended with and nobody may swallow."""
        with self._lock:
            gone, self._gone = self._gone, None
        if gone is not None:
            raise gone

    def abandon_draft(self) -> None:
        """Let nothing land any more that is under way."""
        with self._lock:
            if self._underway is not None:
                self._underway.abandon()

    def _run_draft(self, why: Why, focus: str, underway: BackgroundDraft) -> None:
        """All that a background thread does; what goes wrong is said, or kept for the next call."""
        try:
            if (
                not self._run_guarded(lambda: self._land_draft(why, focus, underway))
                and not underway.abandoned
            ):
                self._run_guarded(lambda: self._land_truncated(why, underway))
        except BaseException as gone:  # noqa: BLE001 — nobody is here to catch it: the next call raises it
            if not underway.abandoned or isinstance(gone, FATAL_ERRORS):
                self._gone = gone
                self._emit(Failed(type(gone).__name__))

    def _land_truncated(self, why: Why, underway: BackgroundDraft) -> None:
        """A rung raised: the last one needs nobody."""
        underway.commit = self._compact_without_writer(why, (Truncate(),))

    def _land_draft(self, why: Why, focus: str, underway: BackgroundDraft) -> None:
        for last in (False, True):
            outcome = self._draw_outcome(why, focus, underway)
            if outcome is None:
                return
            try:
                with self._lock:
                    if not underway.abandoned:
                        underway.commit = self.land_outcome(outcome)
                return
            except Stale:
                if last or self._is_overtaken(outcome, underway):
                    self._emit(
                        Skipped("another compaction landed while this one was drawn", self.load)
                    )
                    return

    def _draw_outcome(
        self, why: Why, focus: str, underway: BackgroundDraft
    ) -> CompactionOutcome | None:
        """What a draft comes to; None where nobody wants it any more."""
        if why == "soft" and self.setup.policy.economy:
            alone = self._begin_if_wanted(why, focus, underway, asks=False)
            weighed = (
                None
                if alone is None
                else self.outcome_if_it_pays(run(alone, None, self.setup.limits))
            )
            if weighed is None or isinstance(weighed, NoCommit):
                return weighed
        flow = self._begin_if_wanted(why, focus, underway)
        if flow is None:
            return None
        return self.drive(flow, self.setup.writer, self._limits(why), underway)

    def _begin_if_wanted(
        self, why: Why, focus: str, underway: BackgroundDraft, *, asks: bool = True
    ) -> Flow[CompactionOutcome] | None:
        with (
            self._lock
        ):  # which closing a session takes as well: after that the store is not to be touched
            if underway.abandoned:
                return None
            return self.begin_compaction(why, focus=focus, asks=asks)

    def _limits(self, why: Why) -> Limits:
        limits = self.setup.limits
        if why != "hard":
            return limits
        return msgspec.structs.replace(
            limits, seconds=min(limits.seconds, self.setup.policy.wait * WRITER_SHARE_OF_WAIT)
        )

    def _is_overtaken(self, outcome: CompactionOutcome, underway: BackgroundDraft) -> bool:
        """Somebody else compacted meanwhile, and that was enough."""
        with self._lock:
            if underway.abandoned or not isinstance(outcome, Commit):
                return True
            self.refresh()
            since = self.log.commits[outcome.base :]
            return self.pressure is Pressure.NONE and any(map(_is_compaction, since))


def _is_compaction(commit: Commit) -> bool:
    """It was made to make the load smaller; putting away what Steno said is no compaction."""
    return commit.why in COMPACTION_REASONS
