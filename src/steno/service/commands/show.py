"""`steno show`: what the model sees, as a map of its window and item by item.

Looking changes nothing. What a compaction would make of it is worked out in
memory, on a copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from steno.core.view import Item
from steno.engine.designs import policy_of
from steno.service.commands.options import DONE
from steno.service.commands.page import NOTE, QUIET, Page, note, say_json
from steno.service.commands.source import Held, given, limits, source
from steno.service.commands.words import counted, covered_more, item_role, item_words, state_of
from steno.service.window import ALARM, STYLES, Window, paint
from steno.session.session import Session
from steno.session.setup import Told

LINES_MOST = 24
ENDS = 5
"""Items at either end that are listed where there are too many for a page."""
RUN_LEAST = 4
ROLES = {"user": "user", "assistant": "assistant", "tool": "results", "system": "prompt", "steno": "shorthand"}


@dataclass(frozen=True)
class Row:
    """An item in the list, or a run of them that is not listed."""

    items: list[Item]

    @property
    def start(self) -> int:
        return self.items[0].span.start

    @property
    def span(self) -> str:
        last = self.items[-1].span.stop - 1
        return str(self.start) if last == self.start else f"{self.start}-{last}"

    @property
    def tokens(self) -> int:
        return sum(item.tokens for item in self.items)


def show(
    path: str,
    session: str | None,
    told: Told,
    *,
    policy: str | None = None,
    every: bool = False,
    as_json: bool = False,
) -> int:
    with given(path) as file:
        now = source(file, session, told).under(policy_of(policy or "default"))
    asked = told.window or told.model or policy
    after = compacted(now) if asked and now.budget is not None else None
    if as_json:
        say_json(_json(now) | ({"after": _json(after)} if after else {}))
        return DONE
    for warning in now.warnings:
        note(warning)
    page = Page()
    _header(page, now)
    _map(page, now)
    if after is None or not _differs(page, now, after):
        _items(page, now, every)
    else:
        page.heading("After steno compact")
        _map(page, after)
        _items(page, after, every)
    return DONE


def compacted(now: Held) -> Held:
    """What a compaction would make of it; in memory, and only under pressure."""
    session = Session(wire=now.wire, log=now.log, policy=now.policy.but(moment="now"), **limits(now.told))
    session.messages()
    return replace(now, log=session.log, view=session.view)


def _header(page: Page, now: Held) -> None:
    page.line((now.name, "bold"), f" · {now.origin} · {counted(len(now.log.messages), 'message')}")


def _map(page: Page, shown: Held) -> None:
    _fill(page, shown)
    page.line()
    paint(page, Window.of(shown.view, shown.load, shown.budget))


def _fill(page: Page, shown: Held) -> None:
    budget = shown.budget
    if budget is None:
        page.line(f"{shown.load:,} tokens. ", ("Say --window 32k to see them in a window.", QUIET))
        return
    pressure = budget.pressure(shown.load)
    over = shown.load > budget.usable
    words = "does not fit" if over else "no pressure" if pressure == "none" else f"{pressure} pressure"
    share = f"{shown.load / budget.usable:.0%}"
    page.line(
        f"{shown.load:,} tokens, {share} of the {budget.usable:,} usable in a window of {budget.window:,}: ",
        (words, ALARM[pressure]),
    )


def _differs(page: Page, now: Held, after: Held) -> bool:
    if len(after.log.commits) > len(now.log.commits):
        return True
    pressed = now.budget is not None and now.budget.pressure(now.load) != "none"
    page.heading(f"steno compact would leave it as it is: {'nothing may be covered' if pressed else 'no pressure'}")
    return False


def _items(page: Page, shown: Held, every: bool) -> None:
    view = shown.view
    page.line()
    page.line((f"{'span':>10}  {'level':>5}  {'role':<9}  {'tokens':>7}  shows", QUIET))
    boundary = view.boundary
    for row in _rows(shown, every):
        if boundary and row.start == boundary:
            _boundary(page, boundary)
        _row(page, shown, row)
    if not boundary:
        page.line((" " * 12 + "no edit stands: all is shown as it arrived", QUIET))
    elif boundary == len(view.messages):
        page.line((" " * 12 + "there is nothing verbatim after that yet", QUIET))


def _row(page: Page, shown: Held, row: Row) -> None:
    view, first = shown.view, row.items[0]
    if len(row.items) > 1:
        inside = "as said" if all(state_of(item, view) == "said" for item in row.items) else "some in short"
        page.line((f"{row.span:>10}  {'…':>5}  {'':<9}  {row.tokens:>7,}  {len(row.items)} items, {inside}", QUIET))
        return
    role, state = item_role(first, view), state_of(first, view)
    words = ("pinned: " if first.span.start in shown.told.pins else "") + item_words(first, view)
    page.line(
        f"{row.span:>10}  {first.level:>5}  ",
        (f"{role:<9}", STYLES[ROLES.get(role, "user")][1]),
        f"  {row.tokens:>7,}  ",
        (words, NOTE if state in ("covered", "hidden", "short") else ""),
    )
    if state == "covered":
        page.line((covered_more(first), NOTE), indent=39)


def _boundary(page: Page, boundary: int) -> None:
    words = f"── verbatim from {boundary} on "
    page.line((" " * 12 + words + "─" * max(0, page.width - 12 - len(words)), QUIET))


def _rows(shown: Held, every: bool) -> Iterator[Row]:
    """Every item, or both ends, what is covered and the boundary; what lies between, in runs."""
    items = list(shown.view.items)
    if every or len(items) <= LINES_MOST:
        yield from (Row([item]) for item in items)
        return
    run: list[Item] = []
    for at, item in enumerate(items):
        apart = at < ENDS or at >= len(items) - ENDS or item.span.start in shown.told.pins
        apart = apart or state_of(item, shown.view) in ("covered", "hidden")
        if apart or item.span.start == shown.view.boundary:
            yield from _folded(run)
            run = []
        if apart:
            yield Row([item])
        else:
            run.append(item)


def _folded(run: list[Item]) -> Iterator[Row]:
    """A run on one line, where that is shorter."""
    if len(run) > RUN_LEAST:
        yield Row(run)
    else:
        yield from (Row([item]) for item in run)


def _json(shown: Held) -> dict[str, Any]:
    view, budget = shown.view, shown.budget
    window = Window.of(view, shown.load, budget)
    return {
        "name": shown.name,
        "kind": shown.kind,
        "wire": shown.wire.name,
        "meter": view.meter.name,
        "messages": len(shown.log.messages),
        "commits": len(shown.log.commits),
        "load": shown.load,
        "said": shown.said,
        "window": budget and budget.window,
        "usable": budget and budget.usable,
        "goal": budget and budget.goal_load,
        "pressure": budget and str(budget.pressure(shown.load)),
        "fits": None if budget is None else shown.load <= budget.usable,
        "boundary": view.boundary,
        "pins": list(shown.told.pins),
        "tokens": window.totals,
        "items": [
            {
                "span": str(item.span),
                "level": item.level,
                "role": item_role(item, view),
                "tokens": item.tokens,
                "state": state_of(item, view),
                "shows": item_words(item, view),
            }
            for item in view.items
        ],
        "warnings": list(shown.warnings),
    }
