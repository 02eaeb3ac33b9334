"""Draw the map of a window: cells in the order the model reads, coloured or lettered by kind."""

from __future__ import annotations

from collections.abc import Iterator

from steno.cli.output import QUIET, StyledText, TerminalPage
from steno.core.budget import Pressure
from steno.inspector.window_map import KIND_WORDS, LimitMark, MapPart, WindowMap

KIND_STYLES = {
    "prompt": ("P", "blue"),
    "shorthand": ("S", "magenta"),
    "user": ("U", "green"),
    "assistant": ("A", "cyan"),
    "results": ("R", "yellow"),
    "free": ("·", QUIET),
    "reserve": ("░", QUIET),
}
PROMPT_LEAST = 20
"""Tokens of a prompt from which on it was there; less is what every request costs."""
CELL, FULL = "■", "█"
ROWS = 8
LEFT, RIGHT, INDENT = 11, 19, 4
"""Columns beside the cells, for the tokens before the row and the marks in it."""
PRESSURE_STYLES = {Pressure.NONE: "green", Pressure.SOFT: "yellow", Pressure.HARD: "bold red"}


def print_map(page: TerminalPage, window: WindowMap) -> None:
    """Print rows of cells, with the tokens before each row on its left and limits on its right."""
    across = max(10, page.width - LEFT - RIGHT)
    cells = cells_of(window, across * ROWS)
    size = window.extent / len(cells)
    marks = placed_marks(window, len(cells))
    for start in range(0, len(cells), across):
        row = range(start, start + across)
        names = "  ".join(f"{marks[at][2]} {marks[at][1]}" for at in row if at in marks)
        page.line(
            (f"{int(start * size):>{LEFT - 2},}  ", QUIET),
            *(_map_cell(page, cells[at], marks.get(at)) for at in row),
            (f"  {names}", QUIET),
        )
    page.line()
    for line in _legend(page, window):
        page.line(*line)
    each = "Each cell is a part of a token"
    if size >= 1:
        each = f"Each cell is {round(size):,} tokens"
    page.quiet(f"{each}, in the order the model reads.", indent=INDENT)
    if window.totals["prompt"] < PROMPT_LEAST:
        absent = "System prompt and tools"
        # The first part is what is beyond the items; a system message is one of these.
        if any(kind == "prompt" for kind, _ in window.parts[1:]):
            absent = "Tools"
        page.quiet(f"{absent} are not in the file, and not counted.", indent=INDENT)


def placed_marks(window: WindowMap, count: int) -> dict[int, LimitMark]:
    """Return the limits by the cells that they stand in."""
    size = window.extent / count
    return {min(count - 1, int(mark[0] / size)): mark for mark in window.marks}


def _map_cell(page: TerminalPage, kind: str, mark: LimitMark | None) -> StyledText:
    style = KIND_STYLES[kind][1]
    if mark is None:
        return cell_of(page, kind), style
    if kind in ("free", "reserve") or page.plain:
        return mark[2], "bold"
    return mark[2], f"bold reverse {style}"


def cell_of(page: TerminalPage, kind: str, cell: str = CELL) -> str:
    """Return the character for a kind: a letter if colours cannot tell kinds apart."""
    if page.plain or kind in ("free", "reserve"):
        return KIND_STYLES[kind][0]
    return cell


def bar_cells(page: TerminalPage, window: WindowMap, count: int) -> Iterator[StyledText]:
    """Give a window as one line of cells, with the limits that are still ahead."""
    marks = placed_marks(window, count)
    for at, kind in enumerate(cells_of(window, count)):
        cell = cell_of(page, kind, FULL)
        if kind in ("free", "reserve") and at in marks:
            cell = marks[at][2]
        yield cell, KIND_STYLES[kind][1]


def _legend(page: TerminalPage, window: WindowMap) -> Iterator[list[StyledText]]:
    named = [(kind, tokens) for kind, tokens in window.totals.items() if tokens]
    for pair in (named[at : at + 2] for at in range(0, len(named), 2)):
        line: list[StyledText] = [" " * INDENT]
        for kind, tokens in pair:
            style, words = KIND_STYLES[kind][1], KIND_WORDS[kind]
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


def cells_of(window: WindowMap, count: int) -> list[str]:
    """Return the kind of each cell, so that a kind gets cells in proportion to its tokens."""
    size = window.extent / count
    shares: list[dict[str, float]] = [{} for _ in range(count)]
    at = 0.0
    for kind, tokens in _all_parts(window):
        end = at + tokens
        for cell in range(int(at / size), min(count, int(end / size) + 1)):
            share = min(end, (cell + 1) * size) - max(at, cell * size)
            if share > 0:
                shares[cell][kind] = shares[cell].get(kind, 0) + share
        at = end
    # Shares too small for a cell add up until they get one, so no kind is lost by rounding.
    owed = dict.fromkeys(KIND_WORDS, 0.0)
    return [_cell_kind(share, owed, size) for share in shares]


def _all_parts(window: WindowMap) -> Iterator[MapPart]:
    yield from window.parts
    if window.budget is not None:
        yield "free", max(0, window.budget.usable - window.load)
        # A load above the usable part has taken its share of the reserve.
        yield "reserve", max(0, window.budget.window - max(window.load, window.budget.usable))


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
