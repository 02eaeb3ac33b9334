"""What a replay says: numbers that add up over sessions, and what lies behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from steno.lab.judge import Tally
from steno.lab.recorded import RecordedUse

MISSES_MOST = 200
PART_KINDS = ("prompt", "shorthand", "user", "assistant", "results")
TallyKey = tuple[str, bool]
"""What was used, and whether it was distant."""


@dataclass(frozen=True)
class ReplayTurn:
    """One request of a replay."""

    at: int
    """The position of the reply it was for."""
    load: int
    billed: int
    committed: bool
    made_of: Mapping[str, int]


@dataclass(frozen=True)
class MissedUse:
    """Something a reply used that its request did not show."""

    use: RecordedUse
    place: str
    recallable: bool


@dataclass(frozen=True)
class Score:
    """One policy on one session, or on several."""

    policy: str
    session: str | None
    tallies: Mapping[TallyKey, Tally] = field(default_factory=dict)
    places: Mapping[str, Tally] = field(default_factory=dict)
    """Distant uses, by where each was last said."""
    requests: int = 0
    sent: int = 0
    cached: int = 0
    """Of what was sent, read from the cache."""
    billed: int = 0
    money: float | None = None
    peak: int = 0
    over: int = 0
    """Requests above the window."""
    commits: int = 0
    illegal: int = 0
    seconds: float = 0.0
    turns: tuple[ReplayTurn, ...] = ()
    misses: tuple[MissedUse, ...] = ()

    def tally(self, what: str, *, distant: bool = True) -> Tally:
        return self.tallies.get((what, distant), Tally())

    @property
    def ms_per_turn(self) -> float:
        if self.requests:
            return 1_000 * self.seconds / self.requests
        return 0.0

    def plus(self, other: Score) -> Score:
        """Both together; turns and misses belong to one session alone."""
        return replace(
            self,
            session=None,
            tallies=_add_tallies(self.tallies, other.tallies),
            places=_add_tallies(self.places, other.places),
            requests=self.requests + other.requests,
            sent=self.sent + other.sent,
            cached=self.cached + other.cached,
            billed=self.billed + other.billed,
            money=None if self.money is None or other.money is None else self.money + other.money,
            peak=max(self.peak, other.peak),
            over=self.over + other.over,
            commits=self.commits + other.commits,
            illegal=self.illegal + other.illegal,
            seconds=self.seconds + other.seconds,
            turns=(),
            misses=(),
        )


def total_score(scores: Iterable[Score]) -> Score:
    """All sessions of one policy."""
    first, *rest = scores
    summed = replace(first, session=None, turns=(), misses=())
    for score in rest:
        summed = summed.plus(score)
    return summed


def _add_tallies(one: Mapping[Any, Tally], other: Mapping[Any, Tally]) -> dict[Any, Tally]:
    return {key: one.get(key, Tally()) + other.get(key, Tally()) for key in {**one, **other}}
