"""The gauge: how full the context is, what fills it, what was cached and spent.

Owns the line after every turn, which is also the prompt's toolbar, and the page
of `/context`. Cells and colours are those of `window_map.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from steno.cli.chat.runtime import ChatRuntime
from steno.cli.describe import item_words, plural, short_count, state_of
from steno.cli.output import NOTE, QUIET, StyledText, TerminalPage
from steno.cli.window_map import KIND_STYLES, PRESSURE_STYLES, WindowMap, bar_cells, cell_of
from steno.core.model import Usage

GAUGE_CELLS = 20
ITEMS_MOST = 6
"""Edited items that `/context` lists."""
PRESSURE_WORDS = {
    "none": "no pressure",
    "soft": "soft pressure: it is compacted soon",
    "hard": "hard pressure",
}
PART_NAMES = {
    "user": "what you said",
    "assistant": "what the agent said",
    "results": "tool results",
    "shorthand": "summaries and notes",
    "free": "free",
    "reserve": "kept for the reply",
}


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
    """Print the page of `/context`: the bar, what it is made of, the boundary, the cost."""
    session = runtime.session
    budget, load = session.budget, session.load
    window = WindowMap.of(session.view, load, budget)
    pressure = budget.pressure(load)
    page.line(
        (f"{load:,}", "bold"),
        f" of {budget.usable:,} usable tokens: ",
        (PRESSURE_WORDS[pressure], PRESSURE_STYLES[pressure]),
    )
    page.line(*bar_cells(page, window, min(page.width - 4, 100)), indent=2)
    for kind, name, tokens in _window_parts(runtime, window):
        page.line(
            (cell_of(page, kind), KIND_STYLES[kind][1]),
            f" {name:<22}{tokens:>9,}",
            (f"{tokens / budget.window:>6.0%}", QUIET),
            indent=2,
        )
    limits = f"compacts at {int(budget.soft_load):,}, at once at {int(budget.hard_load):,}"
    page.line((f"{limits}; window {budget.window:,}", QUIET), indent=2)
    page.line()
    _print_boundary(page, runtime)
    _print_spend(page, runtime.usage, runtime.dollars)
    system = session.log.compaction.usage
    if system.sent:
        words = f"Of category system (summaries): {system.sent:,} sent, {system.said:,} received."
        page.line((words, QUIET))


def _window_parts(runtime: ChatRuntime, window: WindowMap) -> Iterator[tuple[str, str, int]]:
    """Give kind, name and tokens of each part; system prompt and tools apart."""
    meter = runtime.session.view.meter
    totals = window.totals
    system = min(totals["prompt"], meter.load(meter.count(runtime.system)))
    yield "prompt", "system prompt", system
    yield "prompt", "tools", totals["prompt"] - system
    for kind, name in PART_NAMES.items():
        yield kind, name, totals[kind]


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
