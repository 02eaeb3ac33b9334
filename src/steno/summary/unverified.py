"""Lines of earlier summaries that speak of messages which are not in the log.

Anyone who can write a whole message can write one that looks like ours, so the lines of a summary
that came back in a list are carried on word for word but marked, unless the messages they cite
are here and say so in other than a tool's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from steno.core.draft import Draft
from steno.core.item import Item
from steno.core.lines import one_line
from steno.core.message import Message, Span
from steno.core.summary import Sections, Summary, SummaryLine
from steno.core.view import View
from steno.facts.authorship import split_by_author
from steno.summary.render import HEARSAY_MARK, mark_story
from steno.summary.sections import ENDED_PREFIX, LIFTED_PREFIX, LINE_TOKENS, PINNED_SECTIONS

UNVERIFIED_SHARE = 0.2
"""Share of the usable window for what a list tells of messages that are not in the log."""
_CITED_ROW = re.compile(rf"{HEARSAY_MARK} \[([0-9]{{1,9}})")
"""A row of an earlier story that begins with a position; rows without one go on with it."""


def stated_lines(view: View, item: Item) -> Sections:
    """Return the lines of an item's summary, marked if what it stands for is not in the log."""
    if item.summary is None:
        return {}
    if view.is_absent(item.span.start):
        return mark_unverified(item.summary.lines(), view.messages)
    return item.summary.lines()


def earlier_story(summary: Summary, is_absent: Callable[[int], bool], span: Span) -> str:
    """Return what a summary of a span tells of messages that are not in the log, marked."""
    story = summary.story
    if is_absent(span.start):
        story = mark_story(story)
        if all(map(is_absent, range(span.start, span.stop))):
            return story
    # It was made here, over logged messages too: the log tells those, and what looks like a row
    # of an earlier summary may be a quotation.
    rows: list[str] = []
    is_carried = False
    for row in story.split("\n"):
        cited = _CITED_ROW.match(row)
        if not row.startswith(f"{HEARSAY_MARK} "):
            is_carried = False
        elif cited is not None:
            is_carried = is_absent(int(cited[1]))
        if is_carried:
            rows.append(row)
    return "\n".join(rows)


def first_absent(messages: Sequence[Message], span: Span) -> int | None:
    """Return the first position of a span whose message is not in the log."""
    for at in range(span.start, span.stop):
        if messages[at].role == "absent":
            return at
    return None


def lines_of_list(view: View, section: str) -> list[SummaryLine]:
    """Return what summaries tell in a section of messages which are not in the log, each once."""
    found: dict[str, SummaryLine] = {}
    for item in view.items:
        for line in stated_lines(view, item).get(section, []):
            if line.hearsay:
                found.setdefault(line.text, line)
    return list(found.values())


def mark_unverified(sections: Sections, messages: Sequence[Message]) -> Sections:
    """Return the sections with every line marked that no message of the log supports."""
    return {
        name: [_mark_line(name, line, messages) for line in lines]
        for name, lines in sections.items()
    }


def within_share(sections: Sections, draft: Draft) -> Sections:
    """Return the unverified lines that a view has room for, rules and open loops first.

    The newest lines of each section are kept: a forged summary must not fill the view.
    """
    room = draft.budget.usable * UNVERIFIED_SHARE
    kept: Sections = {}
    for name in sorted(sections, key=lambda name: name not in PINNED_SECTIONS):
        chosen = set()
        for line in sorted(sections[name], key=lambda line: max(line.cites, default=-1))[::-1]:
            cost = draft.view.meter.count(line.text) + LINE_TOKENS
            if cost <= room:
                room -= cost
                chosen.add(line)
        kept[name] = [line for line in sections[name] if line in chosen]
    return kept


def _mark_line(name: str, line: SummaryLine, messages: Sequence[Message]) -> SummaryLine:
    if line.written or (name in PINNED_SECTIONS and _is_supported_by_log(line, messages)):
        return line
    return msgspec.structs.replace(line, hearsay=True)


def _is_supported_by_log(line: SummaryLine, messages: Sequence[Message]) -> bool:
    if not all(at < len(messages) and messages[at].role != "absent" for at in line.cites):
        return False
    words = line.text.removeprefix(LIFTED_PREFIX).removeprefix(ENDED_PREFIX)
    found = (
        piece.text
        for at in line.cites
        for piece in split_by_author(messages[at])
        if piece.trust != "tool"
    )
    return words in one_line(" ".join(found))
