"""What fills a window: its parts in the order the model reads, and the limits.

Owns how tokens become parts and cells. Drawing them is the business of the command line and of
the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from steno.core.budget import Budget
from steno.core.item import Item
from steno.core.message import Message
from steno.core.view import View
from steno.inspector.describe import is_fence, kind_of

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
            for kind, tokens in _item_parts(item, view):
                counted += tokens
                # In the tokens of the load, which knows what the provider reported.
                share = int(counted * view.meter.ratio) - drawn
                parts.append((kind, share))
                drawn += share
        head = 0
        if view.head is not None:
            head = view.meter.load(view.meter.message(view.head))
        # The load beyond the items: system prompt, tools and what every request costs.
        prompt = ("prompt", load - drawn - head)
        return cls((prompt, ("shorthand", head), *parts), budget)

    @property
    def load(self) -> int:
        return sum(tokens for _, tokens in self.parts)

    @property
    def extent(self) -> int:
        """Tokens that the whole map stands for."""
        if self.budget is None:
            return max(self.load, 1)
        # A load over the window is drawn whole; a mark says where the window ends.
        return max(self.load, self.budget.window)

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

    @property
    def marks(self) -> list[LimitMark]:
        """The limits: tokens, name and glyph of each."""
        if self.budget is None:
            return []
        marks = [(int(load), name, glyph) for glyph, name, load in limit_marks(self.budget)]
        over = self.load > self.budget.window
        if over:
            return [*marks, (self.budget.window, "window", "▌")]
        return marks

    def cells(self, count: int) -> list[str]:
        """Return the kind of each cell, so that a kind gets cells in proportion to its tokens."""
        size = self.extent / count
        shares: list[dict[str, float]] = [{} for _ in range(count)]
        at = 0.0
        for kind, tokens in self._all_parts():
            end = at + tokens
            for cell in range(int(at / size), min(count, int(end / size) + 1)):
                share = min(end, (cell + 1) * size) - max(at, cell * size)
                if share > 0:
                    shares[cell][kind] = shares[cell].get(kind, 0) + share
            at = end
        # Shares too small for a cell add up until they get one, so no kind is lost by rounding.
        owed = dict.fromkeys(KIND_WORDS, 0.0)
        return [_cell_kind(share, owed, size) for share in shares]

    def _all_parts(self) -> Iterator[MapPart]:
        yield from self.parts
        if self.budget is not None:
            yield "free", max(0, self.budget.usable - self.load)
            # A load above the usable part has taken its share of the reserve.
            yield "reserve", max(0, self.budget.window - max(self.load, self.budget.usable))


def limit_marks(budget: Budget) -> list[tuple[str, str, float]]:
    """Return glyph, name and load of each limit."""
    marks = [("│", "soft", budget.soft_load), ("┃", "hard", budget.hard_load)]
    # A policy that compacts down to the tail has no number for its goal.
    if not budget.down_to_tail:
        marks.insert(0, ("╎", "goal", float(budget.goal_load)))
    return marks


def _cell_kind(share: dict[str, float], owed: dict[str, float], size: float) -> str:
    """Return the kind that is owed most cells, of those that have tokens in this one."""
    for kind, tokens in share.items():
        owed[kind] += tokens / size
    kind = max(share, key=lambda name: owed[name], default="free")
    # Steno's own words are few, and what a reader looks for: they always get their cell.
    if "shorthand" in share:
        kind = "shorthand"
    owed[kind] -= 1
    return kind


def _item_parts(item: Item, view: View) -> Iterator[MapPart]:
    """Return an item's tokens by kind; blocks are counted only if the item mixes kinds."""
    kinds = {
        _block_kind(message, at) for message in item.shows for at in range(len(message.blocks))
    }
    if len(kinds) == 1:
        yield kinds.pop(), item.tokens
        return
    left = item.tokens
    for message in item.shows:
        for at, block in enumerate(message.blocks):
            tokens = min(left, view.meter.block(block))
            left -= tokens
            yield _block_kind(message, at), tokens
    # The overhead of messages belongs to no block.
    if left and item.shows:
        yield kind_of(item.shows[item.main or 0]), left


def _block_kind(message: Message, at: int) -> str:
    if is_fence(message.blocks[at]):
        return "shorthand"
    return kind_of(message)
