"""A replay as plain values, for `--json` and for the page that draws it."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import msgspec

from steno.core.word_tables import word_tuple
from steno.lab.baselines import GOAL, SOFT
from steno.lab.bill import ReplaySetting
from steno.lab.interval import Interval
from steno.lab.judge import Tally, mean_loss, mean_visible
from steno.lab.policies import policy_of
from steno.lab.recorded import RecordedSession
from steno.lab.score import MISSES_MOST, PART_KINDS, MissedUse, ReplayTurn, Score, total_score
from steno.lab.uses import MEASURES

TURNS_MOST = 400
"""Requests of one session in a report; a longer session is thinned the same for every policy."""
TEXT_MOST = 400
"""Characters of a missed text in a report."""


FIGURES = word_tuple("requests sent cached billed peak over commits illegal")
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
        "limits": {policy: _limits(policy) for policy in policies},
        "model": model,
        "prices": _prices(setting),
        "policies": policies,
        "sessions": [_session(recorded) for recorded in sessions],
        "totals": [_policy_row(scores, policy) for policy in policies],
        "agents": _agent_rows(sessions, scores, policies),
        "scores": [
            _score(score) | _details(score, by_name[score.session or ""]) for score in scores
        ],
    }


def _limits(policy: str) -> dict[str, float | None]:
    """Return the shares of the usable window at which a policy compacts, and to which."""
    found = policy_of(policy)
    if found is None:
        return {"soft": SOFT, "goal": GOAL}
    goal = found.goal if isinstance(found.goal, float) else None
    return {"soft": found.soft, "goal": goal}


def _policy_row(scores: Sequence[Score], policy: str) -> dict[str, Any]:
    own = [score for score in scores if score.policy == policy]
    return _score(total_score(own)) | {"means": mean_row(own)}


def _agent_rows(
    sessions: Sequence[RecordedSession], scores: Sequence[Score], policies: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the means of each policy on the sessions of each agent, the commonest agent first."""
    agents = {recorded.name: recorded.agent for recorded in sessions}
    rows = []
    for agent, count in Counter(agents.values()).most_common():
        for policy in policies:
            own = [
                score
                for score in scores
                if score.policy == policy and agents[score.session or ""] == agent
            ]
            rows.append(
                {"agent": agent, "sessions": count, "policy": policy, "means": mean_row(own)}
            )
    return rows


def mean_row(scores: Sequence[Score]) -> dict[str, Any]:
    """Return the means over sessions of one policy: what was visible by measure, what was lost."""
    row: dict[str, Any] = {}
    for measure in MEASURES:
        row[measure] = interval_json(mean_visible([score.tally(measure) for score in scores]))
    row["lost"] = interval_json(mean_loss([score.all_uses for score in scores]))
    return row


def interval_json(found: Interval | None) -> dict[str, Any] | None:
    """Return a mean over sessions with its interval."""
    if found is None:
        return None
    return {
        "mean": round(found.mean, 6),
        "low": round(found.low, 6),
        "high": round(found.high, 6),
        "sessions": found.count,
    }


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
        "agent": recorded.agent,
        "file": origin and origin.file,
        "session": origin and origin.session,
        "messages": len(recorded.messages),
        "tokens": recorded.said,
        "estimated": recorded.tokens,
        "requests": len(recorded.requests),
    }


def _score(score: Score) -> dict[str, Any]:
    row: dict[str, Any] = {
        "policy": score.policy,
        "session": score.session,
        "uses": {measure: _tally(score.tally(measure)) for measure in MEASURES},
        "all_uses": _tally(score.all_uses),
    }
    for name in FIGURES:
        row[name] = getattr(score, name)
    row["money"] = None
    if score.money is not None:
        row["money"] = round(score.money, 4)
    row["ms_per_turn"] = round(score.ms_per_turn, 3)
    row["places"] = {place: _tally(tally) for place, tally in sorted(score.places.items())}
    return row


def _tally(tally: Tally) -> dict[str, int]:
    return asdict(tally) | {"lost": tally.lost}


def _details(score: Score, recorded: RecordedSession) -> dict[str, Any]:
    misses = _grouped_misses(score.misses)
    return {
        "turns": _turns(score.turns),
        "misses": [_miss(missed, times, recorded) for missed, times in misses[:MISSES_MOST]],
        "misses_left_out": max(0, len(misses) - MISSES_MOST),
    }


def _grouped_misses(misses: Sequence[MissedUse]) -> list[tuple[MissedUse, int]]:
    """Return each thing that was missed once, with how often it was missed.

    Typed words are looked for again and again, and a file that is read again misses many
    runs at once: one of them stands for all.
    """
    found: dict[tuple[Any, ...], tuple[MissedUse, int]] = {}
    for missed in misses:
        use = missed.use
        key: tuple[Any, ...] = (use.measure, use.text)
        if use.measure == "reads":
            key = (use.measure, use.at)
        first, times = found.get(key, (missed, 0))
        found[key] = (first, times + 1)
    return list(found.values())


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


def _miss(miss: MissedUse, times: int, recorded: RecordedSession) -> dict[str, Any]:
    use = miss.use
    said = use.holders[-1]
    opens = None
    if recorded.origin is not None:
        opens = recorded.origin.position_to_open(said)
    state = "lost"
    if miss.recallable:
        state = "recallable"
    return {
        "measure": use.measure,
        "times": times,
        "text": use.text[:TEXT_MOST],
        "at": use.at,
        "said": said,
        "opens": opens,
        "place": miss.place,
        "state": state,
    }
