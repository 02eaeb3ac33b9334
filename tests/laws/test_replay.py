"""What a replay says is true of any session, whatever policies are compared."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import strategies as st

from steno.core.message import Message
from steno.lab.bill import ReplaySetting
from steno.lab.judge import Tally
from steno.lab.policies import BASELINES, STENO_POLICIES, start_policy
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayPart, ReplayRequest
from steno.lab.run import replay_session
from steno.lab.score import Score, total_score
from steno.lab.uses import MEASURES
from tests.support.coding_sessions import exchange, tale, tales
from tests.support.promises import given, hit, hit_rate, proves

pytestmark = pytest.mark.slow

POLICIES = (*STENO_POLICIES, *BASELINES)
SMALL = ReplaySetting(window=2_000)


def score(tale: RecordedSession, policy: str, setting: ReplaySetting = SMALL) -> Score:
    return replace(
        replay_session(tale, policy, start_policy(policy, tale, setting), setting), seconds=0.0
    )


@proves("replay.oracle")
@hit_rate(at_least=0.8, of="something was used again")
@given(tales(least=12), st.sampled_from([name for name in POLICIES if name not in ("none", "lab")]))
def test_a_window_larger_than_the_session_misses_nothing(
    tale: RecordedSession, policy: str
) -> None:
    found = score(tale, policy, ReplaySetting(window=2 * tale.tokens + 4_000))
    hit(found.all_uses.all)
    assert all(tally.visible == tally.all for tally in found.tallies.values())
    assert found.commits == found.over == 0


class Oracle:
    """Shows exactly the messages that the next reply uses something of."""

    commits = 0

    def __init__(self, tale: RecordedSession) -> None:
        self.tale = tale
        self.said: list[Message] = []

    def add(self, message: Message) -> None:
        self.said.append(message)

    def request(self) -> ReplayRequest:
        uses = self.tale.uses.get(len(self.said), ())
        wanted = {holder for use in uses for holder in use.holders}
        return ReplayRequest([ReplayPart.of(self.said[at]) for at in sorted(wanted)])


@proves("replay.oracle")
@hit_rate(at_least=0.6, of="something distant was used again")
@given(tales(least=20))
def test_who_keeps_exactly_what_is_needed_scores_one(tale: RecordedSession) -> None:
    found = replay_session(tale, "oracle", Oracle(tale), SMALL)
    hit(found.all_uses.all)
    assert found.all_uses.visible == found.all_uses.all
    assert not found.misses


@proves("replay.adds")
@hit_rate(at_least=0.6, of="something was missed", examples=25)
@given(tales(least=20, most=40), st.permutations(POLICIES))
def test_the_order_of_policies_changes_nothing(tale: RecordedSession, order: list[str]) -> None:
    some = order[:3]
    alone = {policy: score(RecordedSession(tale.name, tale.messages), policy) for policy in some}
    hit(any(found.misses for found in alone.values()))
    assert {policy: score(tale, policy) for policy in reversed(some)} == alone


@proves("replay.adds")
@hit_rate(at_least=0.5, of="something distant was used again", examples=50)
@given(st.lists(tales(least=15, most=40), min_size=2, max_size=3), st.sampled_from(POLICIES))
def test_totals_are_sums_and_every_use_ends_up_somewhere(
    told: list[RecordedSession], policy: str
) -> None:
    scores = [score(tale, policy) for tale in told]
    summed = total_score(scores)
    everything = summed.all_uses
    hit(everything.all)
    for measure in MEASURES:
        tally = summed.tally(measure)
        assert tally.all == sum(each.tally(measure).all for each in scores)
        assert min(tally.visible, tally.recallable, tally.lost) >= 0
    assert sum(summed.places.values(), Tally()) == everything
    assert summed.sent == sum(turn.load for each in scores for turn in each.turns)
    misses = sum(len(each.misses) for each in scores)
    assert misses == everything.all - everything.visible


@proves("replay.ours")
@hit_rate(at_least=0.5, of="Steno did not show something")
@given(tales(least=20), st.sampled_from(tuple(STENO_POLICIES)))
def test_what_steno_does_not_show_is_one_recall_away_and_no_request_is_illegal(
    tale: RecordedSession, policy: str
) -> None:
    found = score(tale, policy)
    hit(found.misses)
    assert all(miss.recallable for miss in found.misses)
    assert found.illegal == 0


def usable(score: Score) -> float:
    """Sum of the shares of the measures, each of which weighs the same."""
    return sum(score.tally(measure).share or 0.0 for measure in MEASURES)


@proves("replay.foreknown")
@hit_rate(at_least=0.5, of="it saw more")
@given(tales(least=20))
def test_who_has_read_the_end_sees_at_least_as_much_as_a_sliding_window(
    tale: RecordedSession,
) -> None:
    knowing, sliding = score(tale, "clairvoyant"), score(tale, "sliding")
    hit(usable(knowing) > usable(sliding))
    assert usable(knowing) >= usable(sliding)


@proves("replay.foreknown")
def test_it_keeps_what_serves_most_for_its_size() -> None:
    """Of two results that are edited at the end only one has room: a line, and 1,195 tokens in
    one line.
    """
    small = "total_amount = invoice.sum(limit=4711)"
    large = "other_amount = invoice.sum(limit=1147) " + "x" * (4 * 1_195 - 40)
    between = [
        message for n in range(15) for message in exchange(f"b{n}", "read", {"n": n}, f"{n} " * 200)
    ]
    told = tale(
        [
            *exchange("a", "read", {}, small),
            *exchange("b", "read", {}, large),
            *between,
            *exchange("y", "edit", {"old_string": small}, "done"),
            *exchange("z", "edit", {"old_string": large}, "done"),
        ]
    )
    knowing, sliding = score(told, "clairvoyant"), score(told, "sliding")
    missed = [miss.use.text for miss in knowing.misses if miss.use.measure == "edits"]
    assert missed == [large]
    assert (knowing.tally("edits").visible, sliding.tally("edits").visible) == (1, 0)
    assert sliding.commits > 0


@proves("replay.foreknown")
def test_of_a_long_result_it_keeps_the_region_that_is_used() -> None:
    """A file of 6,000 tokens in a window of 2,000: nine lines in its middle are edited later."""
    lines = [f"    row_{n:03} = table.read(number={n:03}, width=80)" for n in range(500)]
    wanted = "\n".join(lines[245:254])
    told = tale(
        [
            *exchange("a", "read", {}, "\n".join(lines)),
            *[m for n in range(30) for m in exchange(f"b{n}", "read", {"n": n}, f"{n} " * 200)],
            *exchange("z", "edit", {"old_string": wanted}, "done"),
        ]
    )
    knowing = score(told, "clairvoyant")
    assert knowing.tally("edits").visible == knowing.tally("edits").all == 1
    assert knowing.over == 0 and score(told, "sliding").tally("edits").visible == 0
