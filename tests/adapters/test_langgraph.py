"""CompactingSupervisor: the graph does the same as before, and its threads keep their limit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents.middleware import before_model
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.channels import LastValue
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph, add_messages
from langgraph.pregel import NodeBuilder, Pregel
from langgraph.types import Command, interrupt

import steno
import steno.adapters.langgraph.checkpoint as checkpoints
from steno.adapters.langchain import StenoMiddleware
from steno.adapters.langgraph import CompactingSupervisor, HistoryManager
from steno.adapters.langgraph.checkpoint import _id_after
from steno.core.events import Committed, Failed, Skipped
from tests.support.langgraph_agents import (
    SECRET,
    THOUGHT,
    Spoken,
    a_talk,
    ask,
    chat_graph,
    judged,
    led,
    on,
    said,
    supervisor_graph,
    words,
)
from tests.support.promises import proves
from tests.support.summaries import summary_in_text


def spans(messages: list[BaseMessage]) -> list[str]:
    """What the traces in a list stand for."""
    return [str(summary.span) for m in messages if (summary := summary_in_text(m.content))]


def messages_of(agent: Any, thread: str) -> list[BaseMessage]:
    return list(agent.get_state(on(thread)).values["messages"])


@proves("langgraph.wraps")
def test_a_graph_is_wrapped_unchanged_and_its_thread_stays_within_the_limit() -> None:
    saver = InMemorySaver()
    plain = chat_graph(InMemorySaver())
    agent = CompactingSupervisor(
        agent=chat_graph(saver),
        history_manager=HistoryManager(memory_saver=saver),
        token_limit=500,
        compaction_ratio=0.5,
    )
    for n in range(12):
        alone = plain.invoke(ask(f"Question {n}"), on(f"alone-{n}"))
        answer = agent.invoke(ask(f"Question {n}"), on("t"))
        assert answer["messages"][-1].text.startswith("Answer to")
        assert alone.keys() == answer.keys()
        assert judged(messages_of(agent, "t")) == []
    kept = messages_of(agent, "t")
    assert len(kept) < 24 and spans(kept)[0].startswith("0-")
    assert [m.content for m in kept[-2:]] == [m.content for m in answer["messages"][-2:]]


@proves("langgraph.ratio")
@pytest.mark.parametrize(("ratio", "gone"), [(0.5, "0-4"), (0.2, "0-1"), (0.8, "0-7")])
def test_of_ten_messages_the_ratio_says_how_many_go(ratio: float, gone: str) -> None:
    history = HistoryManager(policy=steno.engine.designs.supervisor(500, ratio))
    assert spans(history.compact_messages(a_talk(5))) == [gone]


@proves("langgraph.ratio")
@pytest.mark.parametrize(("ratio", "gone"), [(0.5, "1-5"), (0.2, "1-2"), (0.8, "1-8")])
def test_a_leading_system_message_is_not_counted_and_stays(ratio: float, gone: str) -> None:
    history = HistoryManager(policy=steno.engine.designs.supervisor(500, ratio))
    talk = led(a_talk(5))
    kept = history.compact_messages(talk)
    assert spans(kept) == [gone]
    assert kept[0] is talk[0] and kept[-1] is talk[-1]


SALARY = "My salary is 64,000 euros and my notice period is 3 months to the end of a quarter."


@proves("langgraph.ratio")
@pytest.mark.parametrize("ratio", [0.5, 0.8])
def test_what_an_employee_stated_stays_while_the_limit_has_room_for_it(ratio: float) -> None:
    talk = [
        HumanMessage("Hi, I'm Maria Lopez, employee 4471, in the Berlin office."),
        AIMessage("Welcome, Maria. Which position are you looking at? " + "I can help. " * 20),
        HumanMessage(f"The senior analyst position in Hamburg. {SALARY}"),
        AIMessage("A start on 1 April would be possible. " + "The form follows later. " * 20),
        HumanMessage("My manager is Jonas Weber, he agreed by mail on 12 November."),
        AIMessage("I noted that. " + "HR will also need a short statement from you. " * 12),
        HumanMessage("And who is the contact in Hamburg?"),
        AIMessage("The contact in Hamburg is Lena Brandt, extension 3320."),
        HumanMessage("How many days of leave do I carry over?"),
        AIMessage("Five days; they expire on 31 March."),
    ]
    history = HistoryManager(policy=steno.engine.designs.supervisor(500, ratio))
    kept = history.compact_messages(talk)
    words = "\n".join(message.text for message in kept)
    assert len(kept) < len(talk)
    for stated in ("employee 4471", SALARY, "Jonas Weber", "12 November"):
        assert stated in words, kept[0].text


@proves("langgraph.checkpoint")
def test_a_thread_gets_a_proper_new_checkpoint_and_its_past_stays() -> None:
    saver = InMemorySaver()
    graph = chat_graph(saver)
    for n in range(3):
        graph.invoke(ask(f"Question {n}"), on("t"))
    before = saver.get_tuple(on("t"))
    history = HistoryManager(memory_saver=saver)
    put = history.replace_thread_history(on("t"), [HumanMessage("All in short.", id="short")])

    after = saver.get_tuple(on("t"))
    assert after.config == put and after.parent_config == before.config
    assert after.checkpoint["id"] > before.checkpoint["id"]
    assert after.checkpoint["ts"] > before.checkpoint["ts"]
    assert (
        after.metadata["step"] == before.metadata["step"] + 1
        and after.metadata["source"] == "update"
    )
    old, new = before.checkpoint["channel_versions"], after.checkpoint["channel_versions"]
    assert {key for key in new if new[key] != old[key]} == {"messages"} and new["messages"] > max(
        old.values()
    )
    assert graph.get_state(on("t")).next == ()
    assert [m.content for m in messages_of(graph, "t")] == ["All in short."]
    assert len(graph.get_state(before.config).values["messages"]) == 6

    graph.invoke(ask("And then?"), on("t"))
    assert len(messages_of(graph, "t")) == 3
    again = graph.invoke(ask("Another way?"), before.config)
    assert len(again["messages"]) == 8


@pytest.mark.slow
@proves("langgraph.wraps")
def test_every_way_of_calling_gives_what_the_graph_gives_and_compacts_after_it() -> None:
    def ways(agent: Any) -> Iterator[tuple[str, Any]]:
        async def collected(mode: str) -> list[Any]:
            return [
                chunk
                async for chunk in agent.astream(
                    ask(f"By astream {mode}"), on("t"), stream_mode=mode
                )
            ]

        async def events() -> list[str]:
            return [
                e["event"]
                async for e in agent.astream_events(ask("By events"), on("t"), version="v2")
            ]

        yield "invoke", agent.invoke(ask("By invoke"), on("t"))
        yield "ainvoke", asyncio.run(agent.ainvoke(ask("By ainvoke"), on("t")))
        for mode in ("values", "updates", "messages", "custom", "debug", "checkpoints", "tasks"):
            yield mode, list(agent.stream(ask(f"By stream {mode}"), on("t"), stream_mode=mode))
            yield f"a{mode}", asyncio.run(collected(mode))
        yield (
            "several",
            list(agent.stream(ask("By both"), on("t"), stream_mode=["values", "messages"])),
        )
        yield "batch", agent.batch([ask("By batch"), ask("Again")], [on("b"), on("c")])
        yield "events", asyncio.run(events())

    agent = CompactingSupervisor(chat_graph(InMemorySaver()), token_limit=300)
    plain = chat_graph(InMemorySaver())
    for (way, shown), (_, alone) in zip(ways(agent), ways(plain), strict=True):
        assert type(shown) is type(alone)
        if isinstance(shown, list):
            assert [type(chunk) for chunk in shown] == [type(chunk) for chunk in alone], way
    landed = [event for event in agent.history_manager.events if isinstance(event, Committed)]
    assert len(landed) > 5
    assert len(messages_of(agent, "t")) < len(messages_of(plain, "t")) == 36


@pytest.mark.slow
@proves("langgraph.wraps")
def test_whatever_else_the_graph_can_do_it_can_do_here() -> None:
    graph = chat_graph(InMemorySaver(), name="helper")
    agent = CompactingSupervisor(graph, token_limit=300)
    assert agent.get_graph().nodes.keys() == graph.get_graph().nodes.keys()
    assert agent.get_input_jsonschema() == graph.get_input_jsonschema()
    assert (
        agent.name == "helper" and agent.nodes is graph.nodes and agent.InputType == graph.InputType
    )
    bound = agent.with_config(on("w"))
    assert isinstance(bound, CompactingSupervisor)
    for n in range(12):
        bound.invoke(ask(f"Question {n}"))
    assert spans(list(bound.get_state(on("w")).values["messages"]))
    agent.update_state(on("w"), {"messages": [HumanMessage("By hand.")]})
    assert messages_of(agent, "w")[-1].content == "By hand."
    assert len(list(agent.get_state_history(on("w")))) > 36
    piped = agent | (lambda state: len(state["messages"]))
    assert piped.invoke(ask("Once more"), on("p")) == 2


@proves("langgraph.tokens")
@pytest.mark.parametrize(
    "how", [{"subgraphs": True}, {"version": "v2"}, {"version": "v2", "subgraphs": True}]
)
def test_built_for_tokens_it_streams_however_the_graph_is_asked_to(how: dict[str, Any]) -> None:
    agent = CompactingSupervisor(supervisor_graph(InMemorySaver()), token_limit=5_000)
    plain = list(agent.stream(ask("Look into it."), on("plain")))
    assert list(agent.stream(ask("Look into it."), on("other"), **how)) == plain != []


@pytest.mark.slow
@proves("langgraph.tokens")
def test_built_for_tokens_a_stream_says_words_as_they_come_and_once_that_it_compacted() -> None:
    agent = CompactingSupervisor(supervisor_graph(InMemorySaver()), token_limit=500)

    async def streamed(text: str) -> list[dict[str, Any]]:
        return [chunk async for chunk in agent.astream(ask(text), on("t"))]

    for n in range(3):
        for chunks in (
            list(agent.stream(ask(f"Look at {n}"), on("t"))),
            asyncio.run(streamed(f"Again {n}")),
        ):
            kinds = [chunk["type"] for chunk in chunks]
            tokens = [chunk["content"] for chunk in chunks if chunk["type"] == "token"]
            assert len(tokens) > 5 and "Both shall work on it." in "".join(tokens)
            assert THOUGHT not in "".join(tokens) and "found3" not in "".join(tokens)
            assert kinds.count("compaction") <= 1 and set(kinds) <= {"token", "compaction"}
            if "compaction" in kinds:
                assert kinds[-1] == "compaction" and chunks[-1]["after"] < chunks[-1]["before"]
    assert any(isinstance(event, Committed) for event in agent.history_manager.events)
    assert isinstance(next(iter(agent.stream(ask("Plain"), on("t"), stream_mode="values"))), dict)


@proves("langgraph.tokens")
def test_a_stream_that_is_closed_early_or_raises_is_compacted_after_all() -> None:
    def failing(messages: Any) -> AIMessage:
        if "fail" in messages[-1].content:
            raise OSError("the model is gone")
        return AIMessage(f"Answer: {words(60, 'reply')}")

    graph = chat_graph(InMemorySaver(), failing)
    for n in range(8):
        graph.invoke(ask(f"Question {n}"), on("closed"))
        graph.invoke(ask(f"Question {n}"), on("raised"))
    agent = CompactingSupervisor(graph, token_limit=300)
    stream = agent.stream(ask("And now?"), on("closed"), stream_mode="updates")
    next(stream)
    stream.close()
    assert spans(messages_of(agent, "closed"))

    with pytest.raises(OSError, match="gone"):
        list(agent.stream(ask("Now fail"), on("raised")))
    assert not spans(messages_of(agent, "raised")), "a task that failed can still be resumed"
    agent.invoke(ask("Go on"), on("raised"))
    assert spans(messages_of(agent, "raised"))


@proves("langgraph.interrupts")
def test_what_waits_for_a_person_is_left_alone_and_resumes() -> None:
    saver = InMemorySaver()
    graph = supervisor_graph(saver, asks=True)
    agent = CompactingSupervisor(graph, token_limit=300)
    for n in range(4):
        stopped = agent.invoke(ask(f"Look at {n}"), on("t"))
        waiting = agent.get_state(on("t"))
        assert [i.value for i in stopped["__interrupt__"]] == ["May the writer begin?"]
        assert waiting.interrupts == tuple(stopped["__interrupt__"]) and waiting.next == ("tools",)
        assert waiting.metadata["source"] == "loop"
        way = (
            Command(resume={waiting.interrupts[0].id: f"yes {n}"})
            if n % 2
            else Command(resume=f"yes {n}")
        )
        done = agent.invoke(way, on("t"))
        results = [m for m in done["messages"] if isinstance(m, ToolMessage)][-2:]
        assert f"yes {n}" in results[1].text and "found3" in results[0].text
        assert judged(messages_of(agent, "t")) == []
    reasons = [e.reason for e in agent.history_manager.events if isinstance(e, Skipped)]
    assert any("wait to be resumed" in reason for reason in reasons)
    assert spans(messages_of(agent, "t"))


class Parent(TypedDict):
    messages: Annotated[list[BaseMessage], add_messages]
    turns: int


def nested(saver: Any) -> Any:
    """A graph with a sub-agent as a node, which asks a person in the middle of its own work."""

    def first(state: Parent) -> Any:
        return {"turns": 1, "messages": [AIMessage(f"I looked. {words(40, 'inner')}")]}

    def second(state: Parent) -> Any:
        return {"messages": [AIMessage(f"They said {interrupt('Well?')} after {state['turns']}.")]}

    inner = StateGraph(Parent).add_node("first", first).add_node("second", second)
    inner.add_edge(START, "first").add_edge("first", "second")
    outer = (
        StateGraph(Parent)
        .add_node("inner", inner.compile(checkpointer=True))
        .add_edge(START, "inner")
    )
    return outer.compile(checkpointer=saver)


@proves("langgraph.interrupts")
def test_a_sub_graph_that_stopped_half_way_goes_on_where_it_was() -> None:
    agent = CompactingSupervisor(nested(InMemorySaver()), token_limit=200)
    for n in range(6):
        agent.invoke(ask(f"Look {n}. {words(30)}"), on("t"))
        below = agent.get_state(on("t"), subgraphs=True).tasks[0].state
        assert below.next == ("second",)
        done = agent.invoke(Command(resume=f"answer {n}"), on("t"))
        assert done["messages"][-1].content == f"They said answer {n} after 1."
    assert spans(messages_of(agent, "t"))


@proves("langgraph.interrupts")
def test_new_words_instead_of_an_answer_find_room() -> None:
    graph = nested(InMemorySaver())
    for n in range(6):
        graph.invoke(ask(f"Look {n}. {words(30)}"), on("t"))
        graph.invoke(Command(resume="this"), on("t"))
    graph.invoke(ask("Look again."), on("t"))
    agent = CompactingSupervisor(graph, token_limit=200)
    stopped = agent.invoke(ask("Or rather look elsewhere."), on("t"))
    assert spans(messages_of(agent, "t")) and [i.value for i in stopped["__interrupt__"]] == [
        "Well?"
    ]
    done = agent.invoke(Command(resume="that"), on("t"))
    assert done["messages"][-1].content == "They said that after 1." and "elsewhere" in said(
        messages_of(agent, "t")
    )


@pytest.mark.slow
@proves("langgraph.private")
def test_neither_sub_agents_nor_thinking_are_looked_at() -> None:
    saver = InMemorySaver()
    asked: list[str] = []

    class Writer:
        name = "writer"

        def answer(self, ask: steno.models.Ask) -> steno.models.Reply:
            asked.append(ask.prompt)
            return steno.models.NoAnswer("not today")

    agent = CompactingSupervisor(supervisor_graph(saver), token_limit=400, writer=Writer())
    for n in range(8):
        agent.invoke(ask(f"Look at {n}", dossier=f"dossier {SECRET}"), on("t"))
    traces = [m for m in messages_of(agent, "t") if str(m.id).startswith("steno-")]
    assert traces and spans(messages_of(agent, "t"))
    for secret in (SECRET, THOUGHT):
        assert secret not in said(traces)
        assert all(secret not in prompt for prompt in asked)
    assert agent.get_state(on("t")).values["dossier"] == f"dossier {SECRET}"
    kept = [
        m for m in messages_of(agent, "t") if isinstance(m, AIMessage) and THOUGHT in str(m.content)
    ]
    assert kept, "what stays, stays as it was, thinking included"


@proves("langgraph.concurrent")
def test_of_two_runs_on_one_thread_neither_loses_a_word() -> None:
    saver = InMemorySaver()
    slow = threading.Event()
    graph = chat_graph(saver)
    for n in range(8):
        graph.invoke(ask(f"Question {n}"), on("t"))

    class Meddling(InMemorySaver):
        """Somebody else speaks between our reading and our writing, once."""

        def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
            if not slow.is_set():
                slow.set()
                graph.invoke(ask("Meanwhile"), on("t"))
            return saver.put(config, checkpoint, metadata, new_versions)

        def get_tuple(self, config: Any) -> Any:
            return saver.get_tuple(config)

        def list(self, config: Any, **how: Any) -> Any:
            return saver.list(config, **how)

        def get_next_version(self, current: Any, channel: Any) -> Any:
            return saver.get_next_version(current, channel)

    agent = CompactingSupervisor(graph, HistoryManager(memory_saver=Meddling()), token_limit=300)
    agent.invoke(ask("And now?"), on("t"))
    kept = messages_of(agent, "t")
    assert slow.is_set() and spans(kept)
    assert [m.content for m in kept if isinstance(m, HumanMessage)][-1] == "Meanwhile"
    held = agent.history_manager._sessions["t"]
    assert len(held.log.messages) == 20


@pytest.mark.slow
@proves("langgraph.concurrent")
def test_threads_that_run_at_once_keep_their_own_words() -> None:
    agent = CompactingSupervisor(chat_graph(InMemorySaver()), token_limit=300)

    async def talk() -> None:
        async def one(thread: str) -> None:
            for n in range(8):
                await agent.ainvoke(ask(f"{thread} asks {n}"), on(thread))

        await asyncio.gather(*(one(f"thread-{n}") for n in range(4)))

    asyncio.run(talk())
    for n in range(4):
        kept = messages_of(agent, f"thread-{n}")
        assert spans(kept) and judged(kept) == []
        assert all(f"thread-{other} asks" not in said(kept) for other in range(4) if other != n)


@contextmanager
def broken(graph: Any) -> Iterator[Any]:
    class Broken(InMemorySaver):
        failure: Exception = RuntimeError("the disk says: secret words")

        def put(self, *given: Any) -> Any:
            raise self.failure

        def get_tuple(self, config: Any) -> Any:
            return graph.checkpointer.get_tuple(config)

    yield Broken()


@proves("failure.isolated")
def test_a_compaction_that_fails_does_not_end_the_agent(caplog: pytest.LogCaptureFixture) -> None:
    graph = chat_graph(InMemorySaver())
    with broken(graph) as saver:
        agent = CompactingSupervisor(graph, HistoryManager(memory_saver=saver), token_limit=100)
        for n in range(4):
            assert agent.invoke(ask(f"Question {n}"), on("t"))["messages"]
        assert (
            next(e.reason for e in agent.history_manager.events if isinstance(e, Failed))
            == "RuntimeError"
        )
        assert "the agent goes on" in caplog.text and "secret" not in caplog.text
        assert len(messages_of(agent, "t")) == 8
        saver.failure = MemoryError()
        with pytest.raises(MemoryError):
            agent.invoke(ask("Once more"), on("t"))


@proves("langgraph.wraps")
def test_what_cannot_work_is_said_when_it_is_built() -> None:
    with pytest.raises(steno.BadInput, match="no checkpointer"):
        CompactingSupervisor(chat_graph(None), window=8_000)
    graph = chat_graph(InMemorySaver())
    with pytest.raises(steno.BadInput, match="no 'chat': pass messages_key="):
        CompactingSupervisor(graph, window=8_000, messages_key="chat")
    with pytest.raises(steno.BadInput, match="not both"):
        CompactingSupervisor(graph, policy="deep", token_limit=500)
    with pytest.raises(steno.BadInput, match="how much fits"):
        CompactingSupervisor(graph, policy="deep")
    with pytest.raises(steno.BadInput, match="0 to 1"):
        CompactingSupervisor(graph, compaction_ratio=1.5)
    with pytest.raises(steno.BadInput, match="no checkpoint"):
        HistoryManager(InMemorySaver()).replace_thread_history(on("t"), [])
    with pytest.raises(steno.BadInput, match="which thread"):
        HistoryManager(InMemorySaver()).replace_thread_history({}, [])
    with pytest.raises(steno.BadInput, match="where the threads are kept"):
        HistoryManager().replace_thread_history(on("t"), [])
    with pytest.raises(steno.BadInput, match=r"messages\[0\]"):
        HistoryManager().compact_messages([object()])  # type: ignore[list-item]


@proves("langgraph.wraps")
def test_a_misspelt_option_is_refused_with_the_nearest() -> None:
    graph = chat_graph(InMemorySaver())
    with pytest.raises(TypeError, match="'token_limits': did you mean 'token_limit'"):
        CompactingSupervisor(graph, token_limits=500)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'message_key': did you mean 'messages_key'"):
        HistoryManager(message_key="talk")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'windows': did you mean 'window'"):
        StenoMiddleware(windows=4_000)  # type: ignore[call-arg]
    with pytest.raises(steno.BadInput, match="pass writer= to the HistoryManager"):
        CompactingSupervisor(graph, HistoryManager(), token_limit=500, writer=steno.Script("short"))


def test_a_supervisor_must_be_told_a_window_or_a_limit() -> None:
    """Five hundred tokens are a design's example: nobody gets them unasked."""
    graph = chat_graph(InMemorySaver())
    for build in (
        lambda: CompactingSupervisor(graph),
        lambda: CompactingSupervisor(graph, HistoryManager()),
    ):
        with pytest.raises(steno.BadInput, match="say when to compact"):
            build()
    for agent in (
        CompactingSupervisor(graph, window=8_000),
        CompactingSupervisor(graph, model="gpt-5"),
        CompactingSupervisor(graph, HistoryManager(window=8_000)),
    ):
        for n in range(4):
            agent.invoke(ask(f"Question {n}"), on("t"))
    assert len(messages_of(agent, "t")) == 24


@proves("langgraph.hard")
def test_where_new_words_would_not_fit_the_window_room_is_made_first() -> None:
    graph = chat_graph(InMemorySaver())
    for n in range(10):
        graph.invoke(ask(f"Question {n}"), on("t"))
    agent = CompactingSupervisor(graph, policy="default", window=2_000)
    model = graph.get_graph().nodes["model"]
    assert model is not None
    agent.invoke(ask(f"A long one: {words(700)}"), on("t"))
    first = next(
        state for state in agent.get_state_history(on("t")) if state.metadata["source"] == "update"
    )
    assert spans(first.values["messages"]), "room is made before the model is asked"
    assert "A long one" in said(messages_of(agent, "t"))


@pytest.mark.slow
@proves("langgraph.checkpoint")
def test_a_run_from_an_earlier_checkpoint_sees_all_of_it_and_is_compacted_after() -> None:
    graph = chat_graph(InMemorySaver())
    earlier = graph.update_state(on("t"), {"messages": a_talk(10)})
    graph.invoke(ask("Go on."), on("t"))
    events: list[steno.Event] = []
    agent = CompactingSupervisor(graph, window=2_000, on_event=events.append)
    agent.invoke(ask(f"Another way: {words(700)}"), earlier)
    after, before = islice(agent.get_state_history(on("t")), 2)
    assert before.values["messages"][:20] == agent.get_state(earlier).values["messages"]
    assert spans(after.values["messages"]) and "Go on." not in said(before.values["messages"])
    assert [type(each) for each in events if isinstance(each, Committed | Skipped)] == [Committed]


@pytest.mark.slow
@proves("langgraph.recall")
def test_what_left_the_thread_can_be_opened_from_the_store(tmp_path: Path) -> None:
    saver = InMemorySaver()
    for run in range(2):  # another process goes on where the first stopped
        agent = CompactingSupervisor(
            chat_graph(saver), token_limit=300, store=tmp_path / "agent.db"
        )
        for n in range(8):
            agent.invoke(ask(f"Question {n} of run {run}"), on("t"))
        agent.history_manager.close()
    history = HistoryManager(store=tmp_path / "agent.db")
    assert history.open("t", 0)["content"] == "Question 0 of run 0"
    assert history.open("t", 30)["content"] == "Question 7 of run 1"
    with steno.Session(tmp_path / "agent.db", wire="langchain") as session:
        assert session.name == "t" and len(session.log.messages) == 32
    history.close()


@pytest.mark.slow
@proves("langgraph.recall")
def test_a_thread_that_was_compacted_before_keeps_its_positions() -> None:
    saver = InMemorySaver()
    for run in range(3):  # without a store, all that is known is in the thread itself
        agent = CompactingSupervisor(chat_graph(saver), token_limit=300)
        for n in range(8):
            agent.invoke(ask(f"Question {run}-{n}"), on("t"))
    kept = messages_of(agent, "t")
    newest = int(spans(kept)[-1].split("-")[1])
    assert len(kept) - len(spans(kept)) + newest + 1 == 48


def test_custom_keys_and_pydantic_states_are_read_where_they_are() -> None:
    class Talk(TypedDict):
        talk: Annotated[list[BaseMessage], add_messages]
        messages: list[str]

    def reply(state: Talk) -> Any:
        return {"talk": [AIMessage(f"Answer: {words(40, 'reply')}")]}

    graph = (
        StateGraph(Talk).add_node("reply", reply).add_edge(START, "reply").add_edge("reply", END)
    )
    agent = CompactingSupervisor(
        graph.compile(checkpointer=InMemorySaver()), token_limit=300, messages_key="talk"
    )
    for n in range(8):
        agent.invoke({"talk": [HumanMessage(f"Question {n}")], "messages": ["untouched"]}, on("t"))
    state = agent.get_state(on("t")).values
    assert spans(state["talk"]) and state["messages"] == ["untouched"]


@proves("langgraph.checkpoint")
def test_a_thread_that_stopped_at_a_breakpoint_goes_on_from_there_and_does_not_stop_again() -> None:
    saver = InMemorySaver()
    graph = supervisor_graph(saver, interrupt_before=["tools"])
    graph.invoke(ask("Look"), on("t"))
    before = graph.get_state(on("t"))
    HistoryManager(saver).replace_thread_history(
        on("t"), [HumanMessage("In short."), messages_of(graph, "t")[-1]]
    )
    assert graph.get_state(on("t")).next == before.next == ("tools",) * 2
    done = graph.invoke(None, on("t"))
    assert [type(m) for m in done["messages"]] == [
        HumanMessage,
        AIMessage,
        ToolMessage,
        ToolMessage,
        AIMessage,
    ]


@proves("langgraph.checkpoint")
def test_no_node_runs_because_the_history_was_replaced() -> None:
    saver = InMemorySaver()
    channels: dict[str, Any] = {"messages": LastValue(list), "seen": LastValue(int)}
    counts = NodeBuilder().subscribe_only("messages").do(len).write_to("seen")
    graph = Pregel(
        nodes={"counts": counts},
        channels=channels,
        input_channels="messages",
        output_channels="seen",
        stream_channels=["messages", "seen"],
        checkpointer=saver,
    )
    graph.invoke(a_talk(3), on("t"))
    HistoryManager(saver).replace_thread_history(on("t"), a_talk(1))
    state = graph.get_state(on("t"))
    assert state.next == () and len(state.values["messages"]) == 2 and state.values["seen"] == 6


@proves("langgraph.checkpoint")
def test_a_node_that_was_to_run_next_still_is() -> None:
    def reply(state: MessagesState) -> Any:
        return {"messages": [AIMessage("Second.")]}

    graph = StateGraph(MessagesState).add_node("one", lambda state: None).add_node("two", reply)
    graph.add_edge(START, "one").add_edge("one", "two")
    agent = graph.compile(checkpointer=InMemorySaver(), interrupt_before=["two"])
    agent.invoke(ask("Go"), on("t"))
    HistoryManager(agent.checkpointer).replace_thread_history(on("t"), [HumanMessage("In short.")])
    assert agent.get_state(on("t")).next == ("two",)
    assert [m.content for m in agent.invoke(None, on("t"))["messages"]] == ["In short.", "Second."]


@proves("langgraph.interrupts")
def test_a_history_is_not_replaced_while_what_some_tasks_wrote_waits_for_the_others() -> None:
    saver = InMemorySaver()
    graph = supervisor_graph(saver, asks=True)
    graph.invoke(ask("Look"), on("t"))
    before = graph.get_state(on("t"))
    with pytest.raises(steno.BadInput, match="resume the thread"):
        HistoryManager(saver).replace_thread_history(on("t"), [HumanMessage("In short.")])
    assert graph.get_state(on("t")) == before
    assert "found3" in said(graph.invoke(Command(resume="yes"), on("t"))["messages"])


@proves("langgraph.concurrent")
def test_what_steno_writes_never_hides_what_another_run_wrote_before_it_landed() -> None:
    saver = InMemorySaver()
    graph = chat_graph(saver)
    graph.invoke(ask("First"), on("t"))
    base = saver.get_tuple(on("t")).checkpoint["id"]
    graph.invoke(ask("Second"), on("t"))
    theirs = saver.get_tuple(on("t")).checkpoint["id"]
    ours = {_id_after(base) for _ in range(100)}
    assert len(ours) == 100 and all(base < each < theirs for each in ours)
    assert (
        _id_after("1ef00000-0fff-6fff-8001-0123456789ab") > "1ef00000-0fff-6fff-8001-0123456789ab"
    )


@proves("langgraph.concurrent")
def test_a_history_is_not_written_over_what_another_run_said_since_it_was_read() -> None:
    saver = InMemorySaver()
    graph = chat_graph(saver)
    graph.invoke(ask("First"), on("t"))
    base = saver.get_tuple(on("t")).checkpoint["id"]
    graph.invoke(ask("Second"), on("t"))
    before = graph.get_state(on("t"))
    short = [HumanMessage("In short.")]
    with suppress(checkpoints.ThreadMoved):
        checkpoints.run_steps(checkpoints.replace_messages(saver, on("t"), short, "messages", base))
    assert graph.get_state(on("t")) == before


@pytest.mark.slow
@proves("constraints.head")
def test_constraints_stand_at_the_head_of_a_thread_from_its_first_run() -> None:
    constraint = "Never write to the warehouse."
    saver = InMemorySaver()
    agent = CompactingSupervisor(chat_graph(saver), token_limit=500, constraints=[constraint])
    for n in range(14):
        agent.invoke(ask(f"Question {n}"), on("t"))
        kept = messages_of(agent, "t")
        assert judged(kept) == []
        assert f"- {constraint} (c1)" in str(kept[0].content)
        assert str(kept).count(constraint) == 1
    assert spans(kept)
    # A process that knows nothing of the thread goes on with it, and gives other constraints.
    other = CompactingSupervisor(chat_graph(saver), token_limit=500, constraints=["Be brief."])
    other.invoke(ask("Question 14"), on("t"))
    kept = messages_of(other, "t")
    assert "- Be brief. (c1)" in str(kept[0].content)
    assert constraint not in str(kept)


@proves("constraints.head")
def test_a_thread_that_began_without_constraints_gets_them_with_its_next_run() -> None:
    saver = InMemorySaver()
    graph = chat_graph(saver)
    graph.invoke(ask("Question 0"), on("t"))
    agent = CompactingSupervisor(graph, token_limit=5_000, constraints=["Be brief."])
    agent.invoke(ask("Question 1"), on("t"))
    kept = messages_of(agent, "t")
    assert "- Be brief. (c1)" in str(kept[0].content)
    assert [type(message).__name__ for message in kept[1:]] == ["HumanMessage", "AIMessage"] * 2
    assert asyncio.run(_asked_later(agent)).count("- Be brief. (c1)") == 1


async def _asked_later(agent: Any) -> str:
    state = await agent.ainvoke(ask("Question 2"), on("other"))
    return str(state["messages"])


@proves("langgraph.tokens")
def test_a_supervisor_built_as_the_design_builds_it_streams_tokens_in_its_own_loop() -> None:
    memory = InMemorySaver()
    agent = CompactingSupervisor(
        agent=chat_graph(memory),
        history_manager=HistoryManager(memory_saver=memory),
        token_limit=300,
        compaction_ratio=0.5,
    )
    words_of: list[str] = []
    for n in range(8):
        for chunk in agent.stream(ask(f"Question {n}"), on("t")):
            if chunk["type"] == "token":
                words_of.append(chunk["content"])
    assert len(words_of) > 8 * 20 and "".join(words_of).startswith("Answer to 1: reply0")
    assert spans(messages_of(agent, "t"))
    by_window = CompactingSupervisor(chat_graph(InMemorySaver()), window=8_000)
    assert all("type" not in chunk for chunk in by_window.stream(ask("Question"), on("t")))


@proves("langgraph.tokens")
def test_only_the_nodes_that_speak_are_streamed() -> None:
    def summarize(state: Any, runtime: Any) -> None:
        Spoken(answers=lambda _: AIMessage("Not for the user.")).invoke(state["messages"])

    built = chat_graph(InMemorySaver(), middleware=[before_model(summarize)])
    agent = CompactingSupervisor(built, token_limit=5_000)
    streamed = "".join(chunk["content"] for chunk in agent.stream(ask("Hello"), on("t")))
    assert "Not for" not in streamed != ""


@proves("langgraph.interrupts")
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_graph_that_always_ends_in_a_question_is_compacted_when_it_is_answered(
    asynchronous: bool,
) -> None:
    def asks(state: MessagesState) -> Any:
        answer = interrupt("What next?")
        return {"messages": [HumanMessage(f"{answer}. {words(30)}")]}

    def replies(state: MessagesState) -> Any:
        return {"messages": [AIMessage(f"Reply. {words(30, 'said')}")]}

    builder = StateGraph(MessagesState).add_node("asks", asks).add_node("replies", replies)
    builder.add_edge(START, "replies").add_edge("replies", "asks").add_edge("asks", "replies")
    agent = CompactingSupervisor(builder.compile(checkpointer=InMemorySaver()), token_limit=400)

    out = agent.invoke(ask("Begin"), on("t"))
    for n in range(8):
        (question,) = out["__interrupt__"]
        answer: Any = {question.id: f"Answer {n}"} if n % 2 else f"Answer {n}"
        if asynchronous:
            out = asyncio.run(agent.ainvoke(Command(resume=answer), on("t")))
        else:
            out = agent.invoke(Command(resume=answer), on("t"))
        kept = messages_of(agent, "t")
        assert kept[-2].text.startswith(f"Answer {n}."), "the answer reached its question"
    assert spans(kept) and len(kept) < 10


@pytest.mark.slow
@proves("langgraph.interrupts")
def test_what_finished_tasks_wrote_moves_with_those_that_wait() -> None:
    """Two tools at once, one waits for a person: the other one runs once."""
    agent = CompactingSupervisor(supervisor_graph(InMemorySaver(), asks=True), token_limit=300)
    stopped = agent.invoke(ask("Look"), on("t"))
    for n in range(3):
        way = Command(resume={stopped["__interrupt__"][0].id: f"yes {n}"})
        done = agent.invoke(way, on("t"))
        results = [m for m in done["messages"] if isinstance(m, ToolMessage)][-2:]
        assert "found3" in results[0].text and f"yes {n}" in results[1].text
        # New words, over the limit, and again a question before the thread could rest.
        stopped = agent.invoke(ask(f"Look again. {words(200)}"), on("t"))
    moved = [s for s in agent.get_state_history(on("t")) if s.metadata["source"] == "update"]
    assert any(state.tasks and state.tasks[0].result for state in moved)
