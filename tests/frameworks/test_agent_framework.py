"""Microsoft Agent Framework: its own agents over the real OpenAI client, the model on loopback."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agent_framework", reason="agent-framework is not installed")

from agent_framework import Agent, AgentSession, ChatContext, Content, Message
from agent_framework.openai import OpenAIChatCompletionClient
from openai import AsyncOpenAI

from steno.adapters.frameworks import agent_framework as adapter
from steno.adapters.frameworks.agent_framework import StenoProvider
from steno.core.events import Failed
from tests.frameworks import story
from tests.support.loopback import Loopback

PACKAGE = "agent-framework-core"


def reader(
    server: Loopback, provider: StenoProvider, told: str = "You read books.", *tools: Any
) -> Agent:
    client = AsyncOpenAI(api_key="none", base_url=server.openai, max_retries=0)
    return Agent(
        OpenAIChatCompletionClient("gpt-4o", async_client=client),
        told,
        name="reader",
        tools=[story.read, *tools],
        context_providers=[provider],
    )


def test_the_story(tmp_path: Path) -> None:
    def start(server: Loopback) -> Any:
        provider = StenoProvider(
            **story.OPTIONS,
            user=lambda session: session.session_id.removeprefix("book-"),
            store=tmp_path / "a.db",
        )
        agent = reader(server, provider)

        def begin(who: str) -> story.Ask:
            kept, session = tmp_path / f"{who}.json", AgentSession(session_id=f"book-{who}")
            if kept.exists():
                session = AgentSession.from_dict(json.loads(kept.read_text()))

            async def ask(words: str) -> None:
                await agent.run(words, session=session)
                kept.write_text(json.dumps(session.to_dict()))

            return ask

        return provider, begin

    story.tell(start)


@pytest.mark.parametrize("streams", [False, True])
def test_a_request_refused_as_too_long_goes_out_once_more(streams: bool) -> None:
    provider, model = StenoProvider(window=story.WINDOW), story.Model()

    async def talk(server: Loopback) -> None:
        agent, session = reader(server, provider), AgentSession()
        for part in range(10):
            model.refuse_next = part == 9
            if streams:
                async for _ in agent.run(story.request("ann", part), stream=True, session=session):
                    pass
            else:
                await agent.run(story.request("ann", part), session=session)

    with Loopback(model) as server:
        asyncio.run(talk(server))
    story.assert_shortened(server)


def test_a_sub_agent_has_a_session_of_its_own() -> None:
    provider = StenoProvider(**story.OPTIONS)

    async def talk(server: Loopback) -> None:
        helper = reader(server, provider, story.HELPER).as_tool(name="helper")
        agent, session = reader(server, provider, "You read books.", helper), AgentSession()
        for words in story.DELEGATED:
            await agent.run(words, session=session)

    with Loopback(story.Delegates("helper", task=story.request("ann", 0))) as server:
        asyncio.run(talk(server))
    story.assert_delegated(server)


def test_contents_that_only_the_framework_reads_stay_with_their_message() -> None:
    call = Content.from_mcp_server_tool_call("c1", "search", server_name="s", arguments="{}")
    thought = Content.from_text_reasoning(text="Let me look.")
    said = Message("assistant", [thought, call])
    written = adapter._read([said])
    assert written.back(written.messages) == [[said]]
    [[rebuilt]] = written.back([dict(written.messages[0])])
    assert rebuilt.contents == [thought, call]


async def sent_for(provider: StenoProvider, history: list[Message]) -> list[Message]:
    """Return what goes out in place of a history."""
    session = AgentSession(session_id="book")
    context = ChatContext(client=None, messages=history, options={}, session=session)
    await provider.process(context, lambda: asyncio.sleep(0))
    return context.messages


def test_reasoning_stays_and_leaves_with_the_call_that_it_led_to() -> None:
    """OpenAI refuses a reasoning item without the call of a hosted tool that follows it."""
    provider = StenoProvider(window=story.WINDOW)
    sent: list[list[Message]] = []
    history = [Message("user", ["Read every book."])]
    for book in range(40):
        thought = Content.from_text_reasoning(id=f"rs_{book}", text=f"Thought {book}. " * 60)
        call = Content.from_mcp_server_tool_call(f"mcp_{book}", "read", arguments="{}" * 200)
        history += [Message("assistant", [thought]), Message("assistant", [call])]
        sent.append(asyncio.run(sent_for(provider, history)))
    for messages in sent:
        types = [content.type for message in messages for content in message.contents]
        after = [types[at + 1] for at, kind in enumerate(types) if kind == "text_reasoning"]
        assert set(after) <= {"mcp_server_tool_call"}
        before = [types[at - 1] for at, kind in enumerate(types) if kind == "mcp_server_tool_call"]
        assert set(before) <= {"text_reasoning"}
    assert len(sent[-1]) < len(history)


def test_reasoning_between_a_call_and_its_result_leaves_both_as_they_are() -> None:
    history = [
        Message("user", ["Read the book."]),
        Message("assistant", [Content.from_function_call("c1", "read", arguments="{}")]),
        Message("assistant", [Content.from_text_reasoning(id="rs_1", text="It is long.")]),
        Message("tool", [Content.from_function_result("c1", result="Part 1.")]),
    ]
    provider = StenoProvider(window=story.WINDOW)
    assert asyncio.run(sent_for(provider, history)) == history


def test_if_steno_fails_the_request_goes_out_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    def unknown(session: Any) -> str:
        raise KeyError("session")

    provider = StenoProvider(window=story.WINDOW, session=unknown)
    with Loopback(story.Model()) as server:
        asyncio.run(reader(server, provider).run(story.request("ann", 0)))
    assert server.heard[0].body["messages"][-1]["content"] == story.request("ann", 0)
    assert any(isinstance(event, Failed) for event in provider.events)
    assert "the whole list was sent: KeyError" in caplog.text


def test_the_line_of_the_page_sends_a_view() -> None:
    with Loopback(story.Model()) as server:
        agent = story.made_by_the_page(
            adapter, Agent=lambda context_providers: reader(server, *context_providers)
        )
        asyncio.run(agent.run(story.request("ann", 0)))
    story.assert_viewed(server)
