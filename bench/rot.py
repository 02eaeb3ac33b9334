"""Signs of an agent that lost its way, before and after real compactions, by contextrot's rules.

    pip install --no-deps contextrot==2.1.0
    python -m bench rot DATA

contextrot (MIT) marks the steps of a session: a tool failed, an edit failed, a failed call was
repeated, a file was read again, the agent corrected itself. We give it the sessions in which a
vendor's compaction happened, and count its marks in the steps before and after each. What was
recorded happened under the vendor's compaction, not under Steno's. So for the files that were read
again afterwards we also ask whose context had named them: the vendor's summary, Steno's view or a
sliding window of no more characters.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from contextrot.models import Session, Step, ToolCall
from contextrot.signals import READ_TOOLS, SIGNAL_NAMES, extract_signals
from rich.table import Table

from bench.ground import arguments, tell, wide
from bench.handover import recorded_session
from bench.plain import Row, conversations
from bench.vendors import PATHS, is_summary, steno_text
from steno.lab.handover import sliding_context
from steno.lab.interval import session_interval

NEAR = 20
"""Steps that are looked at on each side of a compaction."""
WINDOW = 200_000

Marks = dict[str, list[float]]
"""A share for each compaction, by the name of what was counted."""


def target(arguments: str) -> str | None:
    """Return the file that a call names, or the beginning of its command."""
    try:
        read: Any = json.loads(arguments)
    except ValueError:
        return arguments[:40] or None
    if not isinstance(read, dict):
        return None
    named = [read.get(key) for key in (*PATHS, "command")]
    return next((text for text in named if isinstance(text, str)), None)


def steps_of(rows: Sequence[Row]) -> Iterator[tuple[int, Step]]:
    """Yield a step for each reply, with its position and what became of its calls."""
    failed = {
        row.get("tool_call_id"): bool((row.get("meta") or {}).get("is_error"))
        for row in rows
        if row["role"] == "tool"
    }
    for at, row in enumerate(rows):
        if row["role"] != "assistant":
            continue
        calls = [
            ToolCall(each["name"], each["id"], target(each["arguments"]), failed.get(each["id"]))
            for each in row.get("tool_calls") or ()
        ]
        yield at, Step(None, "unknown", tool_calls=calls, assistant_text=row["content"])


def read_again(steps: Sequence[Step], marks: Sequence[Any]) -> list[str]:
    """Return the files of the calls in steps that are marked as reading again."""
    return [
        call.target
        for step, mark in zip(steps, marks, strict=True)
        if mark.reread
        for call in step.tool_calls
        if call.name.lower() in READ_TOOLS and call.target
    ]


def measure(rows: Sequence[Row], found: Marks) -> None:
    """Add the shares of every compaction of a session."""
    placed = list(steps_of(rows))
    steps = [step for _, step in placed]
    marks = extract_signals(Session("", "recorded", "", steps), WINDOW).steps
    start = 0
    for at, row in enumerate(rows):
        if not is_summary(row):
            continue
        cut = sum(position < at for position, _ in placed)
        sides = {"before": slice(max(0, cut - NEAR), cut), "after": slice(cut, cut + NEAR)}
        for side, part in sides.items():
            for name in SIGNAL_NAMES:
                seen = [getattr(mark, name) for mark in marks[part]]
                if seen:
                    found.setdefault(f"{name} {side}", []).append(sum(seen) / len(seen))
        before = [each for each in rows[start:at] if each["role"] != "meta"]
        files = read_again(steps[sides["after"]], marks[sides["after"]])
        # What was never read before this compaction, no context can name.
        known = [path for path in files if any(path in str(each) for each in before)]
        if known:
            for name, text in contexts(before, row["content"]).items():
                named = [path.rpartition("/")[2] in text for path in known]
                found.setdefault(name, []).append(sum(named) / len(named))
        start = at


def contexts(before: Sequence[Row], summary: str) -> dict[str, str]:
    """Return the vendor's summary, and what others make of the same messages in its size."""
    recorded = recorded_session("rot", [dict(each) for each in before])
    size = len(summary)
    return {
        "vendor": summary,
        "steno": steno_text(recorded, size),
        "sliding": sliding_context(recorded, size // 4).text,
    }


def mean(values: Sequence[float]) -> str:
    return str(session_interval({str(at): [value] for at, value in enumerate(values)}))


def main() -> int:
    asked = arguments(__doc__, data=True).parse_args()
    console = wide()
    files: list[Path] = sorted(asked.data.glob("compacted*.jsonl.gz"))
    tell(console, ", ".join(file.name for file in files), ("contextrot",))
    found: Marks = {}
    for file in files:
        for conversation in conversations(file):
            measure(conversation.rows, found)
    table = Table("mark", f"{NEAR} steps before", f"{NEAR} steps after")
    for name in SIGNAL_NAMES:
        table.add_row(name, mean(found[f"{name} before"]), mean(found[f"{name} after"]))
    console.print(table)
    count = len(found["vendor"])
    console.print(f"files read again after {count} compactions, named in a context of that size:")
    for name in ("vendor", "steno", "sliding"):
        console.print(f"  {name}: {mean(found[name])}", highlight=False)
    console.print(f"{len(found['reread after'])} compactions; means, 95 % intervals")
    return 0
