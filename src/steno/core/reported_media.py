"""Tokens of media of unknown size, from the usage that a provider reports.

A picture by URL has a size that only the provider knows, so the meter assumes its tokens until a
bill says them. The functions here split a bill between words and media.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from steno.core.item import Item
from steno.core.message import Message
from steno.core.meter import Meter
from steno.core.repair import is_only_thinking

WORDS_DOUBT = 0.5
"""Share by which words may be counted too low, before a bill says that media are heavier."""


def billed_media(words: int, assumed: int, reported: float) -> int:
    """Return the tokens of media in a bill: what is left of it after the words.

    They take more than was assumed only where no doubt of the words explains it: media that are
    believed too heavy would hide that words are counted too low.
    """
    left = max(0, round(reported) - words)
    return min(left, max(assumed, round(left - WORDS_DOUBT * words)))


def billed_weights(
    meter: Meter, message: Message, weights: tuple[int, ...], share: float
) -> tuple[int, ...]:
    """Return the tokens of a message's blocks, with this share of those that were assumed."""
    pairs = zip(weights, message.blocks, strict=True)
    return tuple(
        tokens + round((share - 1) * meter.assumed_tokens(block)) for tokens, block in pairs
    )


def items_with_weights(
    items: Sequence[Item],
    before: Sequence[tuple[int, ...]],
    weights: Mapping[int, tuple[int, ...]],
) -> dict[int, Item]:
    """Return by index the items that show a message whose blocks have other tokens now.

    before, weights: tokens of each position's blocks so far, and of those that change.
    """
    changed = {}
    first = min(weights)
    for index in range(len(items) - 1, -1, -1):
        item = items[index]
        if item.span.stop <= first:
            break
        more = 0
        for position, shown in _shown_messages(items, index):
            if position in weights:
                patched = dict(shown.patches)
                pairs = enumerate(zip(before[position], weights[position], strict=True))
                more += sum(new - old for at, (old, new) in pairs if at not in patched)
        if more:
            changed[index] = msgspec.structs.replace(item, tokens=item.tokens + more)
    return changed


def _shown_messages(items: Sequence[Item], index: int) -> Iterator[tuple[int, Message]]:
    """Yield the messages that an item shows, with their positions.

    Reasoning that came alone is shown with the message that follows it.
    """
    item = items[index]
    if item.main is None:
        return
    position = item.span.start
    yield position, item.shows[item.main]
    for shown in reversed(item.shows[: item.main]):
        position, index = position - 1, index - 1
        if index < 0 or items[index].shows or not is_only_thinking(shown):
            return
        yield position, shown
