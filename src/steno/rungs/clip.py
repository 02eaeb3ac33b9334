"""Clip: show the first characters of each covered entry, and nothing else.

The plainest stand-in for a summary: it needs no model, cannot fail and reads no facts. To tell
lines worth keeping from others, use `summarize`, with a writer or without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.item import Item
from steno.core.log import Proposal
from steno.core.message import Call, Message, Result, Text
from steno.core.rung import Rung
from steno.core.summary import UNNAMED, SummaryLine
from steno.summary.plan import cover_of, run_level
from steno.summary.render import render_sections, summary_edit
from steno.summary.sections import make_sections


class Clip(Rung, tag="clip"):
    """Cover all that may be covered, and quote how each entry of it began."""

    each: Annotated[int, msgspec.Meta(ge=0)] = 200
    """Characters of an entry."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        proposals: list[Proposal] = []
        for first, last in draft.stretches():
            items = draft.view.items[first:last]
            entries = ((at, text[: self.each]) for at, text in _entries(draft, items))
            sections = {UNNAMED: [SummaryLine(text, (at,)) for at, text in entries if text]}
            cover = cover_of(draft.view, items)
            summary = msgspec.structs.replace(cover, sections=make_sections(sections))
            edit = summary_edit(summary, self.label, run_level(items))
            proposals.append(Proposal((edit,), self.label))
        return tuple(proposals)


def _entries(draft: Draft, items: Sequence[Item]) -> Iterator[tuple[int, str]]:
    """Yield where each entry begins, and its words.

    An entry is a call with its results, a message, or what an earlier summary says.
    """
    entry: list[str] = []
    start = 0
    for item in items:
        message = draft.view.messages[item.span.start]
        answers = item.main is not None and (message.role == "tool" or message.only_results)
        if entry and not answers:
            yield start, " ".join(entry)
            entry = []
        if not entry:
            start = item.span.start
        if item.main is not None:
            words = _message_text(message)
        elif item.summary is not None:
            words = render_sections(item.summary.sections)
        else:
            words = "\n".join(shown.text for shown in item.shows)
        entry.append(" ".join(words.split()))
    if entry:
        yield start, " ".join(entry)


def _message_text(message: Message) -> str:
    words: list[str] = []
    for block in message.blocks:
        match block:
            case Text() | Result():
                words.append(block.text)
            case Call(_, name, arguments):
                words.append(f"{name} {arguments}")
    return " ".join(words)
