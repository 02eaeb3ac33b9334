"""The gauge: how full the context is, what fills it, what was cached and spent.

Owns the line after every turn, which is also the prompt's toolbar, and the page
of `/context`. Cells and colours are those of `window_map.py`.
"""

from __future__ import annotations

from steno.cli.chat.runtime import ChatRuntime
from steno.cli.describe import item_words, plural, short_count, state_of
from steno.cli.output import NOTE, QUIET, StyledText, TerminalPage
from steno.cli.window_map import PRESSURE_STYLES, WindowMap, bar_cells, print_map
from steno.core.model import Usage

GAUGE_CELLS = 20
ITEMS_MOST = 6
"""Edited items that `/context` lists."""


def gauge_line(page: TerminalPage, runtime: ChatRuntime) -> list[StyledText]:
    """Return the gauge as one line of at most 80 columns."""
    session = runtime.session
    budget, load = session.budget, session.load
    window = WindowMap.of(session.view, load, budget)
    words = "all verbatim"
    if session.view.boundary:
        words = f"verbatim from {session.view.boundary}"
    return [
        ("context ", QUIET),
        *bar_cells(page, window, GAUGE_CELLS),
        (f" {load / budget.usable:.0%}", PRESSURE_STYLES[budget.pressure(load)]),
        (f" of {budget.usable:,} · {words}{_cost_text(runtime)}", QUIET),
    ]


def _cost_text(runtime: ChatRuntime) -> str:
    usage = runtime.usage
    if not usage.sent:
        return ""
    words = f" · {short_count(usage.sent + usage.said)} spent"
    if usage.cached:
        words += f" · {usage.cached / usage.sent:.0%} cached"
    if runtime.dollars:
        words += f" · ${runtime.dollars:.2f}"
    return words


def print_context(page: TerminalPage, runtime: ChatRuntime) -> None:
    """Print the page of `/context`: the map of the window, the boundary, the cost."""
    session = runtime.session
    budget, load = session.budget, session.load
    pressure = budget.pressure(load)
    page.line(
        (f"{load:,}", "bold"),
        f" of {budget.usable:,} usable tokens: ",
        (f"{pressure} pressure", PRESSURE_STYLES[pressure]),
    )
    print_map(page, WindowMap.of(session.view, load, budget))
    limits = f"compacts at {int(budget.soft_load):,}, at once at {int(budget.hard_load):,}"
    page.line((f"{limits}; window {budget.window:,}", QUIET))
    page.line()
    _print_boundary(page, runtime)
    _print_spend(page, runtime.usage, runtime.dollars)
    system = session.log.compaction.usage
    if system.sent:
        words = f"Of category system (summaries): {system.sent:,} sent, {system.said:,} received."
        page.line((words, QUIET))


def _print_boundary(page: TerminalPage, runtime: ChatRuntime) -> None:
    """Print from where on the model sees messages word for word, and what is before that."""
    view, count = runtime.session.view, len(runtime.session.log.messages)
    if not view.boundary:
        page.line(f"The model sees all {plural(count, 'message')} word for word.")
        return
    page.line(
        "The model sees everything word for word from message ",
        (str(view.boundary), "bold"),
        f" on (there are {count:,}).",
    )
    shown, hidden = [], 0
    for item in view.items:
        state = state_of(item, view)
        if state == "hidden":
            hidden += len(item.span)
        elif state in ("covered", "short"):
            shown.append(item)
    for item in shown[-ITEMS_MOST:]:
        page.line((f"{item.span!s:>9}  ", QUIET), (item_words(item, view), NOTE))
    more = max(0, len(shown) - ITEMS_MOST)
    if more or hidden:
        words = f"{more} more shortened, {plural(hidden, 'message')} not shown"
        page.line((f"{'…':>9}  {words}; /recall 17-42 opens any of them", QUIET))


def _print_spend(page: TerminalPage, usage: Usage, dollars: float | None) -> None:
    if not usage.sent:
        return
    words = f"Spent: {usage.sent:,} tokens sent"
    if usage.cached:
        words += f", {usage.cached:,} of them from the cache"
    words += f", {usage.said:,} received"
    if dollars is not None:
        words += f"; ${dollars:.4f} by list prices"
    page.line((f"{words}.", QUIET))
