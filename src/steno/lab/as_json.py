"""A replay in plain values, for machines and for the page that draws it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from steno.lab.baselines import GOAL, SOFT
from steno.lab.bill import ReplaySetting
from steno.lab.judge import Tally
from steno.lab.recorded import RecordedSession
from steno.lab.score import MISSES_MOST, PART_KINDS, MissedUse, ReplayTurn, Score, total_score

TURNS_MOST = 400
"""Of one session in a report: a longer one is thinned, at the same places for every policy."""
TEXT_MOST = 400


def replay_report(
    tales: Sequence[RecordedSession],
    scores: Sequence[Score],
    setting: ReplaySetting,
    *,
    command: str,
    model: str | None,
) -> dict[str, Any]:
    policies = list(dict.fromkeys(score.policy for score in scores))
    by_name = {tale.name: tale for tale in tales}
    return {
        "command": command,
        "window": setting.window,
        "reserve": setting.reserve,
        "soft": SOFT,
        "goal": GOAL,
        "model": model,
        "prices": _prices(setting),
        "policies": policies,
        "sessions": [_session(tale) for tale in tales],
        "totals": [
            _score(total_score([score for score in scores if score.policy == policy]))
            for policy in policies
        ],
        "scores": [
            _score(score) | _details(score, by_name[score.session or ""]) for score in scores
        ],
    }


def _prices(setting: ReplaySetting) -> dict[str, Any]:
    prices = setting.dollars or setting.prices
    unit = "dollars a million tokens" if setting.dollars else "of the input price"
    asked = {
        "input": prices.input,
        "read": prices.read,
        "write": prices.write,
        "lifetime": prices.lifetime,
    }
    return {**asked, "unit": unit}


def _session(tale: RecordedSession) -> dict[str, Any]:
    origin = tale.origin
    return {
        "name": tale.name,
        "file": origin and origin.file,
        "session": origin and origin.session,
        "messages": len(tale.messages),
        "tokens": tale.tokens,
        "requests": len(tale.requests),
    }


def _score(score: Score) -> dict[str, Any]:
    return {
        "policy": score.policy,
        "session": score.session,
        "needs": _by_distance(score, "need"),
        "content": _by_distance(score, "content"),
        "requests": score.requests,
        "sent": score.sent,
        "cached": score.cached,
        "billed": score.billed,
        "money": None if score.money is None else round(score.money, 4),
        "peak": score.peak,
        "over": score.over,
        "commits": score.commits,
        "illegal": score.illegal,
        "ms_per_turn": round(score.ms_per_turn, 3),
        "places": {place: _tally(tally) for place, tally in sorted(score.places.items())},
    }


def _by_distance(score: Score, what: str) -> dict[str, Any]:
    return {
        name: _tally(score.tally(what, distant=distant))
        for name, distant in (("distant", True), ("near", False))
    }


def _tally(tally: Tally) -> dict[str, int]:
    return {
        "all": tally.all,
        "visible": tally.visible,
        "recallable": tally.recallable,
        "lost": tally.lost,
    }


def _details(score: Score, tale: RecordedSession) -> dict[str, Any]:
    return {
        "turns": _turns(score.turns),
        "misses": [_miss(miss, tale) for miss in score.misses[:MISSES_MOST]],
        "misses_left_out": max(0, len(score.misses) - MISSES_MOST),
    }


def _turns(turns: Sequence[ReplayTurn]) -> dict[str, Any]:
    """The requests that are drawn; a commit between two of them is marked at the next."""
    step = -(-len(turns) // TURNS_MOST) or 1
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


def _miss(miss: MissedUse, tale: RecordedSession) -> dict[str, Any]:
    use = miss.use
    said = use.holders[-1]
    return {
        "what": use.what,
        "text": use.text[:TEXT_MOST],
        "at": use.at,
        "said": said,
        "opens": tale.origin and tale.origin.position_to_open(said),
        "place": miss.place,
        "state": "recallable" if miss.recallable else "lost",
    }
