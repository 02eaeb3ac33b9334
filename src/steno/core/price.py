"""Does compacting now pay, and how deep?

A provider reads what it has cached for little and writes what is new for more.
A commit makes every later request smaller, and the next one dearer, because what
stands after its first edit is written anew. Here is that arithmetic and nothing
else: what models cost is known in `steno.meters`, when to act is the policy's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from steno.core.message import Value

CACHE_SECONDS = 300.0
"""Seconds that a cache is kept for, unless one pays for more or the provider is known to be more generous."""
CACHE_SECONDS_BY_PROVIDER = {
    "anthropic": CACHE_SECONDS,
    "openai": CACHE_SECONDS,
    "deepseek": 7_200.0,
}
"""By provider: Anthropic's and OpenAI's shortest, DeepSeek's on disk."""


class Prices(Value, frozen=True):
    """What a million tokens cost, in whatever unit: dollars, or the price of plain input."""

    read: float = 0.1
    """Input that the cache holds."""
    write: float = 1.25
    """Input that it does not."""
    input: float = 1.0
    """Input that no cache has to do with."""
    output: float = 0.0
    lifetime: float = CACHE_SECONDS

    def request_cost(self, cached: int, new: int) -> float:
        return (self.read * cached + self.write * new) / 1_000_000

    @property
    def relative_to_input(self) -> Prices:
        """The same in shares of the price of plain input; as the large providers ask, where that is nothing."""
        if not self.input:
            return Prices(lifetime=self.lifetime)
        return Prices(self.read / self.input, self.write / self.input, lifetime=self.lifetime)

    def reply_cost(self, tokens: int) -> float:
        return self.output * tokens / 1_000_000


class CompactionCandidate(Value, frozen=True):
    """A compaction that could be made now."""

    before: int
    """Tokens of the next request without it."""
    after: int
    """Tokens of the next request with it."""
    kept: int
    """Tokens before its first edit: they stay in the cache."""
    idle: float = 0.0
    """Seconds since the last request."""
    asked: float = 0.0
    """What a writer takes for it, in the unit of the prices."""


class Payoff(Value, frozen=True):
    """Whether it pays within the turns to come, and by how much."""

    pays: bool
    saved: float
    """Over the turns to come; less than nothing where it costs."""
    turns: float
    """How many it takes to pay for itself; infinity if it never does."""


def payoff_of(prices: Prices, case: CompactionCandidate, turns: int) -> Payoff:
    """What a compaction saves over the turns to come, the next one included."""
    at_once, later = _first_saving(prices, case), prices.request_cost(case.before - case.after, 0)
    saved = at_once + later * max(0, turns - 1)
    return Payoff(saved > 0, saved, _break_even(at_once, later))


def _first_saving(prices: Prices, case: CompactionCandidate) -> float:
    """What the next request alone saves: nothing is cached any more after too long a pause."""
    if case.idle > prices.lifetime:
        return prices.request_cost(0, case.before - case.after) - case.asked
    without = prices.request_cost(case.before, 0)
    return without - prices.request_cost(case.kept, case.after - case.kept) - case.asked


def _break_even(at_once: float, later: float) -> float:
    if at_once > 0:
        return 1.0
    if later > 0:
        return 1 + math.floor(-at_once / later) + 1
    return math.inf


def best_candidate(
    prices: Prices, cases: Iterable[CompactionCandidate], turns: int
) -> CompactionCandidate | None:
    """Of compactions that go less or more deep, the one that saves most over the turns to come; None if none pays."""
    judged = [(payoff_of(prices, case, turns).saved, case.after, case) for case in cases]
    paying = [each for each in judged if each[0] > 0]
    if paying:
        return max(paying, key=_by_saving)[2]
    return None


def _by_saving(judged: tuple[float, int, CompactionCandidate]) -> tuple[float, int]:
    return judged[:2]
