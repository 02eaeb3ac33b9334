"""Which of many rows answer best: BM25 from lists of rows, and lists fused by rank. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

K1, B = 2.0, 1.0
"""A word weighs by its share of the piece (B = 1): what says little else is about it."""
FUSED = 60
"""How fast a rank loses weight, in lists that are fused; the usual figure."""
TIMES_MOST = 5
"""What occurs more often counts as if it did so often."""
POOL = 400
"""Rows whose length is looked at, the best by their words alone."""

Occurs = Mapping[int, int]
"""Rows that hold a term, and how often."""
T = TypeVar("T", bound=Hashable)


def ranked(
    found: Sequence[Occurs], pieces: int, mean: float, sizes: Callable[[list[int]], Mapping[int, int]]
) -> list[tuple[int, float]]:
    """Rows and their scores, best first; `found` has one entry a term, `mean` is the usual size of a piece."""
    rarity = [math.log(1 + (max(pieces, len(rows)) - len(rows) + 0.5) / (len(rows) + 0.5)) for rows in found]
    gains: dict[int, float] = {}
    for weight, rows in zip(rarity, found, strict=True):
        by_times = [weight * times * (K1 + 1) / (times + K1) for times in range(TIMES_MOST + 1)]
        for row, times in rows.items():
            gains[row] = gains.get(row, 0.0) + by_times[times]
    pool = sorted(gains, key=gains.__getitem__, reverse=True)[:POOL]
    scores = dict.fromkeys(pool, 0.0)
    damped = {row: K1 * (1 - B + B * size / max(mean, 1.0)) for row, size in sizes(pool).items()}
    for weight, rows in zip(rarity, found, strict=True):
        for row, damp in damped.items():
            times = rows.get(row, 0)
            scores[row] += weight * times * (K1 + 1) / (times + damp)
    return sorted(scores.items(), key=lambda each: (-each[1], -each[0]))


def fused(lists: Sequence[Sequence[T]]) -> list[tuple[T, float]]:
    """Reciprocal rank fusion: what several lists agree on comes first."""
    scores: dict[T, float] = {}
    for ranks in lists:
        for rank, each in enumerate(ranks, start=1):
            scores[each] = scores.get(each, 0.0) + 1 / (FUSED + rank)
    return sorted(scores.items(), key=lambda each: -each[1])
