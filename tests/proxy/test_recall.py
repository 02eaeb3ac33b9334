"""Recall offered by the proxy: answered by it, unseen by the client, back in its place later."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

from steno.providers.anthropic.surface import SURFACE as ANTHROPIC
from steno.providers.openai_chat.surface import SURFACE as CHAT
from steno.providers.openai_responses.surface import SURFACE as RESPONSES
from steno.providers.shared.surface import Surface
from steno.proxy.stages import StagedAnswer
from tests.proxy.test_proxy import CLAUDE, GPT, Between, Plain, between
from tests.support import legal, legal_responses
from tests.support.loopback import Garbage, Say, Wrong
from tests.support.sample_messages import anthropic_talk

pytestmark = pytest.mark.slow

TOOL = {"name": "look", "description": "look at a file"}
SCHEMA: Plain = {"type": "object", "properties": {"path": {"type": "string"}}}
TOOLS: Plain = {
    "messages": [TOOL | {"input_schema": SCHEMA}],
    "chat": [{"type": "function", "function": TOOL | {"parameters": SCHEMA}}],
    "responses": [{"type": "function", "strict": False} | TOOL | {"parameters": SCHEMA}],
}
JUDGES: Plain = {
    "messages": legal.anthropic,
    "chat": legal.openai_chat,
    "responses": legal_responses.openai_responses,
}
SURFACES = list(TOOLS)
RECALLS = Say("wait ", calls=(("recall", {"positions": "0"}),), thinking="what was asked?", said=10)


def ask(there: Between, surface: str, talk: list[Plain], streamed: bool, **more: Any) -> Plain:
    """Ask with the SDK; return the reply's text, calls, stop and spoken tokens."""
    tools = TOOLS[surface]
    if surface == "messages":
        with_tools: Plain = {"model": CLAUDE, "max_tokens": 99, "messages": talk, "tools": tools}
        if streamed:
            with there.claude.messages.stream(**with_tools, **more) as stream:
                message = stream.get_final_message()
        else:
            message = there.claude.messages.create(**with_tools, **more)
        texts = [block.text for block in message.content if block.type == "text"]
        calls = [block.name for block in message.content if block.type == "tool_use"]
        kept = {"role": "assistant", "content": [one.to_dict() for one in message.content]}
        said, stop = message.usage.output_tokens, message.stop_reason
        return {"text": "".join(texts), "calls": calls, "said": said, "stop": stop, "kept": [kept]}
    if surface == "chat":
        create = there.openai.chat.completions
        if streamed:
            with create.stream(model=GPT, messages=talk, tools=tools, **more) as events:
                completion = events.get_final_completion()
        else:
            completion = create.create(model=GPT, messages=talk, tools=tools, **more)
        choice = completion.choices[0]
        calls = [call.function.name for call in choice.message.tool_calls or ()]
        kept = choice.message.to_dict(exclude_none=True)
        said = completion.usage and completion.usage.completion_tokens
        text = choice.message.content or ""
        stop = choice.finish_reason
        return {"text": text, "calls": calls, "said": said, "stop": stop, "kept": [kept]}
    asked: Plain = {"model": GPT, "input": talk, "tools": tools, "store": False}
    if streamed:
        with there.openai.responses.stream(**asked, **more) as events:
            response = events.get_final_response()
    else:
        response = there.openai.responses.create(**asked, **more)
    calls = [item.name for item in response.output if item.type == "function_call"]
    said = response.usage and response.usage.output_tokens
    items = [item.to_dict() for item in response.output]
    for item in items:
        for part in item.get("content") or ():
            part.pop("parsed", None)
    return {"text": response.output_text, "calls": calls, "said": said, "kept": items}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("surface", SURFACES)
def test_a_call_of_recall_is_answered_and_the_client_does_not_see_it(
    surface: str, streamed: bool, tmp_path: Path
) -> None:
    store = tmp_path / "agent.db"
    talk = [{"role": "user", "content": "the word is xylophone"}]
    found = Say("it is xylophone", said=7, number=2)
    with between(RECALLS, found, store=store, recall=True, settings={"user": "ann"}) as there:
        got = ask(there, surface, talk, streamed)
        first, second = there.provider.heard
        assert got["text"] == "wait it is xylophone"
        assert got["calls"] == []
        assert got.get("stop") not in ("tool_use", "tool_calls")
        if got["said"]:
            assert got["said"] == 17
        assert "recall" in json.dumps(first.body["tools"])
        assert first.body["tools"][0] == TOOLS[surface][0]
        # The model gets its own words back, and what was asked for after them.
        assert second.prompt.count("xylophone") == first.prompt.count("xylophone") + 1
        assert JUDGES[surface](second.body) == []
    # Sent back by its client to the next proxy, the reply stands upstream as the model said it.
    with between(found, store=store, recall=True, settings={"user": "ann"}) as there:
        talk = [*talk, *got["kept"], {"role": "user", "content": "thanks"}]
        ask(there, surface, talk, streamed)
        third = there.provider.heard[-1]
        if surface == "responses":
            # A client writes items anew, each in its place.
            kinds = [item.get("type") for item in second.body["input"]]
            assert [item.get("type") for item in third.body["input"]][: len(kinds)] == kinds
        else:
            assert third.prompt.startswith(second.prompt[:-1])
        assert JUDGES[surface](third.body) == []


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("surface", SURFACES)
def test_other_calls_reach_the_client_and_wait_for_recall(surface: str, streamed: bool) -> None:
    both = Say(calls=(("look", {"path": "a"}), ("recall", {"positions": "0"})))
    look = Say(calls=(("look", {"path": "b"}),))
    talk = [{"role": "user", "content": "look"}]
    with between(both, look, lambda heard: look, recall=True) as there:
        got = ask(there, surface, talk, streamed)
        assert got["calls"] == ["look"]
        assert got.get("stop") in (None, "tool_use", "tool_calls")
        assert "not run" in there.provider.heard[1].prompt
        # Nothing of ours in it: what the client gets is what the provider sent.
        assert ask(there, surface, [{"role": "user", "content": "else"}], streamed)["calls"]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("surface", SURFACES)
def test_a_model_that_only_recalls_is_stopped(surface: str, streamed: bool) -> None:
    numbers = count()
    with between(lambda heard: replace(RECALLS, number=next(numbers)), recall=True) as there:
        got = ask(there, surface, [{"role": "user", "content": "go"}], streamed)
        assert len(there.provider.heard) == 5
        assert "last recall" in there.provider.heard[-1].prompt
        assert got["calls"] == []
        assert got.get("stop") in (None, "end_turn", "stop")


def test_recall_reaches_what_a_compaction_took_out() -> None:
    talk = anthropic_talk(60)
    talk[2]["content"] = "the word is xylophone"
    talk.append({"role": "user", "content": "what was the word?"})
    recalls = Say("hm ", calls=(("recall", {"query": "xylophone"}),))
    with between(recalls, Say("noted"), recall=True) as there:
        got = ask(there, "messages", talk, True)
        first, second = there.provider.heard
        assert got["text"] == "hm noted"
        assert len(first.raw) < len(json.dumps(talk)) / 2
        assert "recall" in first.prompt
        assert "the word is xylophone" in second.prompt


@pytest.mark.parametrize(
    "more",
    [{"tool_choice": {"type": "tool", "name": "look"}}, {"tools": [TOOL | {"name": "recall"}]}],
)
def test_where_the_client_chose_its_tools_none_is_added(more: Plain) -> None:
    with between(recall=True) as there:
        body = {"model": CLAUDE, "max_tokens": 9, "messages": [{"role": "user", "content": "go"}]}
        raw = json.dumps(body | more).encode()
        there.http.post(f"{there.address}/v1/messages", content=raw)
        assert there.provider.heard[0].raw == raw


@pytest.mark.parametrize("surface", ["messages", "chat"])
def test_by_default_recall_is_offered_once_something_has_left_the_view(surface: str) -> None:
    said = [{"role": "user", "content": f"part {n} " + "word " * 400} for n in range(24)]
    talk = [each for one in said for each in (one, {"role": "assistant", "content": "noted"})]
    with between(recall=None) as there:
        ask(there, surface, talk[:1], streamed=False)
        ask(there, surface, talk[:-1], streamed=False)
        first, *_, last = there.provider.heard
        assert '"recall"' not in json.dumps(first.body)
        assert '"recall"' in json.dumps(last.body["tools"]) and len(last.prompt) < 60_000


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("surface", SURFACES)
def test_what_is_too_long_with_its_answer_is_asked_without(surface: str, streamed: bool) -> None:
    talk = [{"role": "user", "content": "the word is xylophone"}]
    long = Wrong(400, "maximum context length is 4000 tokens", "context_length_exceeded")
    if surface == "messages":
        long = Wrong(400, "prompt is too long: 4100 tokens > 4000 maximum")
    with between(RECALLS, long, Say("fine", number=2), recall=True) as there:
        got = ask(there, surface, talk, streamed)
        assert (got["text"], got["calls"]) == ("wait fine", [])
        offered = ['"recall"' in json.dumps(heard.body["tools"]) for heard in there.provider.heard]
        assert offered == [True, True, False]
        assert there.provider.heard[-1].body["tools"] == TOOLS[surface]


@pytest.mark.parametrize("surface", SURFACES)
def test_a_refusal_of_a_later_reply_reaches_the_client_as_its_providers_error(surface: str) -> None:
    talk = [{"role": "user", "content": "the word is xylophone"}]
    slow = Wrong(429, "slow down, please", "rate_limit_exceeded")
    with between(RECALLS, slow, recall=True) as there:
        with pytest.raises((anthropic.APIError, openai.APIError), match="slow down, please"):
            ask(there, surface, talk, True)
        assert len(there.provider.heard) == 2


REFUSING = (ANTHROPIC, CHAT, RESPONSES)


@pytest.mark.parametrize("refusal", [{"error": {"message": "slow down"}}, {"error": "slow down"}])
@pytest.mark.parametrize("surface", REFUSING, ids=lambda each: type(each).__name__)
def test_a_refusal_without_a_type_is_an_error_to_every_client(
    surface: Surface, refusal: Any
) -> None:
    name, data = surface.error_text(refusal, StagedAnswer(surface, "recall")).split(b"\n")[:2]
    event = json.loads(data.removeprefix(b"data: "))
    assert name == b"event: error" and event["type"] == "error"
    assert event["error"]["message"] == "slow down" and event["error"]["type"]


def test_a_stream_that_came_with_its_length_goes_on_without_it() -> None:
    call = {"index": 0, "id": "c1", "type": "function"}
    call["function"] = {"name": "recall", "arguments": '{"query": "hi"}'}
    chunks = [
        {"delta": {"role": "assistant", "tool_calls": [call]}},
        {"delta": {}, "finish_reason": "tool_calls"},
    ]
    events = [
        {
            "id": "r1",
            "object": "chat.completion.chunk",
            "model": GPT,
            "choices": [{"index": 0} | one],
        }
        for one in chunks
    ]
    text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    with between(Garbage(text, "text/event-stream"), Say("it is so " * 99), recall=True) as there:
        got = ask(there, "chat", [{"role": "user", "content": "hi"}], streamed=True)
        assert len(there.provider.heard) == 2
    assert got["text"] == "it is so " * 99
