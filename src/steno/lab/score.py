"""The result of a replay: figures that add up over sessions, and the requests behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from steno.core.word_tables import word_tuple
from steno.lab.judge import Tally
from steno.lab.uses import SUMMED, Measure, RecordedUse

MISSES_MOST = 200
"""Missed uses of one session in a report."""
ADDED = word_tuple("requests sent cached billed over commits illegal seconds")
"""Fields of a score that add up over sessions."""
PART_KINDS = word_tuple("prompt shorthand user assistant results")


@dataclass(frozen=True)
class ReplayTurn:
    """One request of a replay."""

    at: int
    """Position of the reply it was for."""
    load: int
    billed: int
    committed: bool
    made_of: Mapping[str, int]


@dataclass(frozen=True)
class MissedUse:
    """Something that was used and that the request before it did not show."""

    use: RecordedUse
    place: str
    recallable: bool


@dataclass(frozen=True)
class Score:
    """Figures of one policy on one session, or on several."""

    policy: str
    session: str | None
    tallies: Mapping[Measure, Tally] = field(default_factory=dict)
    places: Mapping[str, Tally] = field(default_factory=dict)
    """All uses that count, by the label of the message that last said each."""
    requests: int = 0
    sent: int = 0
    cached: int = 0
    """Tokens sent that were read from the cache."""
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

    def tally(self, measure: Measure) -> Tally:
        return self.tallies.get(measure, Tally())

    @property
    def all_uses(self) -> Tally:
        """The uses of all measures that add up."""
        return sum(map(self.tally, SUMMED), Tally())

    @property
    def ms_per_turn(self) -> float:
        if self.requests:
            return 1_000 * self.seconds / self.requests
        return 0.0

    def plus(self, other: Score) -> Score:
        """Return the sum of two scores, without turns and misses, which belong to one session."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in ADDED}
        money = None
        if self.money is not None and other.money is not None:
            money = self.money + other.money
        return replace(
            self,
            session=None,
            tallies=_add_tallies(self.tallies, other.tallies),
            places=_add_tallies(self.places, other.places),
            money=money,
            peak=max(self.peak, other.peak),
            turns=(),
            misses=(),
            **sums,
        )


def total_score(scores: Iterable[Score]) -> Score:
    """Return the sum of the scores of one policy."""
    first, *rest = scores
    summed = replace(first, session=None, turns=(), misses=())
    for score in rest:
        summed = summed.plus(score)
    return summed


def _add_tallies(one: Mapping[Any, Tally], other: Mapping[Any, Tally]) -> dict[Any, Tally]:
    return {key: one.get(key, Tally()) + other.get(key, Tally()) for key in {**one, **other}}
