"""Fit the weights that ranking by words has (`steno.recall.rank.RankWeights`).

    python bench/fit_recall.py DATA [--report]

Fitted on the questions of LongMemEval and BEAM that `bench/recall.py` calls `choose`. Counted is
whether a gold turn is in the first five and all are in the first ten, with soft borders: that one
question is found at rank 6 instead of 5 tells nothing. Each weight in turn takes the best of a few
values, both sets counting alike, if that gains at least `GAIN_LEAST`, until none changes. The other
half is only looked at with `--report`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from recall import HALVES, Asked, Json, beam, long_mem_eval
from recall import _meta as meta
from recall import _timestamp as timestamp
from steno.core.store import StoredMessage
from steno.providers import decode_messages, get_wire
from steno.recall.chunks import chunks_of
from steno.recall.rank import FITTED, RankWeights, rank_words
from steno.recall.rows import ANY, CHUNK_BITS, Occurrences, RowId, RowScope, RowTraits, position_of
from steno.recall.terms import OFTEN, terms_of

TRIED = {
    "k1": (1.2, 1.6, 2.0, 2.5),
    "b": (0.75, 0.9, 1.0),
    "asking": (0.15, 0.3, 0.5),
    "speaker": (1.5, 2.0, 2.5, 3.0),
    "time": (1.5, 2.0, 3.0, 4.0),
    "near": (0.0, 0.05, 0.1, 0.15, 0.2),
    "place": (0.0, 0.1, 0.15, 0.2),
    "brief": (0.0, 10.0, 20.0, 30.0),
    "related": (0.0, 0.2, 0.3, 0.45),
}
GAIN_LEAST = 0.005
"""What a weight must gain to change: half a question in a hundred. Less does not carry over."""
NOT_FOUND = 400
"""Rank of a turn that is not found."""
_PARTS: dict[tuple[str, str], list[Counter[str]]] = {}
"""The terms of each chunk of a message, by its role and text."""


class Haystack:
    """A session's rows in memory: answers what ranking asks of an index, in no time."""

    filters = ANY
    seconds = 1.0

    def __init__(self, messages: Sequence[Json]) -> None:
        self._terms: dict[RowId, Counter[str]] = {}
        self._traits: dict[RowId, RowTraits] = {}
        self._known: dict[str, dict[RowId, int]] = {}
        for position, message in enumerate(messages):
            date = meta(message, "date")
            # BEAM's dates have another form, and its questions none.
            when = timestamp(date) if date and "/" in date else None
            for number, counts in enumerate(_chunk_terms(message)):
                row = position << CHUNK_BITS | number
                self._terms[row] = counts
                self._traits[row] = RowTraits(counts.total(), message["role"], when)
        size = sum(traits.size for traits in self._traits.values())
        self.scope = RowScope(((0, sys.maxsize),), len(self._traits), size)

    def occurrences(self, term: str) -> Occurrences:
        if term not in self._known:
            self._known[term] = {
                row: max((times for times in OFTEN if counts[term] >= times), default=1)
                for row, counts in self._terms.items()
                if term in counts
            }
        return self._known[term]

    def traits(self, rows: Sequence[RowId]) -> Mapping[RowId, RowTraits]:
        return {row: self._traits[row] for row in rows if row in self._traits}


def _chunk_terms(message: Json) -> list[Counter[str]]:
    key = message["role"], message["content"]
    if key not in _PARTS:
        plain = {"role": message["role"], "content": message["content"]}
        decoded = decode_messages(get_wire("openai"), [plain])[0]
        stored = StoredMessage(0, decoded, None)
        _PARTS[key] = [Counter(terms_of(chunk.text)) for chunk in chunks_of([stored], {})]
    return _PARTS[key]


@dataclass
class Ranks:
    """Ranks of the gold turns of some questions."""

    asked: int = 0
    soft: float = 0.0
    any5: int = 0
    all10: int = 0

    def count(self, ranks: Sequence[int]) -> None:
        self.asked += 1
        self.soft += (_within(min(ranks), 5) + _within(max(ranks), 10)) / 2
        self.any5 += min(ranks) <= 5
        self.all10 += max(ranks) <= 10

    @property
    def score(self) -> float:
        return self.soft / self.asked

    def __str__(self) -> str:
        return (
            f"{self.asked:4} questions  any@5 {self.any5 / self.asked:.3f}  "
            f"all@10 {self.all10 / self.asked:.3f}  soft {self.score:.4f}"
        )


def _within(rank: int, border: int) -> float:
    """Return 1 for a rank far within a border, 0 for one far beyond, a half at the border."""
    return 1 / (1 + (rank / (border + 0.5)) ** 4)


Questions = Sequence[tuple[Asked, Haystack]]


def load(questions: Iterable[tuple[Asked, list[Json]]]) -> list[tuple[Asked, Haystack]]:
    made: dict[str, Haystack] = {}
    loaded = []
    for asked, messages in questions:
        if asked.gold:
            if asked.session not in made:
                made[asked.session] = Haystack(messages)
            loaded.append((asked, made[asked.session]))
    return loaded


def ranks_of(questions: Questions, half: str, weights: RankWeights) -> Ranks:
    ranks = Ranks()
    now = time.time()
    for asked, haystack in questions:
        if asked.half != half:
            continue
        search: Any = haystack
        ranked = rank_words(search, asked.text, asked.when or now, weights)
        turns = dict.fromkeys(position_of(row) for row, _ in ranked)
        places = {position: rank for rank, position in enumerate(turns, start=1)}
        ranks.count([places.get(position, NOT_FOUND) for position in asked.gold])
    return ranks


def fit(sets: Sequence[Questions], weights: RankWeights) -> RankWeights:
    known: dict[RankWeights, float] = {}

    def score(tried: RankWeights) -> float:
        if tried not in known:
            each = [ranks_of(questions, "choose", tried).score for questions in sets]
            known[tried] = sum(each)
            print(*(f"{one:.4f}" for one in each), tried, flush=True)
        return known[tried]

    before = None
    while before != weights:
        before = weights
        for field in fields(RankWeights):
            choices = [replace(weights, **{field.name: value}) for value in TRIED[field.name]]
            best = max(choices, key=score)
            if score(best) >= score(weights) + GAIN_LEAST:
                weights = best
    return weights


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--report", action="store_true", help="print the other half too")
    given = parser.parse_args()
    sets = {
        "longmemeval": load(long_mem_eval(given.data / "longmemeval.jsonl.gz")),
        "beam": load(beam(given.data / "beam_100k.jsonl.gz")),
    }
    fitted = fit(list(sets.values()), FITTED)
    for half in HALVES if given.report else HALVES[:1]:
        for name, questions in sets.items():
            for what, weights in (("as it stands", FITTED), ("fitted", fitted)):
                print(f"{half} {name} {what:<12} {ranks_of(questions, half, weights)}")
    print(fitted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
