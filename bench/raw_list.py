"""The raw list sent to `compact` with the last result, beside a session: changes and time.

    python bench/raw_list.py --window 4000 8000 --turns 60

A beginning changed too early if the last result and the new messages would have fitted together.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import steno

Plain = dict[str, Any]


def turn(n: int) -> list[Plain]:
    """Return a request, a call, its result and a reply; results differ in size."""
    path = f"src/mod{n % 9}.py"
    function = {"name": "read_file", "arguments": json.dumps({"path": path})}
    call = {"id": f"c{n}", "type": "function", "function": function}
    rows = [f"line {row} of {path}: value_{n}_{row} = {row * n}" for row in range(10 + n * 13 % 60)]
    return [
        {"role": "user", "content": f"Step {n}: look at {path}. " + "Be brief. " * (n % 7)},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{n}", "content": "\n".join(rows)},
        {"role": "assistant", "content": f"Case {n} is in handle_{n}. " + "It merges. " * (n % 5)},
    ]


def fits(messages: list[Any], window: int) -> bool:
    """Tell whether a list is under no pressure as it is."""
    session = steno.Session(wire="openai", window=window)
    session.host.add(*messages)
    return session.pressure is steno.Pressure.NONE


def measure(kind: str, window: int, turns: int) -> str:
    session = steno.Session(wire="openai", window=window)
    said: list[Plain] = []
    last: list[Any] = []
    result: steno.Compacted | None = None
    changed = early = 0
    spent = 0.0
    for n in range(turns):
        new = turn(n)
        said += new
        start = time.process_time()
        if kind == "session":
            session.add(*new)
            shown = session.messages()
        else:
            result = steno.compact(said, wire="openai", window=window, after=result)
            shown = result.messages
        spent += time.process_time() - start
        if shown[: len(last)] != last:
            changed += 1
            early += fits([*last, *new], window)
        last = shown
    return f"{kind:8} window {window}: {changed} changes, {early} too early, {spent:.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--window", type=int, nargs="+", default=[4_000, 8_000])
    parser.add_argument("--turns", type=int, default=60)
    given = parser.parse_args()
    # Modules that are loaded when they are first used are nobody's work.
    measure("session", 4_000, 20)
    for window in given.window:
        for kind in ("session", "raw"):
            print(measure(kind, window, given.turns), flush=True)


if __name__ == "__main__":
    main()
