"""The tiers of a session: what the model sees, what a summary stands for, what is older.

Working is the view. Recall is what a summary covers. Archive is what summaries of summaries
cover, and the earlier sessions of the same user. All of it can be searched and opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from steno.core.message import Span
from steno.core.view import View

Tier = Literal["working", "recall", "archive"]
TIERS: tuple[Tier, ...] = ("working", "recall", "archive")
SESSIONS_NAMED = 5
"""Earlier sessions that are named, the newest."""


def tier_of(view: View, position: int) -> Tier:
    """Return the tier of a message of this session."""
    level = view.at(position).level
    return TIERS[min(level, 2)]


def tier_lines(view: View, notes: int, sessions: Sequence[str]) -> list[str]:
    """Return a line for each tier: its positions, and what else belongs to it."""
    spans: dict[Tier, list[Span]] = {tier: [] for tier in TIERS}
    for item in view.items:
        held = spans[TIERS[min(item.level, 2)]]
        if held and held[-1].stop == item.span.start:
            held[-1] = Span(held[-1].start, item.span.stop)
        else:
            held.append(item.span)
    lines = [f"{tier}: {', '.join(map(str, held)) or 'nothing'}" for tier, held in spans.items()]
    if notes:
        lines[0] += f"; {notes} notes of yours"
    if sessions:
        named = ", ".join(sessions[-SESSIONS_NAMED:])
        lines[2] += f"; {len(sessions)} earlier sessions of this user: {named}"
    return lines
