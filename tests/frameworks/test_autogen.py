"""AutoGen: its own agents over the real OpenAI client, the model on loopback."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("autogen_agentchat", reason="autogen-agentchat is not installed")

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import TextMentionTermination
from autogen_agentchat.teams import Swarm
from autogen_core.models import UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient

from steno.adapters.frameworks import autogen as adapter
from steno.adapters.frameworks.autogen import StenoClient
from steno.core.events import Failed
from tests.frameworks import story
from tests.support.loopback import Heard, Loopback, Reply, Say

PACKAGE = "autogen-agentchat"


def unwrapped(server: Loopback) -> OpenAIChatCompletionClient:
    return OpenAIChatCompletionClient(
        model="gpt-4o", api_key="none", base_url=server.openai, max_retries=0
    )


def wrapped(server: Loopback, **options: Any) -> StenoClient:
    return StenoClient(unwrapped(server), **story.OPTIONS, **options)


def reader(
    client: StenoClient, name: str = "reader", told: str = "You read books.", **more: Any
) -> AssistantAgent:
    return AssistantAgent(
        name,
        client,
        tools=[story.read, client.recall],
        system_message=told,
        reflect_on_tool_use=True,
        **more,
    )


def test_the_story(tmp_path: Path) -> None:
    def start(server: Loopback) -> Any:
        clients = story.Adapters()

        def begin(who: str) -> story.Ask:
            client = clients[who] = wrapped(
                server,
                user=who,
                session=f"book-{who}",
                store=tmp_path / "a.db",
            )
            agent, kept = reader(client), tmp_path / f"{who}.json"

            async def ask(words: str) -> None:
                if kept.exists():
                    await agent.load_state(json.loads(kept.read_text()))
                await agent.run(task=words)
                kept.write_text(json.dumps(await agent.save_state()))

            return ask

        return clients, begin

    story.tell(start, always_recall=True)


@pytest.mark.parametrize("streams", [False, True])
def test_a_request_refused_as_too_long_goes_out_once_more(streams: bool) -> None:
    model = story.Model()

    async def talk(server: Loopback) -> None:
        agent = reader(wrapped(server), model_client_stream=streams)
        for part in range(10):
            model.refuse_next = part == 9
            await agent.run(task=story.request("ann", part))

    with Loopback(model) as server:
        asyncio.run(talk(server))
    story.assert_shortened(server)


def test_a_team_hands_a_conversation_to_its_second_agent() -> None:
    async def talk(server: Loopback) -> None:
        members = [
            reader(wrapped(server, session="first"), handoffs=["helper"]),
            reader(wrapped(server, session="second"), "helper", story.HELPER),
        ]
        ends = TextMentionTermination("I have read it.", sources=["reader", "helper"])
        team = Swarm(members, termination_condition=ends)
        for words in story.DELEGATED:
            await team.run(task=words)

    first = story.Delegates("transfer_to_helper")

    def brain(heard: Heard) -> Reply:
        if story.HELPER in json.dumps(heard.body):
            return Say("I have read it.")
        return first(heard)

    with Loopback(brain) as server:
        asyncio.run(talk(server))
    # The team shows the second agent what was said to it and by the first one.
    helped = [heard for heard in server.heard if story.HELPER in json.dumps(heard.body)]
    assert helped and story.SPOKEN in helped[-1].prompt and story.HELP in helped[-1].prompt
    for heard in server.heard:
        assert len(story.O200K.encode(json.dumps(heard.body))) <= story.WINDOW
        assert story.problems(heard) == []


def test_if_steno_fails_the_request_goes_out_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    def unknown(call: Any) -> str:
        raise KeyError("session")

    with Loopback(story.Model()) as server:
        client = wrapped(server, session=unknown)
        asyncio.run(client.create([UserMessage(content=story.request("ann", 0), source="u")]))
    assert server.heard[0].body["messages"][-1]["content"] == story.request("ann", 0)
    assert any(isinstance(event, Failed) for event in client.events)
    assert "the whole list was sent: KeyError" in caplog.text


def test_the_line_of_the_page_sends_a_view() -> None:
    with Loopback(story.Model()) as server:
        agent = story.made_by_the_page(
            adapter,
            AssistantAgent=lambda model_client: reader(model_client),
            client=unwrapped(server),
        )
        asyncio.run(agent.run(task=story.request("ann", 0)))
    story.assert_viewed(server)
