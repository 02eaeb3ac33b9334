"""The active sub-task: what was said since the newest open loop was opened.

It is not summarized while it fits the goal beside the tail and what must be said
of everything older. Where it does not, its oldest results are shown in short until
it does; where that is not enough, it is covered like anything else, and the loop's
statement is said again with the other open loops. Owns that choice alone; what becomes of what is older is
`summarize`'s business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steno.core.draft import TRACE, Draft
from steno.core.log import Edit, Proposal
from steno.core.message import Call
from steno.ledger.ledger import Ledger
from steno.ledger.sections import MOST, newest_loop, still_open, told
from steno.steps.excerpts import Part
from steno.steps.offload import in_short, shrunk

OVER, KEEP = 100, 200
"""Tokens above which a result of it shrinks where it must, and the characters of it that stay."""


@dataclass(frozen=True)
class Kept:
    """The active sub-task as it stays, and what is left for what is older."""

    draft: Draft
    """With its results in short, where that was needed."""
    older: tuple[Part, ...]
    edits: tuple[Edit, ...]
    room: float


def kept_whole(draft: Draft, parts: Sequence[Part], ledger: Ledger, room: float, by: str) -> Kept | None:
    """The parts since the newest open loop left as they are, if that can be had within `room`."""
    since = newest_loop(ledger)
    active = [part for part in parts if since is not None and part.span.stop > since]
    if since is None or not active:
        return None
    older = tuple(part for part in parts if part.span.stop <= since)
    left = room - (said_anyway(draft, ledger, since) if older else 0)
    edits, weight = _shortened(draft, active, left, by)
    if weight > left:
        return None
    after = draft.accept(Proposal(edits, by)) if edits else draft
    return Kept(after, older, edits, room - weight)


def said_anyway(draft: Draft, ledger: Ledger, since: int) -> int:
    """Tokens of what must be said of everything older: a trace, its rules and its open loops."""
    loops = still_open(ledger)[-MOST["OPEN"] :]
    lines = (str(told(each)) for each in (*ledger.constraints, *loops) if each[0] < since)
    return min(TRACE, draft.goal // 4) + sum(draft.view.meter.count(line) + 1 for line in lines)


def _shortened(draft: Draft, active: Sequence[Part], room: float, by: str) -> tuple[tuple[Edit, ...], int]:
    """The oldest results in short, as few as it takes; and what all of it weighs then."""
    weight = sum(part.tokens for part in active)
    edits: list[Edit] = []
    items = [item for part in active for item in part.items]
    for large in in_short(draft, items, OVER) if weight > room else ():
        if weight <= room:
            break
        if isinstance(large.block, Call):
            continue
        edit = shrunk(large, KEEP, by)
        gain = large.tokens - draft.view.weighed(edit)
        if gain > 0:
            weight -= gain
            edits.append(edit)
    return tuple(edits), weight
