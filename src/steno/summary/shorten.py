"""Blocks shown in short, in their place: a message's words, a tool's result.

What is left is contiguous: a beginning and an end, cut at whole lines or sentences. Owns the
parts of a view and the edits that shorten one of them; what is shortened how far is decided
by `compose` and by the rungs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from steno.core.draft import Draft
from steno.core.escape import set_in
from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.log import Edit
from steno.core.message import Block, Message, Result, Span, Text, Value
from steno.core.repair import LATE_RESULT, encodable_text, late_source
from steno.summary.story import is_search_result
from steno.summary.words import cut_words, level_of

MIN_RESULT_TOKENS = 200
"""Tokens below which a result is not worth shortening."""
FENCE_TOKENS = 40
"""Tokens around a text of Steno's."""
_COUNT = re.compile(r"[0-9]{1,12}")


class ViewPart(Value):
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


def show_again(draft: Draft, item: Item) -> tuple[Edit, ...]:
    """Return the edits that show texts whole again that a commit with less room had cut."""
    assert item.main is not None
    message = draft.view.messages[item.span.start]
    edits = []
    for at, shown in item.shows[item.main].patches:
        block = message.blocks[at]
        # Only our own cuts: what an agent hid, or a caller's rung replaced, stays so.
        is_cut = any(isinstance(one, Text) and Fence.parse(one.text) for one in shown)
        if isinstance(block, Text) and is_cut:
            original = Message(message.role, (block,), by="steno")
            edits.append(Edit(item.span, (original,), "summarize", block=at))
    return tuple(edits)


def shorten_results(
    draft: Draft, items: Sequence[Item], over: float
) -> tuple[tuple[Edit, ...], int]:
    """Return edits that cut the largest results of these items, and the tokens that they save.

    What searches found is the agent's map: it is cut only if cutting the rest is not enough.
    """
    reads: list[LargeResult] = []
    searches: list[LargeResult] = []
    for large in large_results(draft, items, MIN_RESULT_TOKENS):
        found = is_search_result(draft.view.messages, *large.source)
        (searches if found else reads).append(large)
    edits, saved = shorten_to_level(draft, reads, over)
    if saved < over:
        more, also_saved = shorten_to_level(draft, searches, over - saved)
        edits += more
        saved += also_saved
    return edits, saved


class LargeResult(Value):
    """A result that is worth shortening, and where it stands."""

    item: Item
    at: int
    """The number by which an edit names it."""
    source: tuple[int, int]
    """Position and block of the original."""
    tokens: int
    """Tokens of it as it is shown."""


def shorten_to_level(
    draft: Draft, results: Sequence[LargeResult], over: float, least: int = MIN_RESULT_TOKENS
) -> tuple[tuple[Edit, ...], int]:
    """Return edits that cut the largest of these results, and the tokens that they save.

    None is cut below `least` tokens.
    """
    # The largest shrink to one level, so that no result is lost for a slightly larger one.
    sizes = [large.tokens for large in results]
    most = max(least, level_of(sizes, sum(sizes) - over))
    edits: list[Edit] = []
    saved = 0
    for large in results:
        if large.tokens > most:
            edit = _shorten_result(draft, large, max(0, int(most) - FENCE_TOKENS))
            if edit is not None:
                edits.append(edit)
                saved += large.tokens - draft.view.weigh_edit(edit)
    return tuple(edits), saved


def large_results(draft: Draft, items: Sequence[Item], over: int) -> Iterator[LargeResult]:
    """Yield the results of more than so many tokens, those included that came late."""
    for item in items:
        position = item.span.start
        for at, tokens, shown in draft.view.blocks(item):
            if len(shown) != 1 or not isinstance(shown[0], Result):
                continue
            weight = draft.view.meter.block(shown[0]) if item.is_edited else tokens
            if weight > over:
                yield LargeResult(item, at, (position, at), weight)
        for number, index in draft.view.late_results(item):
            block = item.shows[index].blocks[0]
            weight = draft.view.meter.block(block)
            if weight > over:
                yield LargeResult(item, number, late_source(_text_of(block)), weight)


def _shorten_result(draft: Draft, large: LargeResult, most: int) -> Edit | None:
    position, at = large.source
    block = draft.view.messages[position].blocks[at]
    if not isinstance(block, Result):
        return None
    item = large.item
    said = draft.view.weights[position][at]
    place = f"{position}.{at}"
    label, text = block_label("result", place, said, block.text)
    short = cut_words(text, most, draft.view.meter.count, more=pointer(draft, position))
    shown: Block
    # A result that came late stands beside its call as text: providers allow no second one.
    if large.at < len(draft.view.messages[item.span.start].blocks):
        fence = Fence(label, encodable_text(short))
        shown = msgspec.structs.replace(block, content=(Text(str(fence)),))
        role = item.shows[item.main or 0].role
    else:
        shown = Text(str(Fence({"kind": LATE_RESULT, "at": place}, encodable_text(set_in(short)))))
        role = "user"
    message = Message(role, (shown,), by="steno")
    span = Span(item.span.start, item.span.start + 1)
    edit = Edit(span, (message,), "summarize", block=large.at)
    if draft.view.weigh_edit(edit) < large.tokens:
        return edit
    return None


def pointer(draft: Draft, position: int) -> str:
    """Return how the model can read a message whole; empty if it has no tool for that."""
    if not draft.recall_tool:
        return ""
    return f'{draft.recall_tool}(positions="{position}") shows them'


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
