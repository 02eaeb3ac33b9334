"""The engine: measure, climb, check, commit — on one screen.

Pure. The one effect, asking a model, is yielded. It knows no rung by name: a
new technique is a new value on the ladder.
"""

from __future__ import annotations

from dataclasses import dataclass

from steno.core.ask import Asks, Flow, Replies, Rounds
from steno.core.budget import Pressure
from steno.core.draft import Draft
from steno.core.error import BadEdit
from steno.core.log import Commit, Finding, Proposal
from steno.core.rung import Rung
from steno.engine.policy import Policy

ROUNDS_MOST = 16
PROPOSALS_MOST = 10_000


@dataclass(frozen=True)
class Nothing:
    """No commit, and why not."""

    reason: str


Outcome = Commit | Nothing


def compact(draft: Draft, policy: Policy) -> Flow[Outcome]:
    """Climb until the draft fits its goal; land whatever was reached."""
    waits = why_not(draft)
    if waits is not None:
        return Nothing(waits)
    for rung in policy.ladder:
        if draft.fits:
            break
        rounds = yield from every_round(rung, draft)
        draft = checked(rung.edit(draft, rounds), draft, policy)
    if not draft.edits:
        return Nothing("nothing may be covered: all there is is fixed, pinned or tail")
    return draft.commit()


def take_in(draft: Draft, policy: Policy) -> Commit | None:
    """What the rungs of every round make of what is new; they ask nobody."""
    for rung in policy.every_round:
        draft = checked(rung.edit(draft, ()), draft, policy)
    return draft.commit() if draft.edits else None


def why_not(draft: Draft) -> str | None:
    """Why no compaction should start now, if so."""
    if draft.why == "asked":
        return None
    if draft.pressure is Pressure.NONE:
        return "no pressure"
    if draft.view.seen == 0 or draft.before > draft.budget.usable:
        # What no longer fits the window must land, however recent the last commit.
        return None if draft.view.fresh or draft.grown else "nothing new was said since the last commit"
    if draft.view.meter.load(draft.view.fresh) < draft.budget.spacing:
        return f"under {draft.budget.spacing:,} new tokens since the last commit"
    return None


def every_round(rung: Rung, draft: Draft) -> Flow[Rounds]:
    """Ask as often as the rung wants, within bounds."""
    rounds: Rounds = ()
    while len(rounds) < ROUNDS_MOST:
        asks: Asks = rung.ask(draft, rounds)
        if not asks:
            break
        replies: Replies = yield asks
        rounds = (*rounds, replies)
    return rounds


def checked(proposals: tuple[Proposal, ...], draft: Draft, policy: Policy) -> Draft:
    """The draft with every proposal that passes; all at once where nothing is found."""
    proposals = proposals[:PROPOSALS_MOST]
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
