"""One compaction of a session: from the draft to the commit in the store.

It is drawn on the newest state and lands if nothing that it covers changed meanwhile. After
a failure the last rung alone is drawn, which reads no facts. Owns what stands in the way of
landing: pins, other commits, what the agent used meanwhile, prices, a window that the system
prompt fills. When a session is compacted is decided by the compactor.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

import msgspec

from steno.checks.kept import LIST_RULES_TOLD, RULES_READ, restore_rules_and_loops
from steno.checks.refill import Refill, find_refill
from steno.checks.shape import SHAPE
from steno.core.effects import Flow, Model, run
from steno.core.errors import BadInput, DoesNotFit, Stale
from steno.core.events import (
    Answered,
    Failed,
    Overflow,
    Refilled,
    RulesDropped,
    RulesUnread,
    SafetyNet,
    Skipped,
    Started,
    Survived,
    Unpriced,
)
from steno.core.item import Item
from steno.core.log import (
    COVERS_NOTHING,
    WITHOUT_PRESSURE,
    Commit,
    Log,
    Probe,
    Proposal,
    Survival,
    Why,
)
from steno.core.price import CompactionCandidate, Payoff, Prices, payoff_of
from steno.core.rung import Rung
from steno.core.view import View
from steno.engine.compact import (
    CompactionOutcome,
    NoCommit,
    compact,
    compact_without_facts,
    skip_compaction,
)
from steno.engine.fit import newest_words
from steno.facts.ledger import Ledger
from steno.meters.catalog import known_prices, model_prices
from steno.models.retry import RetryingWriter, writer_name
from steno.rungs.truncate import Truncate
from steno.session.journal import Journal
from steno.session.recall import SessionRecall
from steno.session.sending import Sending
from steno.summary.rules_block import gather_rules

REPLY_TOKENS = 1_000
"""Tokens of a writer's reply, at a guess."""


class Landing:
    """Draws compactions of the journal's session, and lands them."""

    def __init__(self, journal: Journal, sending: Sending, recall: SessionRecall) -> None:
        self._journal = journal
        self._sending = sending
        self._recall = recall
        self.skipped: tuple[tuple[object, ...], str] | None = None
        """State and reason of the last attempt, if it made no commit."""
        self.failed: Failed | None = None
        """Failure of the last attempt, if it raised and nothing landed in its place."""
        self._unpriced = False
        self._refilled_at: int | None = None
        """Where the last thing stands that filled the window again."""

    def draw(
        self,
        why: Why,
        ladder: tuple[Rung, ...] | None = None,
        focus: str = "",
        *,
        asks: bool = True,
    ) -> Flow[CompactionOutcome]:
        """Return the outcome of a compaction; if a rung or a reader raises, of the last rung."""
        try:
            return (yield from self.begin(why, ladder, focus, asks=asks))
        except Exception as failure:  # noqa: BLE001 — the event and the commit say what failed
            self.failed = self._journal.events.note_failure(failure)
        return (yield from self.begin(why, asks=False, failed=self.failed))

    def begin(
        self,
        why: Why,
        ladder: tuple[Rung, ...] | None = None,
        focus: str = "",
        *,
        asks: bool = True,
        failed: Failed | None = None,
    ) -> Flow[CompactionOutcome]:
        """Return a compaction for a driver to run; `land` takes its outcome.

        After a failure, the compaction is the one that reads no facts.
        """
        journal = self._journal
        with journal.lock:
            # Other processes may have added, committed or pinned.
            journal.refresh()
            settings = journal.settings
            writer = None
            if asks:
                writer = settings.writer
            if self.is_hopeless():
                if settings.strict:
                    raise self.does_not_fit()
                # It lands as small as it can, but a summary that cannot be sent is not paid for.
                writer = None
            draft = journal.draft(why, journal.clean(focus), writer)
            if settings.policy.agent_controlled and why != "asked":
                journal.emit(SafetyNet(journal.load, journal.budget.usable))
            journal.emit(Started(why, draft.before, draft.goal, journal.budget.usable))
            policy = settings.policy
            refill = self._find_refill(why)
            if refill is not None:
                if why == "soft":
                    return skip_compaction(refill.reason)
                draft = draft.with_findings((refill.finding(),))
            if failed is not None:
                # Only our own checks: a check of the caller's may be what raised.
                # And no quotes: to tell whose words a request is, facts would have to be read.
                truncate = Truncate(quotes=False)
                last_rung = policy.but(ladder=(truncate,), checks=SHAPE, rounds=0)
                reason = f"{failed.reason} in {failed.where}"
                return compact_without_facts(draft, last_rung, reason)
            # Late: a compaction that is skipped or falls back must not read any facts.
            journal.load_facts()
            if ladder is not None:
                policy = policy.but(ladder=ladder)
            return compact(draft, policy)

    def _find_refill(self, why: Why) -> Refill | None:
        """Return what fills the window again after each compaction, and emit it once."""
        if why not in ("soft", "hard"):
            return None
        refill = find_refill(self._journal.log.live, self._journal.view)
        if refill is not None and refill.position != self._refilled_at:
            self._refilled_at = refill.position
            figures = (refill.position, refill.what, refill.tokens, refill.times)
            self._journal.emit(Refilled(*figures))
        return refill

    def attempt(self, work: Callable[[], object]) -> Failed | None:
        """Draw or land; if that fails, emit, keep and return the failure.

        The caller then draws again without facts: a poor summary is better than a request that
        does not fit. If that fails too, nothing lands.
        """
        self.failed = self._journal.events.failure_of(work)
        return self.failed

    def without_writer(self, why: Why, failed: Failed | None = None) -> Commit | None:
        """Compact and land; after a failure, by the last rung alone."""

        def draw() -> CompactionOutcome:
            flow = self.begin(why, asks=False, failed=failed)
            outcome = run(flow, None, self._journal.settings.limits)
            if why == "soft":
                outcome = self.outcome_if_it_pays(outcome)
            return outcome

        return self._journal.land_fresh(draw, self.land)

    def land(self, outcome: CompactionOutcome) -> Commit | None:
        """Land the outcome of a compaction if nothing that it covers changed meanwhile."""
        journal = self._journal
        with journal.lock:
            landed = None
            self.skipped = self.failed = None
            if isinstance(outcome, Commit):
                commit = _rebase_on_arrivals(outcome, journal.log)
                # Before anything is compared with a view that it was not drawn on.
                if commit.base != len(journal.log.commits):
                    raise Stale(commit.base, len(journal.log.commits))
                self._refuse_pinned(commit)
                commit = self._with_rules(commit)
                landed = journal.land(self._with_search_answers(commit))
                if landed.survival is not None:
                    session = Survival.over(journal.log.commits)
                    journal.emit(Survived.of(landed.survival, landed.number, session))
                for finding in landed.findings:
                    if finding.check == RULES_READ:
                        journal.emit(RulesUnread(int(finding.place)))
                    elif finding.check == LIST_RULES_TOLD:
                        journal.emit(RulesDropped(finding.what))
                if landed.probe is not None:
                    answers = Probe.over(journal.log.commits)
                    journal.emit(Answered.of(landed.probe, landed.number, answers))
                over = not landed.fits and landed.why not in WITHOUT_PRESSURE
            else:
                self.skipped = journal.state, outcome.reason
                journal.emit(Skipped(outcome.reason, journal.load))
                over = journal.load > journal.budget.usable
            if over:
                journal.emit(self._overflow())
            journal.save_facts()
            if journal.settings.strict and journal.load > journal.budget.usable:
                raise self.does_not_fit()
            return landed

    def _with_rules(self, commit: Commit) -> Commit:
        """Return a drafted commit with the rules and open loops that came while it was drafted."""
        journal = self._journal
        if commit.at >= len(journal.log.messages):
            return commit
        checked = [commit]
        # A reader that raises must not keep the commit from landing.
        journal.guard(lambda: checked.append(restore_in_commit(journal, commit)))
        return checked[-1]

    def _with_search_answers(self, commit: Commit) -> Commit:
        """Return the commit with what one search answers, if the policy probes its views."""
        if commit.probe is None:
            return commit
        answered = [commit]
        # A search that fails must not keep the commit from landing.
        self._journal.guard(lambda: answered.append(self._recall.with_search_answers(commit)))
        return answered[-1]

    def _refuse_pinned(self, commit: Commit) -> None:
        """Raise `Stale` if something that the commit covers was pinned meanwhile."""
        for edit in commit.edits:
            if any(pin in edit.span for pin in self._journal.stored_settings.pins):
                raise Stale(commit.base, len(self._journal.log.commits))

    def require_room(self) -> None:
        """Raise `DoesNotFit` if system prompt and tools alone are over the window."""
        if self.is_hopeless():
            raise self.does_not_fit()

    def is_hopeless(self) -> bool:
        """Tell whether system prompt and tools alone are over the window."""
        journal = self._journal
        most = journal.budget.window
        if journal.settings.strict:
            most = journal.budget.usable
        elif journal.stored_settings.learned is not None:
            # A window that was guessed after a refusal may be too small a guess.
            return False
        return self._preamble_load() > most

    def _preamble_load(self) -> int:
        """Return the load of system prompt, tools, leading system messages and the rules block."""
        journal = self._journal
        system = takewhile(_is_system, journal.view.items)
        return journal.view.meter.load(journal.fixed_tokens + sum(item.tokens for item in system))

    def does_not_fit(self) -> DoesNotFit:
        """Return the error that says what takes the room."""
        over = self._overflow()
        return DoesNotFit(
            over.load,
            over.fixed,
            over.goal,
            over.usable,
            window=over.window,
            preamble=over.preamble,
            words=over.words,
        )

    def _overflow(self) -> Overflow:
        """Return the figures of a view that does not fit."""
        journal = self._journal
        draft = journal.draft("hard")
        weigh = journal.view.meter.load
        words = 0
        newest = newest_words(draft)
        if newest is not None:
            words = weigh(draft.view.at(newest).tokens)
        return Overflow(
            load=journal.load,
            fixed=weigh(draft.untouchable),
            goal=draft.goal,
            usable=journal.budget.usable,
            window=journal.budget.window,
            preamble=self._preamble_load(),
            words=words,
        )

    def outcome_if_it_pays(self, outcome: CompactionOutcome) -> CompactionOutcome:
        """Return the outcome; if the policy asks for economy and it does not pay, the reason."""
        journal = self._journal
        turns = journal.settings.policy.economy
        if not turns or not isinstance(outcome, Commit):
            return outcome
        prices = self._prices()
        if prices is None:
            return outcome
        writer = None
        if journal.settings.asks:
            writer = journal.settings.writer
        cost = _writing_cost(prices, writer, outcome)
        idle = self._sending.idle_seconds
        case = _case_for(outcome, journal.view, journal.fixed_tokens, idle, cost)
        verdict = payoff_of(prices, case, turns)
        if verdict.pays:
            return outcome
        return NoCommit(_explain_refusal(verdict, turns))

    def _prices(self) -> Prices | None:
        """Return the prices of the agent's model; if they are unknown, emit that once."""
        model = self._journal.stored_settings.model
        try:
            if model is None:
                raise BadInput("no prices are known: pass model= with a known name")
            return model_prices(model).kept_for(self._sending.cache_lifetime)
        except BadInput as unknown:
            if not self._unpriced:
                self._unpriced = True
                self._journal.emit(Unpriced(str(unknown)))
            return None


def _is_system(item: Item) -> bool:
    return bool(item.shows) and item.shows[0].role == "system"


def restore_in_commit(journal: Journal, commit: Commit) -> Commit:
    """Return a drafted commit with the rules and open loops of the log as it is now."""
    # Drawn again on the view of now, which has what came since.
    before = journal.draft(commit.why)
    drawn = gather_rules(before.accept(Proposal(commit.edits, "drawn")))
    missing = restore_rules_and_loops(before, drawn, Ledger.of(drawn.view.messages))
    if missing is not None:
        drawn = gather_rules(drawn.accept(missing))
    arrived = sum(item.tokens for item in drawn.view.items if item.span.start >= commit.at)
    # Without what arrived: the commit's figures are about what it was drawn on.
    after = drawn.view.meter.load(drawn.fixed + drawn.view.raw - arrived)
    if after >= commit.before:
        return commit
    return msgspec.structs.replace(
        commit, edits=drawn.edits, after=after, fits=after <= commit.goal
    )


def _rebase_on_arrivals(commit: Commit, log: Log) -> Commit:
    """Return the commit on top of commits that only changed what came after its draft."""
    since = log.commits[commit.base :]
    if not since:
        return commit
    # Edits of what came later cannot touch what the draft covers; any other commit may have.
    for other in since:
        if other.why not in COVERS_NOTHING:
            return commit
        if any(edit.span.start < commit.at for edit in other.edits):
            return commit
    return msgspec.structs.replace(commit, base=len(log.commits))


def _case_for(
    commit: Commit, view: View, fixed: int, idle: float, asked: float
) -> CompactionCandidate:
    """Return the figures for a commit that was drafted on this view."""
    first = min((edit.span.start for edit in commit.edits), default=0)
    before = sum(item.tokens for item in view.items if item.span.stop <= first)
    kept = min(view.meter.load(fixed + before), commit.after)
    return CompactionCandidate(commit.before, commit.after, kept, idle, asked)


def _writing_cost(prices: Prices, writer: Model | None, commit: Commit) -> float:
    """Return what a writer costs that reads what is covered; by the agent's prices if unknown."""
    if writer is None:
        return 0.0
    # A local or unknown model has no price: the agent's own is the cautious guess.
    asks = _writer_prices(writer) or prices
    return (
        asks.input * max(0, commit.before - commit.after) + asks.output * REPLY_TOKENS
    ) / 1_000_000


def _writer_prices(writer: Model) -> Prices | None:
    first = writer
    if isinstance(writer, RetryingWriter):
        first = writer.writers[0]
    return known_prices(writer_name(first).rpartition(":")[2])


def _explain_refusal(verdict: Payoff, turns: int) -> str:
    """Return in one line why nothing lands."""
    more = f"{-verdict.saved:.4f} dollars more than going on as it is"
    return f"it would not pay within {turns:,} turns: {more}"
