"""Living through a session again under a policy, request by request.

Before each reply the policy is asked what it would send; that is billed, and
searched for what the reply used. Nothing here depends on which policies are
compared or in which order.
"""

from __future__ import annotations

from time import perf_counter

from steno.replay.bill import Bill, Setting
from steno.replay.judge import Seen, Tally
from steno.replay.request import Player, Request
from steno.replay.score import Key, Miss, Score
from steno.replay.tale import Tale, Use


def replayed(tale: Tale, policy: str, player: Player, setting: Setting) -> Score:
    """The whole session under one policy."""
    bill, book = Bill(setting, tale.wire), Book(tale, setting.window)
    seconds, asked, commits = 0.0, -1, 0
    for at, message in enumerate(tale.messages):
        if at in tale.requests:
            start = perf_counter()
            request = player.request()
            seconds += perf_counter() - start
            idle = tale.idle(asked, at) if asked >= 0 else 0.0
            bill.sent(at, request, idle, committed=player.commits > commits)
            book.used(tale.uses.get(at, ()), request)
            asked, commits = at, player.commits
        start = perf_counter()
        player.add(message)
        seconds += perf_counter() - start
    return _score(policy, tale.name, player.commits, seconds, bill, book)


class Book:
    """What was used, and whether it was there."""

    def __init__(self, tale: Tale, window: int) -> None:
        self.tale, self.window, self.seen = tale, window, Seen(window)
        self.tallies: dict[Key, Tally] = {}
        self.places: dict[str, Tally] = {}
        self.misses: list[Miss] = []

    def used(self, uses: tuple[Use, ...], request: Request) -> None:
        if not uses:
            return
        self.seen.look(request)
        for use in uses:
            tally = self.seen.tally(use, (self.tale.messages[at] for at in use.holders))
            distant = use.distant(self.window)
            key = (use.what, distant)
            self.tallies[key] = self.tallies.get(key, Tally()) + tally
            if distant:
                place = self.tale.places[use.holders[-1]]
                self.places[place] = self.places.get(place, Tally()) + tally
                if not tally.visible:
                    self.misses.append(Miss(use, place, tally.recallable > 0))


def _score(policy: str, session: str, commits: int, seconds: float, bill: Bill, book: Book) -> Score:
    return Score(
        policy,
        session,
        book.tallies,
        book.places,
        requests=len(bill.turns),
        sent=bill.sizes["sent"],
        cached=bill.sizes["cached"],
        billed=bill.sizes["billed"],
        money=None if bill.setting.dollars is None else bill.money,
        peak=max((turn.load for turn in bill.turns), default=0),
        over=bill.sizes["over"],
        commits=commits,
        illegal=bill.sizes["illegal"],
        seconds=seconds,
        turns=tuple(bill.turns),
        misses=tuple(book.misses),
    )
