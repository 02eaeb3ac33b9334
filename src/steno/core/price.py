"""Whether a compaction pays off, and how deep it should go.

A provider charges little for what it has cached and more for what is new. A commit makes every
later request smaller and the next one dearer, because everything after its first edit is written
to the cache again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from steno.core.message import Value
from steno.core.model import Usage

CACHE_SECONDS = 300.0
"""Seconds that a provider keeps a cache without an extra charge, if not known otherwise."""
CACHE_SECONDS_BY_PROVIDER = {
    "anthropic": CACHE_SECONDS,
    "openai": CACHE_SECONDS,
    "deepseek": 7_200.0,
}
"""Anthropic's and OpenAI's shortest, DeepSeek's on disk."""
CACHE_LIFETIMES = {"5m": 300.0, "30m": 1_800.0, "1h": 3_600.0, "12h": 43_200.0}
"""Seconds of the lifetimes that a request can ask for, by the providers' names for them."""
WRITE_SHARES = {"5m": 1.25, "30m": 1.25, "1h": 2.0}
"""Price of writing to the cache by lifetime, relative to plain input; of others none is known."""


class Prices(Value):
    """What a million tokens cost, in dollars or relative to plain input."""

    read: float = 0.1
    """Input that is in the cache."""
    write: float = 1.25
    """Input that is written to the cache."""
    input: float = 1.0
    """Input without a cache."""
    output: float = 0.0
    lifetime: float = CACHE_SECONDS

    def request_cost(self, cached: int, new: int) -> float:
        return (self.read * cached + self.write * new) / 1_000_000

    @property
    def relative_to_input(self) -> Prices:
        """The same as shares of the price of plain input; the defaults if that is 0."""
        if not self.input:
            return Prices(lifetime=self.lifetime)
        return Prices(self.read / self.input, self.write / self.input, lifetime=self.lifetime)

    def kept_for(self, lifetime: str | None) -> Prices:
        """Return the prices with a cache that is kept so long; None leaves them as they are."""
        if lifetime is None:
            return self
        # A provider that does not charge for writing does not charge for a longer one either.
        write = self.write
        if write != self.input:
            write = WRITE_SHARES.get(lifetime, write / (self.input or 1.0)) * self.input
        seconds = CACHE_LIFETIMES.get(lifetime, self.lifetime)
        return msgspec.structs.replace(self, write=write, lifetime=seconds)

    def reply_cost(self, tokens: int) -> float:
        return self.output * tokens / 1_000_000

    def usage_cost(self, usage: Usage) -> float:
        """Return what calls cost that used so much."""
        new = max(0, usage.sent - usage.cached - usage.written)
        sent = self.request_cost(usage.cached, usage.written) + self.input * new / 1_000_000
        return sent + self.reply_cost(usage.said)


class CompactionCandidate(Value):
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
    """What a writer costs for it, in the unit of the prices."""


class Payoff(Value):
    """Whether it pays within the turns to come, and by how much."""

    pays: bool
    saved: float
    """Over the turns to come; negative if it costs."""
    turns: float
    """How many turns it takes to pay for itself; infinity if it never does."""


def payoff_of(prices: Prices, case: CompactionCandidate, turns: int) -> Payoff:
    """Return what a compaction saves over the turns to come, with the next one."""
    later = prices.request_cost(case.before - case.after, 0)
    if case.idle > prices.lifetime:
        # After a long pause nothing is cached.
        at_once = prices.request_cost(0, case.before - case.after)
    else:
        # Without the commit all of it is read from the cache; with it, what comes after the
        # first edit is written again.
        with_it = prices.request_cost(case.kept, case.after - case.kept)
        at_once = prices.request_cost(case.before, 0) - with_it
    at_once -= case.asked
    pays_from = math.inf
    if at_once > 0:
        pays_from = 1.0
    elif later > 0:
        # The next turn, and as many after it as bring the sum over zero, not just to it.
        pays_from = 1 + math.floor(-at_once / later) + 1
    saved = at_once + later * max(0, turns - 1)
    return Payoff(saved > 0, saved, pays_from)


def best_candidate(
    prices: Prices, cases: Iterable[CompactionCandidate], turns: int
) -> CompactionCandidate | None:
    """Return the candidate that saves most over the turns to come; None if none pays."""
    paying = [case for case in cases if payoff_of(prices, case, turns).pays]
    # Of two that save the same, the one that leaves more of the conversation.
    return max(
        paying, key=lambda each: (payoff_of(prices, each, turns).saved, each.after), default=None
    )
