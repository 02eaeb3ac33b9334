"""`steno show`: what the model sees, as a map of its window and item by item."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import Annotated

from steno.cli import options as cli
from steno.cli.output import NOTE, QUIET, TerminalPage, print_note, print_report
from steno.cli.source import input_file, is_store, load_conversation
from steno.cli.window_map import INDENT, KIND_STYLES, PRESSURE_STYLES, print_map
from steno.core.budget import Budget
from steno.core.item import Item
from steno.core.message import Span
from steno.core.model import Usage
from steno.core.view import View
from steno.inspector.conversation import LoadedConversation
from steno.inspector.describe import (
    KINDS,
    first_words,
    head_tokens,
    item_role,
    item_words,
    plural,
    state_of,
    state_tokens,
)
from steno.inspector.reports import view_report
from steno.inspector.window_map import WindowMap
from steno.providers.bill import NOT_BILLED, SUB_AGENT
from steno.session.settings import StoredSettings
from steno.transcripts.usage import reported_usage

LINES_MOST = 24
"""Items that are all listed; of more, runs are folded into one line."""
ENDS = 5
"""Items at either end that are listed even if runs are folded."""
RUN_LEAST = 5
"""Items that make a run worth folding."""


def show(
    path: cli.SourceArgument,
    session: cli.SessionOption = None,
    window: cli.WindowOption = None,
    model: cli.ModelOption = None,
    limit: cli.LimitOption = None,
    reserve: cli.ReserveOption = None,
    policy: cli.PolicyOption = None,
    every: Annotated[bool, cli.flag("--all", "List every item.")] = False,
    strict: cli.StrictOption = False,
    as_json: cli.JsonOption = False,
) -> None:
    """Show what the model sees: a map of its window, then item by item.

    Each cell of the map is a share of the window, coloured by what fills it, in the order the
    model reads. Each item says which positions it shows or covers. With --window, also what a
    compaction would make of it; nothing is changed.

    Examples

      steno show agent.db                      a store with one session
      steno show agent.db -s research-42 --all   one of several, every item
      steno show session.jsonl --window 32k    a transcript, now and compacted
    """
    limits = StoredSettings(window=window, limit=limit, model=model, reserve=reserve)
    with input_file(path, strict=strict) as file:
        now = load_conversation(file, session, limits)
        # A store and a list of messages do not say what was billed.
        usage = None
        if not is_store(file):
            usage = reported_usage(file)
    now = now.with_policy(policy)
    after = None
    if now.budget is not None and (window or model or policy):
        after = now.compacted()
    report = view_report(now) | {"reported": usage}
    if after is not None:
        report["after"] = view_report(after)
    print_report(report, as_json, partial(_print_views, now, after, every, usage))


def _print_views(
    now: LoadedConversation,
    after: LoadedConversation | None,
    every: bool,
    usage: Usage | None,
    page: TerminalPage,
) -> None:
    print_note(*now.warnings)
    page.line((now.name, "bold"), now.headline)
    print_window(page, now.view, now.load, now.budget)
    page.quiet(now.counting, indent=INDENT)
    if usage is not None:
        cached = f"{usage.cached / max(1, usage.sent):.0%} from its cache"
        words = f"The provider reported {usage.sent:,} sent ({cached}), {usage.said:,} received."
        page.quiet(words, indent=INDENT)
    tools = now.tool_figures
    if tools["defined"]:
        defined = plural(tools["defined"], "tool definition")
        words = f"{defined}: {tools['tokens']:,} tokens; {len(tools['called'])} were called."
        page.quiet(words, indent=INDENT)
    if now.parent or any(request.kind == SUB_AGENT for request in now.requests):
        begun = f", begun by {now.parent}" * bool(now.parent)
        page.quiet(f"A sub-agent's session{begun}.", indent=INDENT)
    if now.bill.spent or now.requests:
        page.quiet(f"{now.bill.counted}: {now.bill.words}", indent=INDENT)
    elif now.kind == "store":
        page.quiet(NOT_BILLED, indent=INDENT)
    if after is not None and after.skip_reason:
        page.line()
        page.sentence(f"steno compact would leave it as it is: {after.skip_reason}", "bold")
    elif after is not None:
        page.heading("After steno compact")
        print_window(page, after.view, after.load, after.budget)
    print_items(page, after or now, every)


def print_window(page: TerminalPage, view: View, load: int, budget: Budget | None) -> None:
    """Print how full a window is, and the map of it."""
    if budget is None:
        page.line(f"{load:,} tokens. ", ("Add --window 32k to see them in a window.", QUIET))
    else:
        pressure = budget.pressure(load)
        words = f"{pressure} pressure".replace("none", "no")
        if load > budget.usable:
            words = "does not fit"
        page.line(
            f"{load:,} tokens, {load / budget.usable:.0%} of the {budget.usable:,} usable ",
            f"in a window of {budget.window:,}: ",
            (words, PRESSURE_STYLES[pressure]),
        )
    page.line()
    print_map(page, WindowMap.of(view, load, budget))


def print_items(page: TerminalPage, shown: LoadedConversation, every: bool = False) -> None:
    """Print what each item shows; runs of items in the middle are folded unless `every`."""
    view = shown.view
    page.line()
    page.quiet(f"{'span':>10}  {'level':>5}  {'role':<9}  {'tokens':>7}  shows")
    if view.head is not None:
        words = f"the block of constraints, {len(shown.given)} given"
        page.line(f"{'':>19}", ("steno    ", NOTE), f"  {head_tokens(view):>7,}  ", (words, NOTE))
    boundary = view.boundary
    for row in item_rows(shown, every):
        if boundary and row[0].span.start == boundary:
            words = " " * 12 + f"── verbatim from {boundary} on "
            page.quiet(words + "─" * max(0, page.width - len(words)))
        if len(row) > 1:
            _print_run(page, shown, row)
        else:
            _print_item(page, shown, row[0])
    if not boundary:
        page.quiet(" " * 12 + "nothing is edited: all messages are as they arrived")
    elif boundary == len(view.messages):
        page.quiet(" " * 12 + "no message is verbatim after that yet")


def _print_run(page: TerminalPage, shown: LoadedConversation, row: list[Item]) -> None:
    words = "some shortened"
    if all(state_of(item, shown.view) == "said" for item in row):
        words = "as said"
    words = f"{len(row)} items, {words}"
    tokens = shown.view.meter.load(sum(item.tokens for item in row))
    page.quiet(f"{row_span(row):>10}  {'…':>5}  {'':<9}  {tokens:>7,}  {words}")


def row_span(row: list[Item]) -> str:
    """Name the positions of items that follow each other."""
    return str(Span(row[0].span.start, row[-1].span.stop))


def _print_item(page: TerminalPage, shown: LoadedConversation, item: Item) -> None:
    role = item_role(item, shown.view)
    state = state_of(item, shown.view)
    in_it = state_tokens(item, shown.view)
    words = item_words(item, shown.view)
    if item.span.start in shown.settings.pins:
        words = f"pinned: {words}"
    style = ""
    if state in ("covered", "hidden", "short"):
        style = NOTE
    page.line(
        f"{item.span!s:>10}  {item.level:>5}  ",
        (f"{role:<9}", KIND_STYLES[KINDS.get(role, "user")][1]),
        f"  {shown.view.meter.load(item.tokens) - in_it:>7,}  ",
        (words, style),
    )
    if state == "covered" and (details := _covered_details(item)):
        page.line((details, NOTE), indent=39)
    if in_it:
        words = "where the whole work stands, in that summary"
        page.line(f"{'':>19}", ("steno    ", NOTE), f"  {in_it:>7,}  ", (words, NOTE))


def _covered_details(item: Item) -> str:
    """Return what the user asked in a covered span, and which tools were called."""
    summary = item.summary
    if summary is None:
        return " ".join(map(first_words, item.shows[:1]))
    calls = [f"{name} ×{count}" for name, count in summary.calls[:3]]
    parts = [", ".join(calls)]
    if summary.first:
        parts.append(f"“{summary.first[1]}”")
    return "; ".join(filter(None, parts))


def item_rows(shown: LoadedConversation, every: bool) -> list[list[Item]]:
    """List every item, or the ends, pins and covers, with runs of the others between them."""
    items, pins = shown.view.items, shown.settings.pins
    ends = {*items[:ENDS], *items[-ENDS:]}

    def place(item: Item) -> tuple[bool, bool]:
        covered = state_of(item, shown.view) in ("covered", "hidden")
        alone = covered or item in ends or item.span.start in pins
        return alone, item.span.start < shown.view.boundary

    rows: list[list[Item]] = []
    for (alone, _), found in groupby(items, place):
        run = list(found)
        if every or alone or len(items) <= LINES_MOST or len(run) < RUN_LEAST:
            rows += [[item] for item in run]
        else:
            rows.append(run)
    return rows
