"""Agents that live with compaction: the three loops, their limits, their ends, and what survives a kill."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

import steno
from loops import RULE, TASK, Worker, lived, now_and_then, read_rows
from promise import proves
from steno import Call, Script, Session
from steno.agent import (
    Ended,
    HybridLoop,
    Loop,
    PlanExecuteLoop,
    Ran,
    ReactLoop,
    RunLimits,
    TurnTaken,
)
from steno.agent.told import Failing
from steno.core.error import ModelFailed
from steno.core.model import Delta, Spoken

TURNS = 60
LOOPS: list[type[Loop]] = [ReactLoop, PlanExecuteLoop, HybridLoop]


def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


def ended(loop: Loop, task: str = "add things", session: Session | None = None) -> Ended:
    told = list(loop.run(task, session))
    assert isinstance(told[-1], Ended)
    return told[-1]


@proves("agent.loops")
@pytest.mark.parametrize("wire", ["openai", "anthropic", "openai-responses"])
def test_a_loop_speaks_runs_what_was_called_and_answers(wire: str) -> None:
    model = Script(
        ["adding ", Call("c1", "add", '{"a": 2}'), Call("c2", "add", '{"a": 5, "b": 5}')], "3 and 10", wire=wire
    )
    loop = ReactLoop(model, [add], options={"window": 8_000})
    told = list(loop.stream("add things"))
    results = [each.result.text for each in told if isinstance(each, Ran)]
    assert results == ["3", "10"]
    assert [each.text for each in told if isinstance(each, Delta)] == ["adding ", "3 and 10"]
    assert isinstance(told[-1], Ended) and told[-1].state.outcome == "answered" and told[-1].text == "3 and 10"


@proves("agent.tools")
def test_a_bad_call_is_answered_with_what_to_do() -> None:
    def fails(why: str) -> str:
        """Fail."""
        raise RuntimeError(why)

    calls = [
        Call("1", "add", '{"a": "x"}'),
        Call("2", "nobody", "{}"),
        Call("3", "fails", '{"why": "no disk"}'),
        Call("4", "add", "{"),
        Call("5", "add", '{"a": 1, "c": 2}'),
    ]
    model = Script(calls, "sorry", window=8_000)
    told = list(ReactLoop(model, [add, fails]).stream("go"))
    said = [each.result for each in told if isinstance(each, Ran)]
    assert all(result.error for result in said)
    wanted = [
        "Expected `int`, got `str`",
        "there is no tool 'nobody'",
        "RuntimeError: no disk",
        "arguments of add",
        "unknown field `c`",
    ]
    assert all(part in result.text for part, result in zip(wanted, said, strict=True))


@proves("agent.tools")
def test_a_batch_runs_at_once_and_a_tool_that_hangs_does_not_hold_the_agent() -> None:
    import threading

    meet = threading.Barrier(2, timeout=20)
    never = threading.Event()

    def meets() -> str:
        """Wait for the other one."""
        meet.wait()
        return "met"

    async def later() -> str:
        """Answer on an event loop."""
        await asyncio.sleep(0)
        return "later"

    def hangs() -> None:
        """Never end."""
        never.wait(60)

    model = Script(
        [Call("1", "meets", "{}"), Call("2", "meets", "{}"), Call("3", "later", "{}")],
        [Call("4", "hangs", "{}")],
        "ok",
    )
    loop = ReactLoop(model, [meets, later, hangs], tool_seconds=2.0, options={"window": 8_000})
    said = [each.result.text for each in loop.stream("go") if isinstance(each, Ran)]
    never.set()
    assert said[:3] == ["met", "met", "later"]
    assert "no result within the time" in said[3]


@proves("agent.loops")
def test_a_plan_is_made_carried_out_and_changed_when_a_step_taught_something() -> None:
    lines: list[Any] = [
        "1. look\n2. add",
        "looked",
        [Call("c1", "add", '{"a": 2}')],
        "added.\nPLAN:\n1. check",
        "checked",
        "3",
    ]
    state = ended(HybridLoop(Script(*lines, window=8_000), [add])).state
    assert [step.text for step in state.plan] == ["look", "add", "check"]
    assert state.outcome == "answered" and state.text == "3"
    plain = ended(PlanExecuteLoop(Script(*lines[:4], "3", window=8_000), [add])).state
    assert [step.text for step in plain.plan] == ["look", "add"] and plain.text == "3"


@proves("agent.trust")
def test_what_a_plan_says_never_becomes_a_rule() -> None:
    model = Script("1. Always delete the logs\n2. Never ask", "did", "did", "done", window=8_000)
    loop = PlanExecuteLoop(model)
    session = loop.session()
    ended(loop, "Tidy up. Never touch prod.", session)
    from steno.ledger.ledger import Ledger

    rules = [fact.words for _, fact in Ledger.of(session.log.messages).constraints]
    assert rules == ["Never touch prod."]


@proves("agent.story")
@pytest.mark.parametrize("loop_of", LOOPS)
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_three_hundred_turns_stay_within_the_window_legal_and_bound_by_their_rules(
    loop_of: type[Loop], wire: str
) -> None:
    worker = Worker(300, wire=wire, trouble=now_and_then)
    loop = loop_of(worker.script(), [read_rows], limits=RunLimits(turns=320), pause=lambda tried, wait: 0.0)
    session = loop.session()
    loads = [told.load for told in loop.run(TASK, session) if isinstance(told, TurnTaken)]
    assert worker.wrong == []
    assert len(loads) >= 290 and max(loads) <= session.budget.usable
    shown = json.dumps(session.messages())
    assert RULE in shown
    assert len(session.log.commits) > 0
    assert all(session.open(at) for at in range(len(session.log.messages)))


@proves("agent.ends")
def test_a_run_ends_at_its_limits_and_says_which() -> None:
    def endless(request: object) -> list[Call]:
        return [Call(None, "add", '{"a": 1}')]

    def state(**limits: Any) -> steno.agent.State:
        return ended(ReactLoop(Script(endless, window=8_000), [add], limits=RunLimits(**limits))).state

    assert state(turns=3).reason == "3 turns, the limit"
    assert "tokens, over the limit of 500" in state(tokens=500).reason
    assert state(seconds=0.0, turns=None).outcome == "limit"
    with pytest.raises(steno.BadInput, match="no prices are known"):
        state(money=1.0)


@proves("agent.ends")
def test_a_model_that_stays_away_ends_the_run_as_failed_and_nothing_is_lost() -> None:
    model = Script(ModelFailed("the key is wrong", "auth"), window=8_000)
    loop = ReactLoop(model)
    session = loop.session()
    state = ended(loop, "go", session).state
    assert state.outcome == "failed" and state.reason == "the key is wrong"
    assert session.open(0) == {"role": "user", "content": "go"}
    with pytest.raises(steno.BadInput, match="there is no task"):
        list(loop.run("  "))


@proves("agent.overflow")
def test_a_provider_that_finds_the_request_too_long_is_asked_once_more_with_less() -> None:
    sizes: list[int] = []

    def narrow(request: Any) -> Any:
        sizes.append(len(json.dumps(request)))
        if len(sizes) == 30:
            return ModelFailed("too long", "overflow", window=3_000)
        return "done" if len(sizes) > 31 else [Call(None, "read_rows", json.dumps({"number": len(sizes)}))]

    loop = ReactLoop(Script(narrow, window=64_000), [read_rows])
    session = loop.session()
    assert ended(loop, TASK, session).state.outcome == "answered"
    assert sizes[30] < sizes[29] / 2
    assert session.budget.window == 3_000


@proves("agent.stops")
def test_letting_go_in_the_middle_keeps_what_was_said() -> None:
    def slow(request: Any) -> Any:
        return "first line\nsecond line\nthird line\n"

    loop = ReactLoop(Script(slow, window=8_000))
    session = loop.session()
    stream = loop.stream("talk", session)
    assert isinstance(next(stream), Delta)
    next(stream)
    stream.close()
    assert session.messages()[-1]["content"].startswith("first line\nsecond line")
    told = list(loop.resume(session))
    assert isinstance(told[-1], Ended) and told[-1].state.outcome == "answered"


@proves("agent.stops")
def test_letting_go_while_a_tool_runs_leaves_a_result_for_every_call() -> None:
    def stop() -> None:
        """Press Ctrl-C."""
        raise KeyboardInterrupt

    loop = ReactLoop(
        Script([Call("1", "stop", "{}"), Call("2", "add", '{"a": 1}')], "well", window=8_000), [stop, add]
    )
    session = loop.session()
    with pytest.raises(KeyboardInterrupt):
        list(loop.stream("go", session))
    assert [message["role"] for message in session.messages()] == ["user", "assistant", "tool", "tool"]
    assert "whether it ran" in session.messages()[2]["content"]


@proves("agent.async")
def test_on_an_event_loop_a_run_is_the_same_and_can_be_cancelled() -> None:
    async def story() -> None:
        loop = ReactLoop(Script([Call("c", "add", '{"a": 1}')], "2", window=8_000), [add])
        told = [each async for each in loop.arun("add")]
        assert isinstance(told[-1], Ended) and told[-1].text == "2"

        held = ReactLoop(Script("one\ntwo\nthree", window=8_000))
        session = held.session()
        stream = held.astream("talk", session)
        async for piece in stream:
            assert isinstance(piece, Delta)
            break
        await stream.aclose()  # type: ignore[attr-defined]
        assert session.messages()[-1]["content"].startswith("one")

    asyncio.run(story())


@proves("agent.controlled")
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_the_agent_compacts_where_it_wants_to_and_sees_what_came_of_it(wire: str) -> None:
    at: list[str] = []

    def decides(request: Any) -> Any:
        said = json.dumps(request.get("messages"))
        at.append(said)
        if len(at) == 6:
            wish = {"reason": "the reading is done", "strategy": "archive"}
            return [
                Call("w1", "compress_context", json.dumps(wish)),
                Call("w2", "compress_context", json.dumps(wish)),
            ]
        return "done" if len(at) == 8 else [Call(f"c{len(at)}", "read_rows", json.dumps({"number": len(at)}))]

    policy = steno.Policy(agent_controlled=True)
    loop = ReactLoop(Script(decides, wire=wire, window=16_000), [read_rows], options={"policy": policy})
    session = loop.session()
    assert ended(loop, TASK, session).state.outcome == "answered"
    assert [commit.why for commit in session.log.commits] == ["asked"]
    assert "[Context: " in at[0] and "compress_context: archived;" in at[6]
    assert len(at[6]) < len(at[5])


@proves("agent.controlled")
def test_the_safety_net_fires_where_the_agent_does_not_compact() -> None:
    policy = steno.Policy(agent_controlled=True)
    worker = Worker(80)
    loop = ReactLoop(worker.script(8_000), [read_rows], options={"policy": policy})
    session = loop.session()
    loads = [told.load for told in loop.run(TASK, session) if isinstance(told, TurnTaken)]
    names = [event.name for event in session.events]
    assert "context_budget.compaction.safety_net" in names and max(loads) <= session.budget.usable
    assert max(loads) > session.budget.usable * 0.9
    plain = ReactLoop(Worker(80).script(8_000), [read_rows])
    other = plain.session()
    list(plain.run(TASK, other))
    assert "context_budget.compaction.safety_net" not in [event.name for event in other.events]
    assert "compress_context" not in json.dumps(other.tools())


@proves("agent.quota")
def test_a_short_quota_compacts_earlier() -> None:
    loop = ReactLoop(Worker(60).script(8_000), [read_rows], quota=lambda: "fallback")
    session = loop.session()
    list(loop.run(TASK, session))
    assert session.budget.soft == pytest.approx(steno.Policy().soft - 0.10)


@proves("agent.resume")
def test_a_call_that_may_have_run_is_not_run_again_unless_that_is_safe_or_allowed(tmp_path: Path) -> None:
    ran: list[int] = []

    def effect(n: int) -> str:
        """Do something that must not happen twice."""
        ran.append(n)
        return "done"

    calls = Spoken(
        (
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": f"c{n}", "type": "function", "function": {"name": "effect", "arguments": f'{{"n": {n}}}'}}
                    for n in (1, 2)
                ],
            },
        ),
        stop="calls",
    )
    for begun, again, runs in ((False, False, [1, 2]), (True, False, []), (True, True, [1, 2])):
        ran.clear()
        with Session(tmp_path / f"{begun}{again}.db", wire="openai", window=8_000) as session:
            loop = ReactLoop(Script("all done"), [effect], unsure=lambda call, again=again: again)
            session.jot("run", {"loop": "react", "state": {"task": "go", "start": 0}})
            session.add({"role": "user", "content": "go"}, *calls.messages)
            if begun:
                session.jot("batch", {"at": 1, "again": False})
            told = list(loop.resume(session))
            assert ran == runs or sorted(ran) == runs
            assert isinstance(told[-1], Ended) and told[-1].text == "all done"
            assert ("look before you do it again" in json.dumps(session.messages())) is (begun and not again)


@proves("agent.killed")
def test_an_agent_killed_a_hundred_times_finishes_runs_nothing_twice_and_loses_nothing(tmp_path: Path) -> None:
    rng, kills, runs = random.Random(7), 0, 0
    while kills < 100:
        runs += 1
        assert runs < 60
        path, ledger = tmp_path / f"{runs}.db", tmp_path / f"{runs}.txt"
        ended = False
        while not ended:
            child = born(path, ledger)
            time.sleep(rng.uniform(0.0, 0.1))
            os.kill(child, signal.SIGKILL)
            status = os.waitpid(child, 0)[1]
            kills += os.WIFSIGNALED(status)
            ended = not os.WIFSIGNALED(status) or kills >= 100
        assert os.waitpid(born(path, ledger), 0)[1] == 0
        nothing_ran_twice(path, ledger)


def born(path: Path, ledger: Path) -> int:
    child = os.fork()
    if child:
        return child
    try:
        lived(str(path), str(ledger), TURNS)
    except BaseException:  # noqa: BLE001 — a child of a test must not go on as a test
        os._exit(1)
    os._exit(0)


def nothing_ran_twice(path: Path, ledger: Path) -> None:
    did = [int(line) for line in ledger.read_text().split()]
    assert len(did) == len(set(did))
    with Session(path) as session:
        said = [session.open(at) for at in range(len(session.log.messages))]
        unknown = sum("look before you do it again" in str(message.get("content")) for message in said)
        results = sum(message["role"] == "tool" for message in said)
        assert results == 2 * TURNS and results - unknown <= len(did) <= results
        assert said[-1]["content"] == "all done"
        assert "Never touch prod." in str(session.messages())


class Killed(BaseException):
    """The process is gone."""


def killed_after_its_reply(loop: Loop, session: Session, monkeypatch: pytest.MonkeyPatch, jots: int) -> None:
    """Run until so many words about the run are kept, and one reply more."""
    kept = session.jot

    def jot(kind: str, value: Any) -> Any:
        if kind == "run" and len(session.jots("run")) == jots:
            raise Killed
        return kept(kind, value)

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(session, "jot", jot)
        list(loop.stream("audit the books", session))


@proves("agent.killed")
@pytest.mark.parametrize("jots", [1, 2, 3, 4])
def test_a_reply_that_was_kept_counts_though_the_run_was_killed_before_it_said_so(
    jots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = PlanExecuteLoop(Script("1. read\n2. write", "read it", "wrote it", "all done", window=8_000), [add])
    session = loop.session()
    killed_after_its_reply(loop, session, monkeypatch, jots)
    *_, end = loop.resume(session)
    assert isinstance(end, Ended) and end.state.outcome == "answered" and end.text == "all done"
    assert [step.text for step in end.state.plan] == ["read", "write"] and end.state.turns == 4
    assert len(loop.model.requests) == 4 and len(session.log.messages) == 9  # type: ignore[attr-defined]


@proves("agent.stops")
@pytest.mark.parametrize("loop", LOOPS)
def test_a_run_that_was_stopped_goes_on_after_a_word_that_is_not_the_models(loop: type[Loop]) -> None:
    script = Script("one two three four\n", "five", "six", "seven", "eight", "nine", window=8_000)
    held = loop(script)
    session = held.session()
    stream = held.stream("count", session)
    while not isinstance(next(stream), Delta):
        pass
    stream.close()
    assert session.messages()[-1]["role"] == "assistant"
    list(held.resume(session))
    assert all(request["messages"][-1]["role"] == "user" for request in script.requests)
    assert "Go on from where you were stopped." in script.requests[1]["messages"][-1]["content"]


@proves("agent.ends")
def test_a_run_waits_no_longer_than_it_may_take() -> None:
    busy = ModelFailed("come back tomorrow", "busy", wait=86_400.0)
    loop = ReactLoop(Script(busy, "late", window=8_000), limits=RunLimits(seconds=60))
    end = ended(loop)
    assert end.state.outcome == "limit" and "86,400 seconds" in end.state.reason
    waited = next(each for each in ReactLoop(Script(busy, window=8_000)).stream("go") if isinstance(each, Failing))
    assert waited.seconds == 300


@proves("agent.ends")
def test_a_run_that_may_take_no_turn_takes_none() -> None:
    script = Script("hello", window=8_000)
    end = ended(ReactLoop(script, limits=RunLimits(turns=0)))
    assert (end.state.outcome, end.state.turns, script.requests) == ("limit", 0, [])


@proves("agent.tools")
@pytest.mark.parametrize("on_a_loop", [False, True])
def test_a_tool_that_exits_or_cancels_ends_nobody_but_itself(on_a_loop: bool) -> None:
    def leaves() -> str:
        """Exit."""
        raise SystemExit(3)

    async def leaves_later() -> str:
        """Exit."""
        raise SystemExit(4)

    async def cancels() -> str:
        """Cancel."""
        raise asyncio.CancelledError

    calls = [Call("1", "leaves", "{}"), Call("2", "leaves_later", "{}"), Call("3", "cancels", "{}")]
    loop = ReactLoop(Script(calls, "well", window=8_000), [leaves, leaves_later, cancels])

    async def told_on_a_loop() -> list[Any]:
        return [each async for each in loop.astream("go")]

    told = asyncio.run(told_on_a_loop()) if on_a_loop else list(loop.stream("go"))
    said = [each.result for each in told if isinstance(each, Ran)]
    assert len(said) == 3 and all(result.error for result in said) and "SystemExit: 3" in said[0].text
    assert isinstance(told[-1], Ended) and told[-1].state.outcome == "answered"


@proves("agent.loops")
def test_a_second_task_is_planned_like_the_first() -> None:
    script = Script(ModelFailed("no", "refused"), "1. a", "did a", "answer", window=8_000)
    loop = PlanExecuteLoop(script, retries=0)
    session = loop.session()
    assert ended(loop, "one", session).state.outcome == "failed"
    assert ended(loop, "two", session).state.outcome == "answered"
    assert "say your plan" in script.requests[1]["messages"][-1]["content"]


@proves("agent.resume")
def test_a_task_is_said_where_somebody_else_spoke_first(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = ReactLoop(Script("done", window=8_000))
    session = loop.session()
    killed_before = session.jot

    def jot(kind: str, value: Any) -> Any:
        killed_before(kind, value)
        raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(session, "jot", jot)
        list(loop.stream("sort the mail", session))
    session.add({"role": "user", "content": "by the way"})
    list(loop.resume(session))
    assert [message["content"] for message in session.messages()] == ["by the way", "sort the mail", "done"]


@proves("agent.loops")
def test_a_plan_that_changes_at_every_step_is_never_cut_short() -> None:
    left = "ok\nPLAN:\n" + "\n".join(f"{n}. more {n}" for n in range(1, 4))
    loop = HybridLoop(Script("1. begin", lambda request: left, window=200_000), limits=RunLimits(turns=130))
    end = ended(loop)
    assert end.state.outcome == "limit" and end.state.turns == 130 and len(end.state.plan) - end.state.at == 3


@proves("agent.tools")
def test_who_calls_a_tool_that_is_not_there_is_told_of_all_that_are() -> None:
    told = list(ReactLoop(Script([Call("1", "nobody", "{}")], "well", window=8_000), [add]).stream("go"))
    said = next(each.result.text for each in told if isinstance(each, Ran))
    assert "add" in said and "recall" in said
