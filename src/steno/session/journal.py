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

from steno.core.budget import Budget, Pressure
from steno.core.draft import Draft
from steno.core.effects import FATAL_ERRORS, Flow, Model, run
from steno.core.errors import BadInput, DoesNotFit, Stale, StenoError
from steno.core.events import (
    Committed,
    Event,
    Failed,
    Learned,
    Overflow,
    SafetyNet,
    Skipped,
    Started,
    Unpriced,
)
from steno.core.log import Commit, Log, Why
from steno.core.message import Message
from steno.core.price import Prices, payoff_of
from steno.core.rung import Rung
from steno.core.store import Record
from steno.core.view import COMMITS_WITHOUT_PRESSURE, View
from steno.engine.compact import CompactionOutcome, NoCommit, compact, take_in
from steno.engine.policy import Quota
from steno.facts.step_boundary import BATCH_MOST, ends_a_step
from steno.meters.catalog import model_prices
from steno.rungs.truncate import Truncate
from steno.session.overflow import GUESS_DIVISOR, smaller_window
from steno.session.pays_off import case_for, explain_refusal, writing_cost
from steno.session.preamble import Preamble
from steno.session.settings import Settings, StoredSettings, budget_of
from steno.session.stored_session import StoredFacts, StoredSession
from steno.wires import encode_messages, json_text, parse_json

EVENTS_MOST = 1_000
STALE_RETRIES_MOST = 8
WRITER_WINDOW = 8_192
"""Tokens that a writer holds which does not say how many."""

T = TypeVar("T")


class Journal:
    def __init__(
        self, shelf: StoredSession, setup: Settings, told: StoredSettings, fixed: Preamble
    ) -> None:
        self._shelf, self.setup, self.told, self._fixed = shelf, setup, told, fixed
        self.events: deque[Event] = deque(maxlen=EVENTS_MOST)
        self.log = Log()
        self.view = View(setup.wire.terms, setup.meter)
        self._lock = threading.RLock()
        self._sent = 0
        self._fixed_then = fixed.tokens
        self._tried: tuple[int, int, int] | None = None
        self._policy, self._quota = setup.policy, "normal"
        self._jots: dict[str, list[tuple[Record, Any]]] = {}
        self._jotted = 0
        self._shrunk = False
        self._sent_at: float | None = None
        self._unpriced = False
        self._facts = StoredFacts(shelf)
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
        if self.setup.redact is None:
            return said
        return self.setup.redact.plain(said)

    def refresh(self) -> None:
        """Take in what others said and committed to this session meanwhile."""
        with self._lock:
            kept = self._shelf.load_new(self.log, self._decode_stored)
            self._adopt_settings(StoredSettings.parse(kept.setup))
            self.log = self.log.with_messages(kept.messages)
            self.view = self.view.with_messages(kept.messages)
            for commit in kept.commits:
                self.log = self.log.with_commit(commit)
            if kept.commits:
                self.view = self.view.fold(self.log)

    def _adopt_settings(self, told: StoredSettings) -> None:
        """Take in what the session was told; a window that somebody learned is ours to keep to."""
        self.told = told
        window = self.budget.window
        if told.learned is not None and told.learned < window:
            self.setup = replace(self.setup, budget=budget_of(self.setup.policy, window, told))
            self._shrunk, self._tried = True, None

    def learn_window(self, window: int | None, counted: int | None) -> int:
        """The newest request was refused as too long: believe in a smaller window from now on; the load it had."""
        with self._lock:
            before, load = self.budget, self.load
            if counted is not None:
                self._calibrate_meter(counted)
            most = max(load, self.told.refused or 0)
            floor = 0 if counted is not None else most // GUESS_DIVISOR
            believed = smaller_window(before.window, before.usable, self.load, window, floor)
            self._adopt_settings(
                self._shelf.update_settings(
                    lambda told: told.with_changes(learned=believed, refused=most)
                )
            )
            self._shrunk, self._tried = True, None
            self._emit(Learned(self.budget.window, before.window, load, believed == window))
            return load

    def _decode_stored(self, raw: str) -> Message:
        return self.setup.wire.decode(parse_json(raw), raw, "a kept message")

    def _append(self, new: list[Message]) -> None:
        """Keep more messages; from here on no error may make a caller say them again."""
        counted = self._fixed.tokens + self.view.raw
        start = self._shelf.append(new)
        if start != len(self.log.messages):  # somebody else spoke first
            self._run_guarded(self.refresh)
            return
        self._sent = self._sent or counted
        self.log = self.log.with_messages(new)
        self.view = self.view.with_messages(new)

    def _take_in(self) -> None:
        """Run the rungs of every round on what is new."""
        if self._run_guarded(lambda: self.retry_stale(self._land_intake)):
            self._taken_in = len(self.log.messages)

    def _land_intake(self) -> None:
        commit = take_in(self._draft("arrival"), self.setup.policy)
        if commit is not None:
            self._land_commit(commit)

    def with_quota(self, quota: Quota) -> None:
        """From now on the policy as it is under this quota."""
        if quota != self._quota:
            policy = self._policy.with_quota(quota)
            self.setup = replace(
                self.setup, policy=policy, budget=budget_of(policy, self.budget.window, self.told)
            )
            self._quota = quota

    def brace_for(self, tokens: int) -> None:
        """Where so much more would press hard, do now what soft pressure has put off."""
        coming = self.view.meter.load(self._fixed.tokens + self.view.raw + tokens)
        if self.pressure is Pressure.SOFT and self.budget.pressure(coming) is Pressure.HARD:
            self.settle(waiting=False)

    def settle(self, *, waiting: bool = True) -> None:
        """Land what pressure demands, without a model; the agent goes on whatever happens."""
        pressure = self.pressure
        waits = waiting and pressure is Pressure.SOFT and self._is_mid_step()
        if pressure is Pressure.NONE or waits or self._state_key() == self._tried:
            return
        why: Why = "hard" if pressure is Pressure.HARD else "soft"
        if not self._run_guarded(
            lambda: self._compact_without_writer(why, self.setup.policy.ladder)
        ):
            # A rung that raises must not leave the agent over its window: the last rung needs nobody.
            self._run_guarded(lambda: self._compact_without_writer(why, (Truncate(),)))
        self._tried = self._state_key()

    def _is_mid_step(self) -> bool:
        """A call waits for its result, or the policy waits for a step to end."""
        messages = self.log.messages
        later = self.setup.policy.moment == "step" and not ends_a_step(
            messages[max(0, len(messages) - BATCH_MOST) :]
        )
        return later or bool(self.view.mending.open)

    def _state_key(self) -> tuple[int, int, int]:
        return len(self.log.messages), len(self.log.commits), self._fixed.tokens

    def _compact_without_writer(self, why: Why, ladder: tuple[Rung, ...]) -> Commit | None:
        def landing() -> Commit | None:
            outcome = run(self.begin_compaction(why, ladder, asks=False), None, self.setup.limits)
            return self.land_outcome(self.outcome_if_it_pays(outcome) if why == "soft" else outcome)

        return self.retry_stale(landing)

    def outcome_if_it_pays(self, outcome: CompactionOutcome) -> CompactionOutcome:
        """What may land under soft pressure: where the policy asks for it, what pays and nothing else."""
        turns = self.setup.policy.economy
        prices = self._prices() if turns and isinstance(outcome, Commit) else None
        if prices is None or not isinstance(outcome, Commit):
            return outcome
        idle = 0.0 if self._sent_at is None else self.setup.clock() - self._sent_at
        takes = writing_cost(prices, self.setup.writer if self.setup.asks else None, outcome)
        verdict = payoff_of(
            prices, case_for(outcome, self.view, self._fixed.tokens, idle, takes), turns
        )
        if verdict.pays:
            return outcome
        return NoCommit(explain_refusal(verdict, turns))

    def _prices(self) -> Prices | None:
        """What the agent's model asks; where that is not known, an event says so, once."""
        try:
            if self.told.model is None:
                raise BadInput("no model= was said whose prices could be known")
            return model_prices(self.told.model)
        except BadInput as unknown:
            if not self._unpriced:
                self._unpriced = True
                self._emit(Unpriced(str(unknown)))
            return None

    def _run_guarded(self, work: Callable[[], object]) -> bool:
        """Do it, or say in an event that it failed; what must not be swallowed is raised."""
        try:
            work()
        except (*FATAL_ERRORS, DoesNotFit):
            raise
        except Exception as failure:  # noqa: BLE001 — the edge to the agent, which must go on; said in an event
            self._emit(Failed(reason_of(failure)))
            return False
        return True

    def retry_stale(self, landing: Callable[[], T]) -> T:
        """Do it again on what somebody else committed, as long as that made it stale, within bounds."""
        for _ in range(STALE_RETRIES_MOST):
            try:
                return landing()
            except Stale:
                self.refresh()
        return landing()

    def begin_compaction(
        self,
        why: Why,
        ladder: tuple[Rung, ...] | None = None,
        focus: str = "",
        *,
        asks: bool = True,
    ) -> Flow[CompactionOutcome]:
        """A compaction to be driven; `landed` takes what comes of it."""
        with self._lock:
            self.refresh()  # others may have spoken, committed or pinned
            draft = self._draft(why, self.clean(focus), self.setup.writer if asks else None)
            if self.setup.strict and self._fixed.load(self.view.meter) > self.budget.usable:
                raise DoesNotFit(
                    self.load, self._fixed.load(self.view.meter), draft.goal, self.budget.usable
                )
            if self.setup.policy.agent_controlled and why != "asked":
                self._emit(SafetyNet(self.load, self.budget.usable))
            self._emit(Started(why, draft.before, draft.goal, self.budget.usable))
            self._run_guarded(lambda: self._facts.load(self.view.messages))
            policy = self.setup.policy
            return compact(draft, policy if ladder is None else policy.but(ladder=ladder))

    def land_outcome(self, outcome: CompactionOutcome) -> Commit | None:
        """Keep what a compaction came to, if it still may."""
        with self._lock:
            if isinstance(outcome, Commit):
                outcome = _rebase_on_arrivals(outcome, self.log)
                self._refuse_pinned(outcome)
                self._land_commit(self.with_search_answers(outcome))
            else:
                self._emit(Skipped(outcome.reason, self.load))
                self._emit_overflow(self.load > self.budget.usable)
            # Facts can be read again: that they cannot be kept is said, and stops nobody.
            self._run_guarded(lambda: self._facts.save(self.view.messages))
            if self.setup.strict and self.load > self.budget.usable:
                draft = self._draft("hard")
                raise DoesNotFit(self.load, draft.untouchable_load, draft.goal, self.budget.usable)
            if isinstance(outcome, Commit):
                return self.log.commits[-1]
            return None

    def with_search_answers(self, commit: Commit) -> Commit:
        """The commit as it lands; who can search adds what a search answers."""
        return commit

    def _refuse_pinned(self, commit: Commit) -> None:
        """What was pinned while a writer wrote is pinned all the same."""
        if any(pin in edit.span for edit in commit.edits for pin in self.told.pins):
            raise Stale(commit.base, len(self.log.commits))

    def _land_commit(self, commit: Commit) -> None:
        commit = self._shelf.commit(commit)
        self.log = self.log.with_commit(commit)
        self.view = self.view.with_commit(commit)
        self._fixed_then = self._fixed.tokens
        self._shrunk = self._shrunk and commit.why in COMMITS_WITHOUT_PRESSURE
        self._emit(Committed.of(commit, self.view.boundary))
        self._emit_overflow(not commit.fits and commit.why not in COMMITS_WITHOUT_PRESSURE)

    def _emit_overflow(self, over: bool) -> None:
        if over:
            draft = self._draft("hard")
            self._emit(Overflow(self.load, draft.untouchable_load, draft.goal, self.budget.usable))

    def _draft(self, why: Why, focus: str = "", writer: Model | None = None) -> Draft:
        return Draft.of(
            self.log,
            self.view,
            self.budget,
            why=why,
            fixed=self._fixed.tokens,
            pins=self.setup.policy.pinned_positions(self.view) | frozenset(self.told.pins),
            tail=self.setup.policy.tail,
            new=self._taken_in,
            grown=self._fixed.tokens != self._fixed_then or self._shrunk,
            focus=focus,
            writer=None if writer is None else getattr(writer, "window", None) or WRITER_WINDOW,
            limits=self.setup.limits,
            request=partial(self._request_json, self.view),
            doubts=self.setup.policy.doubts,
            complexity=self.setup.policy.complexity,
        )

    def _request_json(self, view: View) -> str:
        """JSON of the request that the agent would send of a view."""
        tools = None if self._fixed.tools is None else list(self._fixed.tools)
        return json_text(
            self.setup.wire.request(
                encode_messages(self.setup.wire, view.visible_messages), self._fixed.system, tools
            )
        )

    def _emit(self, event: Event) -> None:
        self.events.append(event)
        try:
            self.setup.on_event(event)
        except Exception as failure:  # noqa: BLE001 — the edge to a listener, who must not stop what he listens to
            self.events.append(Failed(f"on_event raised {type(failure).__name__}"))

    def _calibrate_meter(self, reported: int) -> None:
        self.view = replace(
            self.view, meter=self.view.meter.with_reported_usage(self._sent, reported)
        )


def _rebase_on_arrivals(commit: Commit, log: Log) -> Commit:
    """The commit on top of commits that only changed what came after it was drafted: they do not touch."""
    since = log.commits[commit.base :]
    apart = all(
        each.why in ("arrival", "hide") and all(e.span.start >= commit.at for e in each.edits)
        for each in since
    )
    if since and apart:
        return msgspec.structs.replace(commit, base=len(log.commits))
    return commit


def reason_of(failure: Exception) -> str:
    """Our own words, or else only the kind: somebody else's message may quote what was said."""
    if isinstance(failure, StenoError):
        return f"{type(failure).__name__}: {failure}"
    return type(failure).__name__
