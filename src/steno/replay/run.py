"""Living through a session again under a policy, request by request.

Before each reply the policy is asked what it would send; that is billed, and
searched for what the reply used. Nothing here depends on which policies are
compared or in which order.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter

from steno.core.price import Prices
from steno.replay.judge import Seen, Tally
from steno.replay.legal import refused
from steno.replay.request import Part, Player, Request
from steno.replay.score import Key, Miss, Score, Turn
from steno.replay.tale import Tale, Use
from steno.replay.words import CHARACTERS


@dataclass(frozen=True)
class Setting:
    """What every policy of a comparison is given."""

    window: int = 32_000
    reserve: int = 0
    prices: Prices = field(default_factory=Prices)
    """By default as shares of the input price."""
    dollars: Prices | None = None
    """What a model asks, where one was named."""


def replayed(tale: Tale, policy: str, player: Player, setting: Setting) -> Score:
    """The whole session under one policy."""
    bill, book = Bill(setting), Book(tale, setting.window)
    seconds, asked = 0.0, -1
    for at, message in enumerate(tale.messages):
        if message.role == "assistant":
            before = player.commits
            start = perf_counter()
            request = player.request()
            seconds += perf_counter() - start
            idle = tale.idle(asked, at) if asked >= 0 else 0.0
            bill.sent(at, request, idle, committed=player.commits > before)
            book.used(tale.uses.get(at, ()), request)
            asked = at
        start = perf_counter()
        player.add(message)
        seconds += perf_counter() - start
    return bill.score(policy, tale.name, player.commits, seconds, book)


class Bill:
    """What was sent, and what a prompt cache makes of it."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.turns: list[Turn] = []
        self.sizes = Counter[str]()
        self.money = 0.0
        self.before: tuple[Part, ...] = ()

    def sent(self, at: int, request: Request, idle: float, *, committed: bool) -> None:
        parts, size = tuple(request.parts), request.size
        cached = 0 if idle > self.setting.prices.lifetime else shared(self.before, parts) // CHARACTERS
        new = max(0, size - cached)
        billed = int(self.setting.prices.read * cached + self.setting.prices.write * new)
        self.before = parts
        made = Counter[str]()
        for part in parts:
            made[part.kind] += len(part.text)
        self.turns.append(Turn(at, size, billed, committed, {kind: n // CHARACTERS for kind, n in made.items()}))
        self.sizes.update(sent=size, cached=size - new, billed=billed, over=size > self.setting.window)
        self.sizes["illegal"] += refused(part.message for part in parts)
        if self.setting.dollars is not None:
            self.money += self.setting.dollars.request(size - new, new)

    def score(self, policy: str, session: str, commits: int, seconds: float, book: Book) -> Score:
        return Score(
            policy,
            session,
            book.tallies,
            book.places,
            requests=len(self.turns),
            sent=self.sizes["sent"],
            cached=self.sizes["cached"],
            billed=self.sizes["billed"],
            money=None if self.setting.dollars is None else self.money,
            peak=max((turn.load for turn in self.turns), default=0),
            over=self.sizes["over"],
            commits=commits,
            illegal=self.sizes["illegal"],
            seconds=seconds,
            turns=tuple(self.turns),
            misses=tuple(book.misses),
        )


class Book:
    """What was used, and whether it was there."""

    def __init__(self, tale: Tale, window: int) -> None:
        self.tale, self.window = tale, window
        self.tallies: dict[Key, Tally] = {}
        self.places: dict[str, Tally] = {}
        self.misses: list[Miss] = []

    def used(self, uses: tuple[Use, ...], request: Request) -> None:
        if not uses:
            return
        seen = Seen.of(request, self.window)
        for use in uses:
            distant, tally = use.distant(self.window), seen.tally(use)
            key = (use.what, distant)
            self.tallies[key] = self.tallies.get(key, Tally()) + tally
            if distant:
                place = self.tale.places[use.holders[-1]]
                self.places[place] = self.places.get(place, Tally()) + tally
                if not tally.visible:
                    self.misses.append(Miss(use, place, tally.recallable > 0))


def shared(before: tuple[Part, ...], now: tuple[Part, ...]) -> int:
    """Characters of the messages that both requests begin with."""
    same = 0
    for one, other in zip(before, now, strict=False):
        if one is not other and one.text != other.text:
            break
        same += len(one.text)
    return same
