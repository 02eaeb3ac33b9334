"""Sessions, stores, budgets and events by example."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import steno
from steno.checks.shape import SHAPE
from steno.core.budget import default_reserve
from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.log import Edit, Proposal, Span
from steno.core.rung import Rung
from steno.engine.compact import NOTHING_TO_COMPACT, NOTHING_TO_GAIN
from steno.tails import OfMessages
from tests.support.promises import proves
from tests.support.sample_messages import TRACED, openai_talk
from tests.support.scripted_models import Broken


@proves("session.store")
def test_a_store_may_be_said_as_its_path_and_anything_else_is_refused(tmp_path: Path) -> None:
    with steno.Session(wire="openai", window=1_000, store=tmp_path / "a.db") as session:
        session.add({"role": "user", "content": "hello"})
    with steno.Session(window=1_000, store=str(tmp_path / "a.db")) as again:
        assert again.open(0)["content"] == "hello"
    with pytest.raises(steno.BadInput, match="store= is a path or a store, got int"):
        steno.Session(window=1_000, store=7)  # type: ignore[arg-type]


@proves("events.names")
def test_each_event_has_its_one_name() -> None:
    kinds = [
        steno.events.Started,
        steno.events.Committed,
        steno.events.Skipped,
        steno.events.Failed,
        steno.events.SafetyNet,
        steno.events.Overflow,
    ]

    assert [kind.name.removeprefix("context_budget.compaction.") for kind in kinds] == [
        "started",
        "committed",
        "skipped",
        "failed",
        "safety_net",
        "overflow",
    ]


@proves("events.names")
def test_events_say_what_happened_and_never_what_was_said() -> None:
    events: list[steno.Event] = []
    session = steno.Session(wire="openai", window=6_000, on_event=events.append, policy=TRACED)
    for message in openai_talk(60):
        session.add(message)
        session.messages()
    session.compact()

    committed = [event for event in events if isinstance(event, steno.events.Committed)]
    assert committed and all(event.before > event.after for event in committed)
    # All up to the boundary but the request at work, which comes first.
    assert committed[0].boundary - 1 == committed[0].covered > 0 == committed[0].blocks
    assert committed[0].by == ("truncate",)
    assert not any("row" in str(event) or "production" in str(event) for event in events)


@proves("events.names")
def test_nothing_to_do_is_an_answer() -> None:
    events: list[steno.Event] = []
    session = steno.Session(wire="openai", window=100_000, on_event=events.append)
    session.add({"role": "user", "content": "hi"})

    assert session.compact() is None
    assert [event.name.rpartition(".")[2] for event in events] == ["started", "skipped"]
    assert isinstance(events[1], steno.events.Skipped) and "nothing to compact" in events[1].reason


@proves("events.names")
def test_the_reason_says_whether_nothing_may_go_or_nothing_would_be_saved() -> None:
    policy = steno.Policy(tail=OfMessages(0.5))
    session = steno.Session(wire="openai", window=100_000, policy=policy)
    session.add({"role": "user", "content": "Ready?"}, {"role": "assistant", "content": "Yes."})
    assert session.compact() is None
    assert session.host.skip_reason == NOTHING_TO_GAIN

    session.pin(0)
    assert session.compact() is None
    assert session.host.skip_reason == NOTHING_TO_COMPACT


@proves("events.names")
def test_after_an_unpin_the_next_request_compacts_without_another_message() -> None:
    session = steno.Session(wire="openai", window=6_000)
    talk = openai_talk(60)
    session.add(*talk)
    for position in range(len(talk)):
        session.pin(position)
    session.messages()
    assert not session.log.commits
    assert session._parts.compactor.skip_reason == NOTHING_TO_COMPACT

    for position in range(len(talk)):
        session.unpin(position)
    session.messages()
    assert session.log.commits and session.load <= session.budget.goal_load
    assert session.load < 6_000


@proves("events.names")
def test_another_quota_lets_a_compaction_be_tried_again() -> None:
    session = steno.Session(wire="openai", window=6_000, pins=[0])
    session.add({"role": "user", "content": "Find the slow query. " * 2_000})
    events = session.events
    for _ in range(2):
        session.messages()
    assert sum(isinstance(event, steno.events.Started) for event in events) == 1

    session.set_quota("fallback")
    session.messages()
    assert sum(isinstance(event, steno.events.Started) for event in events) == 2


@proves("events.names")
def test_the_reason_is_told_if_no_compaction_was_tried() -> None:
    session = steno.Session(wire="openai", window=6_000)
    compactor = session._parts.compactor
    assert compactor.skip_reason == "no pressure"
    talk = openai_talk(60)
    while session.pressure is steno.Pressure.NONE:
        session.add(talk.pop(0))
    if "tool_calls" not in talk[0]:
        session.add(talk.pop(0))
    session.add(talk.pop(0))
    assert session.pressure is steno.Pressure.SOFT
    assert session.messages() and not session.log.commits
    assert compactor.skip_reason == "a call waits for its result"


@proves("events.names")
def test_only_a_failed_compaction_is_told_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = steno.Policy(moment="now")
    session = steno.Session(wire="openai", window=6_000, policy=policy)
    session.add(*openai_talk(60))
    compactor = session._parts.compactor

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    session._parts.journal.guard(fail)  # as if memory or recall had failed
    assert compactor.skip_reason == "no compaction was tried yet"
    with monkeypatch.context() as broken:
        broken.setattr(session._parts.landing, "without_writer", fail)
        session.messages()
    assert compactor.skip_reason == "the compaction failed: RuntimeError"
    session.add({"role": "user", "content": "And now?"})
    session.messages()
    assert compactor.skip_reason == "no pressure"


@proves("events.names")
def test_a_skip_names_the_check_that_dropped_every_proposal() -> None:
    def nothing_at_night(*_: object) -> Iterator[str]:
        yield "it is night"

    policy = steno.Policy(moment="now", checks=(*SHAPE, nothing_at_night))
    session = steno.Session(wire="openai", window=6_000, policy=policy)
    session.add(*openai_talk(60))
    session.messages()

    reason = "every proposal was dropped by a check: nothing_at_night (it is night)"
    assert session._parts.compactor.skip_reason == reason
    skipped = [event for event in session.events if isinstance(event, steno.events.Skipped)]
    assert [event.reason for event in skipped] == [reason]


@proves("events.names")
def test_a_commit_that_stays_over_soft_is_told_as_the_reason() -> None:
    session = steno.Session(wire="openai", window=6_000, policy=steno.Policy(moment="now"))
    talk = openai_talk(60)
    while session.pressure is steno.Pressure.NONE:
        session.add(talk.pop(0))
        session.pin(len(session.log.messages) - 1)
    session.add({"role": "user", "content": "List the rows."})
    session.add({"role": "assistant", "content": "row 17, " * 60})
    session.add({"role": "user", "content": "And the others?"})
    session.messages()

    assert len(session.log.commits) == 1 and session.pressure is not steno.Pressure.NONE
    reason = session._parts.compactor.skip_reason
    assert reason.startswith(f"the last compaction came to {session.load:,} tokens, still over")
    session.add({"role": "user", "content": "Thanks."})
    assert session._parts.compactor.skip_reason == "no compaction was tried yet"


class Wrong(Rung, frozen=True, tag="wrong"):
    returns: Any
    asks: Any = ()

    def ask(self, draft: Draft, rounds: Rounds) -> Any:
        return self.asks

    def edit(self, draft: Draft, rounds: Rounds) -> Any:
        return self.returns


EDIT = Edit(Span(0, 1), (), "wrong")


@proves("failure.isolated")
@pytest.mark.parametrize(
    ("rung", "what"),
    [
        (Wrong(None), "`edit` must return a tuple of Proposal, got NoneType"),
        (Wrong(EDIT), "`edit` must return a tuple of Proposal, got Edit"),
        (Wrong((EDIT,)), "`edit` must return a tuple of Proposal, got one of Edit"),
        (Wrong((Proposal(EDIT, "x"),)), "`edits` of a Proposal must be a tuple of Edit, got Edit"),  # type: ignore[arg-type]
        (Wrong((), "why?"), "`ask` must return a tuple of Ask, got str"),
    ],
)
def test_a_rung_that_returns_the_wrong_thing_is_named(rung: Rung, what: str) -> None:
    session = steno.Session(wire="openai", window=6_000, policy=steno.Policy(ladder=(rung,)))
    session.add(*openai_talk(60))
    session.messages()

    failed = [event.reason for event in session.events if isinstance(event, steno.events.Failed)]
    assert failed == [f"BadPolicy: rung 'wrong': {what}"]
    assert session.load <= session.budget.goal_load


@proves("failure.isolated")
@pytest.mark.parametrize(
    ("returns", "what"), [(None, "NoneType"), ("no", "str"), ([5], "one of int"), (True, "bool")]
)
def test_a_check_that_returns_the_wrong_thing_is_named(returns: Any, what: str) -> None:
    def night(*_: object) -> Any:
        return returns

    session = steno.Session(
        wire="openai", window=6_000, policy=steno.Policy(checks=(*SHAPE, night))
    )
    session.add(*openai_talk(60))
    session.messages()

    failed = [event.reason for event in session.events if isinstance(event, steno.events.Failed)]
    assert failed == [
        f"BadPolicy: check 'night': it must yield a text for each finding, got {what}"
    ]
    assert session.load <= session.budget.goal_load


@proves("failure.isolated")
def test_a_rung_that_raises_does_not_end_the_agent() -> None:
    events: list[steno.Event] = []
    policy = steno.Policy(ladder=(Broken(),))
    session = steno.Session(wire="openai", window=6_000, policy=policy, on_event=events.append)
    session.add(*openai_talk(60))
    session.messages()

    assert [event.reason for event in events if isinstance(event, steno.events.Failed)] == [
        "RuntimeError"
    ]
    assert session.load <= session.budget.goal_load  # the last rung needs nobody


@proves("failure.isolated")
@pytest.mark.parametrize(
    ("name", "error"), [("memory", MemoryError), ("recursion", RecursionError)]
)
def test_what_must_not_be_swallowed_propagates(name: str, error: type[BaseException]) -> None:
    session = steno.Session(
        wire="openai", window=6_000, policy=steno.Policy(ladder=(Broken(name),))
    )
    session.add(*openai_talk(60))

    with pytest.raises(error):
        session.messages()


@proves("policy.window")
@pytest.mark.parametrize("window", [4_096, 8_192, 32_000, 128_000, 200_000, 1_000_000, 2_000_000])
def test_reserve_and_goal_make_sense_at_every_size(window: int) -> None:
    budget = steno.Policy(by_window=False).budget(window)

    assert budget.reserve == default_reserve(window)
    assert 500 <= budget.reserve <= 16_000
    assert (
        budget.goal_load < budget.usable * budget.soft < budget.usable * budget.hard < budget.usable
    )
    assert budget.goal_load == int((window - budget.reserve) * 0.66)
    assert budget.pressure(budget.goal_load) is steno.Pressure.NONE
    assert budget.pressure(-(-budget.usable * 90 // 100)) is steno.Pressure.SOFT
    assert budget.pressure(-(-budget.usable * 95 // 100)) is steno.Pressure.HARD


@proves("policy.window")
def test_a_known_model_brings_its_window() -> None:
    session = steno.Session(wire="openai", model="gpt-4o")

    assert session.budget.window == 128_000
    assert session.view.meter.name == "o200k_base"


@proves("commit.apart")
def test_soft_pressure_waits_for_the_open_batch_and_hard_pressure_does_not() -> None:
    policy = steno.Policy(moment="now")
    session = steno.Session(wire="openai", window=10_000, reserve=0, policy=policy)
    while session.pressure is not steno.Pressure.SOFT:
        session.add(*openai_talk(1, start=len(session.log.messages) + 1))
    session.add(openai_talk(1, start=9_999)[0])
    session.messages()
    assert len(session.log.commits) == 0
    session.add(openai_talk(1, start=9_999)[1])
    session.messages()
    assert len(session.log.commits) == 1


def test_a_session_says_in_one_line_what_it_is() -> None:
    session = steno.Session(wire="openai", window=8_000, name="Ann")
    session.add({"role": "user", "content": "hello"})
    figures = f"1 messages, 0 commits, {session.load} of 8,000 tokens"
    assert repr(session) == f"<Session 'Ann': {figures}, policy default>"
    assert repr(session._parts.settings.policy) not in repr(session)
    own = steno.Session(wire="openai", window=8_000, policy=steno.Policy(least=3))
    assert repr(own).endswith("policy its own>")
