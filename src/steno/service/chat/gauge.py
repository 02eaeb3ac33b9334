"""The gauge: how full the context is, what it is made of, what was cached and spent.

Owns a line for every turn, the same for a prompt's toolbar, and the page of
`/context`. Cells and colours are the window's.
"""

from __future__ import annotations

from collections.abc import Iterator

from steno.core.model import Usage
from steno.service.chat.seat import Seat
from steno.service.commands.page import NOTE, QUIET, Page, Piece
from steno.service.commands.words import counted, item_words, state_of
from steno.service.window import ALARM, STYLES, Window

CELLS = 20
ITEMS_MOST = 6
ROOM = 34
"""Columns of the bar in `/context`."""


def bar(page: Page, window: Window, cells: int) -> Iterator[Piece]:
    """What fills the window, in the order the model reads."""
    for kind in window.cells(cells):
        letter, style, _ = STYLES[kind]
        yield (letter if page.plain or kind in ("free", "reserve") else "█", style)


def line(page: Page, seat: Seat) -> list[Piece]:
    """The gauge in one line of at most 80 columns."""
    session = seat.session
    budget, load = session.budget, session.load
    window = Window.of(session.view, load, budget)
    boundary = session.view.boundary
    sees = f"verbatim from {boundary}" if boundary else "all verbatim"
    return [
        ("context ", QUIET),
        *bar(page, window, CELLS),
        (f" {load / budget.usable:.0%}", ALARM[budget.pressure(load)]),
        (f" of {budget.usable:,} · {sees}{_cost(seat)}", QUIET),
    ]


def _cost(seat: Seat) -> str:
    spent = seat.spent
    told = f" · {short(spent.sent + spent.said)} spent" if spent.sent else ""
    told += f" · {spent.cached / spent.sent:.0%} cached" if spent.cached else ""
    return told + (f" · ${seat.money:.2f}" if seat.money else "")


def short(tokens: int) -> str:
    if tokens < 1_000:
        return str(tokens)
    return f"{tokens / 1_000:.1f}k" if tokens < 1_000_000 else f"{tokens / 1_000_000:.1f}M"


def context(page: Page, seat: Seat) -> None:
    """The page of `/context`: the bar, what it is made of, the boundary, the cost."""
    session = seat.session
    budget, load, view = session.budget, session.load, session.view
    window = Window.of(view, load, budget)
    pressure = budget.pressure(load)
    said = {"none": "no pressure", "soft": "soft pressure: it is compacted soon", "hard": "hard pressure"}[pressure]
    page.line((f"{load:,}", "bold"), f" of {budget.usable:,} usable tokens: ", (said, ALARM[pressure]))
    page.line(*bar(page, window, min(page.width - 4, 100)), indent=2)
    for kind, name, tokens in _parts(seat, window):
        letter, style, _ = STYLES[kind]
        cell = letter if page.plain or kind in ("free", "reserve") else "■"
        page.line((cell, style), f" {name:<22}{tokens:>9,}", (f"{tokens / budget.window:>6.0%}", QUIET), indent=2)
    page.line(
        (f"compacts at {int(budget.soft_load):,}, at once at {int(budget.hard_load):,}", QUIET),
        (f"; window {budget.window:,}", QUIET),
        indent=2,
    )
    page.line()
    _boundary(page, seat)
    _spend(page, seat.spent, seat.money)


def _parts(seat: Seat, window: Window) -> Iterator[tuple[str, str, int]]:
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


def _boundary(page: Page, seat: Seat) -> None:
    """What is covered, and from where on the model sees what was said, word for word."""
    view, count = seat.session.view, len(seat.session.log.messages)
    if not view.boundary:
        page.line(f"The model sees all {counted(count, 'message')} word for word.")
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
        more = f"{len(told) - min(len(told), ITEMS_MOST)} more in short, {counted(hidden, 'message')} not shown"
        page.line((f"{'…':>9}  {more}; /recall 17-42 opens any of them", QUIET))


def _spend(page: Page, spent: Usage, money: float | None) -> None:
    if not spent.sent:
        return
    cached = f", {spent.cached:,} of them from the cache" if spent.cached else ""
    dollars = f"; ${money:.4f} by list prices" if money is not None else ""
    page.line((f"Spent: {spent.sent:,} tokens sent{cached}, {spent.said:,} said{dollars}.", QUIET))
