"""What was sent, and what a prompt cache makes of it.

A request mostly goes on where the one before it ended, so each is summed up from
there: what is said again costs nothing to count, however much it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from steno.core.price import Prices
from steno.replay.legal import Order
from steno.replay.request import Part, Request
from steno.replay.score import Turn
from steno.replay.words import CHARACTERS

Parts = tuple[Part, ...]


@dataclass(frozen=True)
class Setting:
    """What every policy of a comparison is given."""

    window: int = 32_000
    reserve: int = 0
    prices: Prices = field(default_factory=Prices)
    """As shares of the input price."""
    dollars: Prices | None = None
    """What a model asks, where one was named."""


@dataclass(frozen=True, slots=True)
class Sum:
    """What the messages of a request come to, up to one of them."""

    order: Order
    characters: int = 0
    made_of: Mapping[str, int] = field(default_factory=dict)
    """Characters, by kind."""

    def plus(self, part: Part) -> Sum:
        size = len(part.text)
        made_of = {**self.made_of, part.kind: self.made_of.get(part.kind, 0) + size}
        return Sum(self.order.then(part.message), self.characters + size, made_of)


class Bill:
    """The requests of one session under one policy."""

    def __init__(self, setting: Setting, wire: str) -> None:
        self.setting = setting
        self.turns: list[Turn] = []
        self.sizes = Counter[str]()
        self.money = 0.0
        self.before: Parts = ()
        self.sums = [Sum(Order.of(wire))]
        """Of the request before, up to each of its messages."""

    def sent(self, at: int, request: Request, idle: float, *, committed: bool) -> None:
        parts = tuple(request.parts)
        prefix = self._summed(parts)
        size = (self.sums[-1].characters + max(0, len(parts) - 1)) // CHARACTERS
        cached = 0 if idle > self.setting.prices.lifetime else prefix // CHARACTERS
        new = max(0, size - cached)
        billed = int(self.setting.prices.read * cached + self.setting.prices.write * new)
        made_of = {kind: n // CHARACTERS for kind, n in self.sums[-1].made_of.items()}
        self.turns.append(Turn(at, size, billed, committed, made_of))
        self.sizes.update(sent=size, cached=size - new, billed=billed, over=size > self.setting.window)
        self.sizes["illegal"] += self.sums[-1].order.refused
        if self.setting.dollars is not None:
            self.money += self.setting.dollars.request(size - new, new)

    def _summed(self, parts: Parts) -> int:
        """Sum up a request; the characters that it shares with the one before are returned."""
        same = _same(self.before, parts)
        prefix = self.sums[same].characters + shared(self.before[same:], parts[same:])
        del self.sums[same + 1 :]
        for part in parts[same:]:
            self.sums.append(self.sums[-1].plus(part))
        self.before = parts
        return prefix


def shared(before: Parts, now: Parts) -> int:
    """Characters of the messages that both requests begin with."""
    pairs = takewhile(lambda pair: pair[0].text == pair[1].text, zip(before, now, strict=False))
    return sum(len(one.text) for one, _ in pairs)


def _same(before: Parts, now: Parts) -> int:
    """How many parts both begin with that are one and the same."""
    if now[: len(before)] == before:  # parts are compared by identity, so this is quick
        return len(before)
    return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(before, now, strict=False)))
