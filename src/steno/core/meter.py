"""What things weigh, in tokens.

A meter is a value: how to count a text, how to count an image, and what a
provider adds around the words. Counts are raw and additive: a message weighs
its overhead and the sum of its blocks, so a view is metered by adding what is
new. What a provider reports only moves `ratio`, which scales a finished sum
into a load; no weight that was stored has to be counted again. Vocabularies and
the choice of a meter for a model are in `steno.meters`, not here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from steno.core.message import Block, Call, Media, Message, Opaque, Result, Text, Thinking, Value

RATIO_BOUNDS = (0.5, 3.0)
WEIGHT_OF_NEWEST = 0.5
TINY = 200
"""Raw tokens under which a report says more about overheads than about words."""
SLACK = 1e-9
"""Keeps 100 × 1.1 = 110.00000000000001 from being rounded up to 111."""


class Overheads(Value, frozen=True):
    """Tokens besides the words."""

    request: int
    message: int
    call: int
    result: int
    tools: int
    """Once, where any tool is defined."""
    tool: int
    """For each tool, besides its definition's text."""


@dataclass(frozen=True, slots=True)
class Meter:
    """Counts tokens; `name` says how."""

    name: str
    count: Callable[[str], int]
    """Tokens of a text; never raises, lone surrogates included."""
    image: Callable[[Media], int]
    """Tokens of a media block by the provider's rule."""
    overheads: Overheads
    ratio: float = 1.0
    """Learnt from reported usage; a load is raw × ratio."""

    def block(self, block: Block) -> int:
        """The raw weight of one block, its overhead included."""
        match block:
            case Text(text=text) | Thinking(text=text) | Opaque(text=text):
                return self.count(text)
            case Media():
                return self.image(block)
            case Call(name=name, arguments=arguments):
                return self.overheads.call + self.count(name) + self.count(arguments)
            case Result(content=content):
                return self.overheads.result + sum(map(self.block, content))

    def blocks(self, message: Message) -> tuple[int, ...]:
        """One raw weight for each block."""
        return tuple(map(self.block, message.blocks))

    def message(self, message: Message) -> int:
        """The raw weight of a message: its overhead and its blocks."""
        return self.overheads.message + sum(map(self.block, message.blocks))

    def fixed(self, system: str | None, tools: Sequence[str]) -> int:
        """The raw weight of what no edit can shrink; tools are given as JSON texts."""
        weight = self.overheads.request + (self.count(system) if system else 0)
        if tools:
            weight += self.overheads.tools + sum(self.overheads.tool + self.count(tool) for tool in tools)
        return weight

    def load(self, raw: int) -> int:
        """What a raw sum is expected to be at the provider, rounded up."""
        return math.ceil(raw * self.ratio - SLACK)

    def corrected(self, counted: int, reported: int) -> Meter:
        """This meter with its ratio moved towards what the provider reported for a request counted raw."""
        if reported <= 0 or counted < TINY:
            return self
        low, high = RATIO_BOUNDS
        # Bounded before it is smoothed: one absurd report cannot outweigh the sane ones after it.
        seen = min(max(reported / counted, low), high)
        return replace(self, ratio=self.ratio + WEIGHT_OF_NEWEST * (seen - self.ratio))


def chars_per_four() -> Meter:
    """The plain estimate: a token for four characters, 4 a message, 50 a tool."""
    overheads = Overheads(request=0, message=4, call=0, result=0, tools=0, tool=50)
    return Meter("chars/4", _quarter, _flat_media, overheads)


def _quarter(text: str) -> int:
    return -(-len(text) // 4)


def _flat_media(media: Media) -> int:
    """A picture-sized weight, by the page where there are pages: this estimate knows no provider."""
    return 1_600 * max(1, media.pages or 1)
