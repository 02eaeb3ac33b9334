"""Draw the map of a window: cells in the order the model reads, coloured by what fills them.

Owns marks and the legend. Without colour, letters say what a cell is made of. How tokens become
cells is in `steno.inspector.window_map`.
"""

from __future__ import annotations

from collections.abc import Iterator

from steno.cli.output import QUIET, StyledText, TerminalPage
from steno.core.budget import Pressure
from steno.inspector.window_map import KIND_WORDS, WindowMap

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
