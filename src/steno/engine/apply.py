"""Proposals against the checks of a policy: what passes becomes part of the draft."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from steno.checks.shape import Check
from steno.core.draft import Draft
from steno.core.effects import Ask, Asks, Rounds
from steno.core.errors import BadEdit, BadPolicy
from steno.core.log import Edit, Finding, Proposal
from steno.core.rung import Rung
from steno.engine.policy import Policy

# A rung may be the caller's own code: this keeps one from proposing without end.
PROPOSALS_MOST = 10_000
"""Proposals of one rung that are tried."""
EDITS_FIT = "edits_fit_the_view"
"""Check of the finding that edits do not fit the view."""


def asks_of(rung: Rung, draft: Draft, rounds: Rounds) -> Asks:
    """Return what a rung asks next; raise `BadPolicy` with its name if it returns no asks."""
    asks = rung.ask(draft, rounds)
    _require(asks, Ask, f"rung {rung.label!r}: `ask` must return a tuple of Ask")
    return asks


def proposals_of(rung: Rung, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
    """Return what a rung proposes; raise `BadPolicy` with its name if it is no proposals."""
    proposals = rung.edit(draft, rounds)
    _require(proposals, Proposal, f"rung {rung.label!r}: `edit` must return a tuple of Proposal")
    what = f"rung {rung.label!r}: `edits` of a Proposal must be a tuple of Edit"
    for proposal in proposals:
        _require(proposal.edits, Edit, what)
    return proposals


def _require(values: Any, kind: type, what: str) -> None:
    """Raise `BadPolicy` with what is wanted and what came if this is no tuple of `kind`."""
    if not isinstance(values, tuple | list):
        raise BadPolicy(f"{what}, got {type(values).__name__}")
    for value in values:
        if not isinstance(value, kind):
            raise BadPolicy(f"{what}, got one of {type(value).__name__}")


def apply_proposals(proposals: tuple[Proposal, ...], draft: Draft, policy: Policy) -> Draft:
    """Return the draft with every proposal that passes the checks.

    All are tried at once; only if that fails, one by one.
    """
    proposals = proposals[:PROPOSALS_MOST]
    draft = draft.with_findings(tuple(found for each in proposals for found in each.findings))
    edits = tuple(edit for each in proposals for edit in each.edits)
    keeps = tuple(span for each in proposals for span in each.keeps)
    if not edits:
        return draft
    together = Proposal(edits, "all", keeps=keeps)
    after = try_proposal(together, draft, policy)
    if isinstance(after, Draft):
        return after
    for proposal in proposals:
        after = try_proposal(proposal, draft, policy)
        if isinstance(after, Draft):
            draft = after
        else:
            draft = draft.with_findings(after)
    return draft


def try_proposal(proposal: Proposal, draft: Draft, policy: Policy) -> Draft | tuple[Finding, ...]:
    place = ", ".join(edit.place for edit in proposal.edits[:3])
    try:
        after = draft.accept(proposal)
    except BadEdit as misfit:
        return (Finding(EDITS_FIT, str(misfit), proposal.by, place),)
    found = tuple(
        Finding(check.__name__, what, proposal.by, place)
        for check in policy.checks
        for what in _findings_of(check, draft, proposal, after)
    )
    return found or after


def _findings_of(check: Check, before: Draft, proposal: Proposal, after: Draft) -> tuple[str, ...]:
    """Return what a check finds; raise `BadPolicy` with its name if it returns no texts."""
    found: Any = check(before, proposal, after)
    # A text is a sequence of texts, too: each letter would be a finding.
    if isinstance(found, Iterable) and not isinstance(found, str):
        found = tuple(found)
    _require(found, str, f"check {check.__name__!r}: it must yield a text for each finding")
    return tuple(found)
