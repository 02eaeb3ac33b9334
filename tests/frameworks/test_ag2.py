"""AG2: its own agents over the real OpenAI client, the model on loopback."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ag2", reason="ag2 is not installed")

from ag2 import Agent, MemoryStream
from ag2.config import OpenAIConfig

from steno.adapters.frameworks import ag2 as adapter
from steno.adapters.frameworks.ag2 import StenoTurns
from steno.core.events import Failed
from tests.frameworks import story
from tests.support.loopback import Loopback

PACKAGE = "ag2"


def reader(
    server: Loopback,
    steno: StenoTurns,
    streams: bool = False,
    told: str = "You read books.",
    *tools: Any,
) -> Agent:
    config = OpenAIConfig(
        "gpt-4o", api_key="none", base_url=server.openai, max_retries=0, streaming=streams
    )
    return Agent(
        "reader",
        told,
        config=config,
        tools=[story.read, steno.recall, *tools],
        middleware=[steno],
    )


def test_the_story(tmp_path: Path) -> None:
    streams = {who: MemoryStream() for who in story.PEOPLE}
    names = {stream.id: who for who, stream in streams.items()}

    def start(server: Loopback) -> Any:
        steno = StenoTurns(
            **story.OPTIONS,
            user=lambda context: names[context.stream.id],
            session=lambda context: f"book-{names[context.stream.id]}",
            store=tmp_path / "a.db",
        )
        agent = reader(server, steno)
        return steno, lambda who: lambda words: agent.ask(words, stream=streams[who])

    story.tell(start, always_recall=True)


@pytest.mark.parametrize("streams", [False, True])
def test_a_request_refused_as_too_long_goes_out_once_more(streams: bool) -> None:
    steno, model = StenoTurns(window=story.WINDOW), story.Model()

    async def talk(server: Loopback) -> None:
        agent, stream = reader(server, steno, streams), MemoryStream()
        for part in range(10):
            model.refuse_next = part == 9
            await agent.ask(story.request("ann", part), stream=stream)

    with Loopback(model) as server:
        asyncio.run(talk(server))
    story.assert_shortened(server)


def test_a_sub_agent_has_a_session_of_its_own() -> None:
    steno = StenoTurns(**story.OPTIONS)

    async def talk(server: Loopback) -> None:
        second = reader(server, steno, False, story.HELPER)
        helper = second.as_tool(name="helper", description="Reads too.")
        first, stream = reader(server, steno, False, "You read books.", helper), MemoryStream()
        for words in story.DELEGATED:
            await first.ask(words, stream=stream)

    with Loopback(story.Delegates("helper", objective=story.request("ann", 0))) as server:
        asyncio.run(talk(server))
    story.assert_delegated(server)


def test_if_steno_fails_the_request_goes_out_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    def unknown(context: Any) -> str:
        raise KeyError("session")

    steno = StenoTurns(window=story.WINDOW, session=unknown)
    with Loopback(story.Model()) as server:
        asyncio.run(reader(server, steno).ask(story.request("ann", 0)))
    assert server.heard[0].body["messages"][-1]["content"] == story.request("ann", 0)
    assert any(isinstance(event, Failed) for event in steno.events)
    assert "the whole list was sent: KeyError" in caplog.text


def test_the_line_of_the_page_sends_a_view() -> None:
    with Loopback(story.Model()) as server:
        agent = story.made_by_the_page(
            adapter, Agent=lambda middleware: reader(server, *middleware)
        )
        asyncio.run(agent.ask(story.request("ann", 0)))
    story.assert_viewed(server)
