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
from steno.core.log import Edit, Proposal
from steno.core.message import Call, Message, Result, Text
from steno.core.rung import Rung
from steno.core.summary import UNNAMED, SummaryLine
from steno.summary.plan import cover_of, run_level
from steno.summary.render import render_sections, summary_edit
from steno.summary.sections import make_sections


class Clip(Rung, frozen=True, tag="clip"):
    """Cover all that may be covered, and quote how each entry of it began."""

    each: Annotated[int, msgspec.Meta(ge=0)] = 200
    """Characters of an entry."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        return tuple(
            Proposal((self._cover_edit(draft, draft.view.items[first:last]),), self.label)
            for first, last in draft.stretches()
        )

    def _cover_edit(self, draft: Draft, items: Sequence[Item]) -> Edit:
        lines = [
            SummaryLine(text[: self.each], (at,)) for at, text in _entries(draft, items) if text
        ]
        summary = msgspec.structs.replace(
            cover_of(draft.view, items), sections=make_sections({UNNAMED: lines})
        )
        return summary_edit(summary, self.label, run_level(items))


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
        words = _covered_text(item) if item.main is None else _message_text(message)
        entry.append(" ".join(words.split()))
    if entry:
        yield start, " ".join(entry)


def _covered_text(item: Item) -> str:
    """Return the sections of an item's summary as text, or all that another cover shows."""
    if item.summary is None:
        return "\n".join(message.text for message in item.shows)
    return render_sections(item.summary.sections)


def _message_text(message: Message) -> str:
    words: list[str] = []
    for block in message.blocks:
        match block:
            case Text() | Result():
                words.append(block.text)
            case Call(_, name, arguments):
                words.append(f"{name} {arguments}")
    return " ".join(words)
