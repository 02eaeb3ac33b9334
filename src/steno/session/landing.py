"""One compaction of a session: from the draft to the commit in the store.

It is drawn on the newest state and lands if nothing that it covers changed meanwhile. After a
failure the last rung alone is drawn, which reads no facts.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

import msgspec

from steno.checks.kept import restore_constraints_and_loops
from steno.checks.refill import find_refill
from steno.checks.shape import SHAPE
from steno.core.effects import Flow, run
from steno.core.errors import DoesNotFit, Stale
from steno.core.events import Failed, Overflow, SafetyNet, Skipped, Started
from steno.core.log import (
    COVERS_NOTHING,
    WITHOUT_PRESSURE,
    Commit,
    Log,
    Proposal,
    Why,
)
from steno.core.rung import Rung
from steno.core.word_tables import word_tuple
from steno.engine.compact import (
    CompactionOutcome,
    compact,
    compact_without_facts,
    skip_compaction,
    take_in,
)
from steno.engine.fit import newest_words
from steno.facts.ledger import Ledger
from steno.rungs.truncate import Truncate
from steno.session.journal import Journal
from steno.summary.constraints_block import gather_constraints


class Landing:
    """Draws compactions of the journal's session, and lands them."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.skipped: tuple[tuple[object, ...], str] | None = None
        """State and reason of the last attempt, if it made no commit."""
        self.failed: Failed | None = None
        """Failure of the last attempt, if it raised and nothing landed in its place."""

    def take_in(self) -> None:
        """Run the rungs of every round on the messages that are new."""
        journal = self._journal
        if journal.taken_in < len(journal.log.messages) and journal.guard(self._shorten_new):
            journal.taken_in = len(journal.log.messages)

    def _shorten_new(self) -> None:
        journal = self._journal
        policy, view, new = journal.settings.policy, journal.view, journal.taken_in
        # Most messages are small, and a draft would be a fifth of what adding one costs.
        if any(rung.has_work(view, new, journal.budget) for rung in policy.every_round):
            journal.land_fresh(
                lambda: take_in(journal.draft("arrival"), journal.settings.policy),
                lambda commit: commit and journal.land(commit),
            )

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
        """Return a compaction for a driver to run; after a failure, one that reads no facts."""
        journal = self._journal
        with journal.lock:
            # Other processes may have added, committed or pinned.
            journal.refresh()
            if not journal.log.commits:
                # Of an imported session nothing was taken in as it came.
                journal.taken_in = 0
                self.take_in()
            settings = journal.settings
            policy = settings.policy
            hopeless = self.is_hopeless()
            if hopeless and settings.options["strict"]:
                raise self.does_not_fit()
            writer = None
            # It lands as small as it can, but a summary that cannot be sent is not paid for.
            if asks and not hopeless:
                writer = settings.writer
            draft = journal.draft(why, journal.clean(focus), writer)
            if policy.agent_controlled and why != "asked":
                journal.emit(SafetyNet(journal.load, journal.budget.usable))
            journal.emit(Started(why, draft.before, draft.goal, journal.budget.usable))
            if why != "asked" and (refill := find_refill(journal.log.live, journal.view)):
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

    def attempt(self, work: Callable[[], object]) -> Failed | None:
        """Draw or land; if that fails, emit, keep and return the failure."""
        # The caller draws again without facts: a poor summary is better than a request too long.
        self.failed = self._journal.events.failure_of(work)
        return self.failed

    def without_writer(self, why: Why, failed: Failed | None = None) -> Commit | None:
        """Compact and land; after a failure, by the last rung alone."""

        def draw() -> CompactionOutcome:
            flow = self.begin(why, asks=False, failed=failed)
            return run(flow, None, self._journal.settings.limits)

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
                landed = journal.land(self._with_constraints(commit))
                over = not landed.fits and landed.why not in WITHOUT_PRESSURE
            else:
                self.skipped = journal.state, outcome.reason
                journal.emit(Skipped(outcome.reason, journal.load))
                over = journal.load > journal.budget.usable
            if over:
                journal.emit(self._overflow())
            journal.save_facts()
            if journal.settings.options["strict"] and journal.load > journal.budget.usable:
                raise self.does_not_fit()
            return landed

    def _with_constraints(self, commit: Commit) -> Commit:
        """Return a commit with the constraints and open loops that came while it was drafted."""
        journal = self._journal
        if commit.at >= len(journal.log.messages):
            return commit
        checked = [commit]
        # A reader that raises must not keep the commit from landing.
        journal.guard(lambda: checked.append(restore_in_commit(journal, commit)))
        return checked[-1]

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
        if journal.settings.options["strict"]:
            most = journal.budget.usable
        elif journal.stored_settings.learned is not None:
            # A window that was guessed after a refusal may be too small a guess.
            return False
        return self._preamble_load() > most

    def _preamble_load(self) -> int:
        """Return the load of system prompt, tools, leading system messages, constraints block."""
        journal = self._journal
        system = takewhile(
            lambda item: item.shows and item.shows[0].role == "system", journal.view.items
        )
        return journal.view.meter.load(journal.fixed_tokens + sum(item.tokens for item in system))

    def does_not_fit(self) -> DoesNotFit:
        """Return the error that says what takes the room."""
        over = self._overflow()
        figures = word_tuple("load fixed goal usable window preamble words")
        return DoesNotFit(**{name: getattr(over, name) for name in figures})

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


def restore_in_commit(journal: Journal, commit: Commit) -> Commit:
    """Return a drafted commit with the constraints and open loops of the log as it is now."""
    # Drawn again on the view of now, which has what came since.
    before = journal.draft(commit.why)
    drawn = gather_constraints(before.accept(Proposal(commit.edits, "drawn")))
    missing = restore_constraints_and_loops(before, drawn, Ledger.of(drawn.view.messages))
    if missing is not None:
        drawn = gather_constraints(drawn.accept(missing))
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
