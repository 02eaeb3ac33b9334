"""What the requests of a replay cost, and whether a provider would have refused them.

A request mostly continues the one before it, so each is summed up from where the two
differ; counting a long session costs what is new in each request.

Legality is the one rule that all providers share: a result answers a call of the reply
right before its batch, and every call is answered before anything else is said. Calls at
the very end may be open. Some wires write one reply as several messages; there its calls
are one batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from steno.core.errors import BadInput
from steno.core.message import Message
from steno.core.price import Prices
from steno.lab.request import ReplayPart, ReplayRequest
from steno.lab.score import ReplayTurn
from steno.lab.text import CHARACTERS_PER_TOKEN
from steno.providers import get_wire


@dataclass(frozen=True, slots=True)
class MessageOrder:
    """Whether a list of messages is legal so far; a value that later messages extend."""

    combines: bool = False
    """Whether neighbouring messages of the assistant are one reply."""
    pending: tuple[str | None, ...] = ()
    replying: bool = False
    spoke: bool = False
    broken: bool = False

    @classmethod
    def for_wire(cls, wire: str) -> MessageOrder:
        return cls(get_wire(wire).terms.combines)

    @property
    def is_refused(self) -> bool:
        """Whether a provider would refuse the list: something is out of place, or it is empty."""
        return self.broken or not self.spoke

    def then(self, message: Message) -> MessageOrder:
        """Return the order after one more message."""
        pending = list(self.pending)
        broken = self.broken
        for result in message.results:
            if result.call in pending:
                pending.remove(result.call)
            else:
                broken = True
        replying = message.role == "assistant"
        goes_on = self.combines and self.replying and replying
        if pending and not message.only_results and not goes_on:
            broken = True
        pending += [call.id for call in message.calls]
        return MessageOrder(
            self.combines, tuple(pending), replying, self.spoke or message.role != "system", broken
        )


Parts = tuple[ReplayPart, ...]


@dataclass(frozen=True)
class ReplaySetting:
    """The window and the prices of a comparison, the same for every policy."""

    window: int = 32_000
    reserve: int = 0
    prices: Prices = field(default_factory=Prices)
    """As shares of the input price."""
    dollars: Prices | None = None
    """The list prices of a model, if one was named."""

    @classmethod
    def of(cls, window: int, reserve: int, dollars: Prices | None) -> ReplaySetting:
        """Return a setting with the prices of a model, if one is named."""
        if window <= 0 or not 0 <= reserve < window:
            raise BadInput(f"a window must hold more than its reserve: {window:,}, {reserve:,}")
        if dollars is None:
            return cls(window, reserve)
        return cls(window, reserve, dollars.relative_to_input, dollars)


@dataclass(frozen=True, slots=True)
class RunningSum:
    """Order and size of a request up to one of its messages."""

    order: MessageOrder
    characters: int = 0
    made_of: Mapping[str, int] = field(default_factory=dict)
    """Characters by kind of part."""

    def plus(self, part: ReplayPart) -> RunningSum:
        size = len(part.text)
        made_of = {**self.made_of, part.kind: self.made_of.get(part.kind, 0) + size}
        return RunningSum(self.order.then(part.message), self.characters + size, made_of)


class ReplayBill:
    """The requests of one session under one policy."""

    def __init__(self, setting: ReplaySetting, wire: str) -> None:
        self.setting = setting
        self.turns: list[ReplayTurn] = []
        self.sizes = Counter[str]()
        self.money = 0.0
        self.before: Parts = ()
        self.sums = [RunningSum(MessageOrder.for_wire(wire))]
        """Sums of the request before, up to each of its messages."""

    def add_request(self, at: int, request: ReplayRequest, idle: float, *, committed: bool) -> None:
        """Add the request for the reply at a position, sent `idle` seconds after the last one."""
        parts = tuple(request.parts)
        prefix = self._sum_up(parts)
        size = self.sums[-1].characters // CHARACTERS_PER_TOKEN
        cached = 0
        if idle <= self.setting.prices.lifetime:
            cached = prefix // CHARACTERS_PER_TOKEN
        new = max(0, size - cached)
        billed = int(self.setting.prices.read * cached + self.setting.prices.write * new)
        made_of = {kind: n // CHARACTERS_PER_TOKEN for kind, n in self.sums[-1].made_of.items()}
        self.turns.append(ReplayTurn(at, size, billed, committed, made_of))
        self.sizes.update(
            sent=size, cached=size - new, billed=billed, over=size > self.setting.window
        )
        self.sizes["illegal"] += self.sums[-1].order.is_refused
        if self.setting.dollars is not None:
            self.money += self.setting.dollars.request_cost(size - new, new)

    def _sum_up(self, parts: Parts) -> int:
        """Sum up a request; return the characters it shares with the one before."""
        same = _count_same_parts(self.before, parts)
        # Objects first, which is quick; then texts, because a cache knows only words.
        prefix = self.sums[same].characters + shared_characters(self.before[same:], parts[same:])
        del self.sums[same + 1 :]
        for part in parts[same:]:
            self.sums.append(self.sums[-1].plus(part))
        self.before = parts
        return prefix


def shared_characters(before: Parts, now: Parts) -> int:
    """Return the characters of the messages that both requests begin with."""
    pairs = takewhile(lambda pair: pair[0].text == pair[1].text, zip(before, now, strict=False))
    return sum(len(one.text) for one, _ in pairs)


def _count_same_parts(before: Parts, now: Parts) -> int:
    """Return how many identical objects both begin with."""
    if now[: len(before)] == before:  # parts are compared by identity, so this is quick
        return len(before)
    count = 0
    for one, other in zip(before, now, strict=False):
        if one is not other:
            break
        count += 1
    return count
