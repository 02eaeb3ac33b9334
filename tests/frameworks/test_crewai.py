"""CrewAI: its own agents over their real client, the model on loopback."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("crewai") is None:
    pytest.skip("crewai is not installed", allow_module_level=True)
# Read when the package is imported; other tests of this process must not see it.
os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true")

from crewai import LLM, Agent, Crew, Task
from crewai.hooks import clear_before_llm_call_hooks, register_before_llm_call_hook
from crewai.tools import tool

from steno.adapters.frameworks import crewai as adapter
from steno.adapters.frameworks.crewai import BeforeCall
from steno.core.events import Failed
from tests.frameworks import story
from tests.support.loopback import Loopback

PACKAGE = "crewai"
NOT_HERE = {
    "kill and resume": "one run of calls; CrewAI keeps no messages",
    "too long: shorter": "no: its hooks do not see the error; CrewAI summarizes",
    "streams": "as without Steno",
}

read = tool("read")(story.read)


@pytest.fixture(autouse=True)
def no_hooks_left() -> Any:
    yield
    clear_before_llm_call_hooks()


def crew(server: Loopback, before: BeforeCall, *people: str) -> Crew:
    """Return a crew with an agent and a task for each of these people."""
    readers = [reader(server, who, before) for who in people]
    works = [
        Task(description=story.task(who), expected_output="a word", agent=agent)
        for who, agent in zip(people, readers, strict=True)
    ]
    return Crew(agents=readers, tasks=works)


def reader(server: Loopback, who: str, before: BeforeCall) -> Agent:
    llm = LLM(model="openai/gpt-4o", base_url=server.openai, api_key="none")
    return Agent(
        role=f"reader of {who}",
        goal="read",
        backstory="reads",
        llm=llm,
        tools=[read, before.recall(f"book-{who}", who)],
        max_iter=2 * story.TURNS,
    )


def registered(**more: Any) -> BeforeCall:
    before = BeforeCall(
        **story.OPTIONS,
        user=lambda call: call.agent.role.rpartition(" ")[2],
        session=lambda call: "book-" + call.agent.role.rpartition(" ")[2],
        **more,
    )
    register_before_llm_call_hook(before)
    return before


def test_the_story_as_one_run_of_calls_in_two_crews_at_once(tmp_path: Path) -> None:
    before = registered(store=tmp_path / "a.db")
    with Loopback(story.LoopModel()) as server, ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda who: crew(server, before, who).kickoff(), story.PEOPLE))
    for who in story.PEOPLE:
        story.assert_worked(server.heard, who)
        # Every word is in one session, though the agent's own list became the view.
        story.assert_every_word(before, who, [story.task(who)])
    story.assert_apart(server.heard)
    assert not any(isinstance(event, Failed) for event in before.events)
    before.close()


def test_async_a_team_of_two_has_a_session_for_each_agent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(story, "TURNS", 10)
    before = registered()
    with Loopback(story.LoopModel()) as server:
        asyncio.run(crew(server, before, *story.PEOPLE).akickoff())
    for who in story.PEOPLE:
        assert len(story.assert_legal(server.heard, who)) == len(server.heard) / 2
        story.assert_every_word(before, who, [story.task(who)])
    story.assert_apart(server.heard)


def test_if_steno_fails_the_request_goes_out_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    def unknown(call: Any) -> str:
        raise KeyError("session")

    before = BeforeCall(window=story.WINDOW, session=unknown)
    register_before_llm_call_hook(before)
    with Loopback(story.Model()) as server:
        llm = LLM(model="openai/gpt-4o", base_url=server.openai, api_key="none")
        llm.call([{"role": "user", "content": story.request("ann", 0)}])
    assert server.heard[0].body["messages"] == [
        {"role": "user", "content": story.request("ann", 0)}
    ]
    assert any(isinstance(event, Failed) for event in before.events)
    assert "the whole list was sent: KeyError" in caplog.text


def test_the_line_of_the_page_sends_a_view() -> None:
    story.made_by_the_page(adapter, register_before_llm_call_hook=register_before_llm_call_hook)
    with Loopback(story.Model()) as server:
        llm = LLM(model="openai/gpt-4o", base_url=server.openai, api_key="none")
        llm.call([{"role": "user", "content": story.request("ann", 0)}])
    story.assert_viewed(server)
