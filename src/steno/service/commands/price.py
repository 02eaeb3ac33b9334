"""`steno price`: what a session cost, what it would have cost, and whether compacting it now pays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from steno.core.price import Case, Prices, Verdict, best, weighed
from steno.meters import known
from steno.replay.policies import OURS, player
from steno.replay.request import Request
from steno.replay.run import Setting, replayed, shared
from steno.replay.score import Score
from steno.replay.steno import Steno
from steno.replay.tale import Tale
from steno.replay.words import CHARACTERS
from steno.service.commands.options import DONE
from steno.service.commands.page import QUIET, Page, say_json
from steno.service.commands.replay import prices_of, setting_of
from steno.service.commands.reported import Reported, reported
from steno.service.commands.source import given
from steno.service.commands.tales import tales

WITHOUT, WITH = "as it was, no cache", "as it was"
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


def price(
    path: str, session: str | None, model: str, window: int | None, turns: int, *, as_json: bool = False
) -> int:
    prices_of(model)  # says what is not known, before a window is looked for
    setting = setting_of(window or known(model).window, 0, model)
    with given(path) as file:
        told = tales(file, session)
        usage = reported(file) if len(told) == 1 else None
    made = [(tale, _rows(tale, setting, usage), _now(tale, setting, turns)) for tale in told]
    if as_json:
        say_json([_json(tale, rows, now, setting, model) for tale, rows, now in made])
        return DONE
    page = Page()
    for tale, rows, now in made:
        _say(page, tale, rows, now, setting, model, turns)
    return DONE


def _prices(setting: Setting) -> Prices:
    assert setting.dollars is not None
    return setting.dollars


def _rows(tale: Tale, setting: Setting, usage: Reported | None) -> list[Row]:
    prices = _prices(setting)
    said = sum(len(text) for text, each in zip(tale.texts, tale.messages, strict=True) if each.role == "assistant")
    output = prices.reply(said // CHARACTERS)
    scores = [replayed(tale, name, player(name, tale, setting), setting) for name in ("none", "sliding", "default")]
    plain = Prices(read=prices.input, write=prices.input)
    rows = [Row(WITHOUT, scores[0].sent, 0, plain.request(0, scores[0].sent), output)]
    rows += [_row(WITH if score.policy == "none" else score.policy, score, output) for score in scores]
    if usage is None:
        return rows
    paid = prices.request(usage.read, usage.written) + plain.request(0, usage.input)
    return [Row("as reported", usage.sent, usage.read, paid, prices.reply(usage.output)), *rows]


def _row(name: str, score: Score, output: float) -> Row:
    return Row(name, score.sent, score.cached, score.money or 0.0, output)


def _now(tale: Tale, setting: Setting, turns: int) -> Now | None:
    """Compactions after the last message, less and more deep; None where there is nothing to cover."""
    steno = Steno(setting.window, OURS["default"], tale.wire, setting.reserve)
    for message in tale.messages:
        steno.add(message)
    before = steno.shown()
    cases = [case for share in DEPTHS if (case := _case(steno, before, share))]
    if not cases:
        return None
    chosen = best(_prices(setting), cases, turns) or cases[-1]
    return Now(chosen, weighed(_prices(setting), chosen, turns))


def _case(steno: Steno, before: Request, share: float) -> Case | None:
    """What coming down to a share of what there is would do."""
    policy = replace(OURS["default"], goal=share, soft=0.95)
    tried = Steno(max(1, before.size - 1), policy, steno.session.setup.wire.name, log=steno.session.log)
    after = tried.request()
    if tried.commits == steno.commits:
        return None
    kept = shared(tuple(before.parts), tuple(after.parts)) // CHARACTERS
    return Case(before.size, after.size, min(kept, after.size))


def _say(
    page: Page, tale: Tale, rows: Sequence[Row], now: Now | None, setting: Setting, model: str, turns: int
) -> None:
    prices = _prices(setting)
    requests = sum(message.role == "assistant" for message in tale.messages)
    page.line((tale.name, "bold"), f" · {requests:,} requests, {tale.tokens:,} tokens said")
    page.line(
        (
            f"{model}, {setting.window:,} tokens; a million of them: {_dollars(prices.read)} cached, "
            f"{_dollars(prices.write)} new, {_dollars(prices.output)} out",
            QUIET,
        )
    )
    page.line()
    page.line((f"{'':<22} {'sent':>12} {'cached':>7} {'input':>10} {'output':>9} {'total':>10}", QUIET))
    for row in rows:
        cached = f"{row.cached / row.sent:.0%}" if row.sent else "–"
        page.line(
            f"{row.name:<22} {row.sent:>12,} {cached:>7} {_dollars(row.input):>10} {_dollars(row.output):>9} ",
            (f"{_dollars(row.total):>10}", "bold"),
        )
    page.line()
    for words in _pays(now, turns):
        page.line(words)
    page.line()


def _pays(now: Now | None, turns: int) -> list[str]:
    if now is None:
        return ["There is nothing to compact."]
    case, verdict = now.case, now.verdict
    first = f"Compacting now, {case.before:,} to {case.after:,} tokens,"
    if math.isinf(verdict.turns):
        return [f"{first} never pays."]
    after = "at once" if verdict.turns <= 1 else f"from turn {verdict.turns:,.0f} on"
    sign = "saved" if verdict.saved >= 0 else "lost"
    return [
        f"{first} pays {after};",
        f"over {turns} turns {_dollars(abs(verdict.saved))} {sign}. No other depth that was tried saves more.",
    ]


def _dollars(amount: float) -> str:
    return f"${amount:,.2f}" if amount >= 0.10 or not amount else f"${amount:,.4f}"


def _json(tale: Tale, rows: Sequence[Row], now: Now | None, setting: Setting, model: str) -> dict[str, Any]:
    return {
        "session": tale.name,
        "model": model,
        "window": setting.window,
        "rows": [
            {"name": row.name, "sent": row.sent, "cached": row.cached, "input": row.input, "output": row.output}
            for row in rows
        ],
        "now": None
        if now is None
        else {
            "before": now.case.before,
            "after": now.case.after,
            "kept": now.case.kept,
            "pays": now.verdict.pays,
            "saved": now.verdict.saved,
            "turns": None if math.isinf(now.verdict.turns) else now.verdict.turns,
        },
    }
