"""What is true of every flow: it ends, whoever answers, and blocking or not makes no difference."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import strategies as st

from steno import AsyncSession, Commit, Policy, RetryPolicy, Session, Writer
from steno.core.effects import Flow, Replies, arun, run
from steno.engine.compact import ROUNDS_MOST, NoCommit, compact
from steno.models import Answer, Ask, Limits, NoAnswer
from steno.rungs import Truncate
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.scripted_models import WAYS, Asking, Endless, Later, Script, scripts
from tests.support.session_cases import Case, cases

pytestmark = pytest.mark.slow

ALL_WAYS = (*WAYS, "stop")
LIMITS = st.builds(
    Limits, st.just(60.0), st.integers(1, 8), st.sampled_from((50, 200, 10_000)), st.integers(1, 4)
)
AT_ONCE = RetryPolicy(retries=0, failures=1_000)
"""Nobody is asked twice or left alone, so that the order of threads makes no difference."""


def asking(case: Case) -> Case:
    """The case, with a rung that asks before all others."""
    policy = Policy(ladder=(Asking(), *case.policy.ladder), every_round=case.policy.every_round)
    return replace(case, policy=policy)


@proves("session.async")
@hit_rate(at_least=0.6, of="a commit landed after asking", examples=60)
@given(cases(fills=(0.3, 0.6)), scripts(ALL_WAYS), LIMITS)
def test_blocking_and_async_land_equal_commits(
    case: Case, ways: tuple[str, ...], limits: Limits
) -> None:
    case, models = asking(case), [Script(ways), Script(ways), Later(ways)]
    sessions = [case.filled(writer=Writer(model, limits=limits, retry=AT_ONCE)) for model in models]

    commits = [sessions[0].compact(), *(asyncio.run(awaited(session)) for session in sessions[1:])]

    assert commits[0] == commits[1] == commits[2]
    assert sorted(models[0].heard) == sorted(models[1].heard) == sorted(models[2].heard)
    hit(commits[0] and models[0].heard)


async def awaited(session: Session) -> Commit | None:
    """A compaction on an event loop, of a session that was made outside it."""
    held = AsyncSession()
    held._session = session
    return await held.compact()


def conversation(width: int) -> Flow[list[Replies]]:
    """Ask two rounds and return the replies; the smallest limit of tokens is one ask's."""
    first = yield tuple(Ask(f"0.{n} first", max_tokens=50) for n in range(width))
    second = yield tuple(Ask(f"1.{n} {len(first)}", max_tokens=50) for n in range(width))
    return [first, second]


@proves("session.async")
@hit_rate(at_least=0.8, of="the replies differ", examples=60)
@given(scripts(WAYS), LIMITS, st.integers(3, 9))
def test_blocking_and_async_asks_get_the_same_replies(
    ways: tuple[str, ...], limits: Limits, width: int
) -> None:
    told = run(conversation(width), Script(ways), limits)

    assert told == asyncio.run(arun(conversation(width), Script(ways), limits))
    assert told == asyncio.run(arun(conversation(width), Later(ways), limits))
    assert told == run(conversation(width), Later(ways), limits)
    assert [len(replies) for replies in told] == [width, width]
    for number, reply in (
        (n + at, r) for n, replies in enumerate(told) for at, r in enumerate(replies)
    ):
        assert isinstance(reply, NoAnswer) or ways[number % len(ways)] in ("answer", "ramble")
    answers = [reply.text for replies in told for reply in replies if isinstance(reply, Answer)]
    assert answers == sorted(answers) or "ramble" in ways
    hit(len({str(reply) for replies in told for reply in replies}) > 1)


@proves("writer.lands")
@hit_rate(at_least=0.6, of="a commit landed", examples=60)
@given(cases(), scripts(ALL_WAYS), LIMITS)
def test_any_script_of_answers_and_silences_ends(
    case: Case, ways: tuple[str, ...], limits: Limits
) -> None:
    ladder = (Endless(), Asking(), *case.policy.ladder, Endless())
    model = Script(ways)

    outcome = run(compact(case.draft(), Policy(ladder=ladder)), model, limits)

    assert isinstance(outcome, Commit) or (isinstance(outcome, NoCommit) and outcome.reason)
    assert len(model.heard) <= limits.asks
    assert len(model.heard) * 10 <= limits.tokens
    hit(isinstance(outcome, Commit))


@proves("writer.lands")
@hit_rate(at_least=0.9, of="a rung never stopped asking", examples=40)
@given(cases(), scripts())
def test_who_never_stops_asking_is_stopped(case: Case, ways: tuple[str, ...]) -> None:
    model = Script(ways)
    plenty = Limits(asks=10_000, tokens=10**9)

    run(compact(case.draft(), Policy(ladder=(Endless(), Truncate()))), model, plenty)

    assert len(model.heard) <= ROUNDS_MOST
    hit(len(model.heard) == ROUNDS_MOST)


class Clock:
    """Time that passes by being asked for."""

    def __init__(self, pace: float) -> None:
        self.now, self.pace = 0.0, pace

    def __call__(self) -> float:
        self.now += self.pace
        return self.now


@proves("writer.lands")
@hit_rate(at_least=0.5, of="the time ran out before the asking", examples=60)
@given(cases(), st.floats(0.1, 5.0), st.integers(1, 20), st.booleans())
def test_a_deadline_ends_the_asking_only(
    case: Case, pace: float, seconds: int, later: bool
) -> None:
    model = (Later if later else Script)(("answer",))
    flow = compact(case.draft(), Policy(ladder=(Endless(), Asking(3, 4), Truncate())))
    limits, clock = Limits(seconds=seconds), Clock(pace)

    outcome = (
        asyncio.run(arun(flow, model, limits, clock)) if later else run(flow, model, limits, clock)
    )

    assert isinstance(outcome, Commit | NoCommit)
    assert len(model.heard) <= seconds / pace + 1
    hit(len(model.heard) < ROUNDS_MOST + 12)


@proves("writer.lands")
@pytest.mark.parametrize("way, error", [("memory", MemoryError), ("recursion", RecursionError)])
@pytest.mark.parametrize("model", [Script, Later])
def test_what_no_program_survives_is_not_taken_for_silence(
    way: str, error: type[BaseException], model: type
) -> None:
    with pytest.raises(error):
        run(conversation(3), model((way,)))
    with pytest.raises(error):
        asyncio.run(arun(conversation(3), model((way,))))


def test_a_fatal_error_ends_the_other_asks_of_its_round() -> None:
    ended = []

    class OneFails:
        async def answer(self, ask: Ask) -> Answer:
            if ask.prompt.startswith("0.0"):
                raise MemoryError
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(ask.prompt)
            raise AssertionError

    async def asked() -> list[str]:
        with pytest.raises(MemoryError):
            await arun(conversation(3), OneFails(), Limits(width=3))
        # Each gets one turn of the loop to hear that it is cancelled.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return list(ended)

    assert asyncio.run(asked()) == ["0.1 first", "0.2 first"]
