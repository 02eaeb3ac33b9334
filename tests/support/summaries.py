"""Read the summaries of a session: as values, and as the text that is sent."""

from __future__ import annotations

import msgspec

import steno
from steno.core.summary import UNNAMED, Sections, Summary
from steno.summary.read_back import parse_summary
from steno.summary.render import HEAD_SECTIONS, quoted_requests, render_sections


def as_read_back(summary: Summary) -> Summary:
    """Return what is left of a summary when its text comes back in a list.

    Where the work stood is out of date then, and counts of calls are not in the text. Lines
    without a heading and quoted requests come back as a story; constraints may stand in the block.
    """
    apart = HEAD_SECTIONS if summary.constraints_apart else ()
    bare = [section for section in summary.sections if section.name == UNNAMED]
    return msgspec.structs.replace(
        summary,
        calls=(),
        first=None,
        last=None,
        sections=tuple(
            section for section in summary.sections if section.name not in (UNNAMED, *apart)
        ),
        constraints_apart=False,
        note="",
        story=summary.story or render_sections(bare).strip() or "\n".join(quoted_requests(summary)),
        state="",
    )


def summaries_in(view: steno.View) -> list[Summary]:
    """Return every summary of a view; the text of each says the same."""
    found: list[Summary] = []
    for item in view.items:
        if item.summary is None or not item.level or not item.shows:
            continue
        read = parse_summary(item.shows[0].text)
        assert read is not None and as_read_back(read) == as_read_back(item.summary), (
            "the text that is sent says what the value holds"
        )
        found.append(item.summary)
    return found


def summary_of(held: steno.Session) -> Summary:
    """Return the newest summary of a session."""
    return summaries_in(held.view)[-1]


def lines_stated(held: steno.Session) -> Sections:
    """Return the lines of all summaries of a session by section, the oldest first."""
    stated: Sections = {}
    for summary in summaries_in(held.view):
        for name, lines in summary.lines().items():
            stated.setdefault(name, []).extend(lines)
    return stated


def sections_text(held: steno.Session) -> str:
    """Return the sections of all summaries as they are sent."""
    return "\n".join(render_sections(summary.sections) for summary in summaries_in(held.view))


def story_of(held: steno.Session) -> str:
    """Return what all summaries of a session tell, the oldest first."""
    return "\n".join(summary.story for summary in summaries_in(held.view))


def state_of(held: steno.Session) -> str:
    """Return where the work stands, as the newest summary says."""
    return summary_of(held).state


def summary_in_text(content: object) -> Summary | None:
    """Return the summary that a message's content is, if it is one."""
    if isinstance(content, str):
        return parse_summary(content)
    return None
