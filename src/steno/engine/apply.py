"""Proposals against the checks of a policy: what passes becomes part of the draft."""

from __future__ import annotations

from steno.core.draft import Draft
from steno.core.errors import BadEdit
from steno.core.log import Finding, Proposal
from steno.engine.policy import Policy

# A rung may be the caller's own code: this keeps one from proposing without end.
PROPOSALS_MOST = 10_000
"""Proposals of one rung that are tried."""


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
        return (Finding("edits_fit_the_view", str(misfit), proposal.by, place),)
    found = tuple(
        Finding(check.__name__, what, proposal.by, place)
        for check in policy.checks
        for what in check(draft, proposal, after)
    )
    return found or after
