"""ProviderCompact: let the agent's own provider compact the old part, and show what it gives back.

Anthropic returns a signed block, OpenAI the user's messages and an encrypted item. Only
the provider can read them, so a trace of ours stands beside: it holds the constraints and open
loops in their own words, and says where to open what is covered. The originals stay in
the log. If the writer is not the agent's provider, or cannot compact by itself, nothing
is proposed and the next rung goes on.
"""

from __future__ import annotations

import msgspec

from steno.core.draft import Draft
from steno.core.effects import Answer, Ask, Asks, Rounds
from steno.core.errors import BadInput
from steno.core.log import Edit, Proposal
from steno.core.message import Message, Span
from steno.core.rung import Rung
from steno.summary.plan import cover_of
from steno.summary.render import summary_edit


class ProviderCompact(Rung, frozen=True, tag="provider-compact"):
    """Under pressure: cover the old part by the provider's own compaction of it."""

    max_tokens: int = 4_096
    """Tokens that the provider may write."""

    def ask(self, draft: Draft, rounds: Rounds) -> Asks:
        place = _place(draft)
        if rounds or place is None or draft.writer_window is None or draft.request_with is None:
            return ()
        shown = [message for item in draft.view.items[: place[2]] for message in item.shows]
        ask = Ask(
            draft.focus,
            self.max_tokens,
            purpose="provider_compaction",
            after=draft.request_with(shown),
            compaction=True,
        )
        return (ask,)

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        place = _place(draft)
        if place is None or not rounds or not isinstance(rounds[0][0], Answer):
            return ()
        first, middle, last = place
        shown = _compacted(draft, rounds[0][0].text)
        states = [draft.view.terms.state(block) for message in shown for block in message.blocks]
        must_be_first = any(state is not None and state.must_be_first for state in states)
        stands_behind = first > 0 or draft.view.head is not None or bool(draft.given)
        if not shown or (stands_behind and must_be_first):
            return ()
        items = draft.view.items
        span = Span(items[first].span.start, items[middle - 1].span.stop)
        block = Edit(span, shown, self.label, level=1)
        trace = summary_edit(cover_of(draft.view, items[middle:last]), self.label, level=1)
        covered = sum(item.tokens for item in items[first:last])
        if draft.weigh((*shown, *trace.shows)) >= covered:
            return ()
        return (Proposal((block, trace), self.label),)


def _place(draft: Draft) -> tuple[int, int, int] | None:
    """Return where the oldest stretch begins and ends, and the seam for our own trace."""
    for first, last in draft.stretches():
        inside = [at for at in range(first + 1, last) if at in draft.seams]
        if not inside:
            return None
        return first, inside[-1], last
    return None


def _compacted(draft: Draft, text: str) -> tuple[Message, ...]:
    """Return the messages that the provider gave back; nothing if they are none of its kind."""
    if draft.read_messages is None:
        return ()
    try:
        messages = draft.read_messages(text)
    except BadInput:
        return ()
    # Each must be the provider's: words that a writer made up may not pass as the user's.
    if not any(draft.view.terms.state(block) for message in messages for block in message.blocks):
        return ()
    return tuple(msgspec.structs.replace(message, by="program") for message in messages)
