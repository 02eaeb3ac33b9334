"""`steno price`: what a session cost, what it would have cost, and whether compacting pays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from steno.cli.options import (
    DONE,
    PRICED_MODEL_OPTION,
    JsonOption,
    SessionOption,
    SourceArgument,
    StrictOption,
    WindowOption,
    flag,
    option,
)
from steno.cli.output import QUIET, TerminalPage, print_json
from steno.cli.recorded_sessions import load_recorded_sessions
from steno.cli.replay import setting_for
from steno.cli.reported_usage import ReportedUsage, reported_usage
from steno.cli.source import input_file
from steno.core.errors import BadInput
from steno.core.log import system_usage
from steno.core.price import CompactionCandidate, Payoff, Prices, best_candidate, payoff_of
from steno.lab.baselines import SlidingWindow
from steno.lab.bill import ReplaySetting, shared_characters
from steno.lab.ours import AsItWas, StenoPolicy
from steno.lab.policies import STENO_POLICIES
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayRequest
from steno.lab.run import replay_session
from steno.lab.score import Score
from steno.lab.text import CHARACTERS_PER_TOKEN
from steno.meters import lookup_model
from steno.meters.catalog import model_prices

REPORTED, WITHOUT, WITH = "as reported", "as it was, no cache", "as it was"
SYSTEM = "system (summaries)"
ESTIMATED = "The rest: characters / 4 of the messages; prompt and tools are not in the file."
DEPTHS = (0.9, 0.75, 0.6, 0.45, 0.3)
"""Shares of the current size that a compaction is tried with."""


@dataclass(frozen=True)
class CostRow:
    """One way to pay for the session."""

    name: str
    sent: int
    cached: int
    input: float
    output: float

    @property
    def total(self) -> float:
        return self.input + self.output


@dataclass(frozen=True)
class CompactionNow:
    """The compaction at the end of the session that saves most."""

    case: CompactionCandidate
    payoff: Payoff


@dataclass(frozen=True)
class SessionCost:
    """The costs of one session."""

    session: RecordedSession
    rows: list[CostRow]
    now: CompactionNow | None
    system: CostRow | None = None
    """What its summaries cost, booked under `system`, if writers were asked."""


def price(
    path: SourceArgument,
    model: Annotated[str, PRICED_MODEL_OPTION],
    window: WindowOption = None,
    turns: Annotated[
        int, option("--turns", "N", "Turns to come, to compute what pays.", min=1)
    ] = 50,
    idle: Annotated[
        float, option("--idle", "MINUTES", "Time since the last request; a cache expires.", min=0)
    ] = 0.0,
    cache: Annotated[
        Literal["5m", "30m", "1h", "12h"] | None,
        flag("--cache", "How long the provider is asked to keep its cache."),
    ] = None,
    session: SessionOption = None,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> int:
    """Say what a session cost, what it would have cost, and whether compacting it now pays.

    As the provider reported it, if the transcript keeps that; with and without a prompt cache;
    under a sliding window and under Steno. Then what a compaction now would save in each turn to
    come, against what it costs to write the cache anew. After a pause (--idle) longer than the
    provider keeps its cache, that cost is due anyway.

    Examples

      steno price session.jsonl --model claude-sonnet-5   in the model's own window
      steno price agent.db -m gpt-5 --window 64k --turns 200
      steno price session.jsonl -m claude-sonnet-5 --idle 10  after a pause
      steno price session.jsonl -m claude-sonnet-5 --idle 10 --cache 1h
    """
    # Looked up first: an error about unknown prices is clearer than one about the window.
    prices = model_prices(model).kept_for(cache)
    setting = setting_for(window or lookup_model(model).window, 0, model)
    with input_file(path, strict=strict) as file:
        found = load_recorded_sessions(file, session)
        usage = reported_usage(file)
    costs = []
    for recorded in found:
        steno = StenoPolicy.bare(
            setting.window, STENO_POLICIES["default"], recorded.wire, setting.reserve
        )
        rows = _reported_rows(usage, prices) + _replay_rows(recorded, steno, prices, setting)
        at_end = steno
        if recorded.log is not None and recorded.log.commits:
            # What was compacted already is not compacted again from its beginning.
            at_end = StenoPolicy.bare(
                setting.window, STENO_POLICIES["default"], recorded.wire, log=recorded.log
            )
        now = _best_compaction(at_end, prices, turns, 60 * idle)
        costs.append(SessionCost(recorded, rows, now, _system_row(recorded, prices)))
    if as_json:
        print_json([_as_json(cost, setting, model) for cost in costs])
        return DONE
    page = TerminalPage()
    for cost in costs:
        page.line(
            (cost.session.name, "bold"),
            f" · {len(cost.session.requests):,} requests, {cost.session.tokens:,} tokens said",
        )
        page.line((f"{model}, {setting.window:,} tokens; {_price_list(prices)}", QUIET))
        _print_rows(page, [*cost.rows, *filter(None, (cost.system,))])
        for words in _payoff_lines(cost.now, turns):
            page.line(words)
        page.line()
    return DONE


def _reported_rows(usage: ReportedUsage | None, prices: Prices) -> list[CostRow]:
    if usage is None:
        return []
    paid = prices.request_cost(usage.read, usage.written)
    # Input beside the cache costs the plain price, not that of writing a cache.
    paid += _without_cache(prices).request_cost(0, usage.input)
    return [CostRow(REPORTED, usage.sent, usage.read, paid, prices.reply_cost(usage.output))]


def _replay_rows(
    recorded: RecordedSession, steno: StenoPolicy, prices: Prices, setting: ReplaySetting
) -> list[CostRow]:
    """Return the costs as it was, without a cache and with one, then under other policies."""
    none = replay_session(recorded, "none", AsItWas(recorded), setting)
    scores: Sequence[Score] = (
        replay_session(recorded, "sliding", SlidingWindow(setting.window), setting),
        replay_session(recorded, "default", steno, setting),
    )
    replied = 0
    for text, message in zip(recorded.texts, recorded.messages, strict=True):
        if message.role == "assistant":
            replied += len(text)
    output = prices.reply_cost(replied // CHARACTERS_PER_TOKEN)
    uncached = _without_cache(prices).request_cost(0, none.sent)
    rows = [
        CostRow(WITHOUT, none.sent, 0, uncached, output),
        CostRow(WITH, none.sent, none.cached, none.money or 0.0, output),
    ]
    for score in scores:
        rows.append(CostRow(score.policy, score.sent, score.cached, score.money or 0.0, output))
    return rows


def _system_row(recorded: RecordedSession, prices: Prices) -> CostRow | None:
    """Return what the calls of writers cost, each by its own model's prices if they are known."""
    made = [call for call in recorded.system_calls if call.made]
    if not made:
        return None
    usage = system_usage(made)
    paid, output = 0.0, 0.0
    for call in made:
        own = _writer_prices(call.by) or prices
        fresh = call.usage.sent - call.usage.cached
        paid += own.request_cost(call.usage.cached, 0) + _without_cache(own).request_cost(0, fresh)
        output += own.reply_cost(call.usage.said)
    return CostRow(SYSTEM, usage.sent, usage.cached, paid, output)


def _writer_prices(name: str) -> Prices | None:
    try:
        return model_prices(name.rpartition(":")[2])
    except BadInput:
        return None


def _without_cache(prices: Prices) -> Prices:
    return Prices(read=prices.input, write=prices.input)


def _best_compaction(
    steno: StenoPolicy, prices: Prices, turns: int, idle: float
) -> CompactionNow | None:
    """Try compactions of several depths after the last message; None if nothing can be covered."""
    before = steno.request()
    cases = []
    for share in DEPTHS:
        case = _compaction_case(steno, before, share, idle)
        if case is not None:
            cases.append(case)
    if not cases:
        return None
    chosen = best_candidate(prices, cases, turns)
    if chosen is None:
        # No depth pays: take the one that loses least.
        chosen = max(cases, key=lambda case: payoff_of(prices, case, turns).saved)
    return CompactionNow(chosen, payoff_of(prices, chosen, turns))


def _compaction_case(
    steno: StenoPolicy, before: ReplayRequest, share: float, idle: float
) -> CompactionCandidate | None:
    """Return what a compaction to a share of the current size would do; None if nothing."""
    policy = STENO_POLICIES["default"].but(goal=share, soft=0.95)
    session = steno.session
    # A window one token too small, so that there is pressure whatever the real window is.
    tried = StenoPolicy.bare(
        max(1, session.load - 1), policy, session.host.wire.name, log=session.log
    )
    after = tried.request()
    if tried.commits == steno.commits:
        return None
    kept = shared_characters(tuple(before.parts), tuple(after.parts)) // CHARACTERS_PER_TOKEN
    return CompactionCandidate(before.size, after.size, min(kept, after.size), idle)


def _price_list(prices: Prices) -> str:
    read, write, output = map(_dollar_text, (prices.read, prices.write, prices.output))
    return f"a million of them: {read} cached, {write} new, {output} out"


def _print_rows(page: TerminalPage, rows: list[CostRow]) -> None:
    page.line()
    head = f"{'':<22} {'sent':>12} {'cached':>7} {'input':>10} {'output':>9} {'total':>10}"
    page.line((head, QUIET))
    for row in rows:
        cached = "–"
        if row.sent:
            cached = f"{row.cached / row.sent:.0%}"
        page.line(
            f"{row.name:<22} {row.sent:>12,} {cached:>7} ",
            f"{_dollar_text(row.input):>10} {_dollar_text(row.output):>9} ",
            (f"{_dollar_text(row.total):>10}", "bold"),
        )
    if rows[0].name == REPORTED:
        page.line((ESTIMATED, QUIET))
    page.line()


def _payoff_lines(now: CompactionNow | None, turns: int) -> list[str]:
    if now is None:
        return ["There is nothing to compact."]
    case, payoff = now.case, now.payoff
    first = f"Compacting now, {case.before:,} to {case.after:,} tokens,"
    if math.isinf(payoff.turns):
        return [f"{first} never pays, and no other depth that was tried does."]
    after = f"from turn {payoff.turns:,.0f} on"
    if payoff.turns <= 1:
        after = "at once"
    result, others = "saved", "saves more"
    if payoff.saved < 0:
        result, others = "lost", "loses less"
    amount = _dollar_text(abs(payoff.saved))
    return [
        f"{first} pays {after};",
        f"over {turns} turns {amount} {result}. No other depth that was tried {others}.",
    ]


def _dollar_text(amount: float) -> str:
    if amount >= 0.10 or not amount:
        return f"${amount:,.2f}"
    return f"${amount:,.4f}"


def _as_json(cost: SessionCost, setting: ReplaySetting, model: str) -> dict[str, Any]:
    rows = [
        {
            "name": row.name,
            "sent": row.sent,
            "cached": row.cached,
            "input": row.input,
            "output": row.output,
        }
        for row in cost.rows
    ]
    return {
        "session": cost.session.name,
        "model": model,
        "window": setting.window,
        "rows": rows,
        "system": _system_json(cost),
        "now": _compaction_json(cost.now),
    }


def _system_json(cost: SessionCost) -> dict[str, Any] | None:
    if cost.system is None:
        return None
    row = cost.system
    calls = sum(call.made for call in cost.session.system_calls)
    return {"calls": calls, "sent": row.sent, "input": row.input, "output": row.output}


def _compaction_json(now: CompactionNow | None) -> dict[str, Any] | None:
    if now is None:
        return None
    turns: float | None = now.payoff.turns
    if math.isinf(now.payoff.turns):
        # JSON has no infinity.
        turns = None
    return {
        "before": now.case.before,
        "after": now.case.after,
        "kept": now.case.kept,
        "idle": now.case.idle,
        "pays": now.payoff.pays,
        "saved": now.payoff.saved,
        "turns": turns,
    }
