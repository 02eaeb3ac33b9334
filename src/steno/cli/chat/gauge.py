"""The gauge: how full the context is, what it is made of, what was cached and spent.

Owns a line for every turn, the same for a prompt's toolbar, and the page of
`/context`. Cells and colours are the window's.
"""

from __future__ import annotations

from collections.abc import Iterator

from steno.cli.chat.runtime import ChatRuntime
from steno.cli.describe import item_words, plural, state_of
from steno.cli.output import NOTE, QUIET, StyledText, TerminalPage
from steno.cli.window_map import KIND_STYLES, PRESSURE_STYLES, WindowMap
from steno.core.model import Usage

GAUGE_CELLS = 20
ITEMS_MOST = 6
ROOM = 34
"""Columns of the bar in `/context`."""


def bar_cells(page: TerminalPage, window: WindowMap, cells: int) -> Iterator[StyledText]:
    """What fills the window, in the order the model reads."""
    for kind in window.cells(cells):
        letter, style, _ = KIND_STYLES[kind]
        yield (letter if page.plain or kind in ("free", "reserve") else "█", style)


def gauge_line(page: TerminalPage, seat: ChatRuntime) -> list[StyledText]:
    """The gauge in one line of at most 80 columns."""
    session = seat.session
    budget, load = session.budget, session.load
    window = WindowMap.of(session.view, load, budget)
    boundary = session.view.boundary
    sees = f"verbatim from {boundary}" if boundary else "all verbatim"
    return [
        ("context ", QUIET),
        *bar_cells(page, window, GAUGE_CELLS),
        (f" {load / budget.usable:.0%}", PRESSURE_STYLES[budget.pressure(load)]),
        (f" of {budget.usable:,} · {sees}{_cost_text(seat)}", QUIET),
    ]


def _cost_text(seat: ChatRuntime) -> str:
    spent = seat.usage
    told = f" · {short_count(spent.sent + spent.said)} spent" if spent.sent else ""
    told += f" · {spent.cached / spent.sent:.0%} cached" if spent.cached else ""
    return told + (f" · ${seat.dollars:.2f}" if seat.dollars else "")


def short_count(tokens: int) -> str:
    if tokens < 1_000:
        return str(tokens)
    if tokens < 1_000_000:
        return f"{tokens / 1_000:.1f}k"
    return f"{tokens / 1_000_000:.1f}M"


def print_context(page: TerminalPage, seat: ChatRuntime) -> None:
    """The page of `/context`: the bar, what it is made of, the boundary, the cost."""
    session = seat.session
    budget, load, view = session.budget, session.load, session.view
    window = WindowMap.of(view, load, budget)
    pressure = budget.pressure(load)
    said = {
        "none": "no pressure",
        "soft": "soft pressure: it is compacted soon",
        "hard": "hard pressure",
    }[pressure]
    page.line(
        (f"{load:,}", "bold"),
        f" of {budget.usable:,} usable tokens: ",
        (said, PRESSURE_STYLES[pressure]),
    )
    page.line(*bar_cells(page, window, min(page.width - 4, 100)), indent=2)
    for kind, name, tokens in _window_parts(seat, window):
        letter, style, _ = KIND_STYLES[kind]
        cell = letter if page.plain or kind in ("free", "reserve") else "■"
        page.line(
            (cell, style),
            f" {name:<22}{tokens:>9,}",
            (f"{tokens / budget.window:>6.0%}", QUIET),
            indent=2,
        )
    page.line(
        (f"compacts at {int(budget.soft_load):,}, at once at {int(budget.hard_load):,}", QUIET),
        (f"; window {budget.window:,}", QUIET),
        indent=2,
    )
    page.line()
    _print_boundary(page, seat)
    _print_spend(page, seat.usage, seat.dollars)


def _window_parts(seat: ChatRuntime, window: WindowMap) -> Iterator[tuple[str, str, int]]:
    meter = seat.session.view.meter
    totals = window.totals
    system = min(totals["prompt"], meter.load(meter.count(seat.system)))
    yield "prompt", "system prompt", system
    yield "prompt", "tools", totals["prompt"] - system
    for kind, name in (
        ("user", "what you said"),
        ("assistant", "what the agent said"),
        ("results", "tool results"),
        ("shorthand", "summaries and notes"),
        ("free", "free"),
        ("reserve", "kept for the reply"),
    ):
        yield kind, name, totals[kind]


def _print_boundary(page: TerminalPage, seat: ChatRuntime) -> None:
    """What is covered, and from where on the model sees what was said, word for word."""
    view, count = seat.session.view, len(seat.session.log.messages)
    if not view.boundary:
        page.line(f"The model sees all {plural(count, 'message')} word for word.")
        return
    edited = [item for item in view.items if state_of(item, view) in ("covered", "hidden", "short")]
    page.line(
        ("The model sees everything word for word from message ", ""),
        (str(view.boundary), "bold"),
        f" on (there are {count:,}).",
    )
    told = [item for item in edited if state_of(item, view) != "hidden"]
    for item in told[-ITEMS_MOST:]:
        page.line((f"{item.span!s:>9}  ", QUIET), (item_words(item, view), NOTE))
    hidden = sum(len(item.span) for item in edited) - sum(len(item.span) for item in told)
    if len(told) > ITEMS_MOST or hidden:
        more = f"{len(told) - min(len(told), ITEMS_MOST)} more in short, {plural(hidden, 'message')} not shown"
        page.line((f"{'…':>9}  {more}; /recall 17-42 opens any of them", QUIET))


def _print_spend(page: TerminalPage, spent: Usage, money: float | None) -> None:
    if not spent.sent:
        return
    cached = f", {spent.cached:,} of them from the cache" if spent.cached else ""
    dollars = f"; ${money:.4f} by list prices" if money is not None else ""
    page.line((f"Spent: {spent.sent:,} tokens sent{cached}, {spent.said:,} said{dollars}.", QUIET))
