"""Haystack: its own agent over the real OpenAI client, the model on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("haystack", reason="haystack-ai is not installed")

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools import AgentTool, create_tool_from_function
from haystack.utils import Secret

from steno.adapters.frameworks import haystack as adapter
from steno.adapters.frameworks.haystack import StenoHook
from steno.core.events import Failed
from tests.frameworks import story
from tests.support.loopback import Loopback

PACKAGE = "haystack-ai"
NOT_HERE = {
    "too long: shorter": "no: its hooks do not see the error",
    "streams": "as without Steno",
}

read = create_tool_from_function(story.read)


def reader(server: Loopback, hook: StenoHook, *tools: Any, told: str = "You read books.") -> Agent:
    generator = OpenAIChatGenerator(
        Secret.from_token("none"), "gpt-4o", api_base_url=server.openai, max_retries=0
    )
    return Agent(
        chat_generator=generator,
        tools=[read, *tools],
        system_prompt=told,
        hooks={"before_llm": [hook]},
    )


def test_the_story(tmp_path: Path) -> None:
    def start(server: Loopback) -> Any:
        hook = StenoHook(**story.OPTIONS, store=tmp_path / "a.db")

        def begin(who: str) -> story.Ask:
            names = {"session": f"book-{who}", "user": who}
            agent, kept = reader(server, hook, hook.recall(**names)), tmp_path / f"{who}.json"

            async def ask(words: str) -> None:
                history = []
                if kept.exists():
                    history = map(ChatMessage.from_dict, json.loads(kept.read_text()))
                said = [*history, ChatMessage.from_user(words)]
                reply = await agent.run_async(messages=said, hook_context=names)
                # The list that comes back is the view; the system prompt is added to each run.
                messages = [each.to_dict() for each in reply["messages"] if each.role != "system"]
                kept.write_text(json.dumps(messages))

            return ask

        return hook, begin

    story.tell(start, always_recall=True)


def test_a_sub_agent_has_a_session_of_its_own() -> None:
    hook, history = StenoHook(**story.OPTIONS), []
    asked = {"role": "user", "content": [{"text": story.request("ann", 0)}]}
    with Loopback(story.Delegates("helper", messages=[asked])) as server:
        second = reader(server, hook, told=story.HELPER)
        helper = AgentTool(agent=second, name="helper", description="Reads too.")
        first = reader(server, hook, helper, hook.recall("first"))
        for words in story.DELEGATED:
            said = [*history, ChatMessage.from_user(words)]
            reply = first.run(messages=said, hook_context={"session": "first"})
            history = [each for each in reply["messages"] if each.role != "system"]
    story.assert_delegated(server)


def test_if_steno_fails_the_request_goes_out_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    def unknown(run: Any) -> str:
        raise KeyError("session")

    hook = StenoHook(window=story.WINDOW, session=unknown)
    with Loopback(story.Model()) as server:
        reader(server, hook).run(messages=[ChatMessage.from_user(story.request("ann", 0))])
    assert server.heard[0].body["messages"][-1]["content"] == story.request("ann", 0)
    assert any(isinstance(event, Failed) for event in hook.events)
    assert "the whole list was sent: KeyError" in caplog.text


def test_the_line_of_the_page_sends_a_view() -> None:
    with Loopback(story.Model()) as server:
        agent = story.made_by_the_page(
            adapter, Agent=lambda hooks: reader(server, *hooks["before_llm"])
        )
        agent.run(messages=[ChatMessage.from_user(story.request("ann", 0))])
    story.assert_viewed(server)


class Counter:
    def count(self, messages: list[ChatMessage]) -> int:
        return len(str(messages)) // 4


def test_a_shortened_result_keeps_the_name_of_its_tool() -> None:
    call = ToolCall("read", {"who": "ann", "part": 0}, id="c1")
    given = [
        ChatMessage.from_user(story.request("ann", 0)),
        ChatMessage.from_assistant(tool_calls=[call]),
        ChatMessage.from_tool(story.read("ann", 0) * 10, call),
    ]
    shown = StenoHook(**story.OPTIONS).compact(given, 2_000, Counter())
    assert shown is not None and Counter().count(shown) < 2_000
    assert shown[-1].tool_call_result.origin == call
