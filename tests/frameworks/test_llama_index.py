"""LlamaIndex: its own agent workflow over the real OpenAI client, the model on loopback."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llama_index.core", reason="llama-index is not installed")

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory
from llama_index.core.workflow import Context
from llama_index.llms.openai_like import OpenAILike

from steno.adapters.frameworks import llama_index as adapter
from steno.adapters.frameworks.llama_index import FittingLLM
from steno.core.events import Failed
from tests.frameworks import story
from tests.support.loopback import Heard, Loopback, Reply, Say

PACKAGE = "llama-index-core"


def unwrapped(server: Loopback) -> OpenAILike:
    return OpenAILike(
        model="gpt-4o",
        api_base=server.openai,
        api_key="none",
        is_chat_model=True,
        is_function_calling_model=True,
        max_retries=0,
    )


def wrapped(server: Loopback, **options: Any) -> FittingLLM:
    return FittingLLM(unwrapped(server), **story.OPTIONS, **options)


def reader(
    llm: FittingLLM, streaming: bool = False, told: str = "You read books.", **more: Any
) -> FunctionAgent:
    return FunctionAgent(
        llm=llm,
        tools=[story.read, llm.recall],
        system_prompt=told,
        streaming=streaming,
        **more,
    )


def whole_memory() -> Memory:
    """Return a memory without a limit; it counts all its messages again whenever it is read."""
    return Memory.from_defaults(token_limit=10_000_000, tokenizer_fn=str.split)


def test_the_story(tmp_path: Path) -> None:
    def start(server: Loopback) -> Any:
        hooks = story.Adapters()

        def begin(who: str) -> story.Ask:
            llm = wrapped(server, user=who, session=f"book-{who}", store=tmp_path / "a.db")
            hooks[who] = llm.hook
            agent, kept, memory = reader(llm), tmp_path / f"{who}.json", whole_memory()
            context = Context(agent)
            if kept.exists():
                history = [ChatMessage(**each) for each in json.loads(kept.read_text())]
                memory.set(history)

            async def ask(words: str) -> None:
                await agent.run(words, ctx=context, memory=memory)
                history = [each.model_dump(mode="json") for each in await memory.aget()]
                kept.write_text(json.dumps(history))

            return ask

        return hooks, begin

    story.tell(start, always_recall=True)


@pytest.mark.parametrize("streams", [False, True])
def test_a_request_refused_as_too_long_goes_out_once_more(streams: bool) -> None:
    model = story.Model()

    async def talk(server: Loopback) -> None:
        agent, memory = reader(wrapped(server), streams), whole_memory()
        for part in range(10):
            model.refuse_next = part == 9
            await agent.run(story.request("ann", part), memory=memory)

    with Loopback(model) as server:
        asyncio.run(talk(server))
    story.assert_shortened(server)


def test_a_handoff_gives_the_second_agent_what_fits() -> None:
    first = story.Delegates("handoff", to_agent="helper", reason="It was asked for.")

    def brain(heard: Heard) -> Reply:
        if story.HELPER in json.dumps(heard.body):
            return Say("I have read it.")
        return first(heard)

    async def talk(server: Loopback) -> None:
        team = AgentWorkflow(
            agents=[
                reader(wrapped(server), name="reader", description="", can_handoff_to=["helper"]),
                reader(wrapped(server), False, story.HELPER, name="helper", description="Reads."),
            ],
            root_agent="reader",
        )
        memory = whole_memory()
        for words in story.DELEGATED:
            await team.run(words, memory=memory)

    with Loopback(brain) as server:
        asyncio.run(talk(server))
    assert story.HELPER in json.dumps(server.heard[-1].body)
    for heard in server.heard:
        assert story.problems(heard) == [] and story.SPOKEN in heard.prompt
        assert len(story.O200K.encode(json.dumps(heard.body))) <= story.WINDOW


def test_if_steno_fails_the_request_goes_out_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    def unknown(call: Any) -> str:
        raise KeyError("session")

    with Loopback(story.Model()) as server:
        llm = wrapped(server, session=unknown)
        llm.chat([ChatMessage(role="user", content=story.request("ann", 0))])
    assert server.heard[0].body["messages"][-1]["content"] == story.request("ann", 0)
    assert any(isinstance(event, Failed) for event in llm.hook.events)
    assert "the whole list was sent: KeyError" in caplog.text


def test_the_line_of_the_page_sends_a_view() -> None:
    with Loopback(story.Model()) as server:
        agent = story.made_by_the_page(
            adapter, FunctionAgent=lambda llm: reader(llm), llm=unwrapped(server)
        )

        async def talk() -> None:
            await agent.run(story.request("ann", 0))

        asyncio.run(talk())
    story.assert_viewed(server)
