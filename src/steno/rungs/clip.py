"""Clip: what is covered is told by the first characters of each entry, and by nothing else.

The plainest stand-in for a summary there is: it needs no model, cannot fail and
reads nothing. Where lines worth keeping are to be told from others, `summarize`
is the better rung, with a writer or without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

import msgspec

from steno.core.cover_text import CoverText
from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.item import Item
from steno.core.log import Edit, Proposal
from steno.core.message import Call, Message, Result, Text, user_message
from steno.core.repair import encodable_text
from steno.core.rung import Rung


class Clip(Rung, frozen=True, tag="clip"):
    """Cover all that may be covered, and say how each entry of it began."""

    each: Annotated[int, msgspec.Meta(ge=0)] = 200
    """Characters of an entry."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        return tuple(
            Proposal((self._cover_edit(draft, draft.view.items[first:last]),), self.label)
            for first, last in draft.stretches()
        )

    def _cover_edit(self, draft: Draft, items: Sequence[Item]) -> Edit:
        trace = CoverText.of(draft.view, items)
        told = "\n".join(
            f"- {text[: self.each]} [{at}]" for at, text in _entries(draft, items) if text
        )
        shows = (user_message(encodable_text(str(replace(trace, more=told))), by="steno"),)
        return Edit(trace.span, shows, self.label, level=1 + max(item.level for item in items))


def _entries(draft: Draft, items: Sequence[Item]) -> Iterator[tuple[int, str]]:
    """A call with its results, a message, or what an earlier cover says: where it begins, and its words."""
    held: list[str] = []
    began = 0
    for item in items:
        message = draft.view.messages[item.span.start]
        if held and (item.main is None or not (message.role == "tool" or message.only_results)):
            yield began, " ".join(held)
            held = []
        began = began if held else item.span.start
        held.append(
            " ".join((_cover_text(item) if item.main is None else _message_text(message)).split())
        )
    if held:
        yield began, " ".join(held)


def _cover_text(item: Item) -> str:
    """What a cover says of what it covers."""
    text = "\n".join(message.text for message in item.shows)
    trace = CoverText.parse(text)
    if trace is None:
        return text
    return trace.more


def _message_text(message: Message) -> str:
    return " ".join(
        block.text if isinstance(block, Text | Result) else f"{block.name} {block.arguments}"
        for block in message.blocks
        if isinstance(block, Text | Result | Call)
    )
