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

from steno.core.ask import Fatal, Flow, Limits, Model, run
from steno.core.budget import Pressure
from steno.core.error import Stale
from steno.core.event import Failed, Skipped, Waited
from steno.core.log import Commit, Why
from steno.engine.compact import Nothing, Outcome
from steno.session.background import Underway
from steno.session.desk import Desk
from steno.steps.truncate import Truncate

Drive = Callable[[Flow[Outcome], Model | None, Limits, Underway], Outcome]
IN_TIME = 0.8
"""Of the seconds that hard pressure waits, for the writer: the rest is for landing without it."""
OURS = ("soft", "hard", "asked")


def blocking(flow: Flow[Outcome], writer: Model | None, limits: Limits, underway: Underway) -> Outcome:
    return run(flow, writer, limits)


class Pressed(Desk):
    drive: Drive = staticmethod(blocking)
    """How a draft's asks are put: by the thread that draws, or on somebody's event loop."""
    _underway: Underway | None = None
    _wish: tuple[Why, str] = ("soft", "")
    """What the draft under way is drawn for."""
    _gone: BaseException | None = None

    @property
    def underway(self) -> Underway | None:
        """The draft that is being drawn, or was drawn last."""
        return self._underway

    def soon(self, why: Why, focus: str = "") -> Underway:
        """Begin a draft, or give the one under way; one with another focus is begun anew and not forgotten."""
        with self._lock:
            before = self._underway
            if before is None or before.done:
                self._underway = Underway(partial(self._drawn, why, focus))
            elif not focus or self._wish == (why, focus):
                return before
            else:
                self._underway = self._after(before, why, focus)
            self._wish = why, focus
            return self._underway.begin()

    def _after(self, before: Underway, why: Why, focus: str) -> Underway:
        """A draft that takes the place of one under soft pressure, or waits for any other to be over."""

        def drawn(underway: Underway) -> None:
            if not before.abandoned:
                before.wait()
            if not underway.abandoned:
                self._drawn(why, focus, underway)

        if self._wish[0] == "soft":
            before.abandon()
            self._say(Skipped("a compaction with a focus was asked for in its place", self.load))
        after = Underway(drawn)
        after.stopped_by(before.abandon)
        return after

    def settle(self, *, waiting: bool = True) -> None:
        if not self.setup.asks or self.pressure is not Pressure.SOFT:
            super().settle(waiting=waiting)
        elif not (waiting and self._in_the_middle()) and self._now() != self._tried:
            self.soon("soft")
            self._tried = self._now()

    def pressed(self) -> Underway | None:
        """What must be waited for before the agent goes on: a draft under hard pressure, where there is a writer."""
        self.raise_gone()
        with self._lock:
            hard = self.pressure is Pressure.HARD and self._now() != self._tried
            underway = self.soon("hard") if hard and self.setup.asks else None
        return None if underway is None or underway.ours else underway

    def waited(self, underway: Underway, since: float) -> None:
        """It was waited for: where it has not come, it is not wanted any more."""
        with self._lock:
            if not underway.done:
                underway.abandon()
                self._underway = None
        self._say(Waited(round(self.setup.clock() - since, 3), underway.commit is not None))
        self.raise_gone()

    def heed(self) -> None:
        """Wait for what must be waited for; never with the lock in hand, which a landing needs."""
        underway = self.pressed()
        if underway is not None:
            since = self.setup.clock()
            underway.wait(self.setup.policy.wait)
            self.waited(underway, since)

    def written(self) -> None:
        """Land what pressure demands, and wait for the writer however long it may take within the limits."""
        pressure = self.pressure
        if self.setup.asks and pressure is not Pressure.NONE and not self._in_the_middle():
            self.soon("hard" if pressure is Pressure.HARD else "soft").wait()
            self.raise_gone()

    def raise_gone(self) -> None:
        """Raise what a draft in the background ended with and nobody may swallow."""
        with self._lock:
            gone, self._gone = self._gone, None
        if gone is not None:
            raise gone

    def abandon(self) -> None:
        """Let nothing land any more that is under way."""
        with self._lock:
            if self._underway is not None:
                self._underway.abandon()

    def _drawn(self, why: Why, focus: str, underway: Underway) -> None:
        """All that a background thread does; what goes wrong is said, or kept for the next call."""
        try:
            if not self._guarded(lambda: self._landed_soon(why, focus, underway)) and not underway.abandoned:
                self._guarded(lambda: self._landed_at_last(why, underway))
        except BaseException as gone:  # noqa: BLE001 — nobody is here to catch it: the next call raises it
            if not underway.abandoned or isinstance(gone, Fatal):
                self._gone = gone
                self._say(Failed(type(gone).__name__))

    def _landed_at_last(self, why: Why, underway: Underway) -> None:
        """A rung raised: the last one needs nobody."""
        underway.commit = self._compacted(why, (Truncate(),))

    def _landed_soon(self, why: Why, focus: str, underway: Underway) -> None:
        for last in (False, True):
            outcome = self._outcome(why, focus, underway)
            if outcome is None:
                return
            try:
                with self._lock:
                    if not underway.abandoned:
                        underway.commit = self.landed(outcome)
                return
            except Stale:
                if last or self._overtaken(outcome, underway):
                    self._say(Skipped("another compaction landed while this one was drawn", self.load))
                    return

    def _outcome(self, why: Why, focus: str, underway: Underway) -> Outcome | None:
        """What a draft comes to; None where nobody wants it any more."""
        if why == "soft" and self.setup.policy.economy:
            alone = self._begun_if_wanted(why, focus, underway, asks=False)
            weighed = None if alone is None else self.weighed(run(alone, None, self.setup.limits))
            if weighed is None or isinstance(weighed, Nothing):
                return weighed
        flow = self._begun_if_wanted(why, focus, underway)
        if flow is None:
            return None
        return self.drive(flow, self.setup.writer, self._limits(why), underway)

    def _begun_if_wanted(
        self, why: Why, focus: str, underway: Underway, *, asks: bool = True
    ) -> Flow[Outcome] | None:
        with self._lock:  # which closing a session takes as well: after that the store is not to be touched
            return None if underway.abandoned else self.begun(why, focus=focus, asks=asks)

    def _limits(self, why: Why) -> Limits:
        limits = self.setup.limits
        if why != "hard":
            return limits
        return msgspec.structs.replace(limits, seconds=min(limits.seconds, self.setup.policy.wait * IN_TIME))

    def _overtaken(self, outcome: Outcome, underway: Underway) -> bool:
        """Somebody else compacted meanwhile, and that was enough."""
        with self._lock:
            if underway.abandoned or not isinstance(outcome, Commit):
                return True
            self.refresh()
            since = self.log.commits[outcome.base :]
            return self.pressure is Pressure.NONE and any(map(_compacts, since))


def _compacts(commit: Commit) -> bool:
    """It was made to make the load smaller; putting away what Steno said is no compaction."""
    return commit.why in OURS
