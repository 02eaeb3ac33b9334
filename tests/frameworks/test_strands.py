"""Strands Agents: its own loop over the real OpenAI client, the model on loopback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("strands", reason="strands-agents is not installed")

from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.session.file_session_manager import FileSessionManager

from steno.adapters.frameworks import strands as adapter
from steno.adapters.frameworks.strands import StenoManager
from steno.core.events import Failed
from tests.frameworks import story
from tests.support.loopback import Loopback

PACKAGE = "strands-agents"

read = tool(story.read)


def reader(
    server: Loopback, manager: StenoManager, told: str = "You read books.", *tools: Any, **more: Any
) -> Agent:
    client = {"api_key": "none", "base_url": server.openai, "max_retries": 0}
    return Agent(
        model=OpenAIModel(client_args=client, model_id="gpt-4o"),
        system_prompt=told,
        tools=[read, *tools],
        conversation_manager=manager,
        callback_handler=None,
        **more,
    )


def test_the_story(tmp_path: Path) -> None:
    def start(server: Loopback) -> Any:
        manager = StenoManager(
            **story.OPTIONS,
            user=lambda agent: agent.agent_id,
            session=lambda agent: agent.session_id,
            store=tmp_path / "a.db",
        )

        def begin(who: str) -> story.Ask:
            kept = FileSessionManager(f"book-{who}", storage_dir=str(tmp_path))
            return reader(server, manager, session_manager=kept, agent_id=who).invoke_async

        return manager, begin

    story.tell(start)


@pytest.mark.parametrize("streams", [True])
def test_a_request_refused_as_too_long_goes_out_once_more(streams: bool) -> None:
    manager, model = StenoManager(window=story.WINDOW), story.Model()
    with Loopback(model) as server:
        agent = reader(server, manager)
        for part in range(10):
            model.refuse_next = part == 9
            agent(story.request("ann", part))
    story.assert_shortened(server)
    # Its models always stream.
    assert server.heard[-1].body["stream"] is streams
    # The agent's own messages stay whole.
    assert len(agent.messages) == 40


def test_a_sub_agent_has_a_session_of_its_own() -> None:
    manager = StenoManager(**story.OPTIONS)
    with Loopback(story.Delegates("helper", input=story.request("ann", 0))) as server:
        second = reader(server, manager, story.HELPER, name="helper")
        first = reader(server, manager, "You read books.", second.as_tool())
        for words in story.DELEGATED:
            first(words)
    story.assert_delegated(server)


def test_if_steno_fails_the_request_goes_out_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    def unknown(agent: Any) -> str:
        raise KeyError("session")

    manager = StenoManager(window=story.WINDOW, session=unknown)
    with Loopback(story.Model()) as server:
        reader(server, manager)(story.request("ann", 0))
    assert story.request("ann", 0) in str(server.heard[0].body["messages"][-1])
    assert any(isinstance(event, Failed) for event in manager.events)
    assert "the whole list was sent: KeyError" in caplog.text


def test_the_line_of_the_page_sends_a_view() -> None:
    with Loopback(story.Model()) as server:
        agent = story.made_by_the_page(
            adapter,
            Agent=lambda conversation_manager: reader(server, conversation_manager),
        )
        agent(story.request("ann", 0))
    story.assert_viewed(server)
