"""Means over sessions, with intervals: a long session must not count for ten short ones.

The interval is a bootstrap by session: sessions are drawn anew with a fixed seed, and the
middle 95 % of the means are kept. It says how much the figure hangs on the choice of
sessions, not how well a session was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from steno.lab.judge import Tally

USES_LEAST = 3
"""Uses of a session below which its share is chance; unless no session has more."""
RESAMPLES = 1_000
SEED = 16
OUTSIDE = 0.05
"""Share of the resampled means that lies outside the interval."""


@dataclass(frozen=True)
class SessionMean:
    """A mean of shares over sessions."""

    mean: float
    low: float
    high: float
    sessions: int


def mean_visible(tallies: Sequence[Tally]) -> SessionMean | None:
    """Return the mean share that was visible; None if nothing was used."""
    return mean_share([(tally.visible, tally.all) for tally in tallies])


def mean_lost(tallies: Sequence[Tally]) -> SessionMean | None:
    return mean_share([(tally.lost, tally.all) for tally in tallies])


def mean_share(counts: Sequence[tuple[int, int]]) -> SessionMean | None:
    """Return the mean of shares, each a part and its whole."""
    shares = [part / whole for part, whole in counts if whole >= USES_LEAST]
    if not shares:
        shares = [part / whole for part, whole in counts if whole]
    if not shares:
        return None
    dice = Random(SEED)
    size = len(shares)
    means = sorted(sum(dice.choices(shares, k=size)) / size for _ in range(RESAMPLES))
    cut = int(RESAMPLES * OUTSIDE / 2)
    return SessionMean(sum(shares) / size, means[cut], means[-1 - cut], size)
