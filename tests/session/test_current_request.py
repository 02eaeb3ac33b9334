"""The request that is being worked on stays in the view, word for word, in every way in.

The same story each time: a greeting, then a task, then work until the history is compacted.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from mcp import Client
from openai import OpenAI

import steno
from steno import Script, Session
from steno.adapters.langchain import StenoMiddleware
from steno.adapters.langgraph import CompactingSupervisor
from steno.adapters.mcp import McpSessions, StenoServer
from steno.agent import HybridLoop, Loop, PlanExecuteLoop, ReactLoop, SessionOptions
from steno.core.message import Call
from steno.store.sqlite import SQLiteStore
from tests.support.command_line import Run
from tests.support.langgraph_agents import Counter, Spoken, ask, calls, on
from tests.support.loopback import Heard, Loopback, Say
from tests.support.promises import proves
from tests.support.sample_messages import talk as sample_talk

HELLO = "Hello, are you there?"
TASK = "Count the rows of every ledger under books, and write the sum into total.txt."
ROWS = "A row of the ledger with its date and amount. " * 30
WINDOW = 3_000
STEPS = 16
pytestmark = pytest.mark.slow


def wanted(request: object) -> None:
    assert TASK in json.dumps(request, ensure_ascii=False, default=str)


def story(wire: str) -> list[dict[str, Any]]:
    """Return greeting, task and work as a list of a provider's."""
    work = sample_talk(wire, STEPS, words=240)[1:]
    opening = [
        {"role": "user", "content": HELLO},
        {"role": "assistant", "content": "Yes. What can I do?"},
        {"role": "user", "content": TASK},
    ]
    return [*opening, *work]


@proves("view.request")
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.parametrize("way", ["session", "compact"])
def test_in_a_session_and_a_function(way: str, wire: str) -> None:
    messages, compactions = story(wire), 0
    session = Session(wire=wire, window=WINDOW)
    for end in range(3, len(messages) + 1, 2):
        if way == "session":
            session.add(*messages[len(session.log.messages) : end])
            sent = session.messages()
        else:
            sent = steno.compact(messages[:end], wire=wire, window=WINDOW).messages
        compactions += len(sent) < end
        wanted(sent)
    assert compactions


def read_ledger(number: int) -> str:
    """Read a ledger."""
    return f"Ledger {number}. {ROWS}"


@proves("view.request")
@pytest.mark.parametrize("kind", [ReactLoop, PlanExecuteLoop, HybridLoop])
def test_in_a_loop(kind: type[Loop]) -> None:
    asked = 0

    def work(request: Mapping[str, Any]) -> Any:
        nonlocal asked
        messages = json.dumps(request["messages"], ensure_ascii=False)
        if "ledger" not in messages:
            return "Yes. What can I do?"
        wanted(messages)
        asked += 1
        if "say your plan" in json.dumps(request["messages"][-1]):
            return "1. read the ledgers"
        if asked > STEPS:
            return "Done."
        return [Call(f"c{asked}", "read_ledger", json.dumps({"number": asked}))]

    loop = kind(Script(work), [read_ledger], options=SessionOptions(window=WINDOW))
    session = loop.session()
    for words in (HELLO, TASK):
        assert list(loop.run(words, session))
    assert asked > STEPS and session.log.commits


def working(heard: Heard) -> Say:
    """Answer a greeting, and read ledgers for a task that is there word for word."""
    if "ledger" not in heard.prompt:
        return Say("Yes. What can I do?")
    wanted(heard.prompt)
    return Say("Reading on.")


@proves("view.request")
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_in_a_wrapped_client(wire: str) -> None:
    messages = story(wire)
    with Loopback(working) as server:
        client: Any
        if wire == "openai":
            client = steno.wrap(OpenAI(api_key="any", base_url=server.openai), window=WINDOW)
        else:
            client = steno.wrap(Anthropic(api_key="any", base_url=server.anthropic), window=WINDOW)
        for end in (1, *range(3, len(messages) + 1, 2)):
            if wire == "openai":
                client.chat.completions.create(model="gpt-4o", messages=messages[:end])
            else:
                client.messages.create(model="claude-x", max_tokens=9, messages=messages[:end])
        assert steno.sessions(client).newest.log.commits


@tool
def read_book(number: int) -> str:
    """Read a ledger."""
    return read_ledger(number)


def agent_of(middleware: Sequence[Any] = ()) -> tuple[Any, Spoken]:
    ids = Counter()

    def answers(messages: Sequence[BaseMessage]) -> AIMessage:
        said = [str(message.content) for message in messages]
        if not any("ledger" in words for words in said):
            return AIMessage("Yes. What can I do?")
        wanted(said)
        if ids.n % STEPS == STEPS - 1:
            ids()
            return AIMessage("This part is done. Shall I go on?")
        return calls(["read_book"], ids, args=[{"number": ids.n}])

    model = Spoken(answers=answers)
    saver = InMemorySaver()
    return create_agent(model, [read_book], checkpointer=saver, middleware=middleware), model


@proves("view.request")
@pytest.mark.parametrize("way", ["langchain", "langgraph"])
def test_in_langchain_and_langgraph(way: str) -> None:
    limits = {"recursion_limit": 200} | on("t")
    if way == "langchain":
        agent, model = agent_of([StenoMiddleware(window=WINDOW)])
    else:
        graph, model = agent_of()
        agent = CompactingSupervisor(graph, window=WINDOW)
    for words in (HELLO, TASK, "Go on.", "Go on."):
        agent.invoke(ask(words), limits)
    shown = [str(message.content) for message in model.requests[-1]]
    assert any("<steno-" in words for words in shown)


@proves("view.request")
def test_in_the_chat(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text(ROWS)
    asked = 0

    def answer(heard: Heard) -> Say:
        nonlocal asked
        if "ledger" not in heard.prompt:
            return Say("Yes. What can I do?")
        wanted(heard.prompt)
        asked += 1
        if asked > STEPS:
            return Say("Done.")
        return Say("", calls=(("read_file", {"path": "a.txt"}),))

    with Loopback(answer) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai)
        options = ["--db", tmp_path / "c.db", "--root", tmp_path, "-w", WINDOW]
        said = f"{HELLO}\n{TASK}\n".encode()
        ran = run("chat", "-m", "openai:gpt-4o", *options, stdin=said, wide=True)
    assert ran.code == 0 and "compacted" in ran.out and asked > STEPS


@proves("view.request")
def test_with_a_host_that_compacts_by_mcp(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    policy = steno.Policy(agent_controlled=True)
    with Session(path, name="desk", wire="openai", window=WINDOW, policy=policy) as session:
        session.add(*story("openai")[:15])

    async def compress() -> None:
        sessions = McpSessions(lambda: SQLiteStore(path), "desk", agent_controlled=True)
        async with Client(StenoServer(sessions), raise_exceptions=True) as client:
            await client.call_tool("compress_context", {"reason": "room", "strategy": "archive"})
            found = await client.call_tool("recall", {"query": "sum into total.txt"})
            wanted(found.content[0].text)
        sessions.close()

    asyncio.run(compress())
    with Session(path, name="desk") as session:
        sent = session.messages()
        assert session.log.commits
    wanted(sent)
