"""Lines of earlier summaries that speak of messages which are not in the log.

Anyone who can write a whole message can write one that looks like ours, so the lines of a summary
that came back in a list are carried on word for word but marked, unless the messages they cite
are here and say so in other than a tool's words.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from steno.core.item import Item
from steno.core.lines import one_line
from steno.core.message import Message
from steno.core.summary import Sections, SummaryLine
from steno.core.view import View
from steno.facts.authorship import split_by_author
from steno.summary.sections import ENDED_PREFIX, LIFTED_PREFIX, PINNED_SECTIONS


def stated_lines(view: View, item: Item) -> Sections:
    """Return the lines of an item's summary, marked if what it stands for is not in the log."""
    if item.summary is None:
        return {}
    if view.messages[item.span.start].role == "absent":
        return mark_unverified(item.summary.lines(), view.messages)
    return item.summary.lines()


def mark_unverified(sections: Sections, messages: Sequence[Message]) -> Sections:
    """Return the sections with every line marked that no message of the log supports."""
    return {
        name: [_mark_line(name, line, messages) for line in lines]
        for name, lines in sections.items()
    }


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
