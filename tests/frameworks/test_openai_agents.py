"""OpenAI Agents SDK: its own runner over the real OpenAI client, the model on loopback."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

agents = pytest.importorskip("agents", reason="openai-agents is not installed")

from agents.run_config import CallModelData, ModelInputData
from openai import AsyncOpenAI

from steno import BadInput
from steno.adapters.frameworks import openai_agents as adapter
from steno.adapters.frameworks.openai_agents import InputFilter, StenoSession
from steno.core.events import Failed
from tests.frameworks import story
from tests.support.loopback import Heard, Loopback, Reply, Say

PACKAGE = "openai-agents"


def helper(server: Loopback, steno_filter: InputFilter) -> Any:
    client = AsyncOpenAI(api_key="none", base_url=server.openai, max_retries=0)
    return agents.Agent(
        name="Reader",
        instructions="You read books.",
        model=agents.OpenAIResponsesModel(model="gpt-5", openai_client=client),
        tools=[agents.function_tool(story.read), steno_filter.recall],
    )


def configured(steno_filter: InputFilter, **more: Any) -> Any:
    return agents.RunConfig(call_model_input_filter=steno_filter, **more)


@pytest.fixture(autouse=True)
def no_traces() -> None:
    agents.set_trace_processors([])


def test_the_story(tmp_path: Path) -> None:
    def start(server: Loopback) -> Any:
        steno_filter = InputFilter(
            **story.OPTIONS,
            user=lambda who: who,
            session=lambda who: f"book-{who}",
            store=tmp_path / "a.db",
        )
        agent, config = helper(server, steno_filter), configured(steno_filter)

        def begin(who: str) -> story.Ask:
            kept = agents.SQLiteSession(f"session-{who}", tmp_path / f"{who}.db")
            return lambda words: agents.Runner.run(
                agent, words, session=kept, run_config=config, context=who, max_turns=5
            )

        return steno_filter, begin

    story.tell(start)


@pytest.mark.parametrize("streams", [False, True])
def test_a_request_refused_as_too_long_goes_out_once_more(streams: bool) -> None:
    steno_filter = InputFilter(window=story.WINDOW)
    model = story.Model()
    again = agents.ModelRetrySettings(max_retries=1, policy=steno_filter.retry)

    async def both(server: Loopback) -> None:
        agent, kept = helper(server, steno_filter), agents.SQLiteSession("s")
        config = configured(
            steno_filter, group_id="g", model_settings=agents.ModelSettings(retry=again)
        )
        for part in range(10):
            model.refuse_next = part == 9
            asked = story.request("ann", part)
            if streams:
                streamed = agents.Runner.run_streamed(agent, asked, session=kept, run_config=config)
                async for _ in streamed.stream_events():
                    pass
            else:
                await agents.Runner.run(agent, asked, session=kept, run_config=config)

    with Loopback(model) as server:
        asyncio.run(both(server))
    story.assert_shortened(server)
    # The run's group names its session.
    assert steno_filter.newest("g").log.commits
    assert not any(isinstance(event, Failed) for event in steno_filter.events)


def test_if_steno_fails_the_request_goes_out_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    def unknown(context: Any) -> str:
        raise KeyError("session")

    steno_filter = InputFilter(window=story.WINDOW, session=unknown)
    with Loopback(story.Model()) as server:
        agent, config = helper(server, steno_filter), configured(steno_filter)
        reply = agents.Runner.run_sync(agent, story.request("ann", 0), run_config=config)
    assert reply.final_output == "I have read it."
    assert server.heard[0].body["input"] == [{"content": story.request("ann", 0), "role": "user"}]
    assert any(isinstance(event, Failed) for event in steno_filter.events)
    assert "the whole list was sent: KeyError" in caplog.text


def test_a_handoff_gives_the_next_agent_a_handover_that_has_the_rule() -> None:
    steno_filter = InputFilter(window=story.WINDOW)

    def hand_over(heard: Heard) -> Reply:
        if "Take over." in json.dumps(story.items(heard)[-1]):
            return Say(calls=(("transfer_to_second", {}),))
        return brain(heard)

    brain, kept = story.Model(), agents.SQLiteSession("s")
    with Loopback(hand_over) as server:
        first, second = helper(server, steno_filter), helper(server, steno_filter)
        second.name = "second"
        first.handoffs = [agents.handoff(second, input_filter=steno_filter.handoff)]
        config = configured(steno_filter, group_id="g")
        for part in range(20):
            asked = story.request("ann", part)
            agents.Runner.run_sync(first, asked, session=kept, run_config=config)
        agents.Runner.run_sync(first, "Take over.", session=kept, run_config=config)
    after = server.heard[-1]
    assert story.SPOKEN in after.prompt and len(after.raw) < len(server.heard[-2].raw)
    assert story.problems(after) == []


def test_a_session_gives_what_fits_and_keeps_every_item() -> None:
    async def talk(server: Loopback) -> tuple[list[Any], list[Any]]:
        whole = agents.SQLiteSession("s")
        kept = StenoSession(whole, window=story.WINDOW)
        agent = helper(server, InputFilter(window=story.WINDOW))
        for part in range(20):
            await agents.Runner.run(agent, story.request("ann", part), session=kept)
        await kept.run_compaction({"force": True})
        return await kept.get_items(), await whole.get_items()

    with Loopback(story.Model()) as server:
        given, whole = asyncio.run(talk(server))
    assert len(whole) == 80 and len(json.dumps(given)) < len(json.dumps(whole)) / 2
    assert story.SPOKEN in json.dumps(given)
    for heard in server.heard:
        assert story.problems(heard) == [] and story.SPOKEN in heard.prompt


def test_untouched_items_go_out_as_they_are() -> None:
    given = [{"role": "user", "content": "Hi", "x-own": 1}]
    data = CallModelData(ModelInputData(given, "Be kind."), agents.Agent(name="a"), None)
    sent = asyncio.run(InputFilter(window=story.WINDOW)(data))
    assert sent.input == given and sent.input[0] is given[0] and sent.instructions == "Be kind."


def test_wrong_options_are_refused_at_once() -> None:
    for naming in (None, "ann", lambda who: who):
        with pytest.raises(BadInput, match="window"):
            InputFilter(window=0, user=naming)


def test_the_line_of_the_page_sends_a_view() -> None:
    config = story.made_by_the_page(adapter, RunConfig=agents.RunConfig)
    with Loopback(story.Model()) as server:
        agent = helper(server, config.call_model_input_filter)
        agents.Runner.run_sync(agent, story.request("ann", 0), run_config=config)
    story.assert_viewed(server)
