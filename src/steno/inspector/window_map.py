"""What fills a window: its parts in the order the model reads, and the limits."""

from __future__ import annotations

from dataclasses import dataclass

from steno.core.budget import Budget
from steno.core.item import Item
from steno.core.message import Message
from steno.core.view import View
from steno.inspector.describe import head_tokens, is_fence, kind_of

KIND_WORDS = {
    "prompt": "prompt, tools",
    "shorthand": "Steno's shorthand",
    "user": "user",
    "assistant": "agent",
    "results": "tool results",
    "free": "free",
    "reserve": "kept for the reply",
}

MapPart = tuple[str, int]
LimitMark = tuple[int, str, str]


@dataclass(frozen=True)
class WindowMap:
    """What fills a window, in order, and its limits.

    Without a budget the map is as large as what fills it.
    """

    parts: tuple[MapPart, ...]
    budget: Budget | None

    @classmethod
    def of(cls, view: View, load: int, budget: Budget | None) -> WindowMap:
        parts: list[MapPart] = []
        counted = drawn = 0
        for item in view.items:
            for kind, tokens in item_parts(item, view):
                counted += tokens
                # In the tokens of the load, which knows what the provider reported.
                share = int(counted * view.meter.ratio) - drawn
                parts.append((kind, share))
                drawn += share
        head = head_tokens(view)
        # The load beyond the items: system prompt, tools and what every request costs.
        prompt = ("prompt", load - drawn - head)
        return cls((prompt, ("shorthand", head), *parts), budget)

    @property
    def load(self) -> int:
        return sum(tokens for _, tokens in self.parts)

    @property
    def extent(self) -> int:
        """Tokens that the whole map stands for; a load over the window is drawn whole."""
        if self.budget is None:
            return max(self.load, 1)
        return max(self.load, self.budget.window)

    @property
    def marks(self) -> list[LimitMark]:
        """The limits, with the window if the load is over it."""
        if self.budget is None:
            return []
        marks = limit_marks(self.budget)
        if self.load > self.budget.window:
            marks.append((self.budget.window, "window", "▌"))
        return marks

    @property
    def totals(self) -> dict[str, int]:
        """Tokens of each kind, with those that are free and those kept for the reply."""
        totals = dict.fromkeys(KIND_WORDS, 0)
        for kind, tokens in self.parts:
            totals[kind] += tokens
        if self.budget is not None:
            totals["free"] = max(0, self.budget.usable - self.load)
            totals["reserve"] = self.budget.reserve
        return totals


def limit_marks(budget: Budget) -> list[LimitMark]:
    """Return load, name and glyph of each limit."""
    marks = [(int(budget.soft_load), "soft", "│"), (int(budget.hard_load), "hard", "┃")]
    # A policy that compacts down to the tail has no number for its goal.
    if not budget.down_to_tail:
        marks.insert(0, (budget.goal_load, "goal", "╎"))
    return marks


def item_parts(item: Item, view: View) -> list[MapPart]:
    """Return an item's raw tokens by kind, in order; blocks are counted only if kinds mix."""
    kinds = {
        _block_kind(message, at) for message in item.shows for at in range(len(message.blocks))
    }
    if len(kinds) == 1:
        return [(kinds.pop(), item.tokens)]
    parts: list[MapPart] = []
    left = item.tokens
    for message in item.shows:
        for at, block in enumerate(message.blocks):
            tokens = min(left, view.meter.block(block))
            left -= tokens
            parts.append((_block_kind(message, at), tokens))
    # The overhead of messages belongs to no block.
    if left and item.shows:
        parts.append((kind_of(item.shows[item.main or 0]), left))
    return parts


def _block_kind(message: Message, at: int) -> str:
    if is_fence(message.blocks[at]):
        return "shorthand"
    return kind_of(message)
