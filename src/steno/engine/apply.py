"""Proposals against the checks of a policy: what passes becomes part of the draft."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from steno.checks.shape import Check, the_load_gets_smaller
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
    wrong = _wrong_type(asks, Ask)
    if wrong:
        raise BadPolicy(f"rung {rung.label!r}: `ask` must return a tuple of Ask, got {wrong}")
    return asks


def proposals_of(rung: Rung, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
    """Return what a rung proposes; raise `BadPolicy` with its name if it is no proposals."""
    proposals = rung.edit(draft, rounds)
    wrong = _wrong_type(proposals, Proposal)
    if wrong:
        raise BadPolicy(f"rung {rung.label!r}: `edit` must return a tuple of Proposal, got {wrong}")
    for proposal in proposals:
        wrong = _wrong_type(proposal.edits, Edit)
        if wrong:
            raise BadPolicy(
                f"rung {rung.label!r}: `edits` of a Proposal must be a tuple of Edit, got {wrong}"
            )
    return proposals


def _wrong_type(values: Any, kind: type) -> str:
    """Return the type that stands where a tuple of `kind` is wanted; empty if all is right."""
    if not isinstance(values, tuple | list):
        return type(values).__name__
    for value in values:
        if not isinstance(value, kind):
            return f"one of {type(value).__name__}"
    return ""


def apply_proposals(proposals: tuple[Proposal, ...], draft: Draft, policy: Policy) -> Draft:
    """Return the draft with every proposal that passes the checks.

    All are tried at once; only if that fails, one by one.
    """
    proposals = proposals[:PROPOSALS_MOST]
    draft = draft.with_findings(
        tuple(finding for proposal in proposals for finding in proposal.findings)
    )
    together = Proposal(
        tuple(edit for proposal in proposals for edit in proposal.edits),
        "all",
        keeps=tuple(span for proposal in proposals for span in proposal.keeps),
    )
    if not together.edits:
        return draft
    after = _try_proposal(together, draft, policy)
    if isinstance(after, Draft):
        return after
    for proposal in proposals:
        after = _try_proposal(proposal, draft, policy)
        if isinstance(after, Draft):
            draft = after
        else:
            draft = draft.with_findings(after)
    return draft


def _try_proposal(proposal: Proposal, draft: Draft, policy: Policy) -> Draft | tuple[Finding, ...]:
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
    wrong = _wrong_type(found, str)
    if wrong:
        raise BadPolicy(
            f"check {check.__name__!r}: it must yield a text for each finding, got {wrong}"
        )
    return tuple(found)


def dropped_by(draft: Draft, policy: Policy) -> Finding | None:
    """Return the first finding by which a check dropped a proposal that would save something."""
    checks = {EDITS_FIT, *(check.__name__ for check in policy.checks)}
    checks.discard(the_load_gets_smaller.__name__)
    return next((finding for finding in draft.findings if finding.check in checks), None)
