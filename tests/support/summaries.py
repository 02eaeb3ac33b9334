"""Read the newest summary of a session."""

from __future__ import annotations

import steno
from steno.core.cover_text import CoverText


def summary_of(held: steno.Session) -> CoverText:
    """The newest summary of a session."""
    return next(
        trace
        for item in reversed(held.view.items)
        if item.level
        and item.shows
        and (trace := CoverText.parse(item.shows[0].text))
        and trace.more
    )
