"""Draw the map of a window: cells in the order the model reads, coloured by what fills them.

Owns how tokens become cells, marks and a legend. Without colour, letters say
what a cell is made of. What an item shows in words is in `describe.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from steno.cli.describe import is_fence, kind_of
from steno.cli.output import QUIET, StyledText, TerminalPage
from steno.core.budget import Budget, Pressure
from steno.core.item import Item
from steno.core.message import Message
from steno.core.view import View

KIND_STYLES = {
    "prompt": ("P", "blue", "prompt, tools"),
    "shorthand": ("S", "magenta", "Steno's shorthand"),
    "user": ("U", "green", "user"),
    "assistant": ("A", "cyan", "agent"),
    "results": ("R", "yellow", "tool results"),
    "free": ("·", QUIET, "free"),
    "reserve": ("░", QUIET, "kept for the reply"),
}
PROMPT_LEAST = 20
"""Tokens of a prompt from which on it was there; less is what every request costs."""
CELL, FULL = "■", "█"
ROWS = 8
LEFT, RIGHT, INDENT = 11, 19, 4
"""Columns beside the cells, for the tokens before the row and the marks in it."""
PRESSURE_STYLES = {Pressure.NONE: "green", Pressure.SOFT: "yellow", Pressure.HARD: "bold red"}

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
        totals = dict.fromkeys(KIND_STYLES, 0)
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
        owed = dict.fromkeys(KIND_STYLES, 0.0)
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


def print_map(page: TerminalPage, window: WindowMap) -> None:
    """Print rows of cells, with the tokens before each row on its left and limits on its right."""
    across = max(10, page.width - LEFT - RIGHT)
    cells = window.cells(across * ROWS)
    size = window.extent / len(cells)
    marks = {
        min(len(cells) - 1, int(at / size)): (at, name, glyph) for at, name, glyph in window.marks
    }
    for row in range(ROWS):
        start = row * across
        here = [marks[cell] for cell in range(start, start + across) if cell in marks]
        names = "  ".join(f"{glyph} {name}" for _, name, glyph in here)
        glyphs = {cell - start: glyph for cell, (_, _, glyph) in marks.items()}
        page.line(
            (f"{int(start * size):>{LEFT - 2},}  ", QUIET),
            *_map_row(page, cells[start : start + across], glyphs),
            (f"  {names}", QUIET),
        )
    page.line()
    for line in _legend(page, window):
        page.line(*line)
    each = "Each cell is a part of a token"
    if size >= 1:
        each = f"Each cell is {round(size):,} tokens"
    page.line((f"{each}, in the order the model reads.", QUIET), indent=INDENT)
    if window.totals["prompt"] < PROMPT_LEAST:
        absent = "System prompt and tools"
        # The first part is what is beyond the items; a system message is one of these.
        if any(kind == "prompt" for kind, _ in window.parts[1:]):
            absent = "Tools"
        page.line((f"{absent} are not in the file, and not counted.", QUIET), indent=INDENT)


def _map_row(page: TerminalPage, cells: list[str], glyphs: dict[int, str]) -> Iterator[StyledText]:
    for at, kind in enumerate(cells):
        style = KIND_STYLES[kind][1]
        if at not in glyphs:
            yield cell_of(page, kind), style
        elif kind in ("free", "reserve") or page.plain:
            yield glyphs[at], "bold"
        else:
            yield glyphs[at], f"bold reverse {style}"


def cell_of(page: TerminalPage, kind: str, cell: str = CELL) -> str:
    """Return the character for a kind: a letter if colours cannot tell kinds apart."""
    if page.plain or kind in ("free", "reserve"):
        return KIND_STYLES[kind][0]
    return cell


def bar_cells(page: TerminalPage, window: WindowMap, count: int) -> Iterator[StyledText]:
    """Give a window as one line of cells, with the limits that are still ahead."""
    size = window.extent / count
    glyphs = {min(count - 1, int(at / size)): glyph for at, _, glyph in window.marks}
    for at, kind in enumerate(window.cells(count)):
        cell = cell_of(page, kind, FULL)
        if kind in ("free", "reserve"):
            cell = glyphs.get(at, cell)
        yield cell, KIND_STYLES[kind][1]


def _legend(page: TerminalPage, window: WindowMap) -> Iterator[list[StyledText]]:
    named = [(kind, tokens) for kind, tokens in window.totals.items() if tokens]
    for pair in (named[at : at + 2] for at in range(0, len(named), 2)):
        line: list[StyledText] = [" " * INDENT]
        for kind, tokens in pair:
            _, style, words = KIND_STYLES[kind]
            share = f"{tokens / window.extent:.0%}"
            line += [
                (cell_of(page, kind), style),
                f" {words:<18}",
                (f"{tokens:>9,} {share:>4}   ", QUIET),
            ]
        yield line
    if window.marks:
        limits = "   ".join(f"{glyph} {name} {at:,}" for at, name, glyph in window.marks)
        yield [" " * INDENT, (limits, QUIET)]
