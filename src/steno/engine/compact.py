"""The engine: measure, climb, check, commit — on one screen.

Pure. The one effect, asking a model, is yielded. It knows no rung by name: a
new technique is a new value on the ladder.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from steno.checks.answerable import probe_view
from steno.checks.kept import (
    excess_open_loops,
    find_unreachable,
    find_unseen_names,
    report_facts,
    restore_names,
    restore_rules_and_loops,
)
from steno.core.budget import Pressure
from steno.core.draft import Draft
from steno.core.effects import Asks, Flow, Replies, Rounds
from steno.core.errors import BadEdit
from steno.core.log import Commit, Finding, Proposal
from steno.core.rung import Rung
from steno.engine.policy import Policy
from steno.facts.ledger import Ledger

ROUNDS_MOST = 16
PROPOSALS_MOST = 10_000


@dataclass(frozen=True)
class NoCommit:
    """No commit, and why not."""

    reason: str


CompactionOutcome = Commit | NoCommit


def compact(draft: Draft, policy: Policy) -> Flow[CompactionOutcome]:
    """Climb until the draft fits its goal; land whatever was reached."""
    waits = reason_to_wait(draft, policy)
    if waits is not None:
        return NoCommit(waits)
    before = draft
    draft = yield from climb(draft, policy)
    if draft.tail_must_yield:
        draft = yield from climb(draft.with_shorter_tail(), policy)
    if not draft.edits:
        return NoCommit("nothing may be covered: all there is is fixed, pinned or tail")
    ledger = Ledger.of(draft.view.messages)
    said = _restore_rules_and_loops(before, draft, ledger)
    if said is not None and not said.done:
        # What had to be said again takes room: more must go, and nobody is asked twice.
        said = _restore_rules_and_loops(
            before, (yield from climb(said, policy.but(rounds=0))), ledger
        )
    if said is None:
        return NoCommit(
            "what may be covered says little more than the rules and loops that must be said"
        )
    said = _restore_names(before, said, ledger, policy).with_findings(excess_open_loops(ledger))
    asks = probe_view(said.view, ledger) if policy.probe else None
    return msgspec.structs.replace(
        said.commit(), report=report_facts(before.view, said.view, ledger), probe=asks
    )


def _restore_rules_and_loops(before: Draft, draft: Draft, ledger: Ledger) -> Draft | None:
    """The draft with every rule in force and every open loop in it; None where it would be no smaller than it was."""
    proposal = restore_rules_and_loops(before, draft, ledger)
    if proposal is None:
        return draft
    try:
        after = draft.accept(proposal)
    except BadEdit as misfit:
        return draft.with_findings((Finding("rules_and_loops_are_kept", str(misfit), proposal.by),))
    if after.view.raw < before.view.raw:
        return after
    if draft.before <= draft.budget.usable:
        return None
    # What does not fit the window must land, and says what it could not keep.
    what = "rules in force or open loops can only be opened: there is no room to say them"
    return draft.with_findings((Finding("rules_and_loops_are_kept", what, proposal.by),))


def _restore_names(before: Draft, draft: Draft, ledger: Ledger, policy: Policy) -> Draft:
    """The draft in which what it covers is named and pointed to, as far as there is room."""
    proposal = restore_names(before, draft, ledger, int(policy.repairs * draft.budget.window))
    after = draft if proposal is None else draft.accept(proposal)
    after = after if after.view.raw < before.view.raw else draft
    return after.with_findings((*find_unseen_names(after), *find_unreachable(after)))


def climb(draft: Draft, policy: Policy) -> Flow[Draft]:
    """Rung by rung, until no more is needed."""
    for rung in policy.ladder:
        if draft.done:
            break
        rounds = yield from ask_rounds(rung, draft, policy)
        proposals = rung.edit(draft, rounds)
        for replies in rounds:
            draft = draft.with_replies(replies)
        draft = apply_proposals(proposals, draft, policy)
    return draft


def take_in(draft: Draft, policy: Policy) -> Commit | None:
    """What the rungs of every round make of what is new; they ask nobody."""
    for rung in policy.every_round:
        draft = apply_proposals(rung.edit(draft, ()), draft, policy)
    if draft.edits:
        return draft.commit()
    return None


def reason_to_wait(draft: Draft, policy: Policy) -> str | None:
    """Why no compaction should start now, if so."""
    asked = draft.why == "asked"
    if not asked and draft.pressure is Pressure.NONE:
        return "no pressure"
    if draft.pressure is not Pressure.HARD:
        waits = too_little(draft, policy)
        if waits is not None:
            return waits
    if asked:
        return None
    return too_soon(draft)


def too_little(draft: Draft, policy: Policy) -> str | None:
    """Why what there is is not worth a compaction, unless the window demands one."""
    if draft.message_count < policy.least:
        return f"under {policy.least} messages"
    if draft.budget.down_to_tail and not any(draft.stretches()):
        return "nothing lies outside the tail"
    return None


def too_soon(draft: Draft) -> str | None:
    """Why the last commit is too recent for another that nobody asked for."""
    if draft.view.seen == 0 or draft.before > draft.budget.usable:
        # What no longer fits the window must land, however recent the last commit.
        if draft.view.fresh_tokens or draft.grown:
            return None
        return "nothing new was said since the last commit"
    if draft.view.meter.load(draft.view.fresh_tokens) < draft.budget.spacing:
        return f"under {draft.budget.spacing:,} new tokens since the last commit"
    return None


def ask_rounds(rung: Rung, draft: Draft, policy: Policy) -> Flow[Rounds]:
    """Ask as often as the rung wants, within bounds; nobody is asked where nothing may be covered."""
    most = ROUNDS_MOST if policy.rounds is None else min(policy.rounds, ROUNDS_MOST)
    rounds: Rounds = ()
    while len(rounds) < most:
        asks: Asks = rung.ask(draft, rounds)
        if not asks or not any(draft.stretches()):
            break
        replies: Replies = yield asks
        rounds = (*rounds, replies)
    return rounds


def apply_proposals(proposals: tuple[Proposal, ...], draft: Draft, policy: Policy) -> Draft:
    """The draft with every proposal that passes; all at once where nothing is found."""
    proposals = proposals[:PROPOSALS_MOST]
    draft = draft.with_findings(
        tuple(finding for proposal in proposals for finding in proposal.findings)
    )
    together = Proposal(tuple(edit for proposal in proposals for edit in proposal.edits), "all")
    if not together.edits:
        return draft
    after = _try_proposal(together, draft, policy)
    if isinstance(after, Draft):
        return after
    for proposal in proposals:
        after = _try_proposal(proposal, draft, policy)
        draft = after if isinstance(after, Draft) else draft.with_findings(after)
    return draft


def _try_proposal(proposal: Proposal, draft: Draft, policy: Policy) -> Draft | tuple[Finding, ...]:
    place = ", ".join(edit.place for edit in proposal.edits[:3])
    try:
        after = draft.accept(proposal)
    except BadEdit as misfit:
        return (Finding("edits_fit_the_view", str(misfit), proposal.by, place),)
    found = tuple(
        Finding(check.__name__, what, proposal.by, place)
        for check in policy.checks
        for what in check(draft, proposal, after)
    )
    return found or after
