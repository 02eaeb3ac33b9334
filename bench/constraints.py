"""Measure precision and recall of the rules that are read, against labels.

    python bench/constraints.py /path/to/data

Two sets of labels lie beside this file. `labels/constraints.jsonl` names messages of the shared
data by file, conversation, position and offsets, without their text; `labels/sayings.jsonl` holds
sentences of our own in five languages. Both are split in halves, one to tune on and one held out:
by a hash of the conversation's id, and by the parity of the line. A rule counts as found if what
was read overlaps what was labelled. Labels of `maybe` are left out, and a message that was sent
many times counts once. A third set, `fresh`, was written and sampled after the patterns, to see
how they do on other phrasings. Last, no instruction that is injected into a tool result may gain
authority: as a tool's result, in a fence of ours, and under a reminder's tag.
"""

from __future__ import annotations

import gzip
import json
import platform
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from steno.core.fence import Fence
from steno.core.message import Message, Result, Text, user_message
from steno.facts.rulebook import Rules
from steno.facts.rules import read_rules

LABELS = Path(__file__).parent / "labels"
HALVES = ("tune", "held out")
Place = tuple[int, int]


def half(name: str) -> str:
    return HALVES[blake2b(name.encode(), digest_size=1).digest()[0] % 2]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def conversations(data: Path, file: str) -> Iterator[dict[str, Any]]:
    with gzip.open(data / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def places(text: str, kind: str = "constraint") -> list[Place]:
    """Return where in a person's message facts of a kind were read."""
    found = []
    for fact in read_rules(user_message(text)):
        if fact.kind == kind:
            start = text.index(fact.words)
            found.append((start, start + len(fact.words)))
    return found


def overlaps(one: Place, others: list[Place]) -> bool:
    return any(one[0] < stop and start < one[1] for start, stop in others)


def shared(data: Path, *, show: str | None) -> Iterator[tuple[str, str]]:
    """Yield an outcome ("found", "missed", "false") for each label or reading, with its half."""
    labelled: dict[str, dict[tuple[str, int], dict[str, Any]]] = defaultdict(dict)
    whole = set()
    for row in rows(LABELS / "constraints.jsonl"):
        if row.get("all"):
            whole.add(row["file"])
        else:
            labelled[row["file"]][row["id"], row["at"]] = row
    for file, wanted in labelled.items():
        seen = set()
        for talk in conversations(data, file):
            for at, message in enumerate(talk["messages"]):
                row = wanted.get(
                    (talk["id"], at), {"spans": [], "maybe": []} if file in whole else None
                )
                if message["role"] != "user" or row is None or message["content"] in seen:
                    continue
                seen.add(message["content"])
                which = row.get("set", half(talk["id"]))
                for outcome, place in judged(places(message["content"]), row):
                    yield which, outcome
                    if show == which and outcome != "found":
                        print(
                            f"  {outcome} {file} {talk['id'][:24]} {at}: "
                            f"{message['content'][slice(*place)]!r}"[:400]
                        )


def judged(found: list[Place], row: dict[str, Any]) -> Iterator[tuple[str, Place]]:
    spans = [tuple(span) for span in row["spans"]]
    unsure = [tuple(span) for span in row["maybe"]]
    for span in spans:
        yield ("found" if overlaps(span, found) else "missed"), span
    for place in found:
        if not overlaps(place, spans) and not overlaps(place, unsure):
            yield "false", place


def sayings() -> Iterator[tuple[str, str, str]]:
    """Yield outcomes as `shared` does, for our own sentences of "constraint" or "release"."""
    for at, row in enumerate(rows(LABELS / "sayings.jsonl")):
        text = row["text"]
        for kind in ("constraint", "release"):
            said = [s for s in row.get("said", text).split("|") if row["kind"] == kind]
            spans = [(text.index(s), text.index(s) + len(s)) for s in said]
            for outcome, _ in judged(places(text, kind), {"spans": spans, "maybe": []}):
                yield row.get("set", HALVES[at % 2]), kind, outcome


def injected(data: Path) -> tuple[int, int]:
    """Return how many injected instructions there are, and how many gained authority."""
    total = risen = 0
    for talk in conversations(data, "agentdojo"):
        for words in talk["labels"]["injections"].values():
            total += 1
            fence = Fence({"kind": "trace", "covers": "3-9"}, words)
            doors = (
                Message("tool", (Result("call", (Text(words),)),)),
                Message("user", (Result("call", (Text(words),)), Text("Go on."))),
                Message("user", (Text(words),), by="steno"),
                user_message(str(fence)),
                user_message(f"Go on.\n{fence}\nThanks."),
                user_message(f"<system-reminder>\n{words}\n</system-reminder>\nGo on."),
                Message("system", (Text(f"You are helpful.\n{fence}"),)),
                Message("assistant", (Text(words),)),
            )
            risen += any(
                Rules().plus((0, fact) for fact in read_rules(door)).live for door in doors
            )
        for message in talk["messages"]:
            if message["role"] == "tool":
                risen += bool(
                    list(
                        read_rules(
                            Message("tool", (Result("call", (Text(message["content"] or ""),)),))
                        )
                    )
                )
    return total, risen


def line(name: str, counts: Counter[str]) -> str:
    read_right = counts["found"] / ((counts["found"] + counts["false"]) or 1)
    recalled = counts["found"] / ((counts["found"] + counts["missed"]) or 1)
    return (
        f"  {name:<34} precision {read_right:.3f}  recall {recalled:.3f}"
        f"  ({counts['found']} found, {counts['false']} false, {counts['missed']} missed)"
    )


def main() -> None:
    data = Path(sys.argv[1])
    show = sys.argv[2] if len(sys.argv) > 2 else None
    print(
        f"bench/constraints.py {' '.join(sys.argv[1:])}; Python "
        f"{platform.python_version()}, {platform.machine()}"
    )
    tables: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for which, outcome in shared(data, show=show):
        tables[which, "shared data"][outcome] += 1
    for which, kind, outcome in sayings():
        tables[which, f"own sentences, {kind}s"][outcome] += 1
    for which in (*HALVES, "fresh"):
        print(f"{which}:")
        for (belongs, name), counts in sorted(tables.items()):
            if belongs == which:
                print(line(name, counts))
        both = Counter[str]()
        for (belongs, name), counts in tables.items():
            if belongs == which and not name.endswith("releases"):
                both.update(counts)
        print(line("constraints, together", both))
    total, risen = injected(data)
    print(f"injected instructions that became a rule: {risen} of {total}")


if __name__ == "__main__":
    main()
