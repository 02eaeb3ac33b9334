"""A replay as plain values, for `--json` and for the page that draws it."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import msgspec

from steno.lab.baselines import GOAL, SOFT
from steno.lab.bill import ReplaySetting
from steno.lab.judge import Tally
from steno.lab.recorded import RecordedSession
from steno.lab.score import MISSES_MOST, PART_KINDS, MissedUse, ReplayTurn, Score, total_score

TURNS_MOST = 400
"""Requests of one session in a report; a longer session is thinned the same for every policy."""
TEXT_MOST = 400
"""Characters of a missed text in a report."""


FIGURES = ("requests", "sent", "cached", "billed", "peak", "over", "commits", "illegal")
"""Fields of a score that a report holds as they are."""


def replay_report(
    sessions: Sequence[RecordedSession],
    scores: Sequence[Score],
    setting: ReplaySetting,
    *,
    command: str,
    model: str | None,
) -> dict[str, Any]:
    """Return the report of a replay: settings, sessions, totals by policy, and each score."""
    policies = list(dict.fromkeys(score.policy for score in scores))
    by_name = {recorded.name: recorded for recorded in sessions}
    return {
        "command": command,
        "window": setting.window,
        "reserve": setting.reserve,
        "soft": SOFT,
        "goal": GOAL,
        "model": model,
        "prices": _prices(setting),
        "policies": policies,
        "sessions": [_session(recorded) for recorded in sessions],
        "totals": [_score(_policy_total(scores, policy)) for policy in policies],
        "scores": [
            _score(score) | _details(score, by_name[score.session or ""]) for score in scores
        ],
    }


def _policy_total(scores: Sequence[Score], policy: str) -> Score:
    return total_score([score for score in scores if score.policy == policy])


def _prices(setting: ReplaySetting) -> dict[str, Any]:
    prices, unit = setting.prices, "of the input price"
    if setting.dollars:
        prices, unit = setting.dollars, "dollars a million tokens"
    row = msgspec.structs.asdict(prices)
    del row["output"]  # replies are the same under every policy
    return row | {"unit": unit}


def _session(recorded: RecordedSession) -> dict[str, Any]:
    origin = recorded.origin
    return {
        "name": recorded.name,
        "file": origin and origin.file,
        "session": origin and origin.session,
        "messages": len(recorded.messages),
        "tokens": recorded.tokens,
        "requests": len(recorded.requests),
    }


def _score(score: Score) -> dict[str, Any]:
    row: dict[str, Any] = {
        "policy": score.policy,
        "session": score.session,
        "needs": _by_distance(score, "need"),
        "content": _by_distance(score, "content"),
    }
    for name in FIGURES:
        row[name] = getattr(score, name)
    row["money"] = None
    if score.money is not None:
        row["money"] = round(score.money, 4)
    row["ms_per_turn"] = round(score.ms_per_turn, 3)
    row["places"] = {place: _tally(tally) for place, tally in sorted(score.places.items())}
    return row


def _by_distance(score: Score, what: str) -> dict[str, Any]:
    return {
        "distant": _tally(score.tally(what, distant=True)),
        "near": _tally(score.tally(what, distant=False)),
    }


def _tally(tally: Tally) -> dict[str, int]:
    return asdict(tally) | {"lost": tally.lost}


def _details(score: Score, recorded: RecordedSession) -> dict[str, Any]:
    return {
        "turns": _turns(score.turns),
        "misses": [_miss(miss, recorded) for miss in score.misses[:MISSES_MOST]],
        "misses_left_out": max(0, len(score.misses) - MISSES_MOST),
    }


def _turns(turns: Sequence[ReplayTurn]) -> dict[str, Any]:
    """Return the requests that are drawn, as columns.

    A commit between two drawn requests is marked at the later one.
    """
    step = max(1, math.ceil(len(turns) / TURNS_MOST))
    # The last request too, whatever the step: it shows how the session ended.
    numbers = sorted({*range(0, len(turns), step), *range(len(turns))[-1:]})
    drawn = [turns[n] for n in numbers]
    commits = {bisect_left(numbers, n) for n, turn in enumerate(turns) if turn.committed}
    return {
        "number": [n + 1 for n in numbers],
        "at": [turn.at for turn in drawn],
        "load": [turn.load for turn in drawn],
        "billed": [turn.billed for turn in drawn],
        "commits": sorted(commits),
        "made_of": {kind: [turn.made_of.get(kind, 0) for turn in drawn] for kind in PART_KINDS},
        "made_of_all": {
            kind: sum(turn.made_of.get(kind, 0) for turn in turns) for kind in PART_KINDS
        },
    }


def _miss(miss: MissedUse, recorded: RecordedSession) -> dict[str, Any]:
    use = miss.use
    said = use.holders[-1]
    opens = None
    if recorded.origin is not None:
        opens = recorded.origin.position_to_open(said)
    state = "lost"
    if miss.recallable:
        state = "recallable"
    return {
        "what": use.what,
        "text": use.text[:TEXT_MOST],
        "at": use.at,
        "said": said,
        "opens": opens,
        "place": miss.place,
        "state": state,
    }
