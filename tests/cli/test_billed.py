"""Where a provider's usage is reported, it is billed, whichever door reports it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver

import steno
from steno import Session
from steno.adapters.langchain import StenoMiddleware
from steno.agent import ReactLoop
from steno.core.events import Billed
from steno.core.message import Call
from tests.support.command_line import Run
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk


class Reporting(BaseChatModel):
    """A chat model of LangChain's that reports usage, if it is given one."""

    usage: dict[str, Any] | None = None

    @property
    def _llm_type(self) -> str:
        return "reporting"

    def _generate(self, messages: Any, *given: Any, **more: Any) -> ChatResult:
        said: Any = {"content": "I looked " * 60, "usage_metadata": self.usage}
        said["response_metadata"] = {"model_name": "gpt-5-2025-08-07"}
        return ChatResult(generations=[ChatGeneration(message=AIMessage(**said))])


def by_hand(store: Path, heard: Callable[[Any], None]) -> tuple[int, int]:
    sent = [0, 0]
    with Session(store, wire="openai", window=4_000, model="gpt-5", on_event=heard) as session:
        for message in openai_talk(60):
            if message["role"] == "assistant":
                session.request()
                sent[0] += session.load
                sent[1] += session.log.tokens_spared
                details = {"cached_tokens": 100}
                usage = {"prompt_tokens": session.load, "completion_tokens": 50}
                session.add(message, usage=usage | {"prompt_tokens_details": details})
            else:
                session.add(message)
    return sent[0], sent[1]


def by_middleware(store: Path, heard: Callable[[Any], None], *, report: bool = True) -> None:
    usage = {
        "input_tokens": 4_000,
        "output_tokens": 50,
        "total_tokens": 4_050,
        "input_token_details": {"cache_read": 3_000},
    }
    middle = StenoMiddleware(window=4_000, store=store, on_event=heard)
    model = Reporting(usage=usage if report else None)
    agent = create_agent(model, [], middleware=[middle], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "r"}}
    for number in range(24):
        agent.invoke({"messages": [HumanMessage(f"Look into {number}. Cite it.")]}, thread)
    middle.close()


def bill_of(run: Run, store: Path) -> Any:
    """Return the bill of a store's only session, which every command prints alike."""
    bill = run("show", store, "--json").json["bill"]
    assert run("log", store, "--json").json["bill"] == bill
    [row] = run("log", store, "--follow", "--json").json
    assert row["bill"] == bill
    return bill


@proves("cli.show")
def test_the_usage_that_add_takes_is_billed_with_what_went_out(run: Run, tmp_path: Path) -> None:
    store, events = tmp_path / "agent.db", list[Any]()
    shown, spared = by_hand(store, events.append)
    billed = [event for event in events if isinstance(event, Billed)]
    bill = bill_of(run, store)
    replies = sum(message["role"] == "assistant" for message in openai_talk(60))
    assert bill["requests"] == len(billed) == replies > 20
    assert (bill["shown"], bill["spared"]) == (shown, spared) and spared > 0
    assert bill["usage"] == {
        "sent": shown,
        "cached": 100 * replies,
        "written": 0,
        "said": 50 * replies,
    }
    assert bill["spent"] > 0 and not bill["estimated"] and not bill["unpriced"]
    [line] = run("log", store, "--bill", "session", wide=True).out.splitlines()
    assert f"{replies} requests, {shown:,} of {shown + spared:,} shown" in line


def test_a_number_alone_bills_the_prompt_and_says_so(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "agent.db"
    with Session(store, wire="openai", window=16_000, model="gpt-5") as session:
        session.add({"role": "user", "content": "hello"})
        session.messages()
        session.add({"role": "assistant", "content": "hi"}, usage=900)
        session.add({"role": "user", "content": "and now?"})
    bill = bill_of(run, store)
    assert (bill["requests"], bill["usage"]["sent"], bill["estimated"]) == (1, 900, 1)
    with Session(store) as again:
        fork = again.fork()
        fork.close()
    assert bill_of_fork(run, store, fork.name)["requests"] == 0, "its parent paid for that"


def bill_of_fork(run: Run, store: Path, name: str) -> Any:
    return run("show", store, "-s", name, "--json").json["bill"]


@proves("cli.show")
def test_a_loop_and_its_session_have_one_usage(run: Run, tmp_path: Path) -> None:
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    store = tmp_path / "agent.db"
    model = steno.Script(Call("c1", "add", '{"a":1,"b":2}'), "3.", window=16_000)
    with Session(store, wire="openai", window=16_000) as session:
        *_, ended = ReactLoop(model, [add]).run("add", session)
    usage = ended.state.usage
    bill = bill_of(run, store)
    assert bill["requests"] == 2 and usage.sent > 0
    assert (bill["usage"]["sent"], bill["usage"]["said"]) == (usage.sent, usage.said)


@pytest.mark.slow
def test_the_middleware_bills_what_a_reply_reports(run: Run, tmp_path: Path) -> None:
    store, events = tmp_path / "agent.db", list[Any]()
    by_middleware(store, events.append)
    bill = bill_of(run, store)
    assert bill["requests"] == 24 == sum(isinstance(event, Billed) for event in events)
    assert bill["usage"] == {"sent": 96_000, "cached": 72_000, "written": 0, "said": 1_200}
    assert bill["spared"] > 0 and bill["spent"] > 0 and not bill["unpriced"]


@pytest.mark.slow
@proves("cli.show")
@pytest.mark.parametrize("door", ["fit", "middleware"])
def test_where_no_usage_is_reported_the_commands_say_so(
    run: Run, tmp_path: Path, door: str
) -> None:
    store = tmp_path / "agent.db"
    if door == "fit":
        steno.fit(openai_talk(30), window=4_000, session="z", store=store)
    else:
        by_middleware(store, lambda event: None, report=False)
    assert bill_of(run, store)["requests"] == 0
    for words in (("show", store), ("log", store, "--bill", "session")):
        printed = run(*words, wide=True).out
        assert "No usage was reported" in printed and "spent" not in printed
