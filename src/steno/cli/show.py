"""`steno show`: what the model sees, as a map of its window and item by item.

Looking changes nothing. What a compaction would make of it is worked out in
memory, on a copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from steno.cli.describe import covered_details, item_role, item_words, plural, state_of
from steno.cli.options import DONE
from steno.cli.output import NOTE, QUIET, TerminalPage, print_json, print_note
from steno.cli.source import LoadedConversation, input_file, limit_options, load_conversation
from steno.cli.window_map import KIND_STYLES, PRESSURE_STYLES, WindowMap, print_map
from steno.core.item import Item
from steno.engine.designs import resolve_policy
from steno.session.session import Session
from steno.session.settings import StoredSettings

LINES_MOST = 24
ENDS = 5
"""Items at either end that are listed where there are too many for a page."""
RUN_LEAST = 4
ROLES = {
    "user": "user",
    "assistant": "assistant",
    "tool": "results",
    "system": "prompt",
    "steno": "shorthand",
}


@dataclass(frozen=True)
class ItemRow:
    """An item in the list, or a run of them that is not listed."""

    items: list[Item]

    @property
    def start(self) -> int:
        return self.items[0].span.start

    @property
    def span(self) -> str:
        last = self.items[-1].span.stop - 1
        if last == self.start:
            return str(self.start)
        return f"{self.start}-{last}"

    @property
    def tokens(self) -> int:
        return sum(item.tokens for item in self.items)


def show(
    path: str,
    session: str | None,
    told: StoredSettings,
    *,
    policy: str | None = None,
    every: bool = False,
    as_json: bool = False,
) -> int:
    with input_file(path) as file:
        now = load_conversation(file, session, told).with_policy(
            resolve_policy(policy or "default")
        )
    asked = told.window or told.model or policy
    after = preview_compaction(now) if asked and now.budget is not None else None
    if as_json:
        print_json(_as_json(now) | ({"after": _as_json(after)} if after else {}))
        return DONE
    for warning in now.warnings:
        print_note(warning)
    page = TerminalPage()
    _print_header(page, now)
    _print_window(page, now)
    if after is None or not _differs(page, now, after):
        _print_items(page, now, every)
    else:
        page.heading("After steno compact")
        _print_window(page, after)
        _print_items(page, after, every)
    return DONE


def preview_compaction(now: LoadedConversation) -> LoadedConversation:
    """What a compaction would make of it; in memory, and only under pressure."""
    session = Session(
        wire=now.wire, log=now.log, policy=now.policy.but(moment="now"), **limit_options(now.told)
    )
    session.messages()
    return replace(now, log=session.log, view=session.view)


def _print_header(page: TerminalPage, now: LoadedConversation) -> None:
    page.line((now.name, "bold"), f" · {now.origin} · {plural(len(now.log.messages), 'message')}")


def _print_window(page: TerminalPage, shown: LoadedConversation) -> None:
    _print_fill(page, shown)
    page.line()
    print_map(page, WindowMap.of(shown.view, shown.load, shown.budget))


def _print_fill(page: TerminalPage, shown: LoadedConversation) -> None:
    budget = shown.budget
    if budget is None:
        page.line(f"{shown.load:,} tokens. ", ("Say --window 32k to see them in a window.", QUIET))
        return
    pressure = budget.pressure(shown.load)
    over = shown.load > budget.usable
    words = (
        "does not fit" if over else "no pressure" if pressure == "none" else f"{pressure} pressure"
    )
    share = f"{shown.load / budget.usable:.0%}"
    page.line(
        f"{shown.load:,} tokens, {share} of the {budget.usable:,} usable in a window of {budget.window:,}: ",
        (words, PRESSURE_STYLES[pressure]),
    )


def _differs(page: TerminalPage, now: LoadedConversation, after: LoadedConversation) -> bool:
    if len(after.log.commits) > len(now.log.commits):
        return True
    pressed = now.budget is not None and now.budget.pressure(now.load) != "none"
    page.heading(
        f"steno compact would leave it as it is: {'nothing may be covered' if pressed else 'no pressure'}"
    )
    return False


def _print_items(page: TerminalPage, shown: LoadedConversation, every: bool) -> None:
    view = shown.view
    page.line()
    page.line((f"{'span':>10}  {'level':>5}  {'role':<9}  {'tokens':>7}  shows", QUIET))
    boundary = view.boundary
    for row in _item_rows(shown, every):
        if boundary and row.start == boundary:
            _print_boundary(page, boundary)
        _print_row(page, shown, row)
    if not boundary:
        page.line((" " * 12 + "no edit stands: all is shown as it arrived", QUIET))
    elif boundary == len(view.messages):
        page.line((" " * 12 + "there is nothing verbatim after that yet", QUIET))


def _print_row(page: TerminalPage, shown: LoadedConversation, row: ItemRow) -> None:
    view, first = shown.view, row.items[0]
    if len(row.items) > 1:
        inside = (
            "as said"
            if all(state_of(item, view) == "said" for item in row.items)
            else "some in short"
        )
        page.line(
            (
                f"{row.span:>10}  {'…':>5}  {'':<9}  {row.tokens:>7,}  {len(row.items)} items, {inside}",
                QUIET,
            )
        )
        return
    role, state = item_role(first, view), state_of(first, view)
    words = ("pinned: " if first.span.start in shown.told.pins else "") + item_words(first, view)
    page.line(
        f"{row.span:>10}  {first.level:>5}  ",
        (f"{role:<9}", KIND_STYLES[ROLES.get(role, "user")][1]),
        f"  {row.tokens:>7,}  ",
        (words, NOTE if state in ("covered", "hidden", "short") else ""),
    )
    if state == "covered":
        page.line((covered_details(first), NOTE), indent=39)


def _print_boundary(page: TerminalPage, boundary: int) -> None:
    words = f"── verbatim from {boundary} on "
    page.line((" " * 12 + words + "─" * max(0, page.width - 12 - len(words)), QUIET))


def _item_rows(shown: LoadedConversation, every: bool) -> Iterator[ItemRow]:
    """Every item, or both ends, what is covered and the boundary; what lies between, in runs."""
    items = list(shown.view.items)
    if every or len(items) <= LINES_MOST:
        yield from (ItemRow([item]) for item in items)
        return
    run: list[Item] = []
    for at, item in enumerate(items):
        apart = at < ENDS or at >= len(items) - ENDS or item.span.start in shown.told.pins
        apart = apart or state_of(item, shown.view) in ("covered", "hidden")
        if apart or item.span.start == shown.view.boundary:
            yield from _fold_run(run)
            run = []
        if apart:
            yield ItemRow([item])
        else:
            run.append(item)


def _fold_run(run: list[Item]) -> Iterator[ItemRow]:
    """A run on one line, where that is shorter."""
    if len(run) > RUN_LEAST:
        yield ItemRow(run)
    else:
        yield from (ItemRow([item]) for item in run)


def _as_json(shown: LoadedConversation) -> dict[str, Any]:
    view, budget = shown.view, shown.budget
    window = WindowMap.of(view, shown.load, budget)
    return {
        "name": shown.name,
        "kind": shown.kind,
        "wire": shown.wire.name,
        "meter": view.meter.name,
        "messages": len(shown.log.messages),
        "commits": len(shown.log.commits),
        "load": shown.load,
        "said": shown.total_tokens,
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
