"""Writers that fail: every compaction lands, with who wrote, the cost, and who did not answer."""

from __future__ import annotations

import asyncio
import random
import threading
from typing import Any
from zlib import crc32

import pytest

from steno import BadInput, RetryPolicy, Script, Session, Writer
from steno.core.errors import ModelFailed
from steno.core.model import ModelCall, Usage
from steno.models import Answer, Ask, Limits, NoAnswer, RetryingWriter
from steno.models.retry import AsyncRetryingWriter
from steno.models.spend import Account, Spend
from steno.rungs import Truncate
from tests.support.loopback import Broken, Garbage, Half, Late, Loopback, Reply, Say, Wrong
from tests.support.promises import WHOLE, proves
from tests.support.sample_messages import openai_talk
from tests.support.scripted_models import Asking
from tests.support.writer_sessions import ASKS, Clock, models, session, shown

FAILURES: dict[str, tuple[Reply, str]] = {
    "late": (Late(30.0), "time"),
    "busy": (Wrong(429, headers={"retry-after": "0.01"}), "busy"),
    "away for long": (Wrong(429, headers={"retry-after": "3600"}), "busy"),
    "failing": (Wrong(500), "failed"),
    "overloaded": (Wrong(529), "the provider"),
    "reset": (Broken(), "connection broke"),
    "reset after the headers": (Broken(after_headers=True), "connection broke"),
    "half": (Half(), "connection broke"),
    "garbage": (Garbage(), "cannot be read"),
    "a web page": (Garbage("<html>busy</html>", "text/html"), "cannot be read"),
    "refusal": (Say("I cannot help with that.", stop="refused"), "refused"),
    "too long": (
        Wrong(400, "prompt is too long: 9000 tokens > 8000 maximum"),
        "longer than the model's window",
    ),
    "cut off": (Say("half a senten", stop="length"), "cut off"),
    "empty": (Say(""), "empty"),
    "wrong key": (Wrong(401, "invalid x-api-key"), "refused the key"),
}


@pytest.mark.slow
@proves("writer.lands")
@pytest.mark.parametrize("dialect", ["chat", "responses", "anthropic"])
@pytest.mark.parametrize("failure", FAILURES)
def test_every_failure_of_a_provider_ends_in_a_landed_commit(failure: str, dialect: str) -> None:
    reply, reason = FAILURES[failure]
    seconds = 1.0 if failure == "late" else None
    with Loopback(lambda heard: reply) as server, models(server)[dialect] as writer:
        held = session(Writer(writer, seconds=seconds))
        commit = held.compact()

        assert commit is not None and held.load <= held.budget.usable
        assert commit.asked and (server.heard or failure == "late")
        assert all(reason in call.reason for call in commit.asked), commit.asked
        assert failure == "late" or all(call.by == writer.name for call in commit.asked)
        assert "the short of" not in shown(held)


@pytest.mark.slow
@proves("writer.lands")
@pytest.mark.parametrize("dialect", ["chat", "responses", "anthropic"])
def test_what_passes_is_asked_again_and_the_commit_tells_what_it_cost(dialect: str) -> None:
    replies = (
        Wrong(503),
        Wrong(429, headers={"retry-after": "0.01"}),
        Say("the short of it", sent=900, said=40),
    )
    with Loopback(*replies) as server, models(server)[dialect] as writer:
        held = session(writer)
        commit = held.compact()

    assert commit is not None and "the short of it" in shown(held)
    assert [bool(call.reason) for call in commit.asked] == [True, True, False]
    assert commit.asked[-1] == ModelCall(writer.name, Usage(sent=900, said=40))


@proves("writer.fallback")
def test_who_does_not_answer_is_followed_by_the_next_in_the_list() -> None:
    with Loopback(lambda heard: Wrong(500)) as server, models(server)["chat"] as first:
        held = session(
            [
                first,
                Script(NoAnswer("no luck"), name="second"),
                Script("the short of it", name="third"),
            ]
        )
        commit = held.compact()

    assert commit is not None and "the short of it" in shown(held)
    assert [call.by for call in commit.asked] == ["gpt-test"] * 3 + ["second", "third"]
    assert [bool(call.reason) for call in commit.asked] == [True] * 4 + [False]


@pytest.mark.slow
@proves("writer.fallback")
def test_a_first_writer_that_hangs_leaves_time_for_the_next() -> None:
    gate = threading.Event()
    hangs = Script(lambda ask: str(gate.wait(30)), name="hangs")
    second = Script("the short of it", name="second")
    held = session(Writer([hangs, second], limits=Limits(seconds=1.0)))
    commit = held.compact()
    gate.set()

    assert commit is not None and "the short of it" in shown(held)
    assert [(call.by, bool(call.reason)) for call in commit.asked] == [
        ("hangs", True),
        ("second", False),
    ]


@proves("writer.retries")
def test_pauses_grow_are_random_and_honour_what_the_provider_says() -> None:
    clock = Clock()
    lines = [
        NoAnswer("busy", "busy"),
        NoAnswer("busy", "busy"),
        NoAnswer("busy", "busy", wait=7.0),
        "done",
    ]
    patient = RetryingWriter(
        [Script(*lines)],
        RetryPolicy(retries=3, pause=1.0),
        clock=clock,
        sleep=clock.sleep,
        chance=half,
    )
    reply = patient.answer(Ask("what?", seconds=60.0))

    assert isinstance(reply, Answer) and reply.text == "done"
    assert clock.slept == [0.75, 1.5, 7.25]
    assert [call.reason for call in reply.tried] == ["busy", "busy", "busy", ""]


def half() -> float:
    return 0.5


@proves("writer.retries")
@pytest.mark.parametrize(
    ("kind", "calls"),
    [("busy", 4), ("server", 4), ("reset", 4), ("timeout", 4), ("invalid", 2), ("empty", 2)]
    + [(kind, 1) for kind in ("refused", "overflow", "cut", "auth", "other")],
)
def test_only_what_may_pass_is_asked_again(kind: Any, calls: int) -> None:
    clock, script = Clock(), Script(lambda ask: NoAnswer(kind, kind))
    patient = RetryingWriter([script], RetryPolicy(retries=3), clock=clock, sleep=clock.sleep)
    reply = patient.answer(Ask("what?", seconds=60.0))

    assert isinstance(reply, NoAnswer) and reply.kind == kind
    assert len(script.asked) == len(reply.tried) == calls


@proves("writer.retries")
def test_no_wait_is_longer_than_the_time_of_the_ask() -> None:
    clock = Clock()
    busy = Script(lambda ask: NoAnswer("busy", "busy", wait=20.0))
    patient = RetryingWriter(
        [busy, busy], RetryPolicy(retries=9), clock=clock, sleep=clock.sleep, chance=half
    )
    patient.answer(Ask("what?", seconds=50.0))

    assert clock.now <= 50.0 * 0.95
    assert len(busy.asked) == 4  # each of the two has half of the time


@proves("writer.breaker")
def test_a_model_that_keeps_failing_is_left_alone_and_tried_again_later() -> None:
    clock = Clock()
    lines: list[Any] = [NoAnswer("down", "server")] * 4 + ["back"]
    script = Script(*lines)
    patience = RetryPolicy(retries=0, failures=3, rest=60.0)
    patient = RetryingWriter([script], patience, clock=clock, sleep=clock.sleep)
    told = [patient.answer(Ask("what?", seconds=5.0)) for _ in range(5)]
    assert [reply.reason for reply in told if isinstance(reply, NoAnswer)][2:] == [
        "down",
        "it failed too often and is left alone for a while",
        "it failed too often and is left alone for a while",
    ]
    assert len(script.asked) == 3

    clock.now += 61.0
    assert isinstance(patient.answer(Ask("what?")), NoAnswer)  # one is let through, and fails
    assert isinstance(patient.answer(Ask("what?")), NoAnswer) and len(script.asked) == 4
    clock.now += 61.0
    assert isinstance(patient.answer(Ask("what?")), Answer)
    assert len(script.asked) == 5


@proves("writer.breaker")
def test_a_fallback_of_the_same_name_has_a_breaker_of_its_own() -> None:
    first = Script(lambda ask: ModelFailed("no such key", "auth"), name="gpt")
    second = Script(lambda ask: "the short of it", name="gpt")
    patient = RetryingWriter([first, second, first])
    told = [patient.answer(Ask("what?", seconds=5.0)) for _ in range(3)]

    assert [type(reply) for reply in told] == [Answer] * 3
    assert len(first.asked) == 1 and len(second.asked) == 3


@proves("writer.breaker")
def test_an_ask_that_was_let_through_and_cancelled_lets_the_next_one_through() -> None:
    clock = Clock()

    class Hangs(Script):
        async def answer(self, ask: Ask) -> Any:  # type: ignore[override]
            told = super().answer(ask)
            if len(self.asked) == 2:
                await asyncio.sleep(30)
            return told

    async def told() -> Any:
        hangs = Hangs(NoAnswer("down", "server"), "never heard", "back")
        writer = AsyncRetryingWriter(
            [hangs], RetryPolicy(retries=0, failures=1, rest=5), clock=clock
        )
        await writer.answer(Ask("what?"))
        clock.now += 6.0
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(writer.answer(Ask("what?")), 0.05)
        return await writer.answer(Ask("what?"))

    assert isinstance(asyncio.run(told()), Answer)


@proves("writer.spend")
def test_what_a_call_did_cost_replaces_what_was_booked_for_it() -> None:
    account = Account(Spend(tokens=2_500))
    asked = RetryingWriter(
        [Script(lambda ask: Answer("ok", usage=Usage(900, said=100)))], account=account
    )
    told = [asked.answer(Ask("what?")) for _ in range(3)]
    assert [type(reply) for reply in told] == [Answer, Answer, NoAnswer]
    assert isinstance(told[2], NoAnswer) and told[2].kind == "spent"
    assert told[2].reason.startswith("the tokens of this session are used up")
    assert account.tokens == 2_000


@proves("writer.spend")
def test_calls_that_failed_before_a_restart_count_and_those_never_made_do_not() -> None:
    account = Account(Spend(calls=3))
    patient = RetryingWriter(
        [Script(lambda ask: NoAnswer("down", "server"))], RetryPolicy(retries=9, pause=0), account
    )
    reply = patient.answer(Ask("what?", seconds=5.0))
    assert account.calls == 3 and len(reply.tried) == 4

    again = Account(Spend(calls=3))
    again.restore(reply.tried)
    assert again.calls == 3


@proves("writer.spend")
def test_what_may_be_spent_is_a_limit_of_the_session() -> None:
    writer = Script(lambda ask: "the short of it")
    held = session(Writer(writer, spend=Spend(calls=2)))
    reasons = []
    for turn in range(4):
        held.add(*openai_talk(20, start=100 + 20 * turn))
        commit = held.compact()
        assert commit is not None
        reasons.append(commit.asked[0].reason)

    assert len(writer.asked) == 2
    assert [bool(reason) for reason in reasons] == [False, False, True, True]
    assert reasons[2] == "the calls of this session are used up: 2 may be spent on writers"


@proves("writer.spend")
def test_a_session_that_is_opened_again_goes_on_with_what_was_spent(tmp_path: Any) -> None:
    writer = Script(lambda ask: "the short of it")
    for start in (0, 100):
        with Session(
            tmp_path / "s.db",
            wire="openai",
            window=6_000,
            writer=Writer(writer, spend=Spend(calls=1)),
            policy=ASKS,
        ) as held:
            held.add(*openai_talk(30, start=start))
            commit = held.compact()
            assert commit is not None

    assert len(writer.asked) == 1 and "used up" in commit.asked[0].reason


@proves("writer.lands")
def test_an_async_writer_fails_and_passes_in_the_same_way() -> None:
    class Later(Script):
        async def answer(self, ask: Ask) -> Any:  # type: ignore[override]
            return super().answer(ask)

    held = session(
        [
            Later(*[ConnectionResetError()] * 3),
            Later(TimeoutError(), "the short of it", name="second"),
        ]
    )
    commit = held.compact()

    assert commit is not None and "the short of it" in shown(held)
    assert [call.by for call in commit.asked] == ["script"] * 3 + ["second"] * 2


class Raises:
    """A user's own model, which knows nothing of ours and raises what its SDK raises."""

    def answer(self, ask: Ask) -> Any:
        raise ConnectionResetError("sk-secret and a prompt")


@proves("writer.lands")
def test_a_model_of_ones_own_may_raise_what_it_likes() -> None:
    held = session(Raises())
    commit = held.compact()

    assert commit is not None and len(commit.asked) == 3
    assert {call.by for call in commit.asked} == {"Raises"} and "secret" not in str(commit)


@proves("writer.lands")
@pytest.mark.parametrize("fatal", [MemoryError, RecursionError])
def test_what_must_not_be_swallowed_comes_through_every_layer(fatal: type[Exception]) -> None:
    class Exhausted:
        def answer(self, ask: Ask) -> Any:
            raise fatal

    with pytest.raises(fatal):
        session([Exhausted(), Script("never")]).compact()


def test_a_writer_that_is_none_is_refused_with_what_there_is() -> None:
    with pytest.raises(BadInput, match="at least one"):
        session([])
    with pytest.raises(BadInput, match=r"answer\(ask\)"):
        session(object())


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"clock": 3}, "clock= takes a function, got int"),
        ({"on_event": None}, "on_event= takes a function, got NoneType"),
        ({"strict": "yes"}, "strict= takes True or False, got str"),
    ],
)
def test_an_option_that_cannot_be_one_is_refused_by_name(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        Session(wire="openai", window=6_000, **wrong)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"limits": 5}, "limits= takes a Limits, got int"),
        ({"retry": 5}, "retry= takes a RetryPolicy, got int"),
        ({"spend": 5}, "spend= takes a Spend, got int"),
        ({"seconds": "long"}, "seconds= takes a number, got str"),
        ({"model": Writer("openai:gpt-5-mini")}, "not another Writer"),
    ],
)
def test_a_writer_names_what_it_cannot_take(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        Writer(**wrong)


def test_the_seconds_of_a_writer_are_those_of_one_compaction() -> None:
    held = Session(wire="openai", window=6_000, writer=Writer(Script(str), seconds=3.0))
    assert held._parts.settings.limits == Limits(seconds=3.0)
    fork = held.fork()
    assert fork._parts.settings.limits == Limits(seconds=3.0)
    assert fork._parts.settings.writer is held._parts.settings.writer


@pytest.mark.parametrize("window", ["8k", -5, 0, 1.5, True])
def test_a_writer_whose_window_is_no_size_is_refused_by_name(window: Any) -> None:
    writer = Script("never", name="odd")
    writer.window = window
    with pytest.raises(
        BadInput, match="window of writer odd is a whole number of tokens from 1 on"
    ):
        session(writer)


def test_a_focus_that_is_no_words_and_a_pin_that_is_no_place_are_refused() -> None:
    held = session(None)
    for wrong in (None, 5):
        for ask in (held.compact, held.compact_soon):
            with pytest.raises(BadInput, match="focus= takes a text, got "):
                ask(focus=wrong)  # type: ignore[arg-type]
    for wrong_place in (3.5, None, True):
        with pytest.raises(BadInput, match=r"what= takes a whole number or a text"):
            held.pin(wrong_place)  # type: ignore[arg-type]
    assert not held.log.commits and not held._parts.journal.stored_settings.pins


@proves("writer.lands")
@pytest.mark.parametrize(
    "reply",
    [
        Answer("the short of it", by="\ud800" + "x" * 9_000),
        NoAnswer("bad \ud800 " + "x" * 9_000),
        Answer("the short of it", tried=(ModelCall("\ud800", reason="\udfff"),)),
        Answer(None),  # type: ignore[arg-type]
    ],
)
def test_whatever_a_writer_calls_itself_can_be_kept(tmp_path: Any, reply: Any) -> None:
    writer = Script(lambda ask: reply)
    with Session(
        tmp_path / "s.db", wire="openai", window=6_000, writer=writer, policy=ASKS
    ) as held:
        held.add(*openai_talk(30))
        assert held.compact() is not None
    with Session(tmp_path / "s.db") as again:
        (commit,) = again.log.commits
        assert commit.asked and all(
            len(call.by) <= 500 and len(call.reason) <= 500 for call in commit.asked
        )


LINES: tuple[Any, ...] = (
    *["the short of it"] * 4,
    "and so on " * 3_000,
    "",
    NoAnswer("busy", "busy"),
    NoAnswer("busy", "busy", wait=3.0),
    NoAnswer("away", "busy", wait=1e9),
    NoAnswer("cut", "cut", usage=Usage(10_000, said=1_000)),
    ModelFailed("down", "server"),
    ModelFailed("broken", "reset"),
    ModelFailed("slow", "timeout"),
    ModelFailed("garbage", "invalid"),
    ModelFailed("no", "refused"),
    ModelFailed("too long", "overflow", window=100),
    ModelFailed("wrong key", "auth"),
    ValueError("a bug"),
    {"not": "a reply"},
    None,
)


SCRIPTS = 1_000 if WHOLE else 250


@pytest.mark.slow
@proves("writer.lands")
def test_random_scripts_of_failures_all_end() -> None:
    chance = random.Random(6)
    talked = openai_talk(12)
    landed = answered = 0
    for _ in range(SCRIPTS):
        clock = Clock()
        writers = [rambling(chance, name) for name in ("a", "b", "c")[: chance.randint(1, 3)]]
        patience = RetryPolicy(
            retries=chance.randint(0, 4), failures=chance.randint(1, 4), pause=chance.choice((0, 1))
        )
        account = Account(Spend(calls=chance.choice((0, 3, 100))))
        writer = RetryingWriter(
            writers, patience, account, clock=clock, sleep=clock.sleep, chance=chance.random
        )
        policy = ASKS.but(ladder=(Asking(chance.randint(1, 2), chance.randint(1, 2)), Truncate()))
        held = Session(wire="openai", window=2_000, writer=writer, policy=policy)
        held.add(*talked)
        commit = held.compact()
        assert commit is not None and commit.after < commit.before and commit.asked
        assert clock.now <= 60.0 * 4, clock.slept
        landed += 1
        answered += any(not call.reason for call in commit.asked)
    assert landed == SCRIPTS and 0.3 < answered / SCRIPTS < 0.9


def rambling(chance: random.Random, name: str) -> Script:
    """A writer that does one thing after the other, in an order of its own, and goes on so."""
    lines = [chance.choice(LINES) for _ in range(8)]
    return Script(lambda ask: lines[crc32(f"{ask.prompt} {name}".encode()) % 8], name=name)
