"""What a session cost, would have cost under policies, and whether compacting it now pays.

Owns the sums behind `steno replay --price`. Prices are those of `core.price`; what a
provider reported as used is read by `transcripts.usage`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from steno.core.log import system_usage
from steno.core.model import Usage
from steno.core.price import CompactionCandidate, Prices, best_candidate, payoff_of
from steno.lab.bill import ReplaySetting, shared_characters
from steno.lab.ours import AsItWas, StenoPolicy
from steno.lab.policies import STENO_POLICIES, start_policy
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayRequest
from steno.lab.run import replay_session
from steno.lab.text import CHARACTERS_PER_TOKEN
from steno.providers.bill import calls_cost

REPORTED, WITHOUT, WITH = "as reported", "as it was, no cache", "as it was"
SYSTEM = "system (summaries)"
DEPTHS = (0.9, 0.75, 0.6, 0.45, 0.3)
"""Shares of the current size that a compaction is tried with."""


class CostRow(msgspec.Struct, frozen=True):
    """One way to pay for the session, in dollars."""

    name: str
    sent: int
    cached: int
    input: float
    output: float


class SystemCost(CostRow, frozen=True):
    """What calls of writers cost."""

    calls: int


class CompactionNow(msgspec.Struct, frozen=True):
    """The compaction at the end of the session that saves most."""

    before: int
    after: int
    kept: int
    idle: float
    pays: bool
    saved: float
    turns: float | None
    """The first turn from which on it pays; None if it never does."""


class SessionCost(msgspec.Struct, frozen=True):
    """What one session cost, and would have cost."""

    session: str
    model: str
    window: int
    requests: int
    said: int
    rows: list[CostRow]
    system: SystemCost | None
    """What its summaries cost, if writers were asked."""
    now: CompactionNow | None


def session_cost(
    recorded: RecordedSession,
    usage: Usage | None,
    policies: Sequence[str],
    setting: ReplaySetting,
    model: str,
    prices: Prices,
    turns: int,
    idle: float,
) -> SessionCost:
    """Return the costs of a session as it was, under each policy, and of compacting it now."""
    replied = sum(
        len(text)
        for text, message in zip(recorded.texts, recorded.messages, strict=True)
        if message.role == "assistant"
    )
    output = prices.reply_cost(replied // CHARACTERS_PER_TOKEN)
    none = replay_session(recorded, "none", AsItWas(recorded), setting)
    rows = [
        CostRow(WITHOUT, none.sent, 0, prices.usage_cost(Usage(none.sent)), output),
        CostRow(WITH, none.sent, none.cached, none.money or 0.0, output),
    ]
    if usage is not None:
        billed = prices.reply_cost(usage.said)
        paid = prices.usage_cost(usage) - billed
        rows.insert(0, CostRow(REPORTED, usage.sent, usage.cached, paid, billed))
    default = STENO_POLICIES["default"]
    at_end = StenoPolicy.bare(setting.window, default, recorded.wire, setting.reserve)
    for name in dict.fromkeys((*policies, "default")):
        policy = start_policy(name, recorded, setting)
        if name == "default":
            policy = at_end
        score = replay_session(recorded, name, policy, setting)
        rows.append(CostRow(name, score.sent, score.cached, score.money or 0.0, output))
    if recorded.log is not None and recorded.log.commits:
        # What was compacted already is not compacted again from its beginning.
        at_end = StenoPolicy.bare(setting.window, default, recorded.wire, log=recorded.log)
    return SessionCost(
        recorded.name,
        model,
        setting.window,
        len(recorded.requests),
        recorded.said,
        rows,
        _system_row(recorded, prices),
        _best_compaction(at_end, prices, turns, idle),
    )


def _system_row(recorded: RecordedSession, prices: Prices) -> SystemCost | None:
    """Return what the calls of writers cost, each by its own model's prices if they are known."""
    made = [call for call in recorded.system_calls if call.made]
    if not made:
        return None
    usage = system_usage(made)
    # A writer without known prices costs what the session's own model does.
    paid, output = calls_cost(made, prices)
    return SystemCost(SYSTEM, usage.sent, usage.cached, paid, output, len(made))


def _best_compaction(
    steno: StenoPolicy, prices: Prices, turns: int, idle: float
) -> CompactionNow | None:
    """Try compactions of several depths after the last message; None if nothing can be covered."""
    before = steno.request()
    tried = [_compaction_case(steno, before, share, idle) for share in DEPTHS]
    cases = [case for case in tried if case is not None]
    if not cases:
        return None
    chosen = best_candidate(prices, cases, turns)
    if chosen is None:
        # No depth pays: take the one that loses least.
        chosen = max(cases, key=lambda case: payoff_of(prices, case, turns).saved)
    payoff = payoff_of(prices, chosen, turns)
    first: float | None = payoff.turns
    if math.isinf(payoff.turns):
        # JSON has no infinity.
        first = None
    sizes = (chosen.before, chosen.after, chosen.kept, chosen.idle)
    return CompactionNow(*sizes, payoff.pays, payoff.saved, first)


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
