"""The agent-controlled design, row by row, through the public API.

`tests/faults/design_a.py` plants a fault for each row and sees its test fail.
"""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

import steno
from steno import Policy, Script, Session
from steno.agent import ReactLoop
from steno.core.model import ModelCall, Usage
from steno.engine.designs import POLICIES
from steno.models import Answer
from steno.rungs import Summarize, Truncate
from steno.tails import Messages, Share, Turns
from tests.support.command_line import Run
from tests.support.paths import ROOT
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk
from tests.support.word_meter import WORDS, said

PAGE = (ROOT / "docs" / "designs.md").read_text(encoding="utf-8")
TOOL = {"type": "function", "function": {"name": "read", "description": "Read a file."}}


def reopened(path: Path, **options: Any) -> Session:
    return Session(path, name="s", **options)


# A6: what a stored session keeps.


@proves("session.reopens")
@pytest.mark.parametrize(
    "policy",
    [
        "agent-controlled",
        Policy(soft=0.7, goal="tail", tail=Turns(4), agent_controlled=True, constraints=("No.",)),
    ],
    ids=["name", "value"],
)
def test_a_reopened_session_has_its_policy_prompt_tools_and_ratio(
    policy: Any, tmp_path: Path
) -> None:
    path = tmp_path / "agent.db"
    with reopened(path, wire="openai", window=32_000, policy=policy, system="Be brief.") as first:
        first.add(*openai_talk(20))
        request = first.request(tools=[TOOL])
        first.add({"role": "assistant", "content": "done"}, usage=int(first.load * 1.5))
        ratio = first.view.meter.ratio
        kept = first._parts.settings.policy
    with reopened(path) as again:
        assert again._parts.settings.policy == kept
        assert again.request().get("tools") == request["tools"] == [TOOL]
        assert again.request()["messages"][0] == {"role": "system", "content": "Be brief."}
        assert again.view.meter.ratio == ratio > 1.2
    with reopened(path, policy="tiers", system="Be long.", tools=[], meter=WORDS) as given:
        assert given.budget.goal == 0.60 and given.view.meter is WORDS
        assert given.request()["messages"][0]["content"] == "Be long."
        assert given.request()["tools"] == []
    with reopened(path) as last:
        assert last.budget.goal == 0.60 and last.view.meter.name != "words"


@proves("session.reopens")
def test_what_a_reopened_session_gets_is_redacted_and_its_own_code_is_asked_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "agent.db"
    own = Policy(checks=())
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz012345"
    with reopened(
        path, wire="openai", window=8_000, policy=own, system=secret, redact=True
    ) as first:
        assert secret in str(first.request())
    with caplog.at_level(logging.WARNING, "steno"), reopened(path, redact=True) as again:
        assert secret not in str(again.request())
        assert again._parts.settings.policy == steno.Policy()
        assert isinstance(again.events[0], steno.events.PolicyMissing)
    assert secret.encode() not in path.read_bytes()
    assert "pass policy= again" in caplog.text


@proves("session.reopens")
@pytest.mark.parametrize("policy", [steno.Policy(), *map(steno.Policy.read, ("least = 3\n",))])
def test_a_policy_is_written_as_it_is_read(policy: Policy) -> None:
    assert Policy.read(policy.write()) == policy


@pytest.mark.slow
@proves("session.compacted")
def test_one_value_says_how_far_a_session_is_compacted(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    policy = Policy(goal="tail", tail=Turns(4), ladder=(Summarize(in_place=False), Truncate()))
    with reopened(path, wire="openai", window=4_000, policy=policy, meter=WORDS) as session:
        assert session.log.compaction == type(session.log.compaction)(0, 0, 0)
        session.add(*said(36))
        first = session.compact()
        state = session.log.compaction
        assert first is not None and state.compactions == 1
        assert state.turns_archived == 36 - 4
        assert state.summary_tokens == len(first.summary_text.split()) > 20
        session.add(*said(8, start=36))
        session.compact()
        assert session.log.compaction.compactions == 2
        assert session.log.compaction.turns_archived == 44 - 4
        kept = session.log.compaction
    with reopened(path) as again:
        assert again.log.compaction == kept
        again.undo()
        assert again.log.compaction == state


# Others: what needs no telling.


@proves("stateless.plain")
@pytest.mark.parametrize(
    ("options", "wire"),
    [
        ({}, "openai"),
        ({"model": "gpt-5"}, "openai"),
        ({"model": "claude-sonnet-4-5"}, "anthropic"),
        ({"wire": "openai-responses"}, "openai-responses"),
    ],
)
def test_a_plain_chat_needs_no_wire(options: dict[str, Any], wire: str) -> None:
    chat = [{"role": "user", "content": "hi"}]
    result = steno.compact(chat, **{"window": 8_000} | options)
    assert result.messages == chat
    assert result.session._parts.settings.wire.name == wire


@proves("stateless.plain")
def test_a_session_needs_only_a_window() -> None:
    session = steno.Session(window=128_000, policy="tiers")
    session.add({"role": "user", "content": "hi"})
    assert session.messages() == [{"role": "user", "content": "hi"}]


# A5: the design's own estimate.


@proves("meter.design")
def test_the_designs_estimate_counts_fifty_a_tool_and_rounds_down() -> None:
    meter = steno.chars_per_four()
    session = Session(window=8_000, meter=meter, system="x" * 43, tools=[TOOL, TOOL, TOOL])
    session.add({"role": "user", "content": "y" * 47})
    assert session.load == 43 // 4 + (47 // 4 + 4) + 3 * 50


# A8, A9: what the agent doubted.

DOUBTED = (
    "Wait, the lock is fine. I think the index is missing. "
    "Let me double-check the totals of the report."
)
HEDGED = "It is probably the cache of the second host that goes stale."


def doubting(**changes: Any) -> str:
    """Return what the agent-controlled policy shows of a talk with two doubts far back."""
    policy = POLICIES["agent-controlled"].but(**changes)
    session = Session(window=8_000, policy=policy)
    for n in range(40):
        session.add({"role": "user", "content": f"Question {n}: " + "what of the table? " * 30})
        words = {3: DOUBTED, 5: HEDGED}.get(n, f"The table {n} has rows.")
        padding = "The rows are as the table says, and so are its columns. " * 10
        session.add({"role": "assistant", "content": f"{words} {padding}"})
    session.messages()
    assert session.log.commits and session.pressure == "none"
    return "\n".join(str(message["content"]) for message in session.messages())


@proves("designs.doubts")
@pytest.mark.parametrize(
    ("changes", "hedged"),
    [
        ({}, False),
        ({"complexity": "simple"}, False),
        ({"complexity": "complex"}, True),
        ({"complexity": "epic"}, True),
        ({"persona": "deliberative", "complexity": "simple"}, True),
        ({"persona": "verbose"}, True),
        ({"persona": "decisive"}, False),
        ({"ladder": (Summarize(in_place=False, doubts=1), Truncate())}, True),
    ],
)
def test_what_was_doubted_stays_under_the_designs_own_policy(
    changes: dict[str, Any], hedged: bool
) -> None:
    shown = doubting(**changes)
    assert DOUBTED in shown
    assert (HEDGED in shown) == hedged


@proves("designs.doubts")
def test_doubts_stay_within_their_share_and_beyond_it_say_what_they_were_about() -> None:
    none = doubting(ladder=(Summarize(in_place=False, doubts=0), Truncate()))
    assert DOUBTED not in none and HEDGED not in none
    little = Summarize(in_place=False, doubts=1, doubt_share=0.012)
    short = doubting(ladder=(little, Truncate()))
    assert "in doubt: " in short and HEDGED in short
    assert f"{HEDGED} The rows" not in short


@proves("designs.doubts")
def test_many_doubts_leave_at_least_what_they_were_about() -> None:
    """Beyond the share for whole messages, each doubt is told while there is room."""
    policy = POLICIES["agent-controlled"].but(complexity="complex")
    session = Session(window=8_000, policy=policy)
    plain = "It is a long story about a part of it. " * 4
    for n in range(60):
        said = f"Perhaps module {n} holds the lock; I was wrong about queue{n}. {plain}"
        session.add({"role": "user", "content": f"go on {n}"})
        session.add({"role": "assistant", "content": said})
    session.compact()
    words = "\n".join(str(message["content"]) for message in session.messages())
    assert [n for n in range(60) if f"queue{n}." not in words] == []
    assert words.count(plain.strip()) < 40 and session.load < 6_400


@proves("designs.doubts")
def test_a_run_says_how_hard_its_task_is_and_only_for_itself() -> None:
    seen: list[str] = []

    def answers(request: Any) -> str:
        seen.append(session._parts.settings.policy.complexity)
        return "done"

    loop = ReactLoop(Script(answers, window=16_000))
    session = loop.session()
    for complexity in ("epic", None, "simple"):
        list(loop.run("Look at it.", session, complexity=complexity))
    assert seen == ["epic", "medium", "simple"]
    assert session._parts.settings.policy.complexity == "medium"


# A10, A12, A13, A14: the tool, its reason, the indicator and what it cost.


def asks_to_compact(strategy: str, *, markers: bool = True, **options: Any) -> Session:
    """Return a session whose agent asked to compact, far under its limits."""
    session = Session(**{"window": 64_000, "policy": "agent-controlled"} | options)
    for n in range(30):
        session.add({"role": "user", "content": f"Question {n}: " + "what of the table? " * 30})
        words = {3: DOUBTED}.get(n, f"The table {n} has rows.")
        session.add({"role": "assistant", "content": f"{words} " + "They are plain. " * 20})
    wish = {"reason": "the reading is done", "strategy": strategy, "preserve_markers": markers}
    ask_together(session, wish)
    assert session.pressure == "none"
    session.messages()
    return session


def ask_together(session: Session, *wishes: dict[str, Any]) -> None:
    """Let the agent call `compress_context` so many times in one batch."""
    calls = [
        {
            "id": f"w{number}",
            "type": "function",
            "function": {"name": "compress_context", "arguments": json.dumps(wish)},
        }
        for number, wish in enumerate(wishes)
    ]
    session.add({"role": "assistant", "content": None, "tool_calls": calls})
    for call in calls:
        session.add({"role": "tool", "tool_call_id": call["id"], "content": session.handle(call)})


@proves("agent_tools.deferred")
@pytest.mark.parametrize("last", ["archive", "summarize"])
def test_of_several_requests_in_a_batch_the_last_is_done_once(last: str) -> None:
    wishes = {
        "summarize": {"reason": "the reading is done", "preserve_markers": False},
        "archive": {"reason": "room is short", "strategy": "archive"},
    }
    first = next(name for name in wishes if name != last)
    writer = Script(lambda ask: json.dumps({"facts": ["A writer told this. [0]"]}))
    session = Session(window=64_000, policy="agent-controlled", writer=writer)
    assert "of several, the last one is done" in str(session.tools())
    for n in range(30):
        session.add({"role": "user", "content": f"Question {n}: " + "what of the table? " * 30})
        words = {3: DOUBTED}.get(n, f"The table {n} has rows.")
        session.add({"role": "assistant", "content": f"{words} " + "They are plain. " * 20})
    ask_together(session, wishes[first], wishes[last])
    shown = "\n".join(str(message["content"]) for message in session.messages())
    whole = f"{DOUBTED} {'They are plain. ' * 20}".strip()
    assert (whole in shown) == (last == "archive")
    assert ("A writer told this." in shown) == (last == "summarize")
    assert "Of 2 requests the last one was done." in shown
    assert shown.count("compress_context: ") == 1 == len(session.log.commits)


@proves("agent_tools.deferred")
@pytest.mark.parametrize("strategy", ["archive", "summarize"])
def test_markers_are_kept_or_not_as_the_agent_asked(strategy: str) -> None:
    # Word for word with all that was said around it; else no more than what it concludes.
    whole = f"{DOUBTED} {'They are plain. ' * 20}".strip()
    shown = "\n".join(map(str, asks_to_compact(strategy).messages()))
    assert whole in shown
    shown = "\n".join(map(str, asks_to_compact(strategy, markers=False).messages()))
    assert whole not in shown


@proves("agent_tools.deferred")
def test_an_archive_is_one_summary_whatever_techniques_the_policy_has() -> None:
    shown = {
        strategy: asks_to_compact(strategy, policy=Policy(compress_tool=True)).messages()
        for strategy in ("archive", "summarize")
    }
    # The policy's own techniques leave a trace of each message in its place.
    assert str(shown["summarize"]).count('kind="summary"') > 1
    assert str(shown["archive"]).count('kind="summary"') == 1
    first, *newest, report = shown["archive"]
    assert 'kind="summary" covers="0-54"' in first["content"]
    assert [each["content"][:6] for each in newest[:3]] == ["The ta", "Questi", "The ta"]
    assert "compress_context: archived; " in report["content"]


@proves("agent_tools.deferred")
def test_where_removing_copies_is_enough_the_agent_reads_that_no_summary_was_needed() -> None:
    writer = Script("never asked")
    policy = Policy(agent_controlled=True)
    session = Session(wire="openai", window=64_000, policy=policy, writer=writer)
    listing = "\n".join(f"row {number} of the table" for number in range(2_000))
    session.add({"role": "user", "content": "Read the table."})
    for number in range(5):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "read", "arguments": '{"path": "table.csv"}'},
        }
        session.add({"role": "assistant", "content": None, "tool_calls": [call]})
        session.add({"role": "tool", "tool_call_id": call["id"], "content": listing})
    ask_together(session, {"reason": "the table was read", "strategy": "summarize"})
    report = session.messages()[-1]["content"]
    assert {edit.by for edit in session.log.commits[-1].edits} == {"prune"} and not writer.asked
    assert "copies were removed" in report and "a summary was not needed" in report
    assert "archived" not in report


@proves("agent_tools.reason")
def test_the_reason_is_in_the_outcome_the_commit_the_event_and_the_log(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "agent.db"
    session = asks_to_compact("archive", path=path, name="s")
    assert "Your reason: the reading is done" in session.messages()[-1]["content"]
    assert session.log.commits[-1].reason == "the reading is done"
    committed = [event for event in session.events if isinstance(event, steno.events.Committed)]
    assert committed[-1].reason == "the reading is done"
    session.close()
    assert "the agent's reason: the reading is done" in run("log", path).out
    assert run("log", path, "--json").json["commits"][-1]["reason"] == "the reading is done"


@proves("indicator.shown")
@pytest.mark.parametrize("wire", ["openai", "anthropic", "openai-responses"])
def test_every_request_with_an_indicator_ends_with_the_fill(wire: str) -> None:
    session = Session(wire=wire, window=16_000, policy="agent-controlled")
    assert "compress_context" in str(session.tools())
    session.add(*said(8))
    request = session.request()
    line = str((request.get("messages") or request["input"])[-1]["content"])
    fill = round(100 * session.load / 16_000)
    assert f"[Context: {session.load:,} / 16,000 tokens ({fill} %); use compress_context" in line
    assert "[Context:" not in str(session.messages())

    async def awaited() -> Any:
        async with steno.AsyncSession(wire=wire, window=16_000, policy="agent-controlled") as same:
            same.tools()
            await same.add(*said(8))
            return await same.request()

    assert asyncio.run(awaited()) == request
    plain = Session(wire=wire, window=16_000)
    plain.add(*said(8))
    assert "[Context:" not in str(plain.request()) and "compress" not in str(plain.tools())


@proves("indicator.shown")
def test_the_indicator_says_when_to_compact() -> None:
    policy = POLICIES["agent-controlled"].but(agent_controlled=True)
    session = Session(wire="openai", window=16_000, policy=policy, meter=WORDS)
    session.tools()
    seen: list[tuple[bool, bool]] = []
    for message in said(34, 500):
        session.add(message)
        line = session.request()["messages"][-1]["content"]
        now = line.endswith("; compact now with compress_context]")
        assert now is not ("; use compress_context at the end of a step" in line)
        seen.append((now, session.load >= 0.9 * 0.95 * session.budget.usable))
    assert all(now == soon for now, soon in seen)
    # Before the safety net acts at 95 %, and not after it.
    assert (True, True) in seen and seen[0] == seen[-1] == (False, False)
    assert len(session.log.commits) == 1


@pytest.mark.slow
@proves("calls.category")
def test_what_summaries_cost_is_booked_under_system(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    usage = Usage(sent=700, said=90)
    writer = Script(lambda ask: Answer('{"progress": ["All was read."]}', usage=usage))
    session = asks_to_compact("summarize", writer=writer, path=path, name="s")
    calls = session.log.commits[-1].asked
    assert {call.category for call in calls} == {"system"} and len(writer.asked) == len(calls)
    spent = Usage(sent=700 * len(calls), said=90 * len(calls))
    assert session.log.compaction.usage == spent
    committed = [event for event in session.events if isinstance(event, steno.events.Committed)]
    assert (committed[-1].calls, committed[-1].usage) == (len(calls), spent)
    session.close()
    row = run("replay", "--price", path, "-m", "gpt-5", "--json").json[0]["system"]
    assert row["calls"] == len(calls) and row["sent"] == spent.sent and row["input"] > 0
    assert "system (summaries)" in run("replay", "--price", path, "-m", "gpt-5").out
    own = ModelCall("gpt-5", usage, category="agent")
    assert steno.Commit(0, 0, "asked", asked=(own, *calls)).system_usage == spent


# A17: a short quota.


@proves("policy.quota")
def test_a_quota_drops_once_and_can_be_lifted() -> None:
    writer = Script(lambda ask: Answer("never asked"))
    session = Session(window=8_000, policy="agent-controlled", quota="fallback", writer=writer)
    loop = ReactLoop(Script(lambda request: "done", window=8_000), quota=lambda: "fallback")
    list(loop.run("Look at it.", session))
    session.set_quota("fallback")
    assert (session.budget.soft, session.budget.hard) == (0.70, 0.85)
    assert session._parts.settings.policy.tail == Messages(4)
    session.set_quota("normal")
    assert (session.budget.soft, session.budget.hard) == (0.80, 0.95)
    denied = Session(window=8_000, policy="agent-controlled", quota="deny", writer=writer)
    assert not denied._parts.settings.asks
    list(ReactLoop(Script(lambda request: "done", window=8_000)).run("Look.", denied))
    assert not denied._parts.settings.asks
    denied.set_quota("normal")
    assert denied._parts.settings.asks and denied.budget.soft == 0.80


# A18: arguments of that size, once they are old.


@proves("offload.arrival")
@pytest.mark.parametrize("policy", ["default", "agent-controlled", "deep"])
def test_old_arguments_over_20_000_tokens_are_shortened_without_pressure(policy: str) -> None:
    session = Session(window=1_000_000, policy=policy)
    text = "\n".join(f"line {n} of the file" for n in range(8_000))
    call = {"id": "c", "type": "function", "function": {"name": "write"}}
    call["function"]["arguments"] = json.dumps({"path": "a.txt", "text": text})
    session.add({"role": "user", "content": "Write the file."})
    session.add({"role": "assistant", "content": None, "tool_calls": [call]})
    session.add({"role": "tool", "tool_call_id": "c", "content": "written"})
    assert session.load > 30_000
    session.add(*openai_talk(3))
    assert session.load > 30_000
    session.add(*openai_talk(4, start=3))
    assert session.load < 10_000 and session.pressure == "none"
    shown = json.loads(session.messages()[1]["tool_calls"][0]["function"]["arguments"])
    assert shown["path"] == "a.txt" and "line 0 of the file" in shown["text"]
    assert session.open("1")["tool_calls"][0] == call


# A19: limits that know the window.


@proves("policy.window")
@pytest.mark.parametrize(
    ("window", "soft", "goal"),
    [
        (4_000, 0.74, 0.62),
        (6_000, 0.81, 0.66),
        (8_000, 0.86, 0.66),
        (16_000, 0.90, 0.66),
        (200_000, 0.90, 0.66),
        (1_000_000, 0.41, 0.30),
        (2_000_000, 0.29, 0.21),
    ],
)
def test_limits_know_the_window(window: int, soft: float, goal: float) -> None:
    budget = Session(window=window).budget
    assert (round(budget.soft, 2), round(float(budget.goal), 2)) == (soft, goal)
    row = f"| {window:,} | {budget.reserve:,} | {budget.soft:.0%} | {budget.goal:.0%} |"
    assert row.replace("%", " %") in PAGE
    # A reply, and an ordinary turn; there is always some way from the goal to soft.
    assert budget.reserve >= 500 and budget.usable - budget.soft_load > min(999, window * 0.2)
    assert budget.soft_load - budget.goal_load >= 0.07 * budget.usable


@proves("policy.window")
def test_a_writer_has_time_for_its_draft_before_hard() -> None:
    session = Session(window=32_000, writer=Script(str))
    assert (session.budget.soft, session.budget.goal, session.budget.hard) == (0.85, 0.66, 0.95)
    written = Policy(soft=0.92, by_window=False)
    assert Session(window=32_000, writer=Script(str), policy=written).budget.soft == 0.92
    near = Policy(soft=0.9, goal=0.86).budget(32_000, drafts=True)
    assert (near.soft, near.goal) == (0.85, 0.73)
    early = Policy(soft=0.5, goal=0.3, hard=0.6).budget(32_000, drafts=True)
    assert (early.soft, early.goal) == (0.5, 0.3)


@proves("policy.window")
@pytest.mark.parametrize("window", [4_000, 32_000, 1_000_000])
def test_the_window_counts_whatever_the_goal_and_whoever_decides(window: int) -> None:
    plain = Policy().budget(window)
    to_tail = Policy(goal="tail").budget(window)
    assert (to_tail.soft, to_tail.goal) == (plain.soft, "tail")
    agents = Policy(agent_controlled=True).budget(window)
    least = {4_000: 0.74, 32_000: 0.95, 1_000_000: 0.428293}[window]
    assert agents.soft == agents.hard == least and agents.goal == plain.goal
    # A limit of the caller's own leaves room in the window by itself.
    limited = Policy(limit=1_000, soft=1.0, hard=1.0).budget(window)
    assert (limited.soft, limited.hard) == (1.0, 1.0)


@proves("policy.window")
@pytest.mark.parametrize("window", [4_000, 32_000, 1_000_000])
def test_no_result_takes_the_room_of_a_turn(window: int) -> None:
    session = Session(window=window)
    session.add({"role": "user", "content": "Read it."})
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    session.add({"role": "assistant", "content": None, "tool_calls": [call]})
    large = min(20_000, session.budget.usable // 2)
    session.add({"role": "tool", "tool_call_id": "c", "content": "word " * int(large * 1.2)})
    assert session.load < large * 0.75 and session.pressure == "none"


# A21: an ear for the moment.

PASSED = "============ 12 passed in 0.31s ============"
TODO = {"todos": [{"content": "Read it", "status": "completed", "id": "1"}]}


def at_soft_pressure(complexity: Any = "complex", **how: Any) -> Session:
    """Return a session that is a little over soft pressure, in the middle of a chain of calls."""
    policy = Policy(moment="step", complexity=complexity, tail=Share(0.1))
    session = Session(window=8_000, reserve=0, policy=policy, **how)
    session.add({"role": "user", "content": "Repair the import."})
    at = 0
    while session.pressure == "none":
        at += 1
        session.add(*call_of(f"c{at}", "read", {"path": f"a{at}.py"}, "x = 1\n" * 60))
        session.messages()
    assert session.pressure == "soft" and session.budget.way_to_hard(session.load) < 0.4
    assert not session.log.commits
    return session


def call_of(id: str, name: str, arguments: Any, result: str, text: str = "") -> list[Any]:
    call = {"id": id, "type": "function"}
    call["function"] = {"name": name, "arguments": json.dumps(arguments)}  # type: ignore[assignment]
    return [
        {"role": "assistant", "content": text or None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": id, "content": result},
    ]


@proves("policy.moment")
@pytest.mark.parametrize(
    ("messages", "commits"),
    [
        (call_of("t", "bash", {"command": "pytest -q"}, PASSED), True),
        (call_of("t", "TodoWrite", TODO, "Updated."), True),
        ([{"role": "assistant", "content": "That was it."}], True),
        ([{"role": "user", "content": "And now?"}], True),
        (call_of("t", "bash", {"command": "ls"}, "a.py"), False),
        (call_of("t", "bash", {"command": "ls"}, "a.py")[:1], False),
        (
            call_of(
                "t", "bash", {"command": "ls"}, "a.py", "I have read all of them; next the tests."
            ),
            False,
        ),
    ],
    ids=["tests", "list", "reply", "person", "call", "open", "told"],
)
def test_soft_pressure_waits_for_a_good_moment(messages: list[Any], commits: bool) -> None:
    session = at_soft_pressure()
    session.add(*messages)
    session.messages()
    assert bool(session.log.commits) == commits


@proves("policy.moment")
def test_a_large_result_that_is_about_to_come_in_ends_the_wait() -> None:
    session = at_soft_pressure()
    call, result = call_of("b", "read", {"path": "big.py"}, "y = 2\n" * 250)
    session.add(call)
    session._parts.compactor.make_room_for(100)
    assert not session.log.commits
    session._parts.compactor.make_room_for(2_000)
    assert [commit.why for commit in session.log.commits] == ["soft"]
    session.add(result)
    assert session.pressure != "hard"


@proves("policy.moment")
def test_complexity_shifts_how_long_soft_pressure_waits() -> None:
    told = "I have read all of them; next come the tests of the module."
    waits = {}
    for complexity in ("simple", "medium", "complex", "epic"):
        session = at_soft_pressure(complexity)
        at = 0
        while not session.log.commits:
            at += 1
            session.add(*call_of(f"t{at}", "bash", {"command": "ls"}, "a.py\n" * 4, told))
            last = session.load
            session.messages()
        waits[complexity] = (session.log.commits[0].why, session.budget.way_to_hard(last))
    why, ways = zip(*waits.values(), strict=True)
    assert why == ("soft", "soft", "soft", "hard")
    assert list(ways) == sorted(ways) and ways[0] < 0.6 < ways[1] < 0.9 <= ways[3]


# Others: events and the log.


@proves("events.names")
def test_events_say_session_and_agent_and_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[steno.Event] = []
    session = Session(name="s", window=4_000, agent_name="scout", on_event=heard.append)
    with caplog.at_level(logging.INFO, "steno"):
        session.add(*openai_talk(30))
        session.messages()
    assert heard and {(event.session, event.agent) for event in heard} == {("s", "scout")}
    assert list(session.events) == heard
    line = next(one.message for one in caplog.records if "committed" in one.message)
    assert line.startswith("s: context_budget.compaction.committed ") and "before=" in line
    assert "Find the slow query" not in caplog.text
