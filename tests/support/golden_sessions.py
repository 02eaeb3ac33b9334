"""Seeded sessions for the golden test: talk, tools, constraints, edits, failures, in three wires.

Owns what is said and which policy hears it. Nothing here is random between runs,
so that commits can be compared with those recorded in `golden.json`.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import steno

Json = dict[str, Any]

ASKS = (
    "The nightly import is slow. Find out why. Never touch production.",
    "Please fix the failing test in tests/test_rates.py, and keep the public API as it is.",
    "Use Python 3.11 only. Don't add new dependencies.",
    "What did we decide about the retry policy?",
    "OK, go with option 2.",
    "You may now change the schema of the test database.",
    "Bitte antworte auf Deutsch und ändere nichts an der Konfiguration.",
    "Always run the tests before you commit.",
    "Actually, keep answers under 300 words.",
)
REPLIES = (
    "The cause is a missing index on orders.customer_id; the planner scans the whole table.",
    "I decided to cache rates by market, because the provider allows 60 calls a minute.",
    "I am not sure this is right; let me check the other market first.",
    "There are three ways: 1. an index, 2. a materialized view, 3. a cache in front.",
    "Done: the test passes now. Next I will update the docs.",
)
NAMES = ("orders", "rates", "markets", "billing", "export", "nightly")


def _source(dice: Random, name: str) -> str:
    lines = [f'"""The {name} of a shop."""', "import json", "from decimal import Decimal", ""]
    for number in range(dice.randint(3, 14)):
        lines += [
            f"def {name}_{number}(rows: list[dict[str, str]], limit: int = "
            f"{dice.randint(1, 900)}) -> Decimal:",
            f'    """Return the {name} of {dice.choice(NAMES)} number {number}."""',
            f"    total = sum(Decimal(row['{dice.choice(NAMES)}']) for row in rows[:limit])",
            f"    return total * {dice.randint(2, 99)}",
            "",
        ]
    return "\n".join(lines)


def _step(dice: Random) -> tuple[str, Json, str]:
    """Return a tool's name, its arguments and what it answers."""
    name = dice.choice(NAMES)
    path = f"src/shop/{name}.py"
    kind = dice.choice(("read", "read", "edit", "run", "fail", "grep", "todo"))
    if kind == "read":
        return "Read", {"file_path": path}, _source(dice, name)
    if kind == "edit":
        limit = dice.randint(1, 900)
        edit = {
            "file_path": path,
            "old_string": f"limit: int = {limit}",
            "new_string": f"limit: int = {limit + 1}",
        }
        return "Edit", edit, f"The file {path} has been updated."
    if kind == "run":
        return (
            "Bash",
            {"command": f"pytest tests/test_{name}.py"},
            f"{dice.randint(3, 40)} passed in 1.2s",
        )
    if kind == "fail":
        error = (
            f'Traceback (most recent call last):\n  File "{path}", line '
            f"{dice.randint(1, 99)}\nKeyError: '{name}'"
        )
        return "Bash", {"command": f"python -m shop.{name}"}, error
    if kind == "grep":
        hits = [
            f"src/shop/{dice.choice(NAMES)}.py:{dice.randint(1, 300)}: {name}_total = 0"
            for _ in range(12)
        ]
        return "Grep", {"pattern": name}, "\n".join(hits)
    todos = [
        {"content": f"check {each}", "status": dice.choice(("pending", "completed"))}
        for each in NAMES[:4]
    ]
    return "TodoWrite", {"todos": todos}, "Todos have been modified."


def conversation(wire: str, seed: int, turns: int) -> list[Json]:
    """Return a provider's list: requests of a person, replies, calls and results."""
    dice = Random(seed)
    said: list[Json] = []
    for turn in range(turns):
        if turn % dice.randint(4, 7) == 0:
            said.append({"role": "user", "content": ASKS[(seed + turn) % len(ASKS)]})
            said.append({"role": "assistant", "content": dice.choice(REPLIES)})
            said.append({"role": "user", "content": "go on"})
        name, arguments, result = _step(dice)
        said += _called(
            wire, f"c{seed}x{turn}", f"Step {turn}: {dice.choice(REPLIES)}", name, arguments, result
        )
    return said


def _called(wire: str, key: str, words: str, name: str, arguments: Json, result: str) -> list[Json]:
    if wire == "anthropic":
        call = {"type": "tool_use", "id": key, "name": name, "input": arguments}
        answer = {"type": "tool_result", "tool_use_id": key, "content": result}
        return [
            {"role": "assistant", "content": [{"type": "text", "text": words}, call]},
            {"role": "user", "content": [answer]},
        ]
    if wire == "openai":
        call = {
            "id": key,
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        return [
            {"role": "assistant", "content": words, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": key, "content": result},
        ]
    return [
        {"role": "assistant", "content": words},
        {"type": "function_call", "call_id": key, "name": name, "arguments": json.dumps(arguments)},
        {"type": "function_call_output", "call_id": key, "output": result},
    ]


def honest_writer(ask: steno.models.Ask) -> str:
    """Answer with one line that cites the first position shown."""
    cites = [
        int(word)
        for word in ask.prompt.replace("[", " ").replace("]", " ").split()
        if word.isdigit()
    ][:1]
    line = {"text": "The work went on from file to file.", "cites": cites}
    return json.dumps({"facts": [line], "next": [], "gone": []})


WIRES = ("openai", "anthropic", "openai-responses")
POLICIES = ("default", "default", "tiers", "agent-controlled", "lab", "deep")
SESSIONS = [
    (
        number,
        WIRES[number % 3],
        POLICIES[number % 6],
        (4_000, 8_000, 16_000)[number % 3 - number % 2],
        number % 4 == 3,
    )
    for number in range(24)
]
"""Number, wire, policy, window, and whether a writer is asked."""


def commit_line(commit: steno.Commit) -> str:
    """Return what a commit did, in one line: pressure, loads, and the spans of each rung."""
    spans: dict[str, list[str]] = {}
    for edit in commit.edits:
        spans.setdefault(edit.by, []).append(edit.place)
    edits = "; ".join(f"{rung} {' '.join(places)}" for rung, places in spans.items())
    load = f"{commit.before} -> {commit.after}, goal {commit.goal} of {commit.usable}"
    return f"{commit.why} at {commit.at}: {load}, fits {commit.fits}: {edits}"


def lived(number: int, wire: str, policy: str, window: int, asks: bool) -> list[str]:
    """Return the commits of a session, turn by turn, and the load at its end."""
    writer: Any = steno.Script(honest_writer, window=16_000) if asks else None
    session = steno.Session(wire=wire, window=window, policy=policy, writer=writer)
    for message in conversation(wire, number, turns=50 + 10 * (number % 4)):
        session.add(message)
        if asks:
            session._parts.compactor.settle_with_writer()
        session.request(system="You are careful.")
        # A draft that the request began must land at the same moment in every run.
        draft = session._parts.compactor.background_draft
        if draft is not None:
            draft.wait(60)
    session.compact("the rates")
    session.request()
    return [*map(commit_line, session.log.commits), f"load at the end: {session.load}"]
