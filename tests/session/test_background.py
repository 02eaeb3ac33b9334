"""Compaction while the agent goes on: nobody waits unless pressure is hard, and nothing is lost."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import steno
from steno import AsyncSession, Commit, Pressure, Script, Session
from steno.core.effects import run
from steno.session.background import BackgroundDraft
from steno.store.sqlite import SQLiteStore
from tests.support.promises import WHOLE, proves
from tests.support.sample_messages import openai_talk
from tests.support.scripted_models import Broken
from tests.support.writer_sessions import ASKS, session, shown

NOW = ASKS.but(moment="now")
PATIENCE = 10.0
"""Seconds to wait for a draft; a planted fault waits in vain."""


class Gate:
    """A writer that says nothing until it is let."""

    name = "gate"

    def __init__(self, text: str = "the short of it") -> None:
        self.text, self.asked, self.let = text, threading.Event(), threading.Event()
        self.asks = 0

    def answer(self, ask: steno.models.Ask) -> steno.models.Reply:
        self.asks += 1
        self.asked.set()
        self.let.wait(60)
        return steno.models.Answer(self.text, self.name)


def filled(writer: Any, to: Pressure, **options: Any) -> Session:
    """A session that is filled up to a pressure."""
    held = Session(
        **{"wire": "openai", "window": 10_000, "writer": writer, "policy": NOW} | options
    )
    while held.pressure is Pressure.NONE or (
        to is Pressure.HARD and held.pressure is Pressure.SOFT
    ):
        held.add(*openai_talk(1, start=len(held.log.messages) + 1, words=60))
    assert held.pressure is to
    return held


def over(held: Session) -> Commit | None:
    """Wait until the draft under way is over."""
    assert held._parts.compactor.background_draft is not None
    held._parts.compactor.background_draft.wait(PATIENCE)
    assert held._parts.compactor.background_draft.done
    return held._parts.compactor.background_draft.commit


def kinds(held: Session, *which: type[steno.Event]) -> list[Any]:
    return [event for event in held.events if isinstance(event, which)]


@proves("background.nobody_waits")
def test_soft_pressure_begins_a_draft_and_the_agent_goes_on() -> None:
    gate = Gate()
    held = filled(gate, Pressure.SOFT)
    before = held.messages()
    assert gate.asked.wait(PATIENCE)

    added = openai_talk(2, start=5_000, words=12)
    held.add(*added)
    assert held.messages() == [
        *before,
        *added,
    ]  # nothing landed, nobody waited: the writer has not answered yet
    assert len(held.log.commits) == 0 and gate.asks == 1

    gate.let.set()
    commit = over(held)
    assert commit is not None and commit.why == "soft" and commit.landed == commit.at + 4
    assert "the short of it" in shown(held) and held.messages()[-4:] == added
    assert held.pressure is Pressure.NONE


@proves("background.nobody_waits")
def test_compact_soon_does_not_hold_the_caller_up() -> None:
    gate = Gate()
    held = session(gate, turns=10)
    soon = held.compact_soon()
    assert held.compact_soon() is soon  # one at a time
    assert gate.asked.wait(10)
    held.add({"role": "user", "content": "go on"})
    gate.let.set()

    commit = soon.wait(10)
    assert commit is not None and commit == held.log.commits[-1] and commit.why == "asked"
    assert held.messages()[-1] == {"role": "user", "content": "go on"}


class Reads(Gate):
    """The same, which remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__("{}")
        self.read: list[str] = []

    def answer(self, ask: steno.models.Ask) -> steno.models.Reply:
        self.read.append(f"{ask.system} {ask.prompt}")
        return super().answer(ask)


@proves("background.focus")
@pytest.mark.parametrize("begun", ["soft", "asked"])
def test_a_focus_is_not_forgotten_because_a_draft_is_under_way(begun: str) -> None:
    reads = Reads()
    held = filled(reads, Pressure.SOFT, policy=steno.Policy(moment="now"))
    first = held.compact_soon("the harbour") if begun == "asked" else None
    held.messages()
    assert reads.asked.wait(10)

    soon = held.compact_soon(focus="the lighthouse")
    assert held.compact_soon(focus="the lighthouse") is soon is held.compact_soon() is not first
    reads.let.set()
    commit = soon.wait(10)

    assert any("the lighthouse" in each for each in reads.read)
    assert commit is not None and commit.why == "asked" and len(held.log.commits) == 1
    assert "in its place" in kinds(held, steno.events.Skipped)[0].reason
    held.close()


@proves("background.nobody_waits")
@pytest.mark.parametrize("seconds", [float("inf"), 1e12])
def test_waiting_as_long_as_it_takes_is_no_error(seconds: float) -> None:
    limits = steno.models.Limits(seconds=seconds)
    held = filled(
        steno.Writer(Script(lambda ask: "the short of it"), limits=limits),
        Pressure.HARD,
        policy=NOW.but(wait=seconds),
    )

    assert "the short of it" in str(held.messages())
    assert not kinds(held, steno.events.Failed)


@proves("background.nobody_waits")
def test_hard_pressure_waits_for_the_writer_if_it_is_quick() -> None:
    held = filled(Script(lambda ask: "the short of it"), Pressure.HARD)

    assert "the short of it" in str(held.messages())
    (commit,) = held.log.commits
    assert commit.why == "hard" and [call.by for call in commit.asked] == ["script"]
    assert [event.landed for event in kinds(held, steno.events.Waited)] == [True]


@pytest.mark.slow
@proves("background.nobody_waits")
def test_hard_pressure_does_not_wait_for_long() -> None:
    gate = Gate()
    held = filled(gate, Pressure.HARD, policy=NOW.but(wait=0.5))
    began = time.monotonic()
    held.messages()
    waited = time.monotonic() - began
    gate.let.set()

    (commit,) = held.log.commits
    assert commit.why == "hard" and held.load <= held.budget.goal_load
    assert waited < 20  # the writer would have taken 60
    assert "the short of it" not in shown(held)
    (waiting,) = kinds(held, steno.events.Waited)
    # The draft lands, and its asks say why there was no answer; or, late itself, is abandoned. On a
    # busy machine its time may be over before it asks.
    assert waiting.landed or not commit.asked
    assert all("time" in call.reason for call in commit.asked)


@proves("background.nobody_waits")
def test_a_draft_that_is_under_way_when_pressure_turns_hard_is_waited_for_and_then_abandoned() -> (
    None
):
    gate = Gate()
    held = filled(gate, Pressure.SOFT, policy=NOW.but(wait=0.2))
    held.messages()
    assert gate.asked.wait(10)
    late = held._parts.compactor.background_draft
    assert late is not None
    while held.pressure is not Pressure.HARD:
        held.add(*openai_talk(1, start=len(held.log.messages) + 1, words=60))
    held.messages()

    assert [event.landed for event in kinds(held, steno.events.Waited)] == [False]
    assert [commit.why for commit in held.log.commits] == [
        "hard"
    ] and held.load <= held.budget.goal_load
    gate.let.set()
    late.wait(10)
    assert len(held.log.commits) == 1 and "the short of it" not in shown(held)


@proves("background.stale")
def test_what_was_said_meanwhile_does_not_make_a_draft_stale_even_if_it_had_to_be_shortened() -> (
    None
):
    gate = Gate()
    held = filled(gate, Pressure.SOFT, window=40_000)
    held.messages()
    assert gate.asked.wait(10)
    held.add(
        *openai_talk(1, start=7_000, words=60_000)
    )  # so large that it is shortened as it arrives
    assert [commit.why for commit in held.log.commits] == ["arrival"]
    gate.let.set()

    over(held)
    assert [commit.why for commit in held.log.commits] == ["arrival", "soft"] and gate.asks == 1
    again = (
        steno.View(held._parts.settings.wire.terms, held._parts.settings.meter)
        .with_messages(list(held.log.messages))
        .fold(held.log)
    )
    assert list(again.visible_messages) == list(held.view.visible_messages)


@proves("background.stale")
def test_a_stale_draft_is_drawn_anew_once_where_there_is_still_something_to_do() -> None:
    gate = Gate()
    held = session(gate, turns=30)
    held.compact_soon()
    assert gate.asked.wait(10)
    held._parts.landing.land(run(held._parts.landing.begin("asked"), None))
    held.undo()
    gate.let.set()

    commit = over(held)
    assert commit is not None and gate.asks == 2
    assert [each.why for each in held.log.commits] == ["asked", "undo", "asked"]


@proves("background.stale")
def test_a_draft_that_was_overtaken_does_not_land() -> None:
    gate = Gate()
    held = session(gate, turns=30)
    held.compact_soon()
    assert gate.asked.wait(10)
    held._parts.landing.land(run(held._parts.landing.begin("asked"), None))
    gate.let.set()

    assert over(held) is None and len(held.log.commits) == 1
    assert "another compaction landed" in kinds(held, steno.events.Skipped)[-1].reason


@proves("background.failure")
def test_a_draft_that_fails_is_an_event_and_lands_by_the_last_rung() -> None:
    held = filled(Script(lambda ask: "never"), Pressure.SOFT, policy=NOW.but(ladder=(Broken(),)))
    held.messages()

    assert over(held) is not None
    assert [event.reason for event in kinds(held, steno.events.Failed)] == ["RuntimeError"]
    assert held.messages() and held.load <= held.budget.goal_load


@proves("background.failure")
def test_a_draft_that_fails_after_it_was_abandoned_is_still_told_of() -> None:
    held = filled(Script(lambda ask: "never"), Pressure.SOFT)

    def fail(flow: Any, writer: Any, limits: Any, draft: BackgroundDraft) -> Any:
        draft.abandon()
        raise ZeroDivisionError

    held._parts.compactor.drive = fail
    assert held.compact_soon().wait(10) is None and not held.log.commits
    assert held._parts.compactor.skip_reason == "the compaction failed: ZeroDivisionError"


@proves("background.failure")
@pytest.mark.parametrize(
    ("name", "error"), [("memory", MemoryError), ("recursion", RecursionError)]
)
@pytest.mark.parametrize("call", ["add", "messages", "request", "compact", "compact_soon"])
def test_what_must_not_be_swallowed_is_raised_by_the_next_call(
    name: str, error: type[BaseException], call: str
) -> None:
    held = filled(
        Script(lambda ask: "never"), Pressure.SOFT, policy=NOW.but(ladder=(Broken(name),))
    )
    held.messages()
    over(held)
    said = len(held.log.messages)

    with pytest.raises(error):
        getattr(held, call)(*([{"role": "user", "content": "hello"}] if call == "add" else []))
    assert len(held.log.messages) == said
    held.add({"role": "user", "content": "it is said once"})


@proves("background.close")
def test_closing_abandons_what_is_under_way_and_the_file_stays_whole(tmp_path: Path) -> None:
    gate = Gate()
    path = tmp_path / "agent.db"
    held = filled(gate, Pressure.SOFT, path=path)
    shows = held.messages()
    assert gate.asked.wait(10)
    began = time.monotonic()
    held.close()
    assert time.monotonic() - began < 10  # the writer would have taken 60
    gate.let.set()
    over(held)

    assert not kinds(held, steno.events.Failed)
    with Session(path, policy=NOW) as again:
        assert len(again.log.commits) == 0 and again._parts.settings.writer is None
        assert [again.open(at) for at in range(len(again.log.messages))] == shows


@proves("background.close")
def test_closing_may_wait_for_what_is_under_way(tmp_path: Path) -> None:
    gate = Gate()
    held = filled(gate, Pressure.SOFT, path=tmp_path / "agent.db")
    held.messages()
    assert gate.asked.wait(10)
    threading.Timer(0.05, gate.let.set).start()
    held.close(wait=30)

    with Session(tmp_path / "agent.db", policy=NOW) as again:
        assert [commit.why for commit in again.log.commits] == ["soft"]
        assert "the short of it" in shown(again)


@pytest.mark.slow
@proves("background.nobody_waits")
def test_many_sessions_compact_at_once_while_their_agents_add(tmp_path: Path) -> None:
    gate = Gate()
    store = SQLiteStore(tmp_path / "all.db", durable=False)
    sessions = [
        Session(
            name=f"agent {n}", store=store, wire="openai", window=5_000, writer=gate, policy=NOW
        )
        for n in range(100 if WHOLE else 30)
    ]
    for held in sessions:
        while held.pressure is Pressure.NONE:
            held.add(*openai_talk(1, start=len(held.log.messages) + 1))
        held.messages()
    more = [openai_talk(1, start=9_000 + n, words=12) for n in range(3)]
    for turn in more:
        for held in sessions:
            held.add(*turn)
            held._parts.compactor.land_due()
    # Every agent has spoken three times, and not one writer has answered: so nobody waited for one.
    assert not any(held.log.commits for held in sessions) and not gate.let.is_set()
    gate.let.set()
    for held in sessions:
        assert over(held) is not None

    for held in sessions:
        (commit,) = held.log.commits
        assert commit.why == "soft" and commit.landed == len(held.log.messages) >= commit.at
        said = [held.open(at) for at in range(len(held.log.messages))]
        assert (
            said[-6:]
            == [message for turn in more for message in turn]
            == held._parts.sending.encode(held.view)[-6:]
        )
        assert "the short of it" in shown(held) and held.pressure is Pressure.NONE
        held.close()
    store.close()


@pytest.mark.slow
@proves("background.nobody_waits")
def test_a_hundred_sessions_on_one_event_loop_do_so_too() -> None:
    let: list[asyncio.Event] = []

    class Awaited:
        name = "awaited"

        async def answer(self, ask: steno.models.Ask) -> steno.models.Reply:
            await let[0].wait()
            return steno.models.Answer("the short of it", self.name)

    async def agent(writer: Any) -> None:
        async with AsyncSession(wire="openai", window=5_000, writer=writer, policy=NOW) as held:
            while held.pressure is Pressure.NONE:
                await held.add(*openai_talk(1, start=len(held.log.messages) + 1))
            await held.messages()
            soon = await held.compact_soon()
            more = openai_talk(1, start=9_000, words=12)
            await held.add(*more)
            assert (await held.messages())[-2:] == more and not held.log.commits
            ready.append(held)
            if len(ready) == 100:
                let[0].set()
            commit = await soon
            assert commit is not None and commit.asked[0].by == "awaited"
            assert (await held.messages())[-2:] == more and "the short of it" in str(
                await held.messages()
            )

    async def all_of_them() -> None:
        let.append(asyncio.Event())
        await asyncio.gather(*(agent(Awaited()) for _ in range(100)))

    ready: list[AsyncSession] = []
    asyncio.run(all_of_them())
    assert len(ready) == 100


@proves("background.nobody_waits")
def test_on_an_event_loop_hard_pressure_waits_and_lets_others_speak() -> None:
    async def told() -> None:
        gate = Gate()
        async with AsyncSession(
            wire="openai", window=10_000, writer=gate, policy=NOW.but(wait=60.0)
        ) as held:
            while held.pressure is not Pressure.HARD:
                await held.add(*openai_talk(1, start=len(held.log.messages) + 1, words=60))
            waiting = asyncio.create_task(held.messages())
            while not gate.asked.is_set():
                await asyncio.sleep(0.01)
            await held.add({"role": "user", "content": "and another thing"})
            assert not waiting.done()
            gate.let.set()
            messages = await waiting
            assert messages[-1] == {"role": "user", "content": "and another thing"}
            assert "the short of it" in str(messages)

    asyncio.run(told())


@proves("background.close")
def test_an_async_session_that_is_closed_stops_its_writer() -> None:
    asked: list[str] = []
    stopped: list[str] = []

    class Endless:
        async def answer(self, ask: steno.models.Ask) -> steno.models.Reply:
            asked.append(ask.prompt)
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                stopped.append(ask.prompt)
                raise
            raise AssertionError

    async def told() -> None:
        async with AsyncSession(wire="openai", window=5_000, writer=Endless(), policy=NOW) as held:
            await held.add(*openai_talk(20))
            await held.compact_soon()
            while not asked:
                await asyncio.sleep(0.01)
        under = held._parts.compactor.background_draft
        while under is None or not under.done:
            await asyncio.sleep(0.01)
        assert not [event for event in held.events if isinstance(event, steno.events.Failed)]

    asyncio.run(told())
    assert stopped == asked


@proves("background.nobody_waits")
def test_one_call_with_a_writer_is_written_by_it() -> None:
    result = steno.compact(
        openai_talk(60), window=6_000, writer=Script(lambda ask: "the short of it"), policy=ASKS
    )

    assert result.within_window and "the short of it" in str(result.messages)
    assert result.commit is not None and result.commit.asked
