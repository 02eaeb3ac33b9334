"""The active sub-task: what was said since the newest open loop.

It is not summarized while it fits beside the tail and what must be said of everything older.
If it does not fit, its oldest results are shortened; if that is not enough, it is covered like
the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from steno.core.draft import COVER_TEXT_TOKENS, Draft
from steno.core.log import Edit, Proposal
from steno.core.message import Call, Value
from steno.core.summary import SummaryLine
from steno.facts.ledger import Ledger
from steno.rungs.offload import large_blocks, shrink_block
from steno.summary.constraints_block import pinned_lines
from steno.summary.render import render_line
from steno.summary.sections import LINES_MOST, fact_line, loops_to_report, newest_loop
from steno.summary.shorten import ViewPart

ACTIVE_OVER = 100
"""Tokens above which a result of the active sub-task is shortened if it must be."""
ACTIVE_KEEP = 200
"""Characters of such a result that stay."""


class ActiveTask(Value):
    """The active sub-task as it stays, and what is left for what is older."""

    draft: Draft
    """The draft with its results shortened, if that was needed."""
    older: tuple[ViewPart, ...]
    edits: tuple[Edit, ...]
    room: float


def keep_active_task(
    draft: Draft, parts: Sequence[ViewPart], ledger: Ledger, room: float, by: str
) -> ActiveTask | None:
    """Return the parts since the newest open loop left as they are, or None if they do not fit."""
    since = newest_loop(ledger)
    if since is None:
        return None
    active = [part for part in parts if part.span.stop > since]
    if not active:
        return None
    older = tuple(part for part in parts if part.span.stop <= since)
    left = room
    if older:
        left -= required_tokens(draft, ledger, since)
    edits, weight = _shorten_oldest(draft, active, left, by)
    if weight > left:
        return None
    after = draft.accept(Proposal(edits, by)) if edits else draft
    return ActiveTask(after, older, edits, room - weight)


def required_tokens(draft: Draft, ledger: Ledger, since: int) -> int:
    """Return the tokens that everything older needs: trace, constraints and open loops."""
    loops = loops_to_report(ledger)[-LINES_MOST["OPEN"] :]
    tokens = min(COVER_TEXT_TOKENS, draft.goal // 4)
    lines = [*pinned_lines(ledger, draft), *map(fact_line, loops)]
    tokens += line_tokens(draft, [line for line in lines if line.cites[0] < since])
    # The room that the policy gives a summary is kept for it before the sub-task takes its own.
    return max(tokens, min(draft.summary_tokens or 0, draft.goal // 4))


def line_tokens(draft: Draft, lines: Sequence[SummaryLine]) -> int:
    return sum(draft.view.meter.count(render_line(line)) + 1 for line in lines)


def _shorten_oldest(
    draft: Draft, active: Sequence[ViewPart], room: float, by: str
) -> tuple[tuple[Edit, ...], int]:
    """Return edits that shorten the oldest results, as few as it takes; and the weight then."""
    weight = sum(part.tokens for part in active)
    if weight <= room:
        return (), weight
    edits: list[Edit] = []
    items = [item for part in active for item in part.items]
    for large in large_blocks(draft, items, ACTIVE_OVER):
        if weight <= room:
            break
        # Arguments are what the agent decided; results can be had again.
        if isinstance(large.block, Call):
            continue
        edit = shrink_block(large, ACTIVE_KEEP, by)
        gain = large.tokens - draft.view.weigh_edit(edit)
        if gain > 0:
            weight -= gain
            edits.append(edit)
    return tuple(edits), weight
