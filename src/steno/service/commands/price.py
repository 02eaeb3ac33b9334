"""`steno price`: what a session cost, what it would have cost, and whether compacting it now pays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steno.core.price import Case, Prices, Verdict, best, weighed
from steno.meters import known
from steno.meters.prices import prices_of
from steno.replay.bill import Setting, shared
from steno.replay.policies import OURS, player
from steno.replay.request import Request
from steno.replay.run import replayed
from steno.replay.score import Score
from steno.replay.steno import Steno
from steno.replay.tale import Tale
from steno.replay.words import CHARACTERS
from steno.service.commands.options import DONE
from steno.service.commands.page import QUIET, Page, say_json
from steno.service.commands.replay import setting_of
from steno.service.commands.reported import Reported, reported
from steno.service.commands.source import given
from steno.service.commands.tales import tales

REPORTED, WITHOUT, WITH = "as reported", "as it was, no cache", "as it was"
ESTIMATED = "The rest: characters / 4 of the messages; prompt and tools are not in the file."
DEPTHS = (0.9, 0.75, 0.6, 0.45, 0.3)
"""Of what there is, to come down to."""


@dataclass(frozen=True)
class Row:
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
class Now:
    """The compaction at the end of the session that would save most."""

    case: Case
    verdict: Verdict


@dataclass(frozen=True)
class Told:
    """What there is to say of one session."""

    tale: Tale
    rows: list[Row]
    now: Now | None


@dataclass(frozen=True)
class Asked:
    """What a price is asked for."""

    path: str
    session: str | None
    model: str
    window: int | None
    turns: int
    idle: float
    """Minutes since the last request."""
    as_json: bool


def price(asked: Asked) -> int:
    prices_of(asked.model)  # says what is not known, before a window is looked for
    setting = setting_of(asked.window or known(asked.model).window, 0, asked.model)
    with given(asked.path) as file:
        found = tales(file, asked.session)
        usage = reported(file)
    made = [_told(tale, setting, usage, asked) for tale in found]
    if asked.as_json:
        say_json([_json(told, setting, asked.model) for told in made])
        return DONE
    page = Page()
    for told in made:
        _say(page, told, setting, asked)
    return DONE


def _told(tale: Tale, setting: Setting, usage: Reported | None, asked: Asked) -> Told:
    prices = _prices(setting)
    steno = Steno(setting.window, OURS["default"], tale.wire, setting.reserve)
    scores = [replayed(tale, name, player(name, tale, setting), setting) for name in ("none", "sliding")]
    scores.append(replayed(tale, "default", steno, setting))
    now = _now(steno, prices, asked.turns, 60 * asked.idle)
    return Told(tale, [*_reported(usage, prices), *_rows(tale, prices, scores)], now)


def _prices(setting: Setting) -> Prices:
    assert setting.dollars is not None
    return setting.dollars


def _reported(usage: Reported | None, prices: Prices) -> list[Row]:
    if usage is None:
        return []
    paid = prices.request(usage.read, usage.written) + _plain(prices).request(0, usage.input)
    return [Row(REPORTED, usage.sent, usage.read, paid, prices.reply(usage.output))]


def _rows(tale: Tale, prices: Prices, scores: Sequence[Score]) -> list[Row]:
    said = sum(len(text) for text, each in zip(tale.texts, tale.messages, strict=True) if each.role == "assistant")
    output = prices.reply(said // CHARACTERS)
    without = Row(WITHOUT, scores[0].sent, 0, _plain(prices).request(0, scores[0].sent), output)
    return [without, *(_row(WITH if score.policy == "none" else score.policy, score, output) for score in scores)]


def _plain(prices: Prices) -> Prices:
    return Prices(read=prices.input, write=prices.input)


def _row(name: str, score: Score, output: float) -> Row:
    return Row(name, score.sent, score.cached, score.money or 0.0, output)


def _now(steno: Steno, prices: Prices, turns: int, idle: float) -> Now | None:
    """Compactions of what is shown after the last message, less and more deep; None where nothing can be covered."""
    before = steno.request()
    cases = [case for share in DEPTHS if (case := _case(steno, before, share, idle))]
    if not cases:
        return None
    chosen = best(prices, cases, turns) or max(cases, key=lambda case: weighed(prices, case, turns).saved)
    return Now(chosen, weighed(prices, chosen, turns))


def _case(steno: Steno, before: Request, share: float, idle: float) -> Case | None:
    """What coming down to a share of what there is would do."""
    policy = OURS["default"].but(goal=share, soft=0.95)
    session = steno.session
    tried = Steno(max(1, session.load - 1), policy, session.setup.wire.name, log=session.log)
    after = tried.request()
    if tried.commits == steno.commits:
        return None
    kept = shared(tuple(before.parts), tuple(after.parts)) // CHARACTERS
    return Case(before.size, after.size, min(kept, after.size), idle)


def _say(page: Page, told: Told, setting: Setting, asked: Asked) -> None:
    prices, tale = _prices(setting), told.tale
    page.line((tale.name, "bold"), f" · {len(tale.requests):,} requests, {tale.tokens:,} tokens said")
    page.line(
        (
            f"{asked.model}, {setting.window:,} tokens; a million of them: {_dollars(prices.read)} cached, "
            f"{_dollars(prices.write)} new, {_dollars(prices.output)} out",
            QUIET,
        )
    )
    page.line()
    page.line((f"{'':<22} {'sent':>12} {'cached':>7} {'input':>10} {'output':>9} {'total':>10}", QUIET))
    for row in told.rows:
        cached = f"{row.cached / row.sent:.0%}" if row.sent else "–"
        page.line(
            f"{row.name:<22} {row.sent:>12,} {cached:>7} {_dollars(row.input):>10} {_dollars(row.output):>9} ",
            (f"{_dollars(row.total):>10}", "bold"),
        )
    if told.rows[0].name == REPORTED:
        page.line((ESTIMATED, QUIET))
    page.line()
    for words in _pays(told.now, asked.turns):
        page.line(words)
    page.line()


def _pays(now: Now | None, turns: int) -> list[str]:
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
        f"over {turns} turns {_dollars(abs(verdict.saved))} {sign}. No other depth that was tried {more}.",
    ]


def _dollars(amount: float) -> str:
    return f"${amount:,.2f}" if amount >= 0.10 or not amount else f"${amount:,.4f}"


def _json(told: Told, setting: Setting, model: str) -> dict[str, Any]:
    rows = [
        {"name": row.name, "sent": row.sent, "cached": row.cached, "input": row.input, "output": row.output}
        for row in told.rows
    ]
    name = told.tale.name
    return {"session": name, "model": model, "window": setting.window, "rows": rows, "now": _now_json(told.now)}


def _now_json(now: Now | None) -> dict[str, Any] | None:
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
