"""Living through a session again under a policy, request by request.

Before each reply the policy is asked what it would send; that is billed, and
searched for what the reply used. Nothing here depends on which policies are
compared or in which order.
"""

from __future__ import annotations

from time import perf_counter

from steno.lab.bill import Bill, ReplaySetting
from steno.lab.judge import Tally, UseFinder
from steno.lab.recorded import RecordedSession, RecordedUse
from steno.lab.request import ReplayPolicy, ReplayRequest
from steno.lab.score import MissedUse, Score, TallyKey


def replay_session(
    tale: RecordedSession, policy: str, player: ReplayPolicy, setting: ReplaySetting
) -> Score:
    """The whole session under one policy."""
    bill, book = Bill(setting, tale.wire), UseRecord(tale, setting.window)
    seconds, asked, commits = 0.0, -1, 0
    for at, message in enumerate(tale.messages):
        if at in tale.requests:
            start = perf_counter()
            request = player.request()
            seconds += perf_counter() - start
            idle = tale.idle_seconds(asked, at) if asked >= 0 else 0.0
            bill.add_request(at, request, idle, committed=player.commits > commits)
            book.record(tale.uses.get(at, ()), request)
            asked, commits = at, player.commits
        start = perf_counter()
        player.add(message)
        seconds += perf_counter() - start
    return _score(policy, tale.name, player.commits, seconds, bill, book)


class UseRecord:
    """What was used, and whether it was there."""

    def __init__(self, tale: RecordedSession, window: int) -> None:
        self.tale, self.window, self.seen = tale, window, UseFinder(window)
        self.tallies: dict[TallyKey, Tally] = {}
        self.places: dict[str, Tally] = {}
        self.misses: list[MissedUse] = []

    def record(self, uses: tuple[RecordedUse, ...], request: ReplayRequest) -> None:
        if not uses:
            return
        self.seen.update(request)
        for use in uses:
            tally = self.seen.find(use, (self.tale.messages[at] for at in use.holders))
            distant = use.is_distant(self.window)
            key = (use.what, distant)
            self.tallies[key] = self.tallies.get(key, Tally()) + tally
            if distant:
                place = self.tale.message_labels[use.holders[-1]]
                self.places[place] = self.places.get(place, Tally()) + tally
                if not tally.visible:
                    self.misses.append(MissedUse(use, place, tally.recallable > 0))


def _score(
    policy: str, session: str, commits: int, seconds: float, bill: Bill, book: UseRecord
) -> Score:
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
