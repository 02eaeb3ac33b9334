"""Pydantic AI: its own loop over the real OpenAI client, the model on loopback."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")

from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessagesTypeAdapter,
    ModelResponse,
    TextPart,
)
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from steno.adapters.frameworks import pydantic_ai as adapter
from steno.adapters.frameworks.pydantic_ai import StenoCapability
from steno.core.events import Failed
from tests.frameworks import story
from tests.support.loopback import Loopback

PACKAGE = "pydantic-ai-slim"


def reader(
    server: Loopback, capability: StenoCapability, told: str = "You read books.", *tools: Any
) -> Agent[str, str]:
    client = AsyncOpenAI(api_key="none", base_url=server.openai, max_retries=0)
    return Agent(
        OpenAIChatModel("gpt-5", provider=OpenAIProvider(openai_client=client)),
        system_prompt=told,
        deps_type=str,
        tools=[story.read, *tools],
        capabilities=[capability],
    )


def test_the_story(tmp_path: Path) -> None:
    def start(server: Loopback) -> Any:
        capability = StenoCapability(
            **story.OPTIONS, user=lambda run: run.deps, store=tmp_path / "a.db"
        )

        def begin(who: str) -> story.Ask:
            agent, kept = reader(server, capability), tmp_path / who

            async def ask(words: str) -> None:
                history = None
                if kept.exists():
                    history = ModelMessagesTypeAdapter.validate_json(kept.read_bytes())
                reply = await agent.run(
                    words, message_history=history, deps=who, conversation_id=f"book-{who}"
                )
                kept.write_bytes(reply.all_messages_json())

            return ask

        return capability, begin

    story.tell(start)
    # The agent's own history stays whole.
    history = ModelMessagesTypeAdapter.validate_json((tmp_path / "ann").read_bytes())
    assert len(history) == 4 * story.TURNS + 4


@pytest.mark.parametrize("streams", [False, True])
def test_a_request_refused_as_too_long_goes_out_once_more(streams: bool) -> None:
    capability, model = StenoCapability(window=story.WINDOW), story.Model()

    async def talk(server: Loopback) -> None:
        agent, history = reader(server, capability), []
        for part in range(10):
            model.refuse_next = part == 9
            asked = story.request("ann", part)
            if streams:
                async with agent.run_stream(asked, message_history=history, deps="") as reply:
                    await reply.get_output()
                    history = reply.all_messages()
            else:
                reply = await agent.run(asked, message_history=history, deps="")
                history = reply.all_messages()

    with Loopback(model) as server:
        asyncio.run(talk(server))
    story.assert_shortened(server)


def test_a_sub_agent_has_a_session_of_its_own() -> None:
    capability, history = StenoCapability(**story.OPTIONS), []
    with Loopback(story.Delegates("helper", task=story.request("ann", 0))) as server:
        second = reader(server, capability, story.HELPER)

        async def helper(task: str) -> str:
            return (await second.run(task, deps="")).output

        first = reader(server, capability, "You read books.", helper)
        for words in story.DELEGATED:
            history = first.run_sync(words, message_history=history, deps="").all_messages()
    story.assert_delegated(server)


def test_if_steno_fails_the_request_goes_out_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    def unknown(run: Any) -> str:
        raise KeyError("session")

    capability = StenoCapability(window=story.WINDOW, session=unknown)
    with Loopback(story.Model()) as server:
        reply = reader(server, capability).run_sync(story.request("ann", 0), deps="")
    assert reply.output == "I have read it."
    assert server.heard[0].body["messages"][-1]["content"] == story.request("ann", 0)
    assert any(isinstance(event, Failed) for event in capability.events)
    assert "the whole list was sent: KeyError" in caplog.text


def test_messages_that_stay_are_the_agents_own_and_a_picture_stays_with_its_words() -> None:
    seen: list[Any] = []

    def answer(messages: list[Any], info: Any) -> ModelResponse:
        seen.append(messages)
        return ModelResponse(parts=[TextPart("yes " * 300)])

    capability = StenoCapability(window=story.WINDOW)
    agent = Agent(FunctionModel(answer), system_prompt="Be kind.", capabilities=[capability])
    picture = BinaryContent(b"\x89PNG\r\n\x1a\n" + b"0" * 40, media_type="image/png")
    history: list[Any] = []
    for n in range(20):
        reply = agent.run_sync([f"Look at this, {n}.", picture], message_history=history)
        history = reply.all_messages()
    last = seen[-1]
    own = {id(message) for message in history}
    assert sum(id(message) in own for message in last) >= 2 and len(last) < 20
    assert last[-1].parts[-1].content[1] is picture
    system = [
        part for message in last for part in message.parts if part.part_kind == "system-prompt"
    ]
    assert [part.content for part in system] == ["Be kind."]


def test_the_line_of_the_page_sends_a_view() -> None:
    with Loopback(story.Model()) as server:
        agent = story.made_by_the_page(
            adapter, Agent=lambda capabilities: reader(server, *capabilities)
        )
        agent.run_sync(story.request("ann", 0), deps="")
    story.assert_viewed(server)
