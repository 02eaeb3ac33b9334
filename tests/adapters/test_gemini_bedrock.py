"""Gemini and Bedrock by their real SDKs: views go out, and every one of them is legal."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Iterator
from itertools import count
from typing import Any

import botocore.session
import pytest
from google import genai

import steno
from steno import Session
from steno.providers.shared.provider_report import read_usage
from tests.support.converse_server import Brain, JudgingServer
from tests.support.promises import WHOLE, proves

pytestmark = pytest.mark.slow

Json = dict[str, Any]
TURNS = 300 if WHOLE else 20
WRAPPED_TURNS = 300 if WHOLE else 20
WORDS_EVERY = 10
"""Turns of an agent until its user speaks again."""
LOG = "step went through; the log was read line by line and nothing was odd. " * 12
GEMINI, NOVA = "gemini-2.5-flash", "us.amazon.nova-pro-v1:0"
GEMINI_3, CLAUDE = "gemini-3-flash-preview", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


def gemini_brain(body: Json) -> list[Json]:
    """Call two tools after a user's words, and speak after their results."""
    if "functionResponse" in body["contents"][-1]["parts"][0]:
        return [{"text": "The step is done."}]
    calls = [{"functionCall": {"name": name, "args": {"n": 1.5}}} for name in ("build", "test")]
    return [{"text": "Hm.", "thought": True}, calls[0] | {"thoughtSignature": "c2ln"}, calls[1]]


def bedrock_brain(body: Json) -> list[Json]:
    if "toolResult" in body["messages"][-1]["content"][0]:
        return [{"text": "The step is done."}]
    at = len(body["messages"])
    uses = [
        {"toolUse": {"toolUseId": f"t{at}{name}", "name": name, "input": {"n": 1.5}}}
        for name in ("build", "test")
    ]
    return [{"text": "I build."}, *uses]


def tireless_gemini() -> Brain:
    """Call one to three tools in every reply, signed by the number of the reply."""
    steps = count()

    def brain(body: Json) -> list[Json]:
        step = next(steps)
        names = ("build", "test", "lint")[: step % 3 + 1]
        calls: list[Json] = [
            {"functionCall": {"name": each, "args": {"n": step}}} for each in names
        ]
        calls[0]["thoughtSignature"] = signature(step)
        return [{"text": f"Step {step}.", "thought": True}, *calls]

    return brain


def tireless_claude() -> Brain:
    steps = count()

    def brain(body: Json) -> list[Json]:
        step = next(steps)
        thought = {"text": f"Step {step}.", "signature": signature(step)}
        uses = [
            {"toolUse": {"toolUseId": f"t{step}-{name}", "name": name, "input": {"n": step}}}
            for name in ("build", "test", "lint")[: step % 3 + 1]
        ]
        return [{"reasoningContent": {"reasoningText": thought}}, *uses]

    return brain


def signature(step: int) -> str:
    return b64encode(b"signed %d" % step).decode()


def signed_steps(messages: list[Json]) -> Iterator[tuple[int, bool]]:
    """Yield the step of each message that calls, and whether its own signature is on it."""
    for message in messages:
        blocks = message.get("parts") or message.get("content") or []
        for block in blocks:
            if "functionCall" in block:
                step = int(block["functionCall"]["args"]["n"])
                yield step, block.get("thoughtSignature") == signature(step)
                break
            if "toolUse" in block:
                step = block["toolUse"]["input"]["n"]
                thought = blocks[0].get("reasoningContent", {}).get("reasoningText", {})
                yield step, thought.get("signature") == signature(step)
                break


@pytest.fixture
def google() -> Iterator[JudgingServer]:
    with JudgingServer("gemini", gemini_brain) as server:
        yield server
        assert server.problems == []


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgingServer]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    with JudgingServer("bedrock", bedrock_brain) as server:
        yield server
        assert server.problems == []


def gemini_client(server: JudgingServer) -> genai.Client:
    client = genai.Client(api_key="any", http_options={"base_url": server.url})
    server.at_end.append(client.close)
    return client


def bedrock_client(server: JudgingServer) -> Any:
    session = botocore.session.get_session()
    options = {"region_name": "us-east-1", "endpoint_url": server.url}
    client = session.create_client("bedrock-runtime", **options)
    server.at_end.append(client.close)
    return client


def gemini_results(content: Any) -> Json:
    names = [part.function_call.name for part in content.parts if part.function_call]
    parts = [
        {"function_response": {"name": name, "response": {"result": f"{name} {LOG}"}}}
        for name in names
    ]
    return {"role": "user", "parts": parts}


def bedrock_results(message: Json) -> Json:
    uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
    return {
        "role": "user",
        "content": [
            {"toolResult": {"toolUseId": use["toolUseId"], "content": [{"text": LOG}]}}
            for use in uses
        ],
    }


@proves("wrap.views")
@pytest.mark.timeout(1_200)
def test_an_agent_on_gemini_that_calls_in_every_turn_stays_within_its_window() -> None:
    tool = {"function_declarations": [{"name": name} for name in ("build", "test", "lint")]}
    config: Any = {"tools": [tool], "automatic_function_calling": {"disable": True}}
    contents: list[Any] = [user("gemini", "Do all steps.")]
    with JudgingServer("gemini", tireless_gemini()) as server:
        client = steno.wrap(gemini_client(server), window=6_000)
        for turn in range(WRAPPED_TURNS):
            reply = client.models.generate_content(model=GEMINI_3, contents=contents, config=config)
            said = reply.candidates[0].content
            contents += [said, gemini_results(said)]
            if turn % WORDS_EVERY == WORDS_EVERY - 1:
                contents[-1]["parts"].append({"text": f"Note {turn}: go on."})
        log = steno.sessions(client).newest.log
    sent = [body["contents"] for body in server.heard]
    # Replies of Google's client cannot be made anew, so its model is offered no recall.
    assert '"recall"' not in json.dumps(server.heard)
    # The last results were not sent.
    stays_within(sent, contents[:-2], 6_000)
    assert log.commits and len(log.messages) == len(contents) - 2
    assert server.problems == []


@proves("wrap.views")
@pytest.mark.timeout(1_200)
def test_an_agent_on_bedrock_that_calls_in_every_turn_stays_within_its_window(
    aws: JudgingServer,
) -> None:
    messages: list[Json] = [user("bedrock", "Do all steps.")]
    with JudgingServer("bedrock", tireless_claude()) as server:
        client = steno.wrap(bedrock_client(server), window=6_000)
        for turn in range(WRAPPED_TURNS):
            said = client.converse(modelId=CLAUDE, messages=messages)["output"]["message"]
            messages += [said, bedrock_results(said)]
            if turn % WORDS_EVERY == WORDS_EVERY - 1:
                messages[-1]["content"].append({"text": f"Note {turn}: go on."})
        log = steno.sessions(client).newest.log
    sent = [body["messages"] for body in server.heard]
    stays_within(sent, messages[:-2], 6_000)
    assert log.commits and len(log.messages) == len(messages) - 2
    assert server.problems == []


def stays_within(sent: list[list[Json]], said: list[Any], window: int) -> None:
    """Hold every list below its window, and every call in it with its own signature."""
    assert len(sent) == WRAPPED_TURNS
    assert max(len(json.dumps(messages)) for messages in sent) < window * 6 < len(str(said))
    for turn, messages in enumerate(sent):
        steps = list(signed_steps(messages))
        assert all(signed for _, signed in steps)
        # The newest call is always there, for its results are what is asked about.
        assert turn == 0 or steps[-1][0] == turn - 1


@proves("wrap.views")
def test_a_session_on_gemini_stays_within_its_window(google: JudgingServer) -> None:
    client, session = gemini_client(google), Session(wire="gemini", window=6_000)
    for turn in range(TURNS):
        session.add({"role": "user", "parts": [{"text": f"Do step {turn}."}]})
        for _ in range(2):
            reply = client.models.generate_content(model=GEMINI, **session.request())
            said = reply.candidates[0].content
            session.add(said, usage=reply.usage_metadata.prompt_token_count)
            if any(part.function_call for part in said.parts):
                session.add(gemini_results(said))

    assert len(google.heard) == 2 * TURNS
    assert max(len(str(body["contents"])) for body in google.heard) < 6_000 * 6


@proves("wrap.views")
def test_a_loop_on_bedrock_stays_within_its_window(aws: JudgingServer) -> None:
    messages: list[Json] = []
    client = steno.wrap(bedrock_client(aws), window=6_000)
    for turn in range(TURNS):
        messages.append({"role": "user", "content": [{"text": f"Do step {turn}."}]})
        for _ in range(2):
            said = client.converse(modelId=NOVA, messages=messages)["output"]["message"]
            messages.append(said)
            if any("toolUse" in block for block in said["content"]):
                messages.append(bedrock_results(said))

    assert len(aws.heard) == 2 * TURNS
    assert max(len(str(body["messages"])) for body in aws.heard) < 6_000 * 6
    assert len(steno.sessions(client).newest.log.messages) == len(messages) - 1


def user(provider: str, text: str) -> Json:
    key = "parts" if provider == "gemini" else "content"
    return {"role": "user", key: [{"text": text}]}


@proves("overflow.again")
def test_a_refusal_as_too_long_is_answered_by_a_shorter_request(
    google: JudgingServer, aws: JudgingServer
) -> None:
    said = [{"role": "user", "parts": [{"text": f"{n} {LOG}"}]} for n in range(40)]
    text = "The input token count (9000) exceeds the maximum number of tokens allowed (4000)."
    google.refuse_next = (400, {"error": {"code": 400, "message": text, "status": "INVALID"}})
    steno.wrap(gemini_client(google)).models.generate_content(model=GEMINI, contents=said)
    first, second = (len(str(body)) for body in google.heard)
    assert second < first / 2

    told: list[Json] = []
    for n in range(40):
        told.append({"role": "user", "content": [{"text": f"{n} {LOG}"}]})
        told.append({"role": "assistant", "content": [{"text": f"read {n}"}]})
    aws.refuse_next = (400, {"message": "Input is too long for requested model."})
    client = steno.wrap(bedrock_client(aws), window=12_000)
    client.converse(modelId=NOVA, messages=[*told, told[0]])
    first, second = (len(str(body)) for body in aws.heard)
    assert second < first


def test_streams_and_async_calls_go_through_too(google: JudgingServer, aws: JudgingServer) -> None:
    client = steno.wrap(gemini_client(google), window=6_000)
    ask: Any = {"model": GEMINI, "contents": "Do it."}
    pieces = list(client.models.generate_content_stream(**ask))
    assert pieces[0].candidates[0].content.parts[1].function_call.name == "build"

    async def ask_there() -> Any:
        async with client.aio as aio:
            return await aio.models.generate_content(**ask)

    reply = asyncio.run(ask_there())
    assert reply.candidates[0].content.parts[1].function_call.name == "build"

    messages = [{"role": "user", "content": [{"text": "Do it."}]}]
    events = steno.wrap(bedrock_client(aws), window=6_000).converse_stream(
        modelId=NOVA, messages=messages
    )["stream"]
    assert any("contentBlockDelta" in event for event in events)
    assert len(google.heard) == 2
    assert len(aws.heard) == 1


def test_pictures_go_to_bedrock_as_bytes(aws: JudgingServer) -> None:
    picture = {"image": {"format": "png", "source": {"bytes": b"\x89PNG\r\n\x1a\nrest"}}}
    said = {"role": "user", "content": [{"text": "Look."}, picture]}
    with Session(wire="bedrock", window=50_000) as session:
        session.add(said)
        assert session.request()["messages"] == [said]
    client = steno.wrap(bedrock_client(aws), window=6_000)
    client.converse(modelId=NOVA, messages=[said])

    source = aws.heard[0]["messages"][0]["content"][1]["image"]["source"]
    assert source["bytes"] == "iVBORw0KGgpyZXN0"


@proves("overflow.again")
def test_a_reply_that_ends_with_the_window_is_asked_for_again(aws: JudgingServer) -> None:
    told: list[Json] = []
    for n in range(30):
        told.append({"role": "user", "content": [{"text": f"{n} {LOG}"}]})
        told.append({"role": "assistant", "content": [{"text": f"read {n}"}]})
    told.append({"role": "user", "content": [{"text": "Go on."}]})
    aws.stop_next = "model_context_window_exceeded"
    client = steno.wrap(bedrock_client(aws), window=12_000)
    reply = client.converse(modelId=NOVA, messages=told)

    assert reply["stopReason"] == "tool_use"
    first, second = (len(str(body)) for body in aws.heard)
    assert second < first

    stopped = {"stop_reason": "model_context_window_exceeded"}
    replies = [stopped, {"stop_reason": "end_turn"}]
    session = Session(wire="bedrock", window=12_000)
    session.add(*told)
    asked: list[Json] = []
    assert session.call(lambda request: asked.append(request) or replies[len(asked) - 1]) == {
        "stop_reason": "end_turn"
    }
    assert len(str(asked[1])) < len(str(asked[0]))


@proves("overflow.again")
def test_a_stream_that_ends_with_the_window_makes_the_next_request_shorter(
    aws: JudgingServer,
) -> None:
    told = [user("bedrock", LOG)]
    for n in range(12):
        told.append({"role": "assistant", "content": [{"text": f"read {n}"}]})
        told.append(user("bedrock", f"{n} {LOG}"))
    aws.stop_next = "model_context_window_exceeded"
    client = steno.wrap(bedrock_client(aws), window=30_000)
    list(client.converse_stream(modelId=NOVA, messages=told)["stream"])
    said = {"role": "assistant", "content": [{"text": "As far as"}]}
    list(
        client.converse_stream(modelId=NOVA, messages=[*told, said, user("bedrock", "Go")])[
            "stream"
        ]
    )

    first, second = (len(str(body)) for body in aws.heard)
    assert second < first and not aws.problems


def test_streams_tell_their_usage(google: JudgingServer, aws: JudgingServer) -> None:
    client: Any = steno.wrap(gemini_client(google), window=100_000)
    content = {"role": "user", "parts": [{"text": "hello " * 300}]}
    list(client.models.generate_content_stream(model=GEMINI, contents=[content]))
    [thread] = steno.sessions(client)._table.by_name.values()
    assert read_usage(thread.usage).sent == len(json.dumps(google.heard[0])) // 4

    client = steno.wrap(bedrock_client(aws), window=100_000)
    message = {"role": "user", "content": [{"text": "hello " * 300}]}
    asked = client.converse_stream(modelId=NOVA, messages=[message])
    kinds = [next(iter(each)) for each in asked["stream"]]
    [thread] = steno.sessions(client)._table.by_name.values()
    assert kinds[-1] == "metadata" and read_usage(thread.usage).sent == 7
