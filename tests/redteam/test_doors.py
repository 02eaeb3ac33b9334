"""The same attacks by other doors: LangChain's middleware, LangGraph's supervisor, commands."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

import steno
from steno.adapters.langchain import StenoMiddleware
from steno.adapters.langgraph import CompactingSupervisor
from tests.support.command_line import Run, refused
from tests.support.langgraph_agents import Spoken, ask, chat_graph, on
from tests.support.promises import proves

KEY = "AKIA" + "Q3EGRIH4SAMPLE77"


def agent_with(middleware: StenoMiddleware) -> tuple[Any, Spoken]:
    model = Spoken(answers=lambda messages: AIMessage("noted"))
    return create_agent(model, [], middleware=[middleware]), model


@proves("redact.wrapped")
@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
@pytest.mark.parametrize("fails", [False, True])
def test_middleware_sends_and_keeps_no_secret_in_any_case(
    tmp_path: Path, way: str, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    middleware = StenoMiddleware(window=8_000, store=tmp_path / "a.db", redact=True)
    agent, model = agent_with(middleware)

    def fail(*_: Any) -> None:
        raise OSError(f"the disk says {KEY}")

    if fails:
        monkeypatch.setattr("steno.adapters.resent.thread.ResentThread.messages_to_send", fail)
    first = [HumanMessage(f"first {KEY}"), AIMessage("so", additional_kwargs={"note": KEY})]
    told = {"messages": [*first, HumanMessage([{"type": "text", "text": f"and {KEY}"}])]}
    if way == "invoke":
        agent.invoke(told)
    else:
        asyncio.run(agent.ainvoke(told))
    middleware.close()

    assert len(model.requests[0]) == 3
    assert KEY not in repr(model.requests) and KEY not in repr(middleware.events)
    assert all(KEY.encode() not in file.read_bytes() for file in tmp_path.iterdir())
    assert bool(middleware.events) is fails


@proves("redact.wrapped")
def test_a_supervisor_keeps_no_secret_of_a_threads_first_words(tmp_path: Path) -> None:
    graph = chat_graph(InMemorySaver())
    agent = CompactingSupervisor(graph, token_limit=300, store=tmp_path / "a.db", redact=True)
    for n in range(6):
        agent.invoke(ask(f"{n}: use {KEY}, " + "and more words " * 20), on("t"))

    assert list(tmp_path.iterdir())
    assert all(KEY.encode() not in file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.slow
@proves("wrap.strangers")
def test_a_supervisor_shares_nothing_between_threads_and_refuses_none(tmp_path: Path) -> None:
    agent = CompactingSupervisor(
        chat_graph(InMemorySaver()), token_limit=300, store=tmp_path / "a.db"
    )
    for n in range(6):
        for thread in ("ann", "bob"):
            agent.invoke(ask(f"hi, I am {thread}, turn {n} " + "and so on " * 20), on(thread))
    for thread, other in (("ann", "bob"), ("bob", "ann")):
        assert other not in repr(agent.get_state(on(thread)))
    with pytest.raises(ValueError, match="thread_id"):
        agent.invoke(ask("hi"))


ANN = ("hi", "Hello! How can I help?", "I am Ann, number 4711.", "I see.", "thanks", "Welcome!")


def as_list(texts: tuple[str, ...]) -> list[BaseMessage]:
    return [HumanMessage(text) if at % 2 == 0 else AIMessage(text) for at, text in enumerate(texts)]


@pytest.mark.slow
@proves("wrap.strangers")
@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("common", [ANN[:1], ANN[:2], ANN[:2] + ANN[4:], ANN[4:]], ids=len)
def test_middleware_without_a_thread_shares_nothing_between_strangers(
    tmp_path: Path, restarted: bool, common: tuple[str, ...]
) -> None:
    options: dict[str, Any] = {"window": 1_500, "store": tmp_path / "a.db", "tools": True}
    middleware = StenoMiddleware(**options)
    agent, model = agent_with(middleware)
    agent.invoke({"messages": [*as_list(ANN), HumanMessage("bye")]})
    if restarted:
        middleware.close()
        middleware = StenoMiddleware(**options)
        agent, model = agent_with(middleware)
    model.requests.clear()
    told = as_list(common)
    if isinstance(told[-1], HumanMessage):
        told.append(AIMessage("Yes?"))
    for n in range(8):
        told.append(HumanMessage(f"Chapter {n}: " + "it rained, " * 40))
        agent.invoke({"messages": list(told)})
        told.append(AIMessage(f"noted {n}"))
    middleware.close()

    # Only what is said: an identifier drawn at random may hold any number.
    sent = [message.content for request in model.requests for message in request]
    assert sent and "4711" not in repr(sent)


@proves("session.user")
@pytest.mark.parametrize("own", [False, True])
def test_a_command_of_one_user_opens_and_names_no_session_of_another(
    tmp_path: Path, run: Run, own: bool
) -> None:
    db = tmp_path / "a.db"
    for user, word in (("bob", "ultramarine"), ("local", "ochre"))[: 1 + own]:
        with steno.Session(db, name="id-1", user=user, wire="openai", window=8_000) as session:
            for n in range(40):
                session.add({"role": "user", "content": f"Never paint part {n} in {word}."})
                session.add({"role": "assistant", "content": "It is done. " * 60})
    for name in ("id-1", "bob:id-1", "", "unknown"):
        occasion = {"hook_event_name": "SessionStart", "source": "compact", "session_id": name}
        ran = run("hook", db, stdin=json.dumps(occasion).encode(), wide=True)
        assert "ultramarine" not in ran.out and "bob:id-1" not in ran.err.replace(name, "")
        assert ("ochre" in ran.out) is (own and name == "id-1")
    for name in ("bob:id-1", "unknown"):
        found = run("recall", db, "ultramarine", "--session", name, "--user", "local")
        refused(found, "no session of this user")
        assert "bob" not in found.err.replace(name, "")
