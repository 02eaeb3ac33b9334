"""Measure what a turn of a loop costs without the model, in a long session.

A turn is: make the request, add the reply, run the tool it calls, add the result, record the
state. Beside it, in the same run, a bare loop over a list that keeps, counts and measures nothing.
The model is a script that answers at once.

    python bench/loop.py
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from rich.table import Table

import steno
from ground import tell, verdict, wide
from steno import Session
from steno.agent import ReactLoop, RunLimits, TurnFinished
from steno.core.model import Delta, FinishedTurn, Usage

TOKENS = 100_000
WINDOW = 400_000
"""So that nothing is compacted: that is another figure."""
TURNS, WARM = 40, 5
MOST = 0.005
SYNCS = 4
RESULT = "\n".join(f"row {k}: value {k * 7 % 13}, stored in hall {k % 5}" for k in range(30))


class Instant:
    """A model that answers at once, and records when it was asked and when it had answered."""

    name, wire, window = "instant", "openai", WINDOW

    def __init__(self, turns: int) -> None:
        self.turns, self.asked = turns, 0
        self.spans: list[tuple[float, float]] = []

    def turn(
        self,
        request: Mapping[str, Any],
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
    ) -> Iterator[Delta | FinishedTurn]:
        began = time.perf_counter()
        self.asked += 1
        spoken = _spoken(self.asked, over=self.asked >= self.turns)
        self.spans.append((began, time.perf_counter()))
        yield spoken


def _spoken(n: int, *, over: bool) -> FinishedTurn:
    call = {
        "id": f"c{n}",
        "type": "function",
        "function": {"name": "rows", "arguments": json.dumps({"n": n})},
    }
    said: dict[str, Any] = {"role": "assistant", "content": f"Reading part {n}."}
    return FinishedTurn(
        ({**said, "tool_calls": [call]} if not over else said,), Usage(), "end" if over else "calls"
    )


def rows(n: int) -> str:
    """Give the rows of a part."""
    return f"part {n}\n{RESULT}"


def main() -> int:
    console = wide()
    tell(
        console,
        f"a session of {TOKENS:,} tokens of our own words, then {TURNS} turns with one call each",
    )
    table = Table(title="ms a turn, model excluded: min / median / p95", title_justify="left")
    for head in ("what", "ms", "note"):
        table.add_column(head)
    bare = _bare()
    table.add_row("a bare loop over a list", _said(bare), "keeps, counts and measures nothing")
    missed: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for what, path, durable in (
            ("ReactLoop, in memory", None, True),
            ("ReactLoop, in a file", Path(folder) / "a.db", False),
            ("ReactLoop, in a file that survives a power cut", Path(folder) / "b.db", True),
        ):
            times, worked, load = _looped(path, durable)
            note = (
                f"{median(times) / median(bare):.0f} × the bare loop; "
                f"{1_000 * worked:.1f} ms of the processor a turn"
            )
            note += f"; {load:,} tokens at the end"
            table.add_row(what, _said(times), note)
            if median(times) > MOST and not (
                path and durable
            ):  # what a disk takes to sync is the disk's figure
                missed.append(
                    f"{what}: {1_000 * median(times):.2f} ms, the target is {1_000 * MOST:.0f}"
                )
        table.add_row(
            f"{SYNCS} writes of 4 kB, each synced, to this disk", _said(_synced(Path(folder))), ""
        )
    console.print(table)
    return verdict(console, missed)


def _history() -> list[dict[str, Any]]:
    """Return calls and results until the session is long enough."""
    meter = steno.meter_for(None, "openai")
    said: list[dict[str, Any]] = [{"role": "user", "content": "Read every part. Never touch prod."}]
    tokens, n = 0, 0
    while tokens < TOKENS:
        n += 1
        (message,) = _spoken(-n, over=False).messages
        result = {"role": "tool", "tool_call_id": f"c{-n}", "content": rows(-n)}
        said += [message, result]
        tokens += meter.count(result["content"]) + 30
    return [*said, {"role": "assistant", "content": "That was the first half."}]


def _looped(path: Path | None, durable: bool) -> tuple[list[float], float, int]:
    model = Instant(TURNS + WARM + 1)
    loop = ReactLoop(model, [rows], limits=RunLimits(turns=None))
    with Session(path, wire="openai", window=WINDOW, durable=durable) as session:
        session.add(*_history())
        ends, worked = [time.perf_counter()], time.process_time()
        for told in loop.run("Read the second half.", session):
            if isinstance(told, TurnFinished):
                ends.append(time.perf_counter())
        load, worked = session.load, time.process_time() - worked
    spent = zip(ends, ends[1:], model.spans, strict=False)
    return (
        [stop - start - (after - before) for start, stop, (before, after) in spent][WARM:-1],
        worked / len(ends),
        load,
    )


def _synced(folder: Path) -> list[float]:
    """Time as many disk syncs as a durable turn has: reply, mark, result, state."""
    times: list[float] = []
    with open(folder / "synced", "wb") as file:
        for _ in range(TURNS):
            began = time.perf_counter()
            for _ in range(SYNCS):
                file.write(b"x" * 4_096)
                file.flush()
                os.fsync(file.fileno())
            times.append(time.perf_counter() - began)
    return times


def _bare() -> list[float]:
    """Do the least that any loop does: append, decode, call, append."""
    messages = _history()
    times: list[float] = []
    for n in range(1, TURNS + WARM):
        spoken = _spoken(n, over=False)
        began = time.perf_counter()
        request = {"messages": messages, "tools": [{"type": "function"}]}
        messages += spoken.messages
        for call in spoken.messages[0]["tool_calls"]:
            result = rows(**json.loads(call["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        assert len(request) == 2
        times.append(time.perf_counter() - began)
    return times[WARM:]


def _said(times: list[float]) -> str:
    return " / ".join(
        f"{1_000 * number:.3f}"
        for number in (min(times), median(times), quantiles(times, n=20)[-1])
    )


if __name__ == "__main__":
    sys.exit(main())
