"""Count what one `add`, one `request` and one compaction walk through.

    python scripts/profile_turn.py [--calls]
    PYTHONPATH=/another/checkout/src python scripts/profile_turn.py

Prints three figures for each: distinct functions of Steno that are called, distinct
files they stand in, and file switches (consecutive call and return events whose file
differs). `--calls` also lists the files with their number of calls. Only the public
API is used, so the same script measures another version.

The session is kept in a file and holds six turns with tool calls; the compaction is the
first of the process, after thirty more turns, so it pays for every cache it fills.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import steno

ROOT = str(Path(steno.__file__).parent)
FEW_TURNS = 6
MANY_TURNS = 30


class TurnProfile:
    """What one call went through."""

    def __init__(self) -> None:
        self.functions: set[CodeType] = set()
        self.calls: Counter[str] = Counter()
        self.switches = 0
        self._last = ""

    def measure(self, action: Callable[[], object]) -> TurnProfile:
        """Run an action and count the functions of Steno it calls in this thread."""
        sys.setprofile(self._record)
        try:
            action()
        finally:
            sys.setprofile(None)
        return self

    def _record(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(ROOT):
            return
        if event == "call":
            self.functions.add(code)
            self.calls[code.co_filename] += 1
        if code.co_filename != self._last:
            self.switches += bool(self._last)
            self._last = code.co_filename

    def __str__(self) -> str:
        return f"{len(self.functions):,}/{len(self.calls):,}/{self.switches:,}"


def turns(count: int) -> list[dict[str, Any]]:
    """Return messages of an agent that reads a file a turn and decides something."""
    messages: list[dict[str, Any]] = []
    for number in range(count):
        path = f"src/module_{number}.py"
        function = {"name": "read_file", "arguments": f'{{"path": "{path}"}}'}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        source = f"def function_{number}():\n    return {number}\n" * 20
        messages += [
            {"role": "user", "content": f"Fix error {number} in {path}. Never touch production."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": source},
            {"role": "assistant", "content": f"I decided on way {number} because it is simpler."},
        ]
    return messages


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.db"
        with steno.Session(path, wire="openai", window=200_000) as session:
            session.add(*turns(FEW_TURNS))
            session.request()
            greeting = {"role": "user", "content": "Go on."}
            profiles = {
                "add": TurnProfile().measure(lambda: session.add(greeting)),
                "request": TurnProfile().measure(session.request),
            }
            session.add(*turns(MANY_TURNS))
            profiles["compaction"] = TurnProfile().measure(session.compact)
    print("functions/files/file switches")
    for name, profile in profiles.items():
        print(f"{name:12}{profile}")
        if "--calls" in arguments:
            for file, calls in profile.calls.most_common():
                print(f"{calls:>10,}  {Path(file).relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
