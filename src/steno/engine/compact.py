"""The engine: measure, climb the ladder, check, commit.

It is pure: its one effect, asking a model, is yielded. The climb knows no rung by
name, so a new technique is a new value on the ladder.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from steno.checks.kept import (
    count_survival,
    dropped_constraints_of_list,
    excess_open_loops,
    point_to_hidden,
    report_facts,
    restore_constraints_and_loops,
    unpinned_words,
    unread_constraints,
    unshown_focus,
)
from steno.checks.shape import the_load_gets_smaller
from steno.core.budget import Pressure
from steno.core.draft import Draft
from steno.core.effects import Flow, Replies, Rounds
from steno.core.errors import BadEdit
from steno.core.escape import one_line
from steno.core.log import Commit, Finding
from steno.core.message import Value
from steno.core.rung import Rung
from steno.engine.apply import EDITS_FIT, apply_proposals, asks_of, proposals_of
from steno.engine.fit import fit_window, give_room
from steno.engine.policy import Policy
from steno.facts.ledger import Ledger
from steno.rungs.prune import show_newest_copies
from steno.summary.constraints_block import gather_constraints, with_block

# A rung may be the caller's own code: this keeps one from asking without end.
ROUNDS_MOST = 16
"""Rounds of asks that one rung may make."""

SHALLOW_SHARE = 0.2
"""Share of the limit, or of the usable window, that a further commit down to the tail covers."""

# Reasons that a caller may have to tell apart.
NO_PRESSURE = "no pressure"
NOTHING_TO_COMPACT = "nothing to compact: everything is system prompt, pinned or in the tail"
NOTHING_TO_GAIN = "nothing to gain: what may be covered is no longer than what must stand for it"

ALL_DROPPED = "every proposal was dropped by a check"
"""How the reason begins that also names the check and what it found."""
RESTORED = "constraints_and_loops_are_kept"
FINDING_LETTERS = 200
"""Letters of a check's finding that the reason repeats."""


class NoCommit(Value, frozen=True):
    """No commit was made, for this reason."""

    reason: str


CompactionOutcome = Commit | NoCommit


def compact(draft: Draft, policy: Policy) -> Flow[CompactionOutcome]:
    """Climb until the draft fits its goal, and return what was reached as a commit."""
    waits = reason_to_wait(draft, policy)
    if waits is not None:
        return NoCommit(waits)
    before = draft
    draft = yield from _climb_into_window(draft, policy)
    if not draft.edits:
        return NoCommit(_why_no_edits(draft, policy))
    # Read from the original messages, so that nothing erodes from summary to summary.
    ledger = Ledger.of(draft.view.messages)
    restored = _restore_constraints_and_loops(before, draft, ledger)
    if restored is not None and not restored.done:
        # The restored constraints take room, so more must go, and they will be restored again; no
        # model is asked a second time.
        goal = max(1, draft.goal - (restored.load - draft.load))
        smaller = yield from climb(replace(restored, goal=goal), policy.but(rounds=0))
        restored = _restore_constraints_and_loops(before, replace(smaller, goal=draft.goal), ledger)
    if restored is None:
        return NoCommit(NOTHING_TO_GAIN)
    # What was put back takes room, too.
    draft = fit_window(gather_constraints(point_to_hidden(restored)), policy)
    report = report_facts(before.view, draft.view, ledger, draft.recall_tool)
    survival, losses = count_survival(before.view, draft.view, ledger, len(draft.given))
    found = (
        *excess_open_loops(ledger),
        *unread_constraints(ledger, before.view.seen),
        *unpinned_words(draft, ledger),
        *dropped_constraints_of_list(before),
        *_missed_goal(draft),
        *unshown_focus(before.view, draft),
        *losses,
    )
    commit = draft.with_findings(found).commit()
    return msgspec.structs.replace(commit, report=report, survival=survival)


def _missed_goal(draft: Draft) -> tuple[Finding, ...]:
    """Return a finding that says what takes the room, if the share that was asked for is passed."""
    wanted = draft.budget.goal_load
    if draft.budget.down_to_tail or draft.load <= wanted:
        return ()
    view = draft.view
    pinned = sum(view.at(at).tokens for at in draft.pins if at < draft.tail_start)
    tail = sum(item.tokens for item in view.items if item.span.start >= draft.tail_start)
    what = (
        f"{draft.load:,} tokens are left where {wanted:,} were wanted: system prompt and tools are "
        f"{view.meter.load(draft.fixed):,}, pinned messages {view.meter.load(pinned):,}, "
        f"the tail {view.meter.load(tail):,}"
    )
    return (Finding("goal_is_reached", what, "engine"),)


def skip_compaction(reason: str) -> Flow[CompactionOutcome]:
    """Return a compaction that asks nothing and makes no commit, for this reason."""
    yield from ()
    return NoCommit(reason)


def compact_without_facts(draft: Draft, policy: Policy, failure: str) -> Flow[CompactionOutcome]:
    """Climb after `failure` without the ledger, so that one bad reader cannot block a session.

    No facts are read: constraints, open loops and names that it covers are not restored, and
    the commit has no report. A finding says so.
    """
    waits = reason_to_wait(draft, policy)
    if waits is not None:
        return NoCommit(waits)
    draft = yield from _climb_into_window(draft, policy)
    if not draft.edits:
        return NoCommit(_why_no_edits(draft, policy))
    draft = gather_constraints(draft)
    what = f"landed without reading facts, after {failure}: constraints and loops may be hidden"
    return draft.with_findings((Finding("facts_are_read", what, draft.edits[-1].by),)).commit()


def _why_no_edits(draft: Draft, policy: Policy) -> str:
    """Return why a climb ended without an edit."""
    checks = {EDITS_FIT, *(check.__name__ for check in policy.checks)}
    checks.discard(the_load_gets_smaller.__name__)
    for finding in draft.findings:
        if finding.check in checks:
            return f"{ALL_DROPPED}: {finding.check} ({one_line(finding.what)[:FINDING_LETTERS]})"
    if any(draft.stretches()):
        return NOTHING_TO_GAIN
    return NOTHING_TO_COMPACT


def _restore_constraints_and_loops(before: Draft, draft: Draft, ledger: Ledger) -> Draft | None:
    """Return the draft with every constraint and open loop put back; None if none is gained."""
    # The block at the top shows lines of summaries that this draft may have replaced.
    draft = with_block(draft)
    proposal = restore_constraints_and_loops(before, draft, ledger)
    if proposal is None:
        return draft
    try:
        after = with_block(draft.accept(proposal))
    except BadEdit as misfit:
        finding = Finding(RESTORED, str(misfit), proposal.by)
        return draft.with_findings((finding,))
    if after.load < before.load:
        return after
    if draft.before <= draft.budget.usable:
        return None
    # The view does not fit the window, so this must land; the finding says what is missing.
    what = "constraints or open loops are not shown: there is no room to say them"
    if draft.recall_tool:
        what = "constraints or open loops can only be recalled: there is no room to say them"
    finding = Finding(RESTORED, what, proposal.by)
    if finding not in draft.findings:
        draft = draft.with_findings((finding,))
    return _restore_what_fits(before, draft, ledger)


def _restore_what_fits(before: Draft, draft: Draft, ledger: Ledger) -> Draft:
    """Return the draft with as many constraints and open loops put back as there is room for."""
    fits = draft
    # Up to the goal; over it half of what is left, so that the next message finds room, too.
    room = max(draft.goal, (draft.load + draft.budget.usable) // 2)
    few, too_many = 0, len(ledger.constraints) + len(ledger.open_loops)
    while too_many - few > 1:
        most = (few + too_many) // 2
        proposal = restore_constraints_and_loops(before, draft, ledger, most)
        if proposal is None:
            break
        try:
            after = with_block(draft.accept(proposal))
        except BadEdit:
            break
        if after.load <= min(room, before.load - 1):
            few, fits = most, after
        else:
            too_many = most
    return fits


def _climb_into_window(draft: Draft, policy: Policy) -> Flow[Draft]:
    """Climb, with room made before if there is none, and what is over the window cut after."""
    start = show_newest_copies(draft)
    after = yield from climb(give_room(start, policy), policy)
    # Only after a whole climb: offloading results in the tail may have been enough.
    if after.tail_must_yield:
        after = yield from climb(replace(after, tail_start=after.firm), policy)
    after = fit_window(after, policy)
    if after.edits == start.edits:
        return replace(draft, findings=after.findings, asked=after.asked)
    return after


def climb(draft: Draft, policy: Policy) -> Flow[Draft]:
    """Apply rung after rung until the draft is done."""
    for rung in policy.ladder:
        if draft.done:
            break
        rounds = yield from ask_rounds(rung, draft, policy)
        # Before the replies are added: that makes a new draft, whose memo is empty.
        proposals = proposals_of(rung, draft, rounds)
        for replies in rounds:
            draft = draft.with_replies(replies)
        draft = apply_proposals(proposals, draft, policy)
    return draft


def take_in(draft: Draft, policy: Policy) -> Commit | None:
    """Return a commit of the rungs that run every round; they ask no model."""
    for rung in policy.every_round:
        draft = apply_proposals(proposals_of(rung, draft, ()), draft, policy)
    if draft.edits:
        return draft.commit()
    return None


def reason_to_wait(draft: Draft, policy: Policy) -> str | None:
    """Return why no compaction should start now, or None."""
    asked = draft.why == "asked"
    # Else a view that is asked to compact again and again would lose a little each time.
    new = draft.view.meter.load(draft.view.fresh_tokens)
    unchanged = draft.view.seen and new < draft.budget.spacing and not draft.grown
    if asked and unchanged and draft.before <= draft.budget.goal_load:
        return "little was said since the last compaction, and the view is under its goal"
    if not asked and draft.pressure is Pressure.NONE:
        return NO_PRESSURE
    if draft.pressure is not Pressure.HARD:
        waits = too_little(draft, policy)
        if waits is not None:
            return waits
    if asked:
        return None
    return too_soon(draft) or too_shallow(draft)


def too_little(draft: Draft, policy: Policy) -> str | None:
    """Return why a compaction is not worth it unless the window demands one, or None."""
    if draft.message_count < policy.least:
        return f"under {policy.least} messages"
    if draft.budget.down_to_tail and not any(draft.stretches()):
        return "everything is in the tail"
    return None


def too_soon(draft: Draft) -> str | None:
    """Return why the last commit is too recent for another under pressure, or None."""
    if draft.view.seen == 0 or draft.before > draft.budget.usable:
        # A view that no longer fits the window must shrink, however recent the last commit.
        if draft.view.fresh_tokens or draft.grown:
            return None
        return "nothing new since the last commit"
    if draft.view.meter.load(draft.view.fresh_tokens) < draft.budget.spacing:
        return f"under {draft.budget.spacing:,} new tokens since the last commit"
    return None


def too_shallow(draft: Draft) -> str | None:
    """Return why another commit down to the tail would cover too little, or None."""
    if not draft.budget.down_to_tail or draft.pressure is Pressure.HARD or not draft.view.seen:
        return None
    old = 0
    for start, stop in draft.stretches():
        old += sum(item.tokens for item in draft.view.items[start:stop] if item.summary is None)
    # Each commit changes the beginning of the request: few and deep ones keep the cache.
    least = int(draft.budget.share_base * SHALLOW_SHARE)
    if draft.view.meter.load(old) < least:
        return f"under {least:,} tokens are older than the tail"
    return None


def ask_rounds(rung: Rung, draft: Draft, policy: Policy) -> Flow[Rounds]:
    """Ask as often as the rung wants, within bounds, and only if something may be covered."""
    most = ROUNDS_MOST
    if policy.rounds is not None:
        most = min(policy.rounds, ROUNDS_MOST)
    rounds: Rounds = ()
    while len(rounds) < most:
        asks = asks_of(rung, draft, rounds)
        # A writer costs money: not asked about what cannot be covered anyway.
        if not asks or not any(draft.stretches()):
            break
        replies: Replies = yield asks
        rounds = (*rounds, replies)
    return rounds
