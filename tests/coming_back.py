"""Sessions of an agent that reads files and comes back to them much later."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import strategies as st

from steno.replay.tale import Tale
from steno.wire import chosen, decoded

Json = dict[str, Any]
VERBS = ("parse", "load", "merge", "check", "write", "close", "route", "trim")
NOUNS = ("invoice", "ledger", "window", "packet", "cursor", "branch", "signal", "folder")


def line(random: Random) -> str:
    verb, noun, number = random.choice(VERBS), random.choice(NOUNS), random.randrange(100_000)
    return f"    {verb}_{noun}_{number} = {noun}.{verb}(limit={number})"


def session(seed: int, turns: int, *, lines: int = 20) -> list[Json]:
    """A user's wish, then calls: most read something new, some edit what was read before."""
    random = Random(seed)
    files: dict[str, list[str]] = {}
    messages: list[Json] = [{"role": "user", "content": "Make the importer faster and keep its tests green."}]
    for turn in range(turns):
        if files and random.random() < 0.4:
            path = random.choice(list(files))
            old = random.choice(files[path])
            given = {"path": path, "old": old, "new": f"{old}  # once"}
            messages += exchange(f"c{turn}", "edit", given, f"edited {path}")
        else:
            path = f"src/{random.choice(NOUNS)}/{random.choice(VERBS)}_{turn}.py"
            files[path] = [line(random) for _ in range(lines)]
            shown = "\n".join(f"{n}\t{text}" for n, text in enumerate(files[path], start=1))
            messages += exchange(f"c{turn}", "read", {"path": path}, shown)
    return [*messages, {"role": "assistant", "content": "It is faster now."}]


def exchange(id: str, name: str, arguments: Json, result: str) -> list[Json]:
    called = {"name": name, "arguments": json.dumps(arguments)}
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"id": id, "type": "function", "function": called}]},
        {"role": "tool", "tool_call_id": id, "content": result},
    ]


def tale(messages: list[Json], name: str = "tale", times: tuple[float | None, ...] = ()) -> Tale:
    return Tale(name, tuple(decoded(chosen("openai"), messages)), times)


def tales(*, least: int = 4, most: int = 60) -> st.SearchStrategy[Tale]:
    return st.builds(
        lambda seed, turns, lines: tale(session(seed, turns, lines=lines)),
        st.integers(0, 2**16),
        st.integers(least, most),
        st.integers(4, 30),
    )
