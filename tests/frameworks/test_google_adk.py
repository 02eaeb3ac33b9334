"""Google ADK: its own runner and its real Gemini model, the server on loopback."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("google.adk", reason="google-adk is not installed")

from google.adk.agents import LlmAgent, RunConfig
from google.adk.agents.run_config import StreamingMode
from google.adk.apps import App
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.genai import types

from steno.adapters.frameworks.google_adk import StenoPlugin
from steno.core.events import Failed
from tests.frameworks import story
from tests.support.converse_server import JudgingServer

Json = dict[str, Any]


def brain(body: Json) -> list[Json]:
    last = body["contents"][-1]
    said = json.dumps(last)
    if "functionResponse" in last["parts"][-1]:
        return [{"text": "I have read it."}]
    call: Json = {"name": "recall", "args": {"query": "door code"}}
    if story.FIRST_WORDS not in said:
        part, who = story.ASK.findall(said)[-1]
        call = {"name": "read", "args": {"who": who, "part": int(part)}}
    return [{"functionCall": call, "thoughtSignature": "c2ln"}]


def runner(server: JudgingServer, plugin: StenoPlugin, monkeypatch: Any) -> InMemoryRunner:
    monkeypatch.setenv("GOOGLE_API_KEY", "none")
    agent = LlmAgent(
        name="reader",
        model=Gemini(model="gemini-2.5-flash", base_url=server.url),
        instruction="You read books.",
        tools=[story.read],
    )
    return InMemoryRunner(app=App(name="books", root_agent=agent, plugins=[plugin]))


async def ask(made: InMemoryRunner, who: str, questions: list[str], **how: Any) -> None:
    kept = await made.session_service.create_session(
        app_name="books", user_id=who, session_id=f"book-{who}"
    )
    for asked in questions:
        said = types.Content(role="user", parts=[types.Part(text=asked)])
        async for _ in made.run_async(user_id=who, session_id=kept.id, new_message=said, **how):
            pass


def told(body: Json) -> str:
    return json.dumps(body["contents"])


def test_two_people_at_once_stay_within_the_window(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = StenoPlugin(window=story.WINDOW, store=tmp_path / "a.db", durable=False)

    async def both(server: JudgingServer) -> None:
        made = runner(server, plugin, monkeypatch)
        talks = []
        for who in ("ann", "bob"):
            questions = [story.request(who, part) for part in range(story.TURNS)]
            talks.append(ask(made, who, [*questions, story.FIRST_WORDS]))
        await asyncio.gather(*talks)

    with JudgingServer("gemini", brain) as server:
        asyncio.run(both(server))
    assert server.problems == []
    for body in server.heard:
        assert len(story.O200K.encode(json.dumps(body))) <= story.WINDOW
        assert story.RULE in told(body) and "You read books." in json.dumps(body)
        assert ("ann's book" in told(body)) != ("bob's book" in told(body))
    for who in ("ann", "bob"):
        own = [body for body in server.heard if f"{who}'s book" in told(body)]
        assert len(own) == 2 * story.TURNS + 2
        for at, body in enumerate(own[:-2]):
            assert f"Read part {at // 2} of {who}'s book." in told(body)
        assert '"recall"' not in json.dumps(own[0]["tools"])
        assert '"recall"' in json.dumps(own[-1]["tools"])
        assert "4711" not in told(own[-3]) and f"4711-{who}" in told(own[-1])
        assert len(plugin.newest(f"book-{who}", who).log.messages) >= 4 * story.TURNS
    assert not any(isinstance(event, Failed) for event in plugin.events)
    plugin.close()


@pytest.mark.parametrize("mode", [StreamingMode.NONE, StreamingMode.SSE])
def test_a_request_refused_as_too_long_goes_out_once_more(
    mode: StreamingMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = StenoPlugin(window=story.WINDOW)
    said = "The input token count (9000) exceeds the maximum number of tokens allowed (5000)."
    refusal = {"error": {"code": 400, "message": said, "status": "INVALID_ARGUMENT"}}

    def refuse_last(body: Json) -> list[Json]:
        if "Read part 8" in told(body) and "functionResponse" in told(
            {"contents": body["contents"][-1]}
        ):
            server.refuse_next = (400, refusal)
        return brain(body)

    with JudgingServer("gemini", refuse_last) as server:
        made = runner(server, plugin, monkeypatch)
        questions = [story.request("ann", part) for part in range(10)]
        asyncio.run(ask(made, "ann", questions, run_config=RunConfig(streaming_mode=mode)))
    assert server.problems == []
    refused, again, *_ = server.heard[18:]
    assert len(told(again)) < len(told(refused)) and story.RULE in told(again)
    assert "Read part 9 of ann's book." in told(again)


def test_if_steno_fails_the_request_goes_out_as_it_came(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(run: Any) -> str:
        raise KeyError("session")

    plugin = StenoPlugin(window=story.WINDOW, session=unknown)
    with JudgingServer("gemini", brain) as server:
        made = runner(server, plugin, monkeypatch)
        asyncio.run(ask(made, "ann", [story.request("ann", 0)]))
    assert server.heard[0]["contents"][0]["parts"][0]["text"] == story.request("ann", 0)
    assert any(isinstance(event, Failed) for event in plugin.events)
    assert "the whole list was sent: KeyError" in caplog.text
