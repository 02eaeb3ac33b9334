"""Where a log is worked on: stored before it is shrunk, and always legal to send.

The desk is the shell around the pure engine: it appends, lands commits, says
what happened, and keeps a failed compaction away from the agent. Another
process may hold the same session: what it said is taken in, and a commit
drafted on an older state is drawn anew. JSON in and out is the session's.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import msgspec

from steno.core.ask import Fatal, Flow, Model, run
from steno.core.budget import Budget, Pressure
from steno.core.draft import Draft
from steno.core.error import BadInput, DoesNotFit, Stale, StenoError
from steno.core.event import Committed, Event, Failed, Learned, Overflow, SafetyNet, Skipped, Started, Unpriced
from steno.core.log import Commit, Log, Why
from steno.core.message import Message
from steno.core.price import Prices, weighed
from steno.core.rung import Rung
from steno.core.store import Jot
from steno.core.view import APART, View
from steno.engine.compact import Nothing, Outcome, compact, take_in
from steno.engine.policy import Quota
from steno.ledger.moment import BACK, ends_a_step
from steno.meters.prices import prices_of
from steno.session.economy import case_for, why_not, writing
from steno.session.facts import KeptFacts
from steno.session.fixed import Fixed
from steno.session.overflow import GUESSED, smaller
from steno.session.setup import Setup, Told, budget_of
from steno.session.shelf import Shelf
from steno.steps.truncate import Truncate
from steno.wire import encoded, text_of, value_of

EVENTS_MOST = 1_000
REDRAWN_MOST = 8
WRITER_WINDOW = 8_192
"""Tokens that a writer holds which does not say how many."""

T = TypeVar("T")


class Desk:
    def __init__(self, shelf: Shelf, setup: Setup, told: Told, fixed: Fixed) -> None:
        self._shelf, self.setup, self.told, self._fixed = shelf, setup, told, fixed
        self.events: deque[Event] = deque(maxlen=EVENTS_MOST)
        self.log = Log()
        self.view = View(setup.wire.terms, setup.meter)
        self._lock = threading.RLock()
        self._sent = 0
        self._fixed_then = fixed.tokens
        self._tried: tuple[int, int, int] | None = None
        self._policy, self._quota = setup.policy, "normal"
        self._jots: dict[str, list[tuple[Jot, Any]]] = {}
        self._jotted = 0
        self._shrunk = False
        self._sent_at: float | None = None
        self._unpriced = False
        self._facts = KeptFacts(shelf)
        self.refresh()
        self._taken_in = 0 if shelf.card is None else len(self.log.messages)
        self._take_in()

    @property
    def load(self) -> int:
        """Tokens of the next request: system prompt, tools and view."""
        return self.view.meter.load(self._fixed.tokens + self.view.raw)

    @property
    def budget(self) -> Budget:
        return self.setup.budget

    @property
    def pressure(self) -> Pressure:
        return self.budget.pressure(self.load)

    def clean(self, said: Any) -> Any:
        """A message, or words, without secrets, where the session was told to take them out."""
        return said if self.setup.redact is None else self.setup.redact.plain(said)

    def refresh(self) -> None:
        """Take in what others said and committed to this session meanwhile."""
        with self._lock:
            kept = self._shelf.more(self.log, self._read)
            self._heard_of(Told.read(kept.setup))
            self.log = self.log.said(kept.messages)
            self.view = self.view.said(kept.messages)
            for commit in kept.commits:
                self.log = self.log.committed(commit)
            if kept.commits:
                self.view = self.view.folded(self.log)

    def _heard_of(self, told: Told) -> None:
        """Take in what the session was told; a window that somebody learned is ours to keep to."""
        self.told = told
        window = self.budget.window
        if told.learned is not None and told.learned < window:
            self.setup = replace(self.setup, budget=budget_of(self.setup.policy, window, told))
            self._shrunk, self._tried = True, None

    def learn(self, window: int | None, counted: int | None) -> int:
        """The newest request was refused as too long: believe in a smaller window from now on; the load it had."""
        with self._lock:
            before, load = self.budget, self.load
            if counted is not None:
                self._correct(counted)
            most = max(load, self.told.refused or 0)
            floor = 0 if counted is not None else most // GUESSED
            believed = smaller(before.window, before.usable, self.load, window, floor)
            self._heard_of(self._shelf.note(lambda told: told.over(learned=believed, refused=most)))
            self._shrunk, self._tried = True, None
            self._say(Learned(self.budget.window, before.window, load, believed == window))
            return load

    def _read(self, raw: str) -> Message:
        return self.setup.wire.decode(value_of(raw), raw, "a kept message")

    def _append(self, new: list[Message]) -> None:
        """Keep more messages; from here on no error may make a caller say them again."""
        counted = self._fixed.tokens + self.view.raw
        start = self._shelf.append(new)
        if start != len(self.log.messages):  # somebody else spoke first
            self._guarded(self.refresh)
            return
        self._sent = self._sent or counted
        self.log = self.log.said(new)
        self.view = self.view.said(new)

    def _take_in(self) -> None:
        """Run the rungs of every round on what is new."""
        if self._guarded(lambda: self.redrawn(self._taken)):
            self._taken_in = len(self.log.messages)

    def _taken(self) -> None:
        commit = take_in(self._draft("arrival"), self.setup.policy)
        if commit is not None:
            self._land(commit)

    def quoted(self, quota: Quota) -> None:
        """From now on the policy as it is under this quota."""
        if quota != self._quota:
            policy = self._policy.under(quota)
            self.setup = replace(self.setup, policy=policy, budget=budget_of(policy, self.budget.window, self.told))
            self._quota = quota

    def braced(self, tokens: int) -> None:
        """Where so much more would press hard, do now what soft pressure has put off."""
        coming = self.view.meter.load(self._fixed.tokens + self.view.raw + tokens)
        if self.pressure is Pressure.SOFT and self.budget.pressure(coming) is Pressure.HARD:
            self.settle(waiting=False)

    def settle(self, *, waiting: bool = True) -> None:
        """Land what pressure demands, without a model; the agent goes on whatever happens."""
        pressure = self.pressure
        waits = waiting and pressure is Pressure.SOFT and self._in_the_middle()
        if pressure is Pressure.NONE or waits or self._now() == self._tried:
            return
        why: Why = "hard" if pressure is Pressure.HARD else "soft"
        if not self._guarded(lambda: self._compacted(why, self.setup.policy.ladder)):
            # A rung that raises must not leave the agent over its window: the last rung needs nobody.
            self._guarded(lambda: self._compacted(why, (Truncate(),)))
        self._tried = self._now()

    def _in_the_middle(self) -> bool:
        """A call waits for its result, or the policy waits for a step to end."""
        messages = self.log.messages
        later = self.setup.policy.moment == "step" and not ends_a_step(messages[max(0, len(messages) - BACK) :])
        return later or bool(self.view.mending.open)

    def _now(self) -> tuple[int, int, int]:
        return len(self.log.messages), len(self.log.commits), self._fixed.tokens

    def _compacted(self, why: Why, ladder: tuple[Rung, ...]) -> Commit | None:
        def landing() -> Commit | None:
            outcome = run(self.begun(why, ladder, asks=False), None, self.setup.limits)
            return self.landed(self.weighed(outcome) if why == "soft" else outcome)

        return self.redrawn(landing)

    def weighed(self, outcome: Outcome) -> Outcome:
        """What may land under soft pressure: where the policy asks for it, what pays and nothing else."""
        turns = self.setup.policy.economy
        prices = self._prices() if turns and isinstance(outcome, Commit) else None
        if prices is None or not isinstance(outcome, Commit):
            return outcome
        idle = 0.0 if self._sent_at is None else self.setup.clock() - self._sent_at
        takes = writing(prices, self.setup.writer if self.setup.asks else None, outcome)
        verdict = weighed(prices, case_for(outcome, self.view, self._fixed.tokens, idle, takes), turns)
        return outcome if verdict.pays else Nothing(why_not(verdict, turns))

    def _prices(self) -> Prices | None:
        """What the agent's model asks; where that is not known, an event says so, once."""
        try:
            if self.told.model is None:
                raise BadInput("no model= was said whose prices could be known")
            return prices_of(self.told.model)
        except BadInput as unknown:
            if not self._unpriced:
                self._unpriced = True
                self._say(Unpriced(str(unknown)))
            return None

    def _guarded(self, work: Callable[[], object]) -> bool:
        """Do it, or say in an event that it failed; what must not be swallowed is raised."""
        try:
            work()
        except (*Fatal, DoesNotFit):
            raise
        except Exception as failure:  # noqa: BLE001 — the edge to the agent, which must go on; said in an event
            self._say(Failed(reason_of(failure)))
            return False
        return True

    def redrawn(self, landing: Callable[[], T]) -> T:
        """Do it again on what somebody else committed, as long as that made it stale, within bounds."""
        for _ in range(REDRAWN_MOST):
            try:
                return landing()
            except Stale:
                self.refresh()
        return landing()

    def begun(
        self, why: Why, ladder: tuple[Rung, ...] | None = None, focus: str = "", *, asks: bool = True
    ) -> Flow[Outcome]:
        """A compaction to be driven; `landed` takes what comes of it."""
        with self._lock:
            self.refresh()  # others may have spoken, committed or pinned
            draft = self._draft(why, self.clean(focus), self.setup.writer if asks else None)
            if self.setup.strict and self._fixed.load(self.view.meter) > self.budget.usable:
                raise DoesNotFit(self.load, self._fixed.load(self.view.meter), draft.goal, self.budget.usable)
            if self.setup.policy.agent_controlled and why != "asked":
                self._say(SafetyNet(self.load, self.budget.usable))
            self._say(Started(why, draft.before, draft.goal, self.budget.usable))
            self._guarded(lambda: self._facts.hand_in(self.view.messages))
            policy = self.setup.policy
            return compact(draft, policy if ladder is None else policy.but(ladder=ladder))

    def landed(self, outcome: Outcome) -> Commit | None:
        """Keep what a compaction came to, if it still may."""
        with self._lock:
            if isinstance(outcome, Commit):
                outcome = _on_arrivals(outcome, self.log)
                self._refuse_pinned(outcome)
                self._land(self.searched_for(outcome))
            else:
                self._say(Skipped(outcome.reason, self.load))
                self._say_overflow(self.load > self.budget.usable)
            # Facts can be read again: that they cannot be kept is said, and stops nobody.
            self._guarded(lambda: self._facts.hand_out(self.view.messages))
            if self.setup.strict and self.load > self.budget.usable:
                draft = self._draft("hard")
                raise DoesNotFit(self.load, draft.untouchable, draft.goal, self.budget.usable)
            return self.log.commits[-1] if isinstance(outcome, Commit) else None

    def searched_for(self, commit: Commit) -> Commit:
        """The commit as it lands; who can search adds what a search answers."""
        return commit

    def _refuse_pinned(self, commit: Commit) -> None:
        """What was pinned while a writer wrote is pinned all the same."""
        if any(pin in edit.span for edit in commit.edits for pin in self.told.pins):
            raise Stale(commit.base, len(self.log.commits))

    def _land(self, commit: Commit) -> None:
        commit = self._shelf.commit(commit)
        self.log = self.log.committed(commit)
        self.view = self.view.committed(commit)
        self._fixed_then = self._fixed.tokens
        self._shrunk = self._shrunk and commit.why in APART
        self._say(Committed.of(commit, self.view.boundary))
        self._say_overflow(not commit.fits and commit.why not in APART)

    def _say_overflow(self, over: bool) -> None:
        if over:
            draft = self._draft("hard")
            self._say(Overflow(self.load, draft.untouchable, draft.goal, self.budget.usable))

    def _draft(self, why: Why, focus: str = "", writer: Model | None = None) -> Draft:
        return Draft.of(
            self.log,
            self.view,
            self.budget,
            why=why,
            fixed=self._fixed.tokens,
            pins=self.setup.policy.pinned(self.view) | frozenset(self.told.pins),
            tail=self.setup.policy.tail,
            new=self._taken_in,
            grown=self._fixed.tokens != self._fixed_then or self._shrunk,
            focus=focus,
            writer=None if writer is None else getattr(writer, "window", None) or WRITER_WINDOW,
            limits=self.setup.limits,
            request=partial(self._encoded, self.view),
            doubts=self.setup.policy.doubts,
            complexity=self.setup.policy.complexity,
        )

    def _encoded(self, view: View) -> str:
        """JSON of the request that the agent would send of a view."""
        tools = None if self._fixed.tools is None else list(self._fixed.tools)
        return text_of(self.setup.wire.request(encoded(self.setup.wire, view.shown), self._fixed.system, tools))

    def _say(self, event: Event) -> None:
        self.events.append(event)
        try:
            self.setup.on_event(event)
        except Exception as failure:  # noqa: BLE001 — the edge to a listener, who must not stop what he listens to
            self.events.append(Failed(f"on_event raised {type(failure).__name__}"))

    def _correct(self, reported: int) -> None:
        self.view = replace(self.view, meter=self.view.meter.corrected(self._sent, reported))


def _on_arrivals(commit: Commit, log: Log) -> Commit:
    """The commit on top of commits that only changed what came after it was drafted: they do not touch."""
    since = log.commits[commit.base :]
    apart = all(
        each.why in ("arrival", "hide") and all(e.span.start >= commit.at for e in each.edits) for each in since
    )
    return msgspec.structs.replace(commit, base=len(log.commits)) if since and apart else commit


def reason_of(failure: Exception) -> str:
    """Our own words, or else only the kind: somebody else's message may quote what was said."""
    return f"{type(failure).__name__}: {failure}" if isinstance(failure, StenoError) else type(failure).__name__
