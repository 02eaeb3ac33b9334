"""Measure how much is found again, on public questions whose answers are marked.

    python bench/recall.py DATA [--minilm FOLDER] [--questions N]

LongMemEval: each question is asked, unchanged, of a session of some 115,000 tokens that holds its
evidence among other conversations; a gold turn is one that is marked as holding the answer. No
prior that knows the data set is used; what one would give (gold is nearly always in user turns) is
reported beside it. BEAM: conversations of some 146,000 tokens, with gold as its authors cite it.
After `default` has compacted the session to 16,000 tokens: for how many questions a gold turn is
still shown word for word, or is returned by one recall.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import steno

HAYSTACK = 115_000
COMPACTED = 16_000
AMONG = (1, 5, 10, 20)
TARGETS = {("any", 5): 0.86, ("all", 10): 0.74}

Json = dict[str, Any]


@dataclass(frozen=True)
class Question:
    text: str
    messages: list[Json]
    gold: frozenset[int]


@dataclass
class Tally:
    """How often some, or all, of the gold is among the first hits."""

    asked: int = 0
    some: dict[int, int] = field(default_factory=lambda: dict.fromkeys(AMONG, 0))
    all: dict[int, int] = field(default_factory=lambda: dict.fromkeys(AMONG, 0))
    times: list[float] = field(default_factory=list)

    def count(self, found: Sequence[int], gold: frozenset[int]) -> None:
        self.asked += 1
        for most in AMONG:
            top = set(found[:most])
            self.some[most] += bool(top & gold)
            self.all[most] += gold <= top

    def line(self, name: str) -> str:
        def shares(counts: dict[int, int]) -> str:
            return "  ".join(f"{count / self.asked:.3f}" for count in counts.values())

        spent = sorted(self.times)
        return (
            f"{name:<34} {shares(self.some)}   {shares(self.all)}   "
            f"{1e3 * spent[len(spent) // 2]:6.1f} ms p50"
            f" {1e3 * spent[int(len(spent) * 0.95)]:6.1f} p95"
        )


def read(path: Path) -> list[Json]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _meta(message: Json, key: str) -> Any:
    return (message.get("meta") or {}).get(key)


def long_mem_eval(path: Path) -> Iterator[Question]:
    for row, said in long_mem_eval_rows(path):
        gold = frozenset(
            at for at, message in enumerate(row["messages"]) if _meta(message, "has_answer")
        )
        if gold:
            yield Question(row["labels"]["question"], said, gold)


def long_mem_eval_rows(path: Path) -> Iterator[tuple[Json, list[Json]]]:
    """Rows with their haystacks, as the published anchor builds them: same order, same seed.

    Own messages first.
    """
    rows = read(path)
    sessions: dict[str, list[Json]] = {}
    for row in rows:
        for message in row["messages"]:
            sessions.setdefault(_meta(message, "session"), []).append(message)
    dice = random.Random(7)
    for row in rows:
        own = {_meta(message, "session") for message in row["messages"]}
        others = [name for name in sessions if name not in own]
        dice.shuffle(others)
        said, size = list(row["messages"]), _size(row["messages"])
        for name in others:
            if size >= HAYSTACK:
                break
            said += sessions[name]
            size += _size(sessions[name])
        yield row, said


def _size(messages: list[Json]) -> int:
    return sum(len(message["content"]) for message in messages) // 4


def beam(path: Path) -> Iterator[Question]:
    for row in read(path):
        positions = {_meta(message, "id"): at for at, message in enumerate(row["messages"])}
        for kind, asked in row["labels"].items():
            for each in asked if kind != "abstention" else ():
                cited = _numbers(each.get("source_chat_ids", []))
                gold = frozenset(positions[number] for number in cited if number in positions)
                if gold:
                    yield Question(each["question"], row["messages"], gold)


def _numbers(value: Any) -> list[int]:
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return [number for part in parts for number in _numbers(part)]
    return [value] if isinstance(value, int) else []


class Remembering:
    """An embedder that embeds each text once: haystacks share most of their texts."""

    def __init__(self, inner: Any) -> None:
        self._inner, self._known = inner, dict[str, Any]()
        self.name, self.dimensions = inner.name, inner.dimensions

    def embed(self, texts: Sequence[str]) -> list[Any]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for start in range(0, len(new), 64):
            some = new[start : start + 64]
            self._known |= dict(zip(some, self._inner.embed(some), strict=True))
        return [self._known[text] for text in texts]


def session_of(question: Question, embedder: Any, window: int = 1_000_000) -> steno.Session:
    session = steno.Session(wire="openai", window=window, embedder=embedder)
    session.add(
        *({"role": message["role"], "content": message["content"]} for message in question.messages)
    )
    return session


Way = Callable[[steno.Session, str], list[int]]


def by(**how: Any) -> Way:
    return lambda session, query: [
        hit.position for hit in session.recall(query, most=20, seconds=600, **how).hits
    ]


def users_first(**how: Any) -> Way:
    """With a prior that knows the data set: gold is nearly always in user turns, so they count
    half as much again.
    """

    def look(session: steno.Session, query: str) -> list[int]:
        hits = session.recall(query, most=60, seconds=600, **how).hits
        weighed = sorted(hits, key=lambda hit: -hit.score * (1.5 if hit.role == "user" else 1.0))
        return [hit.position for hit in weighed]

    return look


def ways(with_embedder: bool) -> dict[str, Way]:
    found = {"full text": by(mode="words"), "full text, with a prior": users_first(mode="words")}
    if with_embedder:
        found["meaning"] = by(mode="meaning")
    return found | {"auto": by()}


def measure(name: str, questions: list[Question], embedder: Any) -> dict[str, Tally]:
    tallies = {way: Tally() for way in ways(embedder is not None)}
    for question in questions:
        with session_of(question, embedder) as session:
            session.parts.recall.fill()
            for way, look in ways(embedder is not None).items():
                began = time.perf_counter()
                found = look(session, question.text)
                tallies[way].times.append(time.perf_counter() - began)
                tallies[way].count(found, question.gold)
    print(f"\n{name}: {len(questions)} questions")
    print(f"{'':<34} some gold among the first      all gold among the first")
    print(f"{'':<34} " + "   ".join(("  ".join(f"{most:>5}" for most in AMONG),) * 2))
    for way, tally in tallies.items():
        print(tally.line(way))
    return tallies


def compacted(questions: list[Question], embedder: Any) -> None:
    shown = came = whole = 0
    for question in questions:
        with session_of(question, embedder, COMPACTED) as session:
            said = {str(message.get("content")) for message in session.messages()}
            visible = {at for at in question.gold if question.messages[at]["content"] in said}
            hits = {hit.position for hit in session.recall(question.text, seconds=600).hits}
            shown += bool(visible)
            came += bool(question.gold & (visible | hits))
            whole += question.gold <= visible | hits
    count = len(questions)
    print(f"\nafter compaction to {COMPACTED:,} tokens, {count} questions:")
    print(f"  a gold turn is shown word for word        {shown / count:.3f}")
    print(f"  … or comes with one recall                {came / count:.3f}")
    print(f"  all gold turns, shown or with one recall  {whole / count:.3f}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--minilm", type=Path, help="folder with model.onnx and tokenizer.json")
    parser.add_argument("--questions", type=int, default=None)
    parser.add_argument("--only", choices=("longmemeval", "beam", "compacted"))
    given = parser.parse_args()
    embedder = None
    if given.minilm:
        from steno.recall.embedders.minilm import MiniLM

        embedder = Remembering(MiniLM(given.minilm))
    asked = list(long_mem_eval(given.data / "longmemeval.jsonl.gz"))[: given.questions]
    met = True
    if given.only in (None, "longmemeval"):
        tallies = measure("LongMemEval, 115,000 tokens", asked, embedder)
        best = tallies["auto"]
        met = (
            best.some[5] / best.asked >= TARGETS["any", 5]
            and best.all[10] / best.asked >= TARGETS["all", 10]
        )
        print(
            f"targets: some among 5 ≥ {TARGETS['any', 5]}, all among 10 ≥ "
            f"{TARGETS['all', 10]}: {met}"
        )
    if given.only in (None, "beam"):
        measure(
            "BEAM, 146,000 tokens",
            list(beam(given.data / "beam_100k.jsonl.gz"))[: given.questions],
            embedder,
        )
    if given.only in (None, "compacted"):
        compacted(asked, embedder)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
