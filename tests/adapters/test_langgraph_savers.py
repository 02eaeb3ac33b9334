"""A long session with each saver (memory, SQLite, PostgreSQL), which works as before after it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from steno.adapters.langgraph import CompactingSupervisor, HistoryManager
from steno.core.events import Committed
from steno.core.summary import Summary
from tests.support.langgraph_agents import (
    Counter,
    Spoken,
    ask,
    calls,
    chat_graph,
    judged,
    on,
    said,
    supervisor_graph,
    words,
)
from tests.support.promises import WHOLE, proves
from tests.support.summaries import summary_in_text

pytestmark = pytest.mark.slow

KINDS = ("memory", "sqlite", "postgres")


@contextmanager
def saver_of(kind: str, folder: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    if kind == "memory":
        yield InMemorySaver()
    elif kind == "sqlite":
        with SqliteSaver.from_conn_string(str(folder / "threads.db")) as sqlite:
            yield sqlite
    else:
        with PostgresSaver.from_conn_string(request.getfixturevalue("postgres")) as saver:
            saver.setup()
            yield saver


@asynccontextmanager
async def async_saver_of(kind: str, folder: Path, address: str) -> AsyncIterator[Any]:
    if kind == "memory":
        yield InMemorySaver()
    elif kind == "sqlite":
        async with AsyncSqliteSaver.from_conn_string(str(folder / "async.db")) as sqlite:
            yield sqlite
    else:
        async with AsyncPostgresSaver.from_conn_string(address) as saver:
            await saver.setup()
            yield saver


def traces(messages: list[BaseMessage]) -> list[Summary]:
    return [summary for m in messages if (summary := summary_in_text(m.content))]


@proves("langgraph.checkpoint")
@pytest.mark.parametrize("kind", KINDS)
def test_every_saver_takes_the_new_checkpoint_and_keeps_the_old(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with saver_of(kind, tmp_path, request) as saver:
        graph = supervisor_graph(saver)
        agent = CompactingSupervisor(graph, token_limit=500)
        for n in range(5):
            agent.invoke(ask(f"Look at {n}", dossier="kept"), on("t"))
        state = agent.get_state(on("t"))
        assert traces(state.values["messages"]) and state.values["dossier"] == "kept"
        assert judged(state.values["messages"]) == []
        past = list(agent.get_state_history(on("t")))
        assert [s.config["configurable"]["checkpoint_id"] for s in past] == sorted(
            (s.config["configurable"]["checkpoint_id"] for s in past), reverse=True
        )
        rewritten = next(s for s in past if s.metadata["source"] == "update")
        before = agent.get_state(rewritten.parent_config)
        assert len(before.values["messages"]) > len(rewritten.values["messages"])
        forked = graph.invoke(ask("Another way"), before.config)
        assert len(forked["messages"]) > len(before.values["messages"])


@proves("langgraph.checkpoint")
@pytest.mark.parametrize("kind", KINDS)
def test_every_saver_does_so_on_an_event_loop(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    address = request.getfixturevalue("postgres") if kind == "postgres" else ""

    async def run() -> None:
        async with async_saver_of(kind, tmp_path, address) as saver:
            agent = CompactingSupervisor(chat_graph(saver), token_limit=300)
            for n in range(4):
                await agent.ainvoke(ask(f"Question {n}"), on("async"))
                async for _ in agent.astream(ask(f"Again {n}"), on("async")):
                    pass
            messages = (await agent.aget_state(on("async"))).values["messages"]
            assert traces(messages) and judged(messages) == []
            history = HistoryManager(memory_saver=saver)
            await history.areplace_thread_history(on("async"), messages[-2:])
            assert (await agent.aget_state(on("async"))).values["messages"] == messages[-2:]
            async for _ in saver.alist(on("async")):
                pass

    asyncio.run(run())


@proves("langgraph.checkpoint")
@pytest.mark.parametrize("kind", KINDS)
def test_a_saver_conforms_after_steno_wrote_to_it(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    address = request.getfixturevalue("postgres") if kind == "postgres" else ""

    @checkpointer_test(name=kind)
    async def written_to() -> AsyncIterator[Any]:
        async with async_saver_of(kind, tmp_path, address) as saver:
            agent = CompactingSupervisor(chat_graph(saver), token_limit=200)
            for n in range(5):
                await agent.ainvoke(ask(f"Question {n}"), on("steno's"))
            assert traces((await agent.aget_state(on("steno's"))).values["messages"])
            yield saver

    report = asyncio.run(validate(written_to))
    assert report.results["put"].tests_passed > 5
    assert [
        failure for result in report.results.values() for failure in result.failures or ()
    ] == []


CONSTRAINTS = {
    3: "Never deploy to production on a Friday.",
    40: "Always answer in British English.",
    90: "Do not use the word synergy.",
    150: "Keep every report under 200 words.",
}


def working(ids: Counter) -> Any:
    """Reads two files at once for every question, then answers."""

    def answers(messages: list[BaseMessage]) -> AIMessage:
        if isinstance(messages[-1], ToolMessage):
            return AIMessage(f"I have read both files. {words(20, 'so')}")
        return calls(["read", "read"], ids, "Reading.")

    return answers


def reading(saver: Any) -> Any:
    from langchain.agents import create_agent
    from langchain_core.tools import tool

    @tool
    def read(topic: str) -> str:
        """Read a file."""
        return words(60, "line")

    return create_agent(Spoken(answers=working(Counter())), [read], checkpointer=saver)


@proves("langgraph.long")
@pytest.mark.parametrize(
    ("kind", "turns"), [("sqlite", 200 if WHOLE else 50), ("postgres", 200 if WHOLE else 25)]
)
def test_two_hundred_turns_stay_within_four_thousand_tokens(
    kind: str, turns: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with saver_of(kind, tmp_path, request) as saver:
        agent = CompactingSupervisor(reading(saver), token_limit=4_000)
        seen: dict[int, tuple[Any, list[str]]] = {}
        for turn in range(turns):
            constraint = f" {CONSTRAINTS[turn]}" if turn in CONSTRAINTS else ""
            agent.invoke(ask(f"What is in file {turn}?{constraint}"), on("long"))
            if turn % 25 == 24:
                state = agent.get_state(on("long"))
                messages = state.values["messages"]
                assert judged(messages) == [] and f"What is in file {turn}?" in said(messages)
                assert [
                    constraint
                    for at, constraint in CONSTRAINTS.items()
                    if at <= turn and constraint not in said(messages)
                ] == []
                seen[turn] = state.config, [str(m.id) for m in messages]
        assert len(seen) == turns // 25 and max(len(ids) for _, ids in seen.values()) < 100
        commits = sum(isinstance(event, Committed) for event in agent.history_manager.events)
        assert commits > turns // 10
        for config, ids in seen.values():
            assert [str(m.id) for m in agent.get_state(config).values["messages"]] == ids
