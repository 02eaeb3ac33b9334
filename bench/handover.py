"""Measure whether a reader could go on from a compacted session: the handover test.

    python -m bench handover PROBE OUT [--sessions N] [--reader MODEL --grader MODEL] [--recall]

PROBE is a Python file that knows the sessions and what others leave of them: `rows()` yields a
session with its questions, `prefix(row)` its messages before the cut, `budgets(row)` the sizes to
compare at by name, and `contexts(folder)` writes the peers' contexts (a vendor's summary, a sliding
window, …) as OUT/SESSION/ctx_NAME.txt. Steno's are written beside them as ctx_steno_SIZE.txt. Then
every context in OUT is measured; put your own there to compare it.

Without a model: how much of the evidence stands word for word in each. With --reader and --grader
(openai:…, anthropic:…, http://…#name) the whole test: the reader answers from each context alone,
the grader grades blind, and the table is by kind with intervals. --writer gives Steno a writer.
With --recall the reader of every context may also search the session and open messages of it, at
most twice each a question; the table then says how many tokens it read so.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import steno
from bench.ground import arguments, tell, wide
from steno.cli.output import TerminalPage
from steno.cli.probe import print_evidence, print_scores
from steno.engine.policy import Policy
from steno.lab.handover import (
    Handover,
    HandoverContext,
    evidence_rates,
    handover_scores,
    read_and_grade,
    steno_context,
)
from steno.lab.probe import questions_in_row
from steno.lab.recorded import RecordedSession
from steno.providers import decode_messages, get_wire

POLICY = Policy(
    goal=0.99,
    soft=0.995,
    hard=1.0,
    tail=steno.tails.Share(0.22),
    moment="now",
    by_window=False,
)
"""Down to the size, and no further: contexts of one size are compared."""
SPARE = 0.99
"""Share of a size that Steno's own count of messages may fill."""
WIDEST = 200

Json = dict[str, Any]


def load_probe(path: Path) -> ModuleType:
    """Import the file that knows the sessions."""
    spec = importlib.util.spec_from_file_location("handover_probe", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is not a Python file")
    # It may import files beside it.
    sys.path.insert(0, str(path.parent))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def recorded_session(name: str, rows: list[Json]) -> RecordedSession:
    messages = decode_messages(get_wire("openai"), _as_openai_list(rows))
    return RecordedSession(name, tuple(messages), wire="openai")


def _as_openai_list(rows: list[Json]) -> list[Json]:
    """Return rows as messages; calls that were made at once as calls of one message."""
    messages: list[Json] = []
    for row in rows:
        message = _as_openai(row)
        # Codex writes each of them as a row of its own, and then their results.
        if messages and "tool_calls" in message and "tool_calls" in messages[-1]:
            said = (messages[-1]["content"], message["content"])
            messages[-1]["content"] = "\n\n".join(filter(None, said)) or None
            messages[-1]["tool_calls"] += message["tool_calls"]
        else:
            messages.append(message)
    return messages


def _as_openai(row: Json) -> Json:
    role = row["role"]
    if role == "developer":
        role = "system"
    message: Json = {"role": role, "content": row.get("content") or ""}
    calls = row.get("tool_calls")
    if calls:
        message["tool_calls"] = [_as_call(call, number) for number, call in enumerate(calls)]
        message["content"] = message["content"] or None
    if role == "tool":
        message["tool_call_id"] = row.get("tool_call_id") or "n0"
    return message


def _as_call(call: Json, number: int) -> Json:
    function = {"name": call["name"], "arguments": call.get("arguments") or "{}"}
    return {"id": call.get("id") or f"n{number}", "type": "function", "function": function}


def write_contexts(
    probe: ModuleType, out: Path, most: int, writer: str | None, *, recall: bool
) -> None:
    """Write the peers' contexts and Steno's for the first sessions."""
    probe.contexts(str(out))
    for row, _ in list(probe.rows())[:most]:
        recorded = recorded_session(row["id"], probe.prefix(row))
        for size, tokens in probe.budgets(row).items():
            made = steno_context(
                recorded,
                int(tokens * SPARE),
                POLICY,
                reserve=0,
                meter=steno.chars_per_four(),
                writer=writer,
                recall=recall,
            )
            _context_file(out, row["id"], f"steno_{size}").write_text(made.text, "utf-8")


def _context_file(out: Path, session: str, name: str) -> Path:
    # The probe's own contexts stand in folders of eight characters.
    return out / session[:8] / f"ctx_{name}.txt"


def read_handovers(probe: ModuleType, out: Path, most: int, *, recall: bool) -> Iterator[Handover]:
    """Read every context that stands in the folder."""
    for row, entries in list(probe.rows())[:most]:
        asked = questions_in_row({"questions": entries}, len(probe.prefix(row)), row["id"])
        contexts = tuple(
            HandoverContext(path.stem.removeprefix("ctx_"), path.read_text("utf-8"))
            for path in sorted((out / row["id"][:8]).glob("ctx_*.txt"))
        )
        recorded = None
        if recall:
            recorded = recorded_session(row["id"], probe.prefix(row))
        yield Handover(row["id"], asked.questions, contexts, recorded)


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("probe", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sessions", type=int, default=1_000, help="the first N")
    parser.add_argument("--reader", help="a model that answers from each context alone")
    parser.add_argument("--grader", help="a model that grades; default: the reader")
    parser.add_argument("--writer", help="a model that writes Steno's summaries; default: none")
    parser.add_argument("--recall", action="store_true", help="the reader may search and open")
    given = parser.parse_args()
    console = wide()
    tell(console, f"the sessions of {given.probe.name}")
    probe = load_probe(given.probe)
    write_contexts(probe, given.out, given.sessions, given.writer, recall=given.recall)
    handovers = list(read_handovers(probe, given.out, given.sessions, recall=given.recall))
    page = TerminalPage(console=console, widest=WIDEST)
    print_evidence(page, handovers, evidence_rates(handovers))
    if given.reader:
        grader = given.grader or given.reader
        readings, graded = read_and_grade(handovers, given.reader, grader)
        for reading in readings:
            if reading.why:
                console.print(f"{reading.session} {reading.context}: {reading.why}")
        print_scores(page, handover_scores(graded))
        console.print(f"read by {given.reader}, graded by {grader}")
    return 0
