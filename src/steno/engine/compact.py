"""The engine: measure, climb, check, commit — on one screen.

Pure. The one effect, asking a model, is yielded. It knows no rung by name: a
new technique is a new value on the ladder.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from steno.checks.facts import beyond, pinned, report
from steno.checks.probe import probed
from steno.checks.repairs import names_unseen, repaired, unfindable
from steno.core.ask import Asks, Flow, Replies, Rounds
from steno.core.budget import Pressure
from steno.core.draft import Draft
from steno.core.error import BadEdit
from steno.core.log import Commit, Finding, Proposal
from steno.core.rung import Rung
from steno.engine.policy import Policy
from steno.ledger.ledger import Ledger

ROUNDS_MOST = 16
PROPOSALS_MOST = 10_000


@dataclass(frozen=True)
class Nothing:
    """No commit, and why not."""

    reason: str


Outcome = Commit | Nothing


def compact(draft: Draft, policy: Policy) -> Flow[Outcome]:
    """Climb until the draft fits its goal; land whatever was reached."""
    waits = why_not(draft, policy)
    if waits is not None:
        return Nothing(waits)
    before = draft
    draft = yield from climbed(draft, policy)
    if draft.cramped:
        draft = yield from climbed(draft.yielding(), policy)
    if not draft.edits:
        return Nothing("nothing may be covered: all there is is fixed, pinned or tail")
    ledger = Ledger.of(draft.view.messages)
    said = _said_again(before, draft, ledger)
    if said is not None and not said.done:
        # What had to be said again takes room: more must go, and nobody is asked twice.
        said = _said_again(before, (yield from climbed(said, policy.but(rounds=0))), ledger)
    if said is None:
        return Nothing("what may be covered says little more than the rules and loops that must be said")
    said = _named_again(before, said, ledger, policy).found(beyond(ledger))
    asks = probed(said.view, ledger) if policy.probe else None
    return msgspec.structs.replace(said.commit(), report=report(before.view, said.view, ledger), probe=asks)


def _said_again(before: Draft, draft: Draft, ledger: Ledger) -> Draft | None:
    """The draft with every rule in force and every open loop in it; None where it would be no smaller than it was."""
    proposal = pinned(before, draft, ledger)
    if proposal is None:
        return draft
    try:
        after = draft.accept(proposal)
    except BadEdit as misfit:
        return draft.found((Finding("rules_and_loops_are_kept", str(misfit), proposal.by),))
    if after.view.raw < before.view.raw:
        return after
    if draft.before <= draft.budget.usable:
        return None
    # What does not fit the window must land, and says what it could not keep.
    what = "rules in force or open loops can only be opened: there is no room to say them"
    return draft.found((Finding("rules_and_loops_are_kept", what, proposal.by),))


def _named_again(before: Draft, draft: Draft, ledger: Ledger, policy: Policy) -> Draft:
    """The draft in which what it covers is named and pointed to, as far as there is room."""
    proposal = repaired(before, draft, ledger, int(policy.repairs * draft.budget.window))
    after = draft if proposal is None else draft.accept(proposal)
    after = after if after.view.raw < before.view.raw else draft
    return after.found((*names_unseen(after), *unfindable(after)))


def climbed(draft: Draft, policy: Policy) -> Flow[Draft]:
    """Rung by rung, until no more is needed."""
    for rung in policy.ladder:
        if draft.done:
            break
        rounds = yield from every_round(rung, draft, policy)
        proposals = rung.edit(draft, rounds)
        for replies in rounds:
            draft = draft.heard(replies)
        draft = checked(proposals, draft, policy)
    return draft


def take_in(draft: Draft, policy: Policy) -> Commit | None:
    """What the rungs of every round make of what is new; they ask nobody."""
    for rung in policy.every_round:
        draft = checked(rung.edit(draft, ()), draft, policy)
    return draft.commit() if draft.edits else None


def why_not(draft: Draft, policy: Policy) -> str | None:
    """Why no compaction should start now, if so."""
    asked = draft.why == "asked"
    if not asked and draft.pressure is Pressure.NONE:
        return "no pressure"
    if draft.pressure is not Pressure.HARD:
        waits = too_little(draft, policy)
        if waits is not None:
            return waits
    return None if asked else too_soon(draft)


def too_little(draft: Draft, policy: Policy) -> str | None:
    """Why what there is is not worth a compaction, unless the window demands one."""
    if draft.said < policy.least:
        return f"under {policy.least} messages"
    if draft.budget.once and not any(draft.stretches()):
        return "nothing lies outside the tail"
    return None


def too_soon(draft: Draft) -> str | None:
    """Why the last commit is too recent for another that nobody asked for."""
    if draft.view.seen == 0 or draft.before > draft.budget.usable:
        # What no longer fits the window must land, however recent the last commit.
        return None if draft.view.fresh or draft.grown else "nothing new was said since the last commit"
    if draft.view.meter.load(draft.view.fresh) < draft.budget.spacing:
        return f"under {draft.budget.spacing:,} new tokens since the last commit"
    return None


def every_round(rung: Rung, draft: Draft, policy: Policy) -> Flow[Rounds]:
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


def checked(proposals: tuple[Proposal, ...], draft: Draft, policy: Policy) -> Draft:
    """The draft with every proposal that passes; all at once where nothing is found."""
    proposals = proposals[:PROPOSALS_MOST]
    draft = draft.found(tuple(finding for proposal in proposals for finding in proposal.findings))
    together = Proposal(tuple(edit for proposal in proposals for edit in proposal.edits), "all")
    if not together.edits:
        return draft
    after = _tried(together, draft, policy)
    if isinstance(after, Draft):
        return after
    for proposal in proposals:
        after = _tried(proposal, draft, policy)
        draft = after if isinstance(after, Draft) else draft.found(after)
    return draft


def _tried(proposal: Proposal, draft: Draft, policy: Policy) -> Draft | tuple[Finding, ...]:
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
