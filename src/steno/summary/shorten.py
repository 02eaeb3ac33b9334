"""Blocks shown in short, in their place: a message's words, a tool's result.

What is left is contiguous: a beginning and an end, cut at whole lines or sentences. Owns the
parts of a view and the edits that shorten one of them; what is shortened how far is decided
by `compose` and by the rungs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from steno.core.draft import Draft
from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.log import Edit
from steno.core.message import Block, Message, Result, Span, Text
from steno.core.repair import encodable_text
from steno.facts.memory_offer import is_offer
from steno.summary.story import is_search_result
from steno.summary.words import cut_words

MIN_RESULT_TOKENS = 200
"""Tokens below which a result is not worth shortening."""
FENCE_TOKENS = 40
"""Tokens around a text of Steno's."""
_LargeResult = tuple[Item, int, int]
"""An item, the block of it that is a result, and the tokens of that."""
_COUNT = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True)
class ViewPart:
    """Items between two seams, by their indices in the view."""

    first: int
    last: int
    items: tuple[Item, ...]

    @property
    def span(self) -> Span:
        return Span(self.items[0].span.start, self.items[-1].span.stop)

    @property
    def tokens(self) -> int:
        return sum(item.tokens for item in self.items)

    @property
    def is_offer(self) -> bool:
        """Tell whether it offers memories of earlier sessions: those never stay as they are."""
        return any(item.main is not None and is_offer(item.shows[item.main]) for item in self.items)


def split_parts(draft: Draft, first: int, last: int) -> Iterator[ViewPart]:
    """Yield the parts of a stretch of items, from seam to seam."""
    seams = [at for at in range(first, last + 1) if at in draft.seams]
    for start, stop in pairwise(seams):
        yield ViewPart(start, stop, tuple(draft.view.items[start:stop]))


def shorten_message(draft: Draft, item: Item, text: str) -> Edit | None:
    """Return the edit that shows `text` in the place of a message's longest text.

    Return None if that would save nothing.
    """
    position = item.span.start
    message = draft.view.messages[position]
    lengths = {
        at: len(block.text) for at, block in enumerate(message.blocks) if isinstance(block, Text)
    }
    if not lengths:
        return None
    at = max(lengths, key=lengths.__getitem__)
    tokens = draft.view.weights[position][at]
    label, _ = block_label("text", f"{position}.{at}", tokens, _text_of(message.blocks[at]))
    shown = Text(str(Fence(label, encodable_text(text))))
    short = Message(message.role, (shown,), by="steno")
    edit = Edit(Span(position, position + 1), (short,), "summarize", block=at)
    if draft.view.weigh_edit(edit) < tokens:
        return edit
    return None


def shorten_results(draft: Draft, items: Sequence[Item], over: float) -> tuple[Edit, ...]:
    """Return edits that cut the largest results of these items, `over` tokens in all.

    What searches found is the agent's map: it is cut only if cutting the rest is not enough.
    """
    reads: list[_LargeResult] = []
    searches: list[_LargeResult] = []
    for large in _large_results(draft, items):
        item, at, _ = large
        found = is_search_result(draft.view.messages, item.span.start, at)
        (searches if found else reads).append(large)
    edits, saved = _shorten_to_level(draft, reads, over)
    if saved < over:
        more, _ = _shorten_to_level(draft, searches, over - saved)
        edits += more
    return edits


def _shorten_to_level(
    draft: Draft, results: Sequence[_LargeResult], over: float
) -> tuple[tuple[Edit, ...], int]:
    """Return edits that cut the largest of these results, and the tokens that they save."""
    most = _level([tokens for _, _, tokens in results], over)
    edits: list[Edit] = []
    saved = 0
    for item, at, tokens in results:
        if tokens > most:
            edit = _shorten_result(draft, item, at, tokens, max(0, int(most) - FENCE_TOKENS))
            if edit is not None:
                edits.append(edit)
                saved += tokens - draft.view.weigh_edit(edit)
    return tuple(edits), saved


def _large_results(draft: Draft, items: Sequence[Item]) -> Iterator[_LargeResult]:
    """Yield the results that are worth shortening, with their block and their tokens."""
    for item in items:
        if item.main is None:
            continue
        for at, tokens, shown in draft.view.blocks(item):
            if len(shown) != 1 or not isinstance(shown[0], Result):
                continue
            weight = draft.view.meter.block(shown[0]) if item.is_edited else tokens
            if weight > MIN_RESULT_TOKENS:
                yield item, at, weight


def _level(sizes: Sequence[int], over: float) -> float:
    """Return the size down to which the largest must shrink for all to lose `over` tokens."""
    ordered = sorted(sizes, reverse=True)
    lost = 0.0
    for number, size in enumerate(ordered):
        after = ordered[number + 1] if number + 1 < len(ordered) else MIN_RESULT_TOKENS
        step = (size - after) * (number + 1)
        if lost + step >= over:
            return size - (over - lost) / (number + 1)
        lost += step
    return MIN_RESULT_TOKENS


def _shorten_result(draft: Draft, item: Item, at: int, tokens: int, most: int) -> Edit | None:
    position = item.span.start
    block = draft.view.messages[position].blocks[at]
    if not isinstance(block, Result):
        return None
    said = draft.view.weights[position][at]
    label, text = block_label("result", f"{position}.{at}", said, block.text)
    short = cut_words(text, most, draft.view.meter.count)
    shown = msgspec.structs.replace(
        block, content=(Text(str(Fence(label, encodable_text(short)))),)
    )
    role = item.shows[item.main or 0].role
    message = Message(role, (shown,), by="steno")
    edit = Edit(Span(position, position + 1), (message,), "summarize", block=at)
    if draft.view.weigh_edit(edit) < tokens:
        return edit
    return None


def _text_of(block: Block) -> str:
    if isinstance(block, Text):
        return block.text
    return ""


def block_label(kind: str, place: str, tokens: int, text: str) -> tuple[dict[str, str], str]:
    """Return the label of a block shown in short, and the text to shorten.

    In a list that came back a block may be in short already: then both are those of its fence,
    so that the sizes stay those of what was said.
    """
    label = {"kind": kind, "at": place, "tokens": str(tokens), "characters": str(len(text))}
    fence = Fence.parse(text)
    if fence is None or fence.label.keys() != label.keys() or fence.label["at"] != place:
        # A tool may write anything that looks like a fence of another block.
        return label, text
    if not all(_COUNT.fullmatch(fence.label[key]) for key in ("tokens", "characters")):
        return label, text
    return fence.label, fence.body
