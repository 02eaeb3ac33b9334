"""A mean over sessions, and how far chance may have moved it.

Questions of one session are alike, so sessions are drawn anew and not questions.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

DRAWS = 1_000
LEVEL = 0.95
SEED = 16


@dataclass(frozen=True)
class Interval:
    """A mean, and the interval in which it lies with a probability of 95 %."""

    mean: float
    low: float
    high: float
    count: int
    """How many values it is the mean of."""

    def __str__(self) -> str:
        return f"{self.mean:.2f} ({self.low:.2f}–{self.high:.2f})"


def session_interval(values: Mapping[str, Sequence[float]]) -> Interval | None:
    """Return the mean of the sessions' means, by a bootstrap; None without a value.

    A single session has no others to draw from: its values are drawn instead.
    """
    sessions = [several for several in values.values() if several]
    if not sessions:
        return None
    count = sum(map(len, sessions))
    means = [fmean(several) for several in sessions]
    if len(sessions) == 1:
        means = list(sessions[0])
    # A fixed seed: the same grades must give the same table.
    draw = random.Random(SEED)
    drawn = sorted(fmean(draw.choices(means, k=len(means))) for _ in range(DRAWS))
    outside = int(DRAWS * (1 - LEVEL) / 2)
    return Interval(fmean(means), drawn[outside], drawn[-1 - outside], count)
