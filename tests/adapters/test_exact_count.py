"""The provider's own count corrects a meter, by the real SDKs; the same request is asked once."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from botocore.stub import Stubber
from google import genai

from steno import BadInput, Script, Session
from steno.adapters.exact_count import ExactCount
from steno.adapters.prewarm import Prewarm
from steno.agent import ReactLoop
from steno.models import Anthropic, Bedrock, Gemini, OpenAI
from tests.adapters.test_gemini_bedrock import bedrock_client, gemini_client
from tests.support.converse_server import JudgingServer
from tests.support.loopback import Garbage, Loopback, Wrong
from tests.support.promises import proves

pytestmark = pytest.mark.slow

PATHS = {"anthropic": "/v1/messages/count_tokens", "openai-responses": "/v1/responses/input_tokens"}


def model_at(wire: str, server: Loopback) -> Any:
    if wire == "anthropic":
        return Anthropic("claude-opus-5", key="any", url=server.anthropic)
    return OpenAI("gpt-5.6", key="any", url=server.openai, responses=True)


@pytest.mark.parametrize("wire", PATHS)
def test_the_providers_count_corrects_the_meter_and_is_asked_once(wire: str) -> None:
    reply = Garbage(json.dumps({"input_tokens": 1_200, "object": "response.input_tokens"}))
    with (
        Loopback(reply, Wrong(500), aside=True) as server,
        model_at(wire, server) as model,
        Session(wire=wire, window=50_000) as session,
    ):
        session.add({"role": "user", "content": "some words of a line " * 120})
        request = session.request(system="Be brief.")
        counted, exact = session.load, ExactCount(model, calls=2)
        assert exact.correct(session) == exact.of(request) == 1_200
        assert counted < session.load <= 1_200
        assert exact.calls_left == 1 and [heard.path for heard in server.heard] == [PATHS[wire]]
        assert "some words" in json.dumps(server.heard[0].body)
        # What the provider does not say leaves the meter as it is; then no call is left.
        session.add({"role": "assistant", "content": "done"})
        load = session.load
        assert exact.correct(session) is None and session.load == load
        assert exact.correct(session) is None and len(server.heard) == 2


def test_a_model_that_cannot_count_says_nothing() -> None:
    with Loopback() as server, OpenAI("gpt-5", key="any", url=server.openai) as chat:
        assert ExactCount(chat).of({"messages": []}) is None
    with pytest.raises(BadInput, match="takes a model"):
        ExactCount("gpt-5")


def test_bedrock_counts_a_request_of_converse() -> None:
    with JudgingServer("bedrock", lambda body: []) as server:
        client = bedrock_client(server)
        with Stubber(client) as stub, Session(wire="bedrock", window=50_000) as session:
            session.add({"role": "user", "content": [{"text": "some words of a line " * 120}]})
            asked = session.request(system="Be brief.")
            wanted = {"modelId": "amazon.nova-pro-v1:0", "input": {"converse": asked}}
            stub.add_response("count_tokens", {"inputTokens": 1_300}, wanted)
            exact = ExactCount(Bedrock("amazon.nova-pro-v1:0", client=client))
            assert exact.correct(session) == 1_300
            stub.assert_no_pending_responses()
            assert exact.window() is None


def test_gemini_counts_contents_and_names_its_window() -> None:
    with JudgingServer("gemini", lambda body: []) as server:
        exact = ExactCount(Gemini("gemini-2.5-flash", client=gemini_client(server)))
        request = {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}
        server.refuse_next = (200, {"totalTokens": 77})
        assert exact.of(request) == 77 and server.heard[0]["contents"] == request["contents"]
        # Google's own API does not count a system prompt: to leave it out is not exact.
        assert exact.of(request | {"config": {"system_instruction": "Be brief."}}) is None
    known = genai.types.Model(name="gemini-2.5-flash", input_token_limit=1_048_576)
    client = type("Client", (), {"models": type("Models", (), {"get": lambda self, **_: known})()})
    assert ExactCount(Gemini("gemini-2.5-flash", client=client())).window() == 1_048_576


@proves("cache.prewarm")
@pytest.mark.parametrize("wire", ["anthropic", "openai-responses"])
def test_the_cache_is_filled_once_after_a_commit_and_only_when_asked(wire: str) -> None:
    now = [0.0]
    replies = {
        "anthropic": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-5",
            "content": [],
            "stop_reason": "max_tokens",
            "usage": {"input_tokens": 4, "output_tokens": 0, "cache_creation_input_tokens": 900},
        },
        "openai-responses": {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "model": "gpt-5.6",
            "output": [],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": {
                "input_tokens": 904,
                "output_tokens": 0,
                "total_tokens": 904,
                "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 900},
                "output_tokens_details": {"reasoning_tokens": 0},
            },
        },
    }
    with (
        Loopback(Garbage(json.dumps(replies[wire]))) as server,
        model_at(wire, server) as model,
        Session(wire=wire, window=4_000, cache="managed", clock=lambda: now[0]) as session,
    ):
        warm = Prewarm(model)
        session.add(*({"role": "user", "content": "Read on. " * 100} for _ in range(6)))
        assert warm.after_commit(session) is None and not server.heard
        assert session._parts.sending.sent_at is None
        session.compact()
        now[0] += 10_000
        assert warm.after_commit(session) == 900
        now[0] += 10_000
        assert warm.after_commit(session) is None and len(server.heard) == 1
        # It sent nothing: a cache that has expired must not be taken for a fresh one.
        assert session._parts.sending.sent_at == 10_000
        body = server.heard[0].body
        if wire == "anthropic":
            assert body["max_tokens"] == 0 and "cache_control" in json.dumps(body["messages"])
        else:
            assert body["prompt_cache_options"] == {"prewarm": True} and body["prompt_cache_key"]
        assert (
            body["messages" if wire == "anthropic" else "input"]
            == session.request()["messages" if wire == "anthropic" else "input"]
        )


@proves("cache.prewarm")
def test_a_loop_fills_the_cache_before_it_rests_if_it_is_told_to() -> None:
    reply = {"usage": {"input_tokens": 4, "cache_creation_input_tokens": 900}}
    with (
        Loopback(Garbage(json.dumps(reply))) as server,
        model_at("anthropic", server) as model,
        Session(wire="anthropic", window=8_000, cache="managed") as session,
    ):
        warm = Prewarm(model)
        script = Script("Read.", "Read it too.", "And that.", wire="anthropic")
        list(ReactLoop(script, after_run=warm.after_commit).run("Read on. " * 200, session))
        assert not server.heard and not session.log.commits
        list(ReactLoop(script).run("Read on. " * 2_000, session))
        assert session.log.commits and not server.heard
        list(ReactLoop(script, after_run=warm.after_commit).run("Read on.", session))
        assert len(server.heard) == 1
        assert server.heard[0].body["messages"] == session.request()["messages"]

        async def run_there() -> None:
            loop = ReactLoop(Script("Yes.", wire="anthropic"), after_run=warm.after_commit)
            async for _ in loop.astream("Read on. " * 2_000, session):
                pass

        asyncio.run(run_there())
        assert len(server.heard) == 2


@proves("cache.prewarm")
def test_a_cache_that_could_not_be_filled_is_not_taken_for_a_full_one() -> None:
    with (
        Loopback(Wrong(500)) as server,
        model_at("anthropic", server) as model,
        Session(wire="anthropic", window=4_000) as session,
    ):
        session.add(*({"role": "user", "content": "Read on. " * 100} for _ in range(6)))
        session.compact()
        assert Prewarm(model).after_commit(session) is None and server.heard
        assert session._parts.sending.sent_at is None


def test_the_options_of_a_model_ask_for_no_reply() -> None:
    options = {"max_tokens": 4_096, "thinking": {"type": "enabled", "budget_tokens": 1_024}}
    with (
        Loopback(Wrong(500)) as server,
        Anthropic("claude-opus-5", key="any", url=server.anthropic, options=options) as model,
    ):
        model.warm_cache({"messages": [{"role": "user", "content": "hi"}]})
        body = server.heard[0].body
        assert body["max_tokens"] == 0 and "thinking" not in body


def test_a_model_without_a_prewarm_says_nothing() -> None:
    with Loopback() as server, OpenAI("gpt-5", key="any", url=server.openai) as chat:
        assert chat.warm_cache({"messages": []}) is None and not server.heard
        assert chat.live_window() is None
    with pytest.raises(BadInput, match="takes a model"):
        Prewarm("gpt-5")


def test_anthropic_names_the_window_of_a_model() -> None:
    info = {
        "id": "claude-opus-5",
        "type": "model",
        "created_at": "2026-01-01T00:00:00Z",
        "display_name": "Opus",
        "lifecycle": "active",
        "max_input_tokens": 1_000_000,
    }
    with Anthropic("claude-opus-5", key="any", url="http://127.0.0.1:9") as model:
        answer = type("Info", (), info)()
        model._client.models.retrieve = lambda name, **_: answer
        assert ExactCount(model).window() == 1_000_000
