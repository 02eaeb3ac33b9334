"""What a provider itself reported for the requests of a session, where the transcript kept it.

`steno price`: what a session cost, what it would have cost, and whether compacting it now pays.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steno.cli.options import DONE
from steno.cli.output import QUIET, TerminalPage, print_json
from steno.cli.recorded_sessions import load_recorded_sessions
from steno.cli.replay import setting_for
from steno.cli.source import input_file, is_archive, is_store
from steno.core.price import CompactionCandidate, Payoff, Prices, best_candidate, payoff_of
from steno.lab.bill import ReplaySetting, shared_characters
from steno.lab.ours import StenoPolicy
from steno.lab.policies import STENO_POLICIES, start_policy
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayRequest
from steno.lab.run import replay_session
from steno.lab.score import Score
from steno.lab.text import CHARACTERS_PER_TOKEN
from steno.meters import lookup_model
from steno.meters.catalog import model_prices
from steno.transcripts import open_transcript

RawUsage = dict[str, Any]


@dataclass(frozen=True)
class ReportedUsage:
    """Tokens over all requests, as billed."""

    input: int = 0
    """Neither read from a cache nor written to one."""
    written: int = 0
    read: int = 0
    output: int = 0

    @property
    def sent(self) -> int:
        return self.input + self.written + self.read


def reported_usage(path: Path) -> ReportedUsage | None:
    """What Claude Code noted down for each reply, or Codex for all of them; None where nobody did."""
    if is_store(path) or is_archive(path):
        return None
    transcript = open_transcript(path, whole=True)
    if transcript.format.many:  # those who note it down keep one session a file
        return None
    replies: dict[str, RawUsage] = {}
    last: RawUsage = {}
    for piece in transcript:
        for line in piece.lines:
            replies |= _reply_usage(line)
            last = _running_total(line) or last
    if last:
        return _codex_usage(last)
    return _claude_usage(replies)


def _claude_usage(replies: dict[str, RawUsage]) -> ReportedUsage | None:
    keys = (
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
    )
    if replies:
        return ReportedUsage(
            *(sum(_number(usage, key) for usage in replies.values()) for key in keys)
        )
    return None


def _codex_usage(usage: RawUsage) -> ReportedUsage:
    """Its input holds what was cached; writing a cache costs nothing there."""
    cached = _number(usage, "cached_input_tokens")
    return ReportedUsage(
        _number(usage, "input_tokens") - cached, 0, cached, _number(usage, "output_tokens")
    )


def _reply_usage(line: str) -> dict[str, RawUsage]:
    """By the reply's id: its rows repeat the figure, and the last one is whole."""
    message = _object_under(line, '"usage"', "message")
    id, usage = message.get("id"), message.get("usage")
    if isinstance(id, str) and isinstance(usage, dict):
        return {id: usage}
    return {}


def _running_total(line: str) -> RawUsage:
    """The sum so far, as Codex says it after each request."""
    info = _object_under(line, '"token_count"', "payload").get("info")
    usage = info.get("total_token_usage") if isinstance(info, dict) else None
    if isinstance(usage, dict):
        return usage
    return {}


def _object_under(line: str, sign: str, key: str) -> RawUsage:
    """What a row that bears a sign holds under a key."""
    if sign not in line:
        return {}
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    found = row.get(key) if isinstance(row, dict) else None
    if isinstance(found, dict):
        return found
    return {}


def _number(usage: RawUsage, key: str) -> int:
    value = usage.get(key)
    if isinstance(value, int):
        return value
    return 0


REPORTED, WITHOUT, WITH = "as reported", "as it was, no cache", "as it was"
ESTIMATED = "The rest: characters / 4 of the messages; prompt and tools are not in the file."
DEPTHS = (0.9, 0.75, 0.6, 0.45, 0.3)
"""Of what there is, to come down to."""


@dataclass(frozen=True)
class CostRow:
    """One way in which the session could have been paid for."""

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
    """The compaction at the end of the session that would save most."""

    case: CompactionCandidate
    verdict: Payoff


@dataclass(frozen=True)
class SessionCost:
    """What there is to say of one session."""

    tale: RecordedSession
    rows: list[CostRow]
    now: CompactionNow | None


@dataclass(frozen=True)
class PriceOptions:
    """What a price is asked for."""

    path: str
    session: str | None
    model: str
    window: int | None
    turns: int
    idle: float
    """Minutes since the last request."""
    as_json: bool


def price(asked: PriceOptions) -> int:
    model_prices(asked.model)  # says what is not known, before a window is looked for
    setting = setting_for(asked.window or lookup_model(asked.model).window, 0, asked.model)
    with input_file(asked.path) as file:
        found = load_recorded_sessions(file, asked.session)
        usage = reported_usage(file)
    made = [_session_cost(tale, setting, usage, asked) for tale in found]
    if asked.as_json:
        print_json([_as_json(told, setting, asked.model) for told in made])
        return DONE
    page = TerminalPage()
    for told in made:
        _print_cost(page, told, setting, asked)
    return DONE


def _session_cost(
    tale: RecordedSession, setting: ReplaySetting, usage: ReportedUsage | None, asked: PriceOptions
) -> SessionCost:
    prices = _dollar_prices(setting)
    steno = StenoPolicy(setting.window, STENO_POLICIES["default"], tale.wire, setting.reserve)
    scores = [
        replay_session(tale, name, start_policy(name, tale, setting), setting)
        for name in ("none", "sliding")
    ]
    scores.append(replay_session(tale, "default", steno, setting))
    now = _best_compaction(steno, prices, asked.turns, 60 * asked.idle)
    return SessionCost(
        tale, [*_reported_rows(usage, prices), *_replay_rows(tale, prices, scores)], now
    )


def _dollar_prices(setting: ReplaySetting) -> Prices:
    assert setting.dollars is not None
    return setting.dollars


def _reported_rows(usage: ReportedUsage | None, prices: Prices) -> list[CostRow]:
    if usage is None:
        return []
    paid = prices.request_cost(usage.read, usage.written) + _without_cache(prices).request_cost(
        0, usage.input
    )
    return [CostRow(REPORTED, usage.sent, usage.read, paid, prices.reply_cost(usage.output))]


def _replay_rows(tale: RecordedSession, prices: Prices, scores: Sequence[Score]) -> list[CostRow]:
    said = sum(
        len(text)
        for text, each in zip(tale.texts, tale.messages, strict=True)
        if each.role == "assistant"
    )
    output = prices.reply_cost(said // CHARACTERS_PER_TOKEN)
    without = CostRow(
        WITHOUT, scores[0].sent, 0, _without_cache(prices).request_cost(0, scores[0].sent), output
    )
    return [
        without,
        *(
            _score_row(WITH if score.policy == "none" else score.policy, score, output)
            for score in scores
        ),
    ]


def _without_cache(prices: Prices) -> Prices:
    return Prices(read=prices.input, write=prices.input)


def _score_row(name: str, score: Score, output: float) -> CostRow:
    return CostRow(name, score.sent, score.cached, score.money or 0.0, output)


def _best_compaction(
    steno: StenoPolicy, prices: Prices, turns: int, idle: float
) -> CompactionNow | None:
    """Compactions of what is shown after the last message, less and more deep; None where nothing can be covered."""
    before = steno.request()
    cases = [case for share in DEPTHS if (case := _compaction_case(steno, before, share, idle))]
    if not cases:
        return None
    chosen = best_candidate(prices, cases, turns) or max(
        cases, key=lambda case: payoff_of(prices, case, turns).saved
    )
    return CompactionNow(chosen, payoff_of(prices, chosen, turns))


def _compaction_case(
    steno: StenoPolicy, before: ReplayRequest, share: float, idle: float
) -> CompactionCandidate | None:
    """What coming down to a share of what there is would do."""
    policy = STENO_POLICIES["default"].but(goal=share, soft=0.95)
    session = steno.session
    tried = StenoPolicy(
        max(1, session.load - 1), policy, session.parts.settings.wire.name, log=session.log
    )
    after = tried.request()
    if tried.commits == steno.commits:
        return None
    kept = shared_characters(tuple(before.parts), tuple(after.parts)) // CHARACTERS_PER_TOKEN
    return CompactionCandidate(before.size, after.size, min(kept, after.size), idle)


def _print_cost(
    page: TerminalPage, told: SessionCost, setting: ReplaySetting, asked: PriceOptions
) -> None:
    prices, tale = _dollar_prices(setting), told.tale
    page.line(
        (tale.name, "bold"), f" · {len(tale.requests):,} requests, {tale.tokens:,} tokens said"
    )
    page.line(
        (
            f"{asked.model}, {setting.window:,} tokens; a million of them: {_dollar_text(prices.read)} cached, "
            f"{_dollar_text(prices.write)} new, {_dollar_text(prices.output)} out",
            QUIET,
        )
    )
    page.line()
    page.line(
        (f"{'':<22} {'sent':>12} {'cached':>7} {'input':>10} {'output':>9} {'total':>10}", QUIET)
    )
    for row in told.rows:
        cached = f"{row.cached / row.sent:.0%}" if row.sent else "–"
        page.line(
            f"{row.name:<22} {row.sent:>12,} {cached:>7} {_dollar_text(row.input):>10} {_dollar_text(row.output):>9} ",
            (f"{_dollar_text(row.total):>10}", "bold"),
        )
    if told.rows[0].name == REPORTED:
        page.line((ESTIMATED, QUIET))
    page.line()
    for words in _payoff_lines(told.now, asked.turns):
        page.line(words)
    page.line()


def _payoff_lines(now: CompactionNow | None, turns: int) -> list[str]:
    if now is None:
        return ["There is nothing to compact."]
    case, verdict = now.case, now.verdict
    first = f"Compacting now, {case.before:,} to {case.after:,} tokens,"
    if math.isinf(verdict.turns):
        return [f"{first} never pays, and no other depth that was tried does."]
    after = "at once" if verdict.turns <= 1 else f"from turn {verdict.turns:,.0f} on"
    sign, more = ("saved", "saves more") if verdict.saved >= 0 else ("lost", "loses less")
    return [
        f"{first} pays {after};",
        f"over {turns} turns {_dollar_text(abs(verdict.saved))} {sign}. No other depth that was tried {more}.",
    ]


def _dollar_text(amount: float) -> str:
    if amount >= 0.10 or not amount:
        return f"${amount:,.2f}"
    return f"${amount:,.4f}"


def _as_json(told: SessionCost, setting: ReplaySetting, model: str) -> dict[str, Any]:
    rows = [
        {
            "name": row.name,
            "sent": row.sent,
            "cached": row.cached,
            "input": row.input,
            "output": row.output,
        }
        for row in told.rows
    ]
    name = told.tale.name
    return {
        "session": name,
        "model": model,
        "window": setting.window,
        "rows": rows,
        "now": _compaction_json(told.now),
    }


def _compaction_json(now: CompactionNow | None) -> dict[str, Any] | None:
    if now is None:
        return None
    return {
        "before": now.case.before,
        "after": now.case.after,
        "kept": now.case.kept,
        "idle": now.case.idle,
        "pays": now.verdict.pays,
        "saved": now.verdict.saved,
        "turns": None if math.isinf(now.verdict.turns) else now.verdict.turns,
    }
