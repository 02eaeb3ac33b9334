"""LiteLLM: its own functions over its real client, the model on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("litellm", reason="litellm is not installed")

from steno.adapters.frameworks import litellm as adapter
from steno.adapters.frameworks.litellm import StenoLLM
from steno.core.events import Failed
from tests.frameworks import story
from tests.support.loopback import Loopback

PACKAGE = "litellm"
NOT_HERE = {
    "handoffs, sub-agents": "has none",
}

READ = {
    "type": "function",
    "function": {
        "name": "read",
        "parameters": {
            "type": "object",
            "properties": {"who": {"type": "string"}, "part": {"type": "integer"}},
        },
    },
}


def arguments(server: Loopback, who: str) -> dict[str, Any]:
    return {
        "model": "openai/gpt-4o",
        "api_base": server.openai,
        "api_key": "none",
        "max_retries": 0,
        "tools": [READ],
        "user": who,
        "litellm_session_id": f"book-{who}",
    }


def answer(llm: StenoLLM, call: Any, who: str) -> dict[str, Any]:
    said = llm.handle(call, session=f"book-{who}", user=who)
    if said is None:
        said = story.read(**json.loads(call.function.arguments))
    return {"role": "tool", "tool_call_id": call.id, "content": said}


def test_the_story(tmp_path: Path) -> None:
    histories: dict[str, list[Any]] = {who: [] for who in story.PEOPLE}

    def start(server: Loopback) -> Any:
        llm = StenoLLM(**story.OPTIONS, store=tmp_path / "a.db", recall=True)

        def begin(who: str) -> story.Ask:
            messages = histories[who]

            async def ask(words: str) -> None:
                messages.append({"role": "user", "content": words})
                while messages[-1]["role"] != "assistant":
                    reply = await llm.acompletion(messages=messages, **arguments(server, who))
                    said = reply.choices[0].message
                    messages.append(said.model_dump(exclude_none=True))
                    messages.extend(answer(llm, call, who) for call in said.tool_calls or ())

            return ask

        return llm, begin

    story.tell(start)


@pytest.mark.parametrize("streams", [False, True])
def test_a_request_refused_as_too_long_goes_out_once_more(streams: bool) -> None:
    llm, model = StenoLLM(window=story.WINDOW), story.Model()
    messages: list[Any] = []
    with Loopback(model) as server:
        for part in range(16):
            messages.append({"role": "user", "content": story.request("ann", part)})
            messages.append({"role": "assistant", "content": story.read("ann", part)})
        messages.append({"role": "user", "content": story.request("ann", 16)})
        model.refuse_next = True
        reply = llm.completion(messages=messages, stream=streams, **arguments(server, "ann"))
        words = list(reply) if streams else [reply]
        llm.completion(messages=messages, **arguments(server, "ann"))
    assert words
    story.assert_shortened(server)


def test_if_steno_fails_the_request_goes_out_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    def unknown(arguments: Any) -> str:
        raise KeyError("session")

    llm = StenoLLM(window=story.WINDOW, session=unknown)
    messages = [{"role": "user", "content": story.request("ann", 0)}]
    with Loopback(story.Model()) as server:
        llm.completion(messages=messages, **arguments(server, "ann"))
    assert server.heard[0].body["messages"] == messages
    assert any(isinstance(event, Failed) for event in llm.events)
    assert "the whole list was sent: KeyError" in caplog.text


def test_the_line_of_the_page_sends_a_view() -> None:
    messages = [{"role": "user", "content": story.request("ann", 0)}]
    with Loopback(story.Model()) as server:
        story.made_by_the_page(adapter, {"messages": messages, **arguments(server, "ann")})
    story.assert_viewed(server)
