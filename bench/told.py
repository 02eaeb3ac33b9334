"""Measure how well `steno.recall.told` tells what people told from what they asked and answered.

    python bench/told.py DATA

In LongMemEval's conversations that hold an answer, and in BEAM's: how often a message of a person
that answers a question tells more than another message of theirs does (the area under the curve:
.5 is chance, 1 is always). Its weights were chosen on the questions of `choose`, of LoCoMo and of
talk written for it, and rounded; `report` is the half that they were not chosen on.
"""

from __future__ import annotations

import argparse
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path

from recall import HALVES, Asked, Json, beam, long_mem_eval
from steno.recall.told import telling


def area(gold: Sequence[float], others: Sequence[float]) -> float:
    """Return for how many pairs of a gold and another score the gold one is higher."""
    ordered = sorted(others)
    below = sum(bisect_left(ordered, score) + bisect_right(ordered, score) for score in gold)
    return below / 2 / max(1, len(gold) * len(ordered))


def scores(asked: Asked, messages: Sequence[Json]) -> tuple[list[float], list[float]]:
    """Return the scores of what answers a question, and of what else is said around it."""
    gold: list[float] = []
    others: list[float] = []
    for at, message in enumerate(messages):
        inside = not asked.evidence or asked.sessions[at] in asked.evidence
        if message["role"] == "user" and inside:
            (gold if at in asked.gold else others).append(telling(message["content"]))
    return gold, others


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    sets = {
        "longmemeval": list(long_mem_eval(data / "longmemeval.jsonl.gz")),
        "beam": list(beam(data / "beam_100k.jsonl.gz")),
    }
    for name, questions in sets.items():
        for half in HALVES:
            found = [scores(*each) for each in questions if each[0].half == half]
            gold = [score for each, _ in found for score in each]
            others = [score for _, each in found for score in each]
            print(
                f"{name:<12} {half:<7} {len(gold):5} answers, {len(others):6} others: "
                f"{area(gold, others):.3f}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
