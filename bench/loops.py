"""Measure precision and recall of open loops at labelled places of real sessions.

A label says what is open after `cut` messages: the positions of a person's requests, of announced
steps, and of to-do items (position and number). Positions count the rows that are not `meta`.
`either` holds positions on which readers may differ (an interrupted request, an offer half
accepted); they are left out. The labels were made by reading, before the patterns. One half of the
conversations, by a digest of their id, was for tuning; the other is held out.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from rich.table import Table

from bench.ground import arguments, tell, verdict, wide
from bench.plain import Row, conversations
from steno.core.message import Block, Call, Message, Result, Text, Thinking
from steno.facts import open_loops

LABELS = Path(__file__).resolve().parent / "labels" / "loops.jsonl"
KINDS = ("ask", "todo", "next")
TARGET = 0.8
HALVES = ("tune", "held out")

Place = tuple[int, int]


def half_of(conversation: str) -> str:
    return HALVES[sha256(conversation.encode()).digest()[0] & 1]


def message(row: Row) -> Message:
    """Return a row of the data as a message."""
    text = row["content"] or ""
    if row["role"] == "tool":
        return Message("tool", (Result(row.get("tool_call_id"), (Text(text),)),))
    blocks: list[Block] = [Thinking(row["thinking"])] if row.get("thinking") else []
    blocks.extend([Text(text)] if text else [])
    blocks.extend(
        Call(call["id"], call["name"], call["arguments"]) for call in row.get("tool_calls") or ()
    )
    return Message(row["role"], tuple(blocks))


def found(messages: list[Message]) -> tuple[dict[str, set[Place]], float]:
    """Return what is open after these messages, by kind, and the seconds it took."""
    began = time.perf_counter()
    loops = open_loops.OpenLoops()
    for position, one in enumerate(messages):
        loops = loops.plus(position, open_loops.read_open_loops(one))
    took = time.perf_counter() - began
    places: dict[str, set[Place]] = defaultdict(set)
    for position, fact in loops.still_open:
        kind = fact.note.partition(" ")[0]
        places[kind].add((position, _item(messages[position], fact.words) if kind == "todo" else 0))
    return places, took


def _item(said: Message, words: str) -> int:
    """Return the number of the list item with these words; 0 for a task of its own."""
    for call in said.calls:
        arguments = json.loads(call.arguments)
        for value in arguments.values() if isinstance(arguments, dict) else ():
            if isinstance(value, list):
                texts = [
                    str(item.get("content") or item.get("step"))
                    for item in value
                    if isinstance(item, dict)
                ]
                if words in texts:
                    return texts.index(words)
    return 0


def labels(folder: Path) -> Iterator[tuple[dict[str, Any], list[Message]]]:
    """Yield each label with the messages up to its cut."""
    rows: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in LABELS.read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        rows[label["file"], label["id"]].append(label)
    for file in sorted({name for name, _ in rows}):
        for conversation in conversations(folder / f"{file}.jsonl.gz"):
            wanted = rows.get((file, conversation.id), [])
            messages = (
                [message(row) for row in conversation.rows if row["role"] != "meta"]
                if wanted
                else []
            )
            yield from ((label, messages[: label["cut"]]) for label in wanted)


def main() -> int:
    parser = arguments(__doc__, data=True)
    parser.add_argument("-v", action="store_true", dest="show", help="print what differs")
    asked = parser.parse_args()
    folder = asked.data
    console = wide()
    tell(console, f"{folder}, labels {LABELS.name}")
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    seconds, characters = 0.0, 0
    for label, messages in labels(folder):
        places, took = found(messages)
        seconds += took
        characters += sum(len(str(block)) for one in messages for block in one.blocks)
        either = set(label["either"])
        for kind in KINDS:
            meant = {(at[0], at[1]) if isinstance(at, list) else (at, 0) for at in label[kind]}
            got = {place for place in places[kind] if place in meant or place[0] not in either}
            score = {
                "right": len(got & meant),
                "wrong": len(got - meant),
                "missed": len(meant - got),
                "cuts": 1,
            }
            for name in (kind, "all"):
                counts[half_of(label["id"]), name].update(score)
            if asked.show and (got ^ meant):
                print(
                    half_of(label["id"]),
                    label["id"][:8],
                    label["cut"],
                    kind,
                    "wrong",
                    got - meant,
                    "missed",
                    meant - got,
                )
    table = Table("half", "kind", "cuts", "right", "wrong", "missed", "precision", "recall")
    missed = []
    for half in HALVES:
        for kind in (*KINDS, "all"):
            count = counts[half, kind]
            precision = count["right"] / max(1, count["right"] + count["wrong"])
            recall = count["right"] / max(1, count["right"] + count["missed"])
            cuts = count["cuts"] // (len(KINDS) if kind == "all" else 1)
            numbers = (cuts, count["right"], count["wrong"], count["missed"])
            table.add_row(half, kind, *map(str, numbers), f"{precision:.2f}", f"{recall:.2f}")
            if half == "held out" and kind == "all" and min(precision, recall) < TARGET:
                missed.append(
                    f"open loops: precision {precision:.2f}, recall {recall:.2f}, at least {TARGET}"
                )
    console.print(table)
    console.print(
        f"{seconds / characters * 40_000 * 1000:.1f} ms per 40,000 characters", highlight=False
    )
    return verdict(console, missed)
