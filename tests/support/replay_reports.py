"""Reports to draw: what `steno replay --json` would print for sessions that never were.

Owns numbers that hang together (tallies add up, a commit lowers the load, the parts
of a window are its load) and come out the same every time. What a page makes of
them is the tests' business.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

Json = dict[str, Any]

POLICIES = ("none", "sliding", "masking", "default")
SESSIONS = ("parser.jsonl", "deploy.jsonl")
AGENTS = ("Claude Code", "Codex")
PLACES = ("Read result", "Bash result", "user", "Edit call", "Grep result", "assistant")
MEASURES = ("names", "edits", "reads", "typed", "closing", "facts")
FATES = ("visible", "recallable", "lost")
KINDS = {"prompt": 0.06, "shorthand": 0.07, "user": 0.09, "assistant": 0.24, "results": 0.54}
SKILL = {"none": 1.0, "sliding": 0.08, "masking": 0.21, "default": 0.46, "clairvoyant": 0.9}
SOFT, GOAL = 0.85, 0.60


def report(
    policies: Sequence[str] = POLICIES,
    sessions: Sequence[str] = SESSIONS,
    *,
    requests: int = 60,
    misses: int = 30,
    window: int = 32_000,
    priced: bool = True,
    used: bool = True,
) -> Json:
    """A report of each policy on each session; `used=False` has nothing that was used again."""
    scores = [
        _score(policy, name, requests, misses if used else 0, window, priced)
        for name in sessions
        for policy in policies
    ]
    return {
        "command": f"steno replay {' '.join(sessions[:3])} --window {window // 1000}k",
        "window": window,
        "reserve": 0,
        "limits": {policy: {"soft": SOFT, "goal": GOAL} for policy in policies},
        "model": "claude-sonnet-5" if priced else None,
        "prices": _prices(priced),
        "policies": list(policies),
        "sessions": [
            {
                "name": name,
                "agent": _agent(at),
                "file": name,
                "session": None,
                "messages": 2 * requests,
                "tokens": requests * 1_900,
                "requests": requests,
            }
            for at, name in enumerate(sessions)
        ],
        "totals": [
            _total(policy, [each for each in scores if each["policy"] == policy])
            for policy in policies
        ],
        "agents": _agents(policies, sessions, scores),
        "scores": scores,
    }


def _agent(at: int) -> str:
    return AGENTS[at % len(AGENTS)]


def _agents(policies: Sequence[str], sessions: Sequence[str], scores: list[Json]) -> list[Json]:
    rows = []
    for number, agent in enumerate(AGENTS[: len(sessions)]):
        own = sessions[number :: len(AGENTS)]
        for policy in policies:
            found = [s for s in scores if s["policy"] == policy and s["session"] in own]
            rows.append(
                {"agent": agent, "sessions": len(own), "policy": policy, "means": _means(found)}
            )
    return rows


def _means(scores: list[Json]) -> Json:
    """Return means with made-up intervals; the page shows them as they come."""
    found: Json = {}
    for measure in MEASURES:
        found[measure] = _mean([(s["uses"][measure], "visible") for s in scores])
    found["lost"] = _mean([(s["all_uses"], "lost") for s in scores])
    return found


def _mean(counted: list[tuple[Json, str]]) -> Json | None:
    shares = [tally[fate] / tally["all"] for tally, fate in counted if tally["all"]]
    if not shares:
        return None
    mean = sum(shares) / len(shares)
    return {
        # As many digits as the page shows: Python and a browser round halves differently.
        "mean": round(mean, 3),
        "low": round(max(0, mean - 0.07), 2),
        "high": round(min(1, mean + 0.06), 2),
        "sessions": len(shares),
    }


def tally(everything: int, visible: int, recallable: int) -> Json:
    return {
        "all": everything,
        "visible": visible,
        "recallable": recallable,
        "lost": everything - visible - recallable,
    }


def _prices(priced: bool) -> Json:
    if priced:
        return {
            "read": 0.2,
            "write": 2.5,
            "unit": "dollars a million tokens",
            "input": 2.0,
            "lifetime": 300,
        }
    return {"read": 0.1, "write": 1.25, "unit": "of the input price", "input": 1.0, "lifetime": 300}


def _score(policy: str, name: str, requests: int, misses: int, window: int, priced: bool) -> Json:
    dice = Random(ascii((policy, name)))
    turns = _turns(dice, policy, requests, window)
    skill = SKILL.get(policy, 0.2 + 0.5 * dice.random())
    loads = turns["load"]
    missed = [_miss(dice, number, 2 * requests) for number in range(misses if skill < 1 else 0)]
    uses = {
        measure: _judged(skill * (1 - at / 20), (4 + at) * misses)
        for at, measure in enumerate(MEASURES)
    }
    return {
        "policy": policy,
        "session": name,
        "uses": uses,
        "all_uses": _added(list(uses.values())),
        "sent": sum(loads),
        "billed": sum(turns["billed"]),
        "money": round(sum(turns["billed"]) * 2e-6, 4) if priced else None,
        "peak": max(loads, default=0),
        "over": sum(load > window for load in loads),
        "commits": len(turns["commits"]),
        "illegal": 2 if policy == "sliding" else 0,
        "requests": requests,
        "ms_per_turn": round(0.1 + dice.random() * 2, 2),
        "places": {place: _judged(skill, misses * (7 - at)) for at, place in enumerate(PLACES)}
        if misses
        else {},
        "turns": turns,
        "misses": missed,
        "misses_left_out": 4 * misses if missed else 0,
    }


def _judged(skill: float, everything: int) -> Json:
    visible = round(skill * everything)
    return tally(everything, visible, round(0.4 * (everything - visible)))


def _turns(dice: Random, policy: str, requests: int, window: int) -> Json:
    loads, billed, commits, load = [], [], [], window * 0.06
    for number in range(requests):
        grown = dice.expovariate(1 / 1_400) + 150
        load += grown
        commit = policy != "none" and load > SOFT * window
        if commit:
            load = (GOAL - 0.15 * dice.random()) * window
            commits.append(number)
        loads.append(round(load))
        billed.append(round(1.25 * load if commit else 0.1 * (load - grown) + 1.25 * grown))
    parts = {kind: [round(load * share) for load in loads] for kind, share in KINDS.items()}
    parts["results"] = [
        load - sum(parts[kind][at] for kind in KINDS if kind != "results")
        for at, load in enumerate(loads)
    ]
    return {
        "number": [each + 1 for each in range(requests)],
        "at": [2 * each + 1 for each in range(requests)],
        "load": loads,
        "billed": billed,
        "commits": commits,
        "made_of": parts,
        "made_of_all": {kind: sum(each) for kind, each in parts.items()},
    }


def _miss(dice: Random, number: int, messages: int) -> Json:
    at = dice.randrange(messages // 2, messages)
    measure = dice.choice(MEASURES)
    text = f"    return self.value_{number}(where, how={number}) or fallback"
    if measure == "names":
        text = f"src/steno/part_{number}/module.py"
    said = dice.randrange(at // 2)
    return {
        "measure": measure,
        "times": 1 + number % 3,
        "text": text,
        "at": at,
        "said": said,
        "opens": said,
        "place": dice.choice(PLACES),
        "state": dice.choice(FATES[1:]),
    }


def _total(policy: str, scores: list[Json]) -> Json:
    summed: Json = {"policy": policy, "session": None}
    summed["uses"] = {
        measure: _added([score["uses"][measure] for score in scores]) for measure in MEASURES
    }
    summed["all_uses"] = _added([score["all_uses"] for score in scores])
    summed["means"] = _means(scores)
    for number in ("sent", "billed", "over", "commits", "illegal", "requests"):
        summed[number] = sum(score[number] for score in scores)
    money = [score["money"] for score in scores]
    summed["money"] = None if None in money else round(sum(money), 4)
    summed["peak"] = max(score["peak"] for score in scores)
    summed["ms_per_turn"] = round(sum(score["ms_per_turn"] for score in scores) / len(scores), 2)
    places = {place for score in scores for place in score["places"]}
    summed["places"] = {
        place: _added([score["places"][place] for score in scores]) for place in sorted(places)
    }
    return summed


def _added(tallies: list[Json]) -> Json:
    return {key: sum(each[key] for each in tallies) for key in ("all", *FATES)}
