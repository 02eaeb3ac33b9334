"""Replay a session under a policy, request by request.

Before each reply the policy makes its request; that is billed, and searched for what was
used then. The result does not depend on which other policies are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from steno.lab.bill import ReplayBill, ReplaySetting
from steno.lab.judge import Tally, UseFinder
from steno.lab.policies import start_policy
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayPolicy, ReplayRequest
from steno.lab.score import MissedUse, Score
from steno.lab.uses import SUMMED, Measure, RecordedUse


def replay_session(
    recorded: RecordedSession, policy: str, player: ReplayPolicy, setting: ReplaySetting
) -> Score:
    """Return the score of a policy on a whole session."""
    bill = ReplayBill(setting, recorded.wire)
    uses = UseRecord(recorded, setting.window)
    seconds = 0.0
    last_request: int | None = None
    commits = 0
    for at, message in enumerate(recorded.messages):
        if at in recorded.requests:
            start = perf_counter()
            # Only the policy is timed, not what we make of its request.
            request = player.request()
            seconds += perf_counter() - start
            idle = 0.0
            if last_request is not None:
                idle = recorded.idle_seconds(last_request, at)
            bill.add_request(at, request, idle, committed=player.commits > commits)
            uses.record(recorded.uses.get(at, ()), request)
            last_request = at
            commits = player.commits
        start = perf_counter()
        player.add(message)
        seconds += perf_counter() - start
    return _score(policy, recorded.name, player.commits, seconds, bill, uses)


def score_session(
    session: RecordedSession, policies: Sequence[str], setting: ReplaySetting
) -> list[Score]:
    """Replay one session under each policy."""
    return [
        replay_session(session, name, start_policy(name, session, setting), setting)
        for name in policies
    ]


class UseRecord:
    """What was used, and whether it was visible."""

    def __init__(self, recorded: RecordedSession, window: int) -> None:
        self.recorded = recorded
        self.window = window
        self.finder = UseFinder(recorded.messages)
        self.tallies: dict[Measure, Tally] = {}
        self.places: dict[str, Tally] = {}
        self.misses: list[MissedUse] = []

    def record(self, uses: tuple[RecordedUse, ...], request: ReplayRequest) -> None:
        """Look for what was used in the request before it."""
        counted = [use for use in uses if use.counts_in(self.window)]
        if not counted:
            return
        self.finder.update(request)
        for use in counted:
            tally = self.finder.find(use)
            place = self.recorded.message_labels[use.holders[-1]]
            self.tallies[use.measure] = self.tallies.get(use.measure, Tally()) + tally
            if use.measure not in SUMMED:
                continue
            self.places[place] = self.places.get(place, Tally()) + tally
            if not tally.visible:
                self.misses.append(MissedUse(use, place, tally.recallable > 0))


def _score(
    policy: str, session: str, commits: int, seconds: float, bill: ReplayBill, uses: UseRecord
) -> Score:
    money = None
    if bill.setting.dollars is not None:
        money = bill.money
    return Score(
        policy,
        session,
        uses.tallies,
        uses.places,
        requests=len(bill.turns),
        sent=bill.sizes["sent"],
        cached=bill.sizes["cached"],
        billed=bill.sizes["billed"],
        money=money,
        peak=max((turn.load for turn in bill.turns), default=0),
        over=bill.sizes["over"],
        commits=commits,
        illegal=bill.sizes["illegal"],
        seconds=seconds,
        turns=tuple(bill.turns),
        misses=tuple(uses.misses),
    )
