"""Count the constraints that are found, missed and wrongly found in messages of real sessions.

    python -m bench constraints --real DATA [--show]

`labels/constraints.jsonl` names messages of the shared data by file, conversation, position and
offsets, without their text. A conversation is in one of two halves by a hash of its id; `fresh` was
sampled later. All three were read while earlier patterns were written: they say what breaks, not
how well unseen words are read (see `bench/constraints.py`). A constraint is found if a pinned
sentence overlaps its label. Labels of `maybe` are left out, and equal messages count once. `--show`
prints what was missed and wrongly found.

Last, no instruction that is injected into a tool's result may be pinned: as a result, in a fence of
ours, in a program's tag, as the assistant's words.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from bench.ground import tell, wide
from steno.core.fence import Fence
from steno.core.message import Message, Result, Text, user_message
from steno.facts.standing import read_standing

LABELS = Path(__file__).parent / "labels" / "constraints.jsonl"
HALVES = ("tune", "held out")
SETS = (*HALVES, "fresh")

Place = tuple[int, int]
Row = dict[str, Any]


def count_in_real_messages(data: Path, *, show: bool) -> int:
    """Print what is found, missed and wrongly found; return 1 if an injected order is pinned."""
    tell(wide(), f"{data}, labelled by {LABELS.name}")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, outcome in outcomes(data, show):
        counts[name][outcome] += 1
        counts["together"][outcome] += 1
    for name in (*SETS, "together"):
        print(f"  {name:<10} {figures(counts[name])}")
    total, risen = injected(data)
    print(f"injected instructions that became a constraint: {risen} of {total}")
    return int(bool(risen))


def outcomes(data: Path, show: bool) -> Iterator[tuple[str, str]]:
    """Yield "found", "missed" or "false" for each label or pinned sentence, with its set."""
    for file, labelled, is_whole in label_files():
        seen = set()
        for talk in conversations(data, file):
            for at, message in enumerate(talk["messages"]):
                text = message["content"]
                row = labelled.get((talk["id"], at))
                if row is None and is_whole:
                    row = {"spans": [], "maybe": []}
                if message["role"] != "user" or row is None or text in seen:
                    continue
                seen.add(text)
                name = row.get("set", half_of(talk["id"]))
                for outcome, place in judged(pinned_places(text), row):
                    yield name, outcome
                    if show and outcome != "found":
                        print(f"  {outcome} {file} {talk['id'][:24]} {at}: {text[slice(*place)]!r}")


def label_files() -> Iterator[tuple[str, dict[tuple[str, int], Row], bool]]:
    """Yield each file of the data, its labels by place, and whether all of it was labelled."""
    labelled: dict[str, dict[tuple[str, int], Row]] = defaultdict(dict)
    whole = set()
    for line in LABELS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("all"):
            whole.add(row["file"])
        else:
            labelled[row["file"]][row["id"], row["at"]] = row
    for file, rows in labelled.items():
        yield file, rows, file in whole


def half_of(conversation: str) -> str:
    return HALVES[blake2b(conversation.encode(), digest_size=1).digest()[0] % 2]


def conversations(data: Path, file: str) -> Iterator[dict[str, Any]]:
    with gzip.open(data / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def pinned_places(text: str) -> list[Place]:
    """Return where the sentences of a person's message stand that are pinned."""
    found = [fact.words for fact in constraints_in(user_message(text))]
    return [(text.index(words), text.index(words) + len(words)) for words in found]


def constraints_in(message: Message) -> list[Any]:
    return [fact for fact in read_standing(message) if fact.kind == "constraint"]


def judged(found: list[Place], row: Row) -> Iterator[tuple[str, Place]]:
    spans = [tuple(span) for span in row["spans"]]
    unsure = [tuple(span) for span in row["maybe"]]
    for span in spans:
        yield ("found" if overlaps(span, found) else "missed"), span
    for place in found:
        if not overlaps(place, spans) and not overlaps(place, unsure):
            yield "false", place


def overlaps(one: Place, others: list[Place]) -> bool:
    return any(one[0] < stop and start < one[1] for start, stop in others)


def figures(counts: Counter[str]) -> str:
    found, false, missed = counts["found"], counts["false"], counts["missed"]
    precision, recall = found / ((found + false) or 1), found / ((found + missed) or 1)
    return (
        f"found {found}, false {false}, missed {missed}: "
        f"precision {precision:.3f}, recall {recall:.3f}"
    )


def injected(data: Path) -> tuple[int, int]:
    """Return how many injected instructions there are, and how many were pinned."""
    total = risen = 0
    for talk in conversations(data, "agentdojo"):
        for words in talk["labels"]["injections"].values():
            total += 1
            risen += any(map(constraints_in, doors(words)))
        for message in talk["messages"]:
            if message["role"] == "tool":
                result = Result("call", (Text(message["content"] or ""),))
                risen += bool(constraints_in(Message("tool", (result,))))
    return total, risen


def doors(words: str) -> tuple[Message, ...]:
    """Return the messages by which the words of others can reach a session."""
    fence = Fence({"kind": "trace", "covers": "3-9"}, words)
    result = Result("call", (Text(words),))
    return (
        Message("tool", (result,)),
        Message("user", (result, Text("Go on."))),
        Message("user", (Text(words),), by="steno"),
        user_message(str(fence)),
        user_message(f"Go on.\n{fence}\nThanks."),
        user_message(f"<system-reminder>\n{words}\n</system-reminder>\nGo on."),
        Message("system", (Text(f"You are helpful.\n{fence}"),)),
        Message("assistant", (Text(words),)),
    )
