"""Shares of a replay as means over sessions: a long session must not count for ten short ones."""

from __future__ import annotations

from collections.abc import Sequence

from steno.lab.interval import Interval, session_interval
from steno.lab.judge import Tally

USES_LEAST = 3
"""Uses of a session below which its share is chance; unless no session has more."""


def mean_visible(tallies: Sequence[Tally]) -> Interval | None:
    """Return the mean share that was visible, over sessions; None if nothing was used."""
    return _mean_share([(tally.visible, tally.all) for tally in tallies])


def mean_loss(tallies: Sequence[Tally]) -> Interval | None:
    return _mean_share([(tally.lost, tally.all) for tally in tallies])


def _mean_share(counts: Sequence[tuple[int, int]]) -> Interval | None:
    """Return the mean of shares, each a part and its whole."""
    shares = [part / whole for part, whole in counts if whole >= USES_LEAST]
    if not shares:
        shares = [part / whole for part, whole in counts if whole]
    return session_interval({str(at): [share] for at, share in enumerate(shares)})
