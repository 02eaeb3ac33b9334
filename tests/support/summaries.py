"""Read the summaries of a session: as values, and as the text that is sent."""

from __future__ import annotations

import steno
from steno.core.summary import Sections, Summary
from steno.summary.parse import parse_summary
from steno.summary.render import render_sections


def summaries_in(view: steno.View) -> list[Summary]:
    """Return every summary of a view, each as its text says it."""
    found: list[Summary] = []
    for item in view.items:
        summary = parse_summary(item.shows[0].text) if item.level and item.shows else None
        assert summary == item.summary, "the text that is sent says what the value holds"
        if summary is not None:
            found.append(summary)
    return found


def summary_of(held: steno.Session) -> Summary:
    """Return the newest summary of a session that has sections."""
    return next(summary for summary in reversed(summaries_in(held.view)) if summary.sections)


def lines_stated(held: steno.Session) -> Sections:
    """Return the lines of the newest summary by section."""
    return summary_of(held).lines()


def sections_text(held: steno.Session) -> str:
    """Return the sections of the newest summary as they are sent."""
    return render_sections(summary_of(held).sections)


def summary_in_text(content: object) -> Summary | None:
    """Return the summary that a message's content is, if it is one."""
    if isinstance(content, str):
        return parse_summary(content)
    return None
