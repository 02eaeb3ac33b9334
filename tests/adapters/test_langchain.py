"""StenoMiddleware: the state keeps every message, the model gets the view."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from langchain.agents import create_agent
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

import steno
from steno.adapters.langchain import StenoMiddleware
from steno.adapters.langgraph import CompactingSupervisor, HistoryManager
from steno.core.events import Committed, Failed
from steno.store.sqlite import SQLiteStore
from tests.support.langgraph_agents import (
    Counter,
    Spoken,
    a_talk,
    ask,
    calls,
    judged,
    led,
    on,
    said,
    thinking,
    words,
)
from tests.support.promises import proves
from tests.support.summaries import summary_in_text


@tool
def read(topic: str) -> str:
    """Read a file."""
    return words(150, "line")


def working() -> Any:
    """Reads two files at once for every question, then answers."""
    ids = Counter()

    def answers(messages: Sequence[BaseMessage]) -> AIMessage:
        if isinstance(messages[-1], ToolMessage):
            return AIMessage(f"I have read both files. {words(20, 'so')}")
        return calls(["read", "read"], ids, "Reading.")

    return answers


def agent_with(middleware: StenoMiddleware, model: Spoken, **how: Any) -> Any:
    how.setdefault("checkpointer", InMemorySaver())
    return create_agent(model, [read], middleware=[middleware], system_prompt="Read well.", **how)


def traced(messages: Sequence[BaseMessage]) -> bool:
    return any(summary_in_text(message.content) for message in messages)


def test_recall_is_offered_once_something_has_left_the_view() -> None:
    def answers(messages: Sequence[BaseMessage]) -> AIMessage:
        if messages[-1].text.endswith("the parking code?"):
            return calls(["recall"], lambda: "r1", "", [{"query": "parking code"}])
        return AIMessage(words(150, "so"))

    model = Spoken(answers=answers)
    agent = agent_with(StenoMiddleware(window=4_000), model)
    agent.invoke(ask("The parking code is 4711."), on("t"))
    for n in range(14):
        agent.invoke(ask(f"Tell me about {n}."), on("t"))
    names = [[tool.name for tool in offered] for offered in model.offered]
    assert names[0] == ["read"] and sorted(names[-1]) == ["read", "recall"]
    assert "recall" in said(model.requests[-1])
    agent.invoke(ask("What was the parking code?"), on("t"))
    assert "4711" in str(model.requests[-1][-1].content)


@pytest.mark.slow
@proves("langchain.state")
def test_the_state_keeps_every_message_and_the_model_gets_the_view() -> None:
    model = Spoken(answers=working())
    middleware = StenoMiddleware(window=4_000)
    agent = agent_with(middleware, model)
    for n in range(12):
        out = agent.invoke(ask(f"What is in file {n}? Never print a password."), on("t"))
    assert len(out["messages"]) == 60 and not traced(out["messages"])
    newest = model.requests[-1]
    assert traced(newest) and len(newest) < 60
    assert "Never print a password." in said(newest) and isinstance(newest[0], SystemMessage)
    kept = {id(message) for message in newest}
    assert any(id(message) in kept for message in out["messages"]), (
        "what is untouched is that very object"
    )
    assert middleware.open("t", 0)["content"] == "What is in file 0? Never print a password."


@pytest.mark.slow
@proves("langchain.steady")
def test_between_commits_each_request_extends_the_last_word_for_word() -> None:
    model = Spoken(answers=working())
    middleware = StenoMiddleware(window=4_000)
    agent = agent_with(middleware, model)
    commits, extended = 0, 0
    for n in range(12):
        agent.invoke(ask(f"What is in file {n}?"), on("t"))
        landed = sum(isinstance(event, Committed) for event in middleware.events)
        before, after = model.requests[-2], model.requests[-1]
        if landed == commits:
            assert [m.model_dump() for m in after[: len(before)]] == [
                m.model_dump() for m in before
            ]
            extended += 1
        commits = landed
    assert commits >= 2 and extended >= 5


@pytest.mark.slow
@proves("langchain.steady")
def test_another_process_goes_on_with_the_same_words(tmp_path: Path) -> None:
    saver = InMemorySaver()
    last: list[BaseMessage] = []
    for n in range(12):
        model = Spoken(answers=working())
        middleware = StenoMiddleware(window=4_000, store=tmp_path / "agent.db")
        agent_with(middleware, model, checkpointer=saver).invoke(
            ask(f"What is in file {n}?"), on("t")
        )
        if n:
            same = [m.content for m in model.requests[0][1 : len(last)]]
            assert same == [m.content for m in last[1:]] or any(
                isinstance(e, Committed) for e in middleware.events
            )
        last = model.requests[-1]
        middleware.close()
    assert traced(last)
    with steno.Session(tmp_path / "agent.db") as session:
        assert session._parts.settings.wire.name == "langchain" and len(session.log.messages) == 59


@pytest.mark.slow
@proves("session.async")
def test_it_does_the_same_on_an_event_loop_for_threads_at_once() -> None:
    model = Spoken(answers=working())
    agent = agent_with(StenoMiddleware(window=4_000), model)

    async def run() -> list[Any]:
        async def one(thread: str) -> Any:
            for n in range(12):
                out = await agent.ainvoke(ask(f"{thread}: what is in file {n}?"), on(thread))
            return out

        return await asyncio.gather(*(one(f"thread-{n}") for n in range(3)))

    for n, out in enumerate(asyncio.run(run())):
        assert len(out["messages"]) == 60
        mine = [
            request
            for request in model.requests
            if f"thread-{n}: what is in file 11?" in said(request)
        ]
        assert mine and traced(mine[-1])
        assert all(f"thread-{other}" not in said(mine[-1]) for other in range(3) if other != n)


class TooLong(Exception):
    status_code = 400


@pytest.mark.slow
@proves("langchain.steady")
@pytest.mark.parametrize("kind", [dict, HumanMessage], ids=["dicts", "objects"])
def test_without_a_checkpointer_a_list_that_is_sent_again_goes_on_in_its_session(
    tmp_path: Path, kind: type
) -> None:
    model = Spoken(answers=lambda messages: AIMessage(f"noted {words(30, 'so')}"))
    middleware = StenoMiddleware(window=1_500, store=tmp_path / "agent.db")
    agent = agent_with(middleware, model, checkpointer=None)
    told: list[Any] = []
    for n in range(20):
        asked = f"q{n} {words(40)}"
        told.append({"role": "user", "content": asked} if kind is dict else HumanMessage(asked))
        reply = agent.invoke({"messages": list(told)})["messages"][-1]
        told.append({"role": "assistant", "content": reply.content} if kind is dict else reply)
        assert model.requests[-1][-1].content == asked
    middleware.close()

    commits = sum(isinstance(event, Committed) for event in middleware.events)
    extended = sum(
        said(after).startswith(said(before)) for before, after in pairwise(model.requests)
    )
    assert commits and extended >= len(model.requests) - 1 - commits
    with closing(SQLiteStore(tmp_path / "agent.db")) as store:
        assert len(store.sessions()) == 1


@proves("langchain.forks")
@pytest.mark.parametrize(
    ("one", "other"), [("bob", "bob~work"), ("bob", "bob~2"), ("\n" * 40 + "a", "\n" * 40 + "b")]
)
def test_a_thread_whose_name_begins_like_anothers_is_no_fork_of_it(
    tmp_path: Path, one: str, other: str
) -> None:
    saver = InMemorySaver()
    for turn in range(2):
        middleware = StenoMiddleware(window=1_500, store=tmp_path / "agent.db")
        agent = agent_with(
            middleware, Spoken(answers=lambda messages: AIMessage("Yes.")), checkpointer=saver
        )
        if turn == 0:
            agent.invoke(ask("I am the one."), on(one))
            agent.invoke(ask("I am the other."), on(other))
        assert middleware.open(one, 0)["content"] == "I am the one."
        assert middleware.open(other, 0)["content"] == "I am the other."
        middleware.close()


@pytest.mark.slow
@proves("overflow.again")
@pytest.mark.parametrize(
    "failure",
    [
        ContextOverflowError("too long"),
        TooLong("context_length_exceeded: maximum context length is 900"),
    ],
)
def test_a_provider_that_finds_the_prompt_too_long_is_asked_once_more(failure: Exception) -> None:
    def answers(messages: Sequence[BaseMessage]) -> AIMessage:
        if sum(len(str(m.content)) for m in messages) > 4_000:
            raise failure
        return AIMessage(f"Answer. {words(60, 'reply')}")

    def begun(**how: Any) -> Any:
        return agent_with(StenoMiddleware(window=2_500), Spoken(answers=answers), **how)

    agent = begun()
    for n in range(20):
        out = agent.invoke(ask(f"Question {n}. {words(60)}"), on("t"))
    assert len(out["messages"]) == 40
    assert asyncio.run(
        begun(checkpointer=None).ainvoke({"messages": [*a_talk(6, 60), HumanMessage("And?")]})
    )

    def refuses(messages: Sequence[BaseMessage]) -> AIMessage:
        raise failure

    never = Spoken(answers=refuses)
    with pytest.raises(type(failure)):
        agent_with(StenoMiddleware(window=2_500), never).invoke(ask(words(900)), on("alone"))
    assert len(never.requests) == 2


@proves("overflow.again")
@pytest.mark.parametrize("key", ["stop_reason", "stopReason"])
def test_a_reply_that_ended_with_the_window_is_asked_for_once_more(key: str) -> None:
    lengths: list[int] = []

    def answers(messages: Sequence[BaseMessage]) -> AIMessage:
        lengths.append(sum(len(str(m.content)) for m in messages))
        if len(lengths) == 1:
            return AIMessage("Ans", response_metadata={key: "model_context_window_exceeded"})
        return AIMessage("Answer.")

    agent = agent_with(StenoMiddleware(window=4_000), Spoken(answers=answers), checkpointer=None)
    out = agent.invoke({"messages": [*a_talk(6, 60), HumanMessage("And?")]})
    assert out["messages"][-1].text == "Answer."
    assert lengths[1] < lengths[0]
    assert len(lengths) == 2


@proves("overflow.again")
def test_any_other_failure_is_the_callers() -> None:
    def answers(messages: Sequence[BaseMessage]) -> AIMessage:
        raise OSError("the line is dead")

    model = Spoken(answers=answers)
    with pytest.raises(OSError, match="dead"):
        agent_with(StenoMiddleware(window=4_000), model).invoke(ask("Hello"), on("t"))
    assert len(model.requests) == 1


@proves("failure.isolated")
def test_a_compaction_that_fails_leaves_the_request_as_it_was(
    caplog: pytest.LogCaptureFixture,
) -> None:
    odd = AIMessage(
        [thinking("Hm.") | {"score": float("nan")}, {"type": "text", "text": "Not JSON."}]
    )
    model = Spoken(answers=lambda messages: AIMessage("Seen."))
    middleware = StenoMiddleware(window=4_000)
    agent = create_agent(model, [], middleware=[middleware])
    talk = [HumanMessage("Hello"), odd, HumanMessage("And?")]
    assert agent.invoke({"messages": talk})["messages"][-1].text == "Seen."
    assert [m.content for m in model.requests[0]] == [m.content for m in talk]
    assert isinstance(middleware.events[-1], Failed) and "the agent goes on" in caplog.text


@pytest.mark.slow
@proves("langchain.forks")
def test_a_past_that_was_changed_is_another_session_and_the_first_stays() -> None:
    model = Spoken(answers=working())
    middleware = StenoMiddleware(window=4_000)
    agent = agent_with(middleware, model)
    for n in range(14):
        out = agent.invoke(ask(f"What is in file {n}?"), on("t"))
    undone = [RemoveMessage(id=str(message.id)) for message in out["messages"][-10:]]
    agent.update_state(on("t"), {"messages": undone})
    agent.invoke(ask("Something else, then: what is in file 77?"), on("t"))
    assert "file 77" in said(model.requests[-1]) and "file 13?" not in said(model.requests[-1])
    assert traced(model.requests[-1])
    assert "file 77" in str(middleware.open("t", 60))


@pytest.mark.slow
@proves("langchain.deepagents")
def test_inside_deepagents_it_stands_in_place_of_its_summarization() -> None:
    model = Spoken(answers=working())
    middleware = StenoMiddleware(window=8_500, name="SummarizationMiddleware")
    agent = create_deep_agent(model, [read], middleware=[middleware], checkpointer=InMemorySaver())
    for n in range(14):
        out = agent.invoke(ask(f"What is in file {n}?"), on("t"))
    assert len(out["messages"]) == 70
    assert traced(model.requests[-1])
    assert any(isinstance(event, Committed) for event in middleware.events)


@pytest.mark.slow
@proves("langchain.deepagents")
def test_a_deep_agents_thread_can_be_wrapped_as_any_other() -> None:
    agent = CompactingSupervisor(
        create_deep_agent(Spoken(answers=working()), [read], checkpointer=InMemorySaver()),
        token_limit=1_500,
    )
    for n in range(8):
        agent.invoke(ask(f"What is in file {n}?"), on("t"))
    kept = agent.get_state(on("t")).values["messages"]
    assert traced(kept) and judged(kept) == []
    assert "file 7?" in said(kept) and len(kept) < 40


def history(ratio: float = 0.5, **how: Any) -> HistoryManager:
    from steno.engine.designs import supervisor

    return HistoryManager(policy=supervisor(500, ratio), **how)


def parallel(n: int) -> list[BaseMessage]:
    """A question, three calls at once, their results, an answer."""
    ids = Counter()
    ids.n = n * 10
    called = calls(["read", "read", "read"], ids, "Reading.")
    results = [
        ToolMessage(words(30, f"r{n}x"), tool_call_id=call["id"], id=call["id"])
        for call in called.tool_calls
    ]
    return [
        HumanMessage(f"Question {n}", id=f"q{n}"),
        called,
        *results,
        AIMessage(f"Answer {n}", id=f"a{n}"),
    ]


@proves("langgraph.known")
@pytest.mark.parametrize("ratio", [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
def test_calls_made_at_once_are_never_parted_from_their_results(ratio: float) -> None:
    talk = [message for n in range(5) for message in parallel(n)]
    kept = history(ratio).compact_messages(talk)
    assert judged(kept) == [] and traced(kept)


@pytest.mark.slow
@proves("langgraph.known")
def test_the_newest_words_of_the_user_stay() -> None:
    for after in range(1, 12):
        talk = [
            *a_talk(6),
            HumanMessage("The newest wish.", id="new"),
            *(m for n in range(after) for m in parallel(n)[1:5]),
        ]
        kept = history(0.8).compact_messages(talk)
        assert traced(kept) and "The newest wish." in said(kept)


@proves("langgraph.known")
def test_a_call_that_waits_for_its_result_is_never_compacted() -> None:
    waiting = calls(["read", "read"], Counter(), "Two more.")
    half = [ToolMessage("One of them.", tool_call_id="call-1", id="r1")]
    for talk in ([*a_talk(8), waiting], [*a_talk(8), waiting, *half]):
        kept = history(0.9).compact_messages(talk)
        assert traced(kept) and judged(kept) == []
        assert kept[-len(talk) + 16 :] == talk[16:]


@proves("langgraph.known")
def test_what_a_writer_fails_with_is_never_the_summary() -> None:
    class Failing:
        name = "failing"

        def answer(self, ask: steno.models.Ask) -> steno.models.Reply:
            raise RuntimeError("Error generating summary: rate limit of org-12345")

    talk = [HumanMessage("Never delete a backup.", id="constraint"), *a_talk(12, 60)]
    kept = history(writer=Failing()).compact_messages(talk)
    assert traced(kept) and "Never delete a backup." in said(kept)
    assert "Error generating" not in said(kept) and "org-12345" not in said(kept)


@proves("langgraph.known")
def test_thinking_goes_with_its_message_and_is_not_quoted() -> None:
    talk = led(a_talk(8))
    thought = AIMessage(
        [thinking("Secretly: sandpiper."), {"type": "text", "text": "Said aloud."}], id="thought"
    )
    kept = history().compact_messages([*talk[:3], thought, *talk[3:]])
    assert traced(kept) and "sandpiper" not in said(kept)
    untouched = history(0.2).compact_messages([*talk, thought])
    assert untouched[-1] is thought


@pytest.mark.slow
@proves("wrap.light")
def test_importing_steno_imports_no_framework() -> None:
    kinds = ("langchain", "langgraph", "deepagents", "pydantic", "openai", "anthropic")
    code = f"import sys, steno; print([m for m in sys.modules if m.startswith({kinds!r})])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
@proves("wrap.light")
def test_a_missing_framework_is_named_with_the_way_to_get_it() -> None:
    code = (
        "import sys; sys.modules['langgraph'] = None; sys.modules['langchain'] = None\n"
        "for name in ('langgraph', 'langchain'):\n"
        "    try: __import__(f'steno.adapters.{name}')\n"
        "    except ValueError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (
        "pip install 'stenolog[langgraph]'" in done.stdout
        and "pip install 'stenolog[langchain]'" in done.stdout
    )


@proves("langchain.tools")
def test_the_agent_recalls_what_its_view_no_longer_shows_and_compacts_where_it_wants_to() -> None:
    ids = Counter()

    def answers(messages: Sequence[BaseMessage]) -> AIMessage:
        # The very last message says how full the context is.
        assert str(messages[-1].content).startswith("[Context: ")
        if isinstance(messages[-2], ToolMessage):
            return AIMessage(f"It says: {messages[-2].content}")
        if "Please recall" in str(messages[-2].content):
            return calls(["recall"], ids, "", [{"query": "parking code"}])
        if "Please compact" in str(messages[-2].content):
            return calls(["compress_context"], ids, "", [{"reason": "the step is done"}])
        return AIMessage(words(150, "so"))

    model = Spoken(answers=answers)
    policy = steno.Policy(agent_controlled=True, by_window=False)
    middleware = StenoMiddleware(window=4_000, policy=policy)
    agent = agent_with(middleware, model)
    agent.invoke(ask("The parking code is 4711."), on("t"))
    for n in range(7):
        agent.invoke(ask(f"Tell me about {n}."), on("t"))
    agent.invoke(ask("Please compact."), on("t"))
    before = model.requests[-2]
    after = model.requests[-1]
    assert len(said(after)) < len(said(before)) and traced(after) and not traced(before)
    assert "compress_context" in said(after)
    offered = {tool.name: tool.description for tool in model.offered[-1]}
    assert "After the last time the context was" in offered["compress_context"]
    out = agent.invoke(ask("Please recall the parking code."), on("t"))
    assert "4711" in out["messages"][-1].content
    assert list(StenoMiddleware(window=4_000, tools=False).tools) == []
    given = StenoMiddleware(window=4_000, tools=True)
    assert [tool.name for tool in given.tools] == ["recall", "remember", "forget"]


@pytest.mark.slow
@proves("constraints.head")
def test_constraints_stand_before_the_conversation_and_not_in_the_state() -> None:
    constraint = "Never write to the warehouse."
    model = Spoken(answers=working())
    agent = agent_with(StenoMiddleware(window=3_000, constraints=[constraint]), model)
    for n in range(8):
        state = agent.invoke(ask(f"Question {n}"), on("t"))
    for heard in model.requests:
        assert judged(heard) == []
        first = next(message for message in heard if not isinstance(message, SystemMessage))
        assert f"- {constraint} (c1)" in str(first.content)
        assert str(heard).count(constraint) == 1
    assert traced(model.requests[-1])
    assert constraint not in str(state["messages"])
