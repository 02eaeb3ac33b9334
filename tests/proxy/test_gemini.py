"""Gemini through the proxy, with Google's own client against a loopback provider."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from google import genai
from google.genai import types

from tests.proxy.test_proxy import Between, Plain, between
from tests.support.converse_server import gemini_problems
from tests.support.loopback import Heard, Say, Wrong
from tests.support.sample_messages import gemini_talk

pytestmark = pytest.mark.slow

MODEL = "gemini-2.5-pro"
TOOLS: list[Any] = [
    {"functionDeclarations": [{"name": "look", "description": "look", "parameters": None}]}
]
RECALLS = Say("wait ", calls=(("recall", {"positions": "0"}),), thinking="what was asked?", said=10)


def sane(heard: Heard) -> Say:
    return Say("noted", sent=len(heard.prompt) // 4)


@contextmanager
def client_of(there: Between) -> Iterator[genai.Client]:
    options = types.HttpOptions(base_url=there.address)
    with genai.Client(api_key="AIza-key", http_options=options) as client:
        yield client


def signed_talk(turns: int) -> list[Plain]:
    talk = gemini_talk(turns)
    for content in talk:
        for part in content["parts"]:
            if "functionCall" in part:
                part["thoughtSignature"] = "c2lnbmVk"
    return talk


def ask(client: genai.Client, talk: list[Plain], streamed: bool, **config: Any) -> Plain:
    """Ask with the SDK; return the reply's parts, and what it counts."""
    asked: Any = {"model": MODEL, "contents": talk, "config": config}
    if streamed:
        answers = list(client.models.generate_content_stream(**asked))
    else:
        answers = [client.models.generate_content(**asked)]
    parts: list[Plain] = []
    for answer in answers:
        for candidate in answer.candidates or ():
            assert candidate.content is not None
            for part in candidate.content.parts or ():
                parts.append(part.model_dump(exclude_none=True))
    last = answers[-1]
    assert last.usage_metadata is not None and last.candidates is not None
    text = "".join(part.get("text", "") for part in parts if not part.get("thought"))
    calls = [part["function_call"]["name"] for part in parts if "function_call" in part]
    said = last.usage_metadata.candidates_token_count
    return {"text": text, "calls": calls, "said": said, "stop": last.candidates[0].finish_reason}


@pytest.mark.parametrize("streamed", [False, True])
def test_a_conversation_that_outgrows_its_window_goes_on(streamed: bool) -> None:
    with between(sane) as there, client_of(there) as client:
        whole = signed_talk(40)
        ends = [at for at, content in enumerate(whole, 1) if content["role"] == "user"]
        for end in ends:
            assert ask(client, whole[:end], streamed)["text"] == "noted"
        sizes = [len(heard.prompt) // 4 for heard in there.provider.heard]
        assert max(sizes) < 4_000 < len(json.dumps(whole)) // 4
        for heard in there.provider.heard:
            assert heard.headers["x-goog-api-key"] == "AIza-key"
            assert list(gemini_problems(heard.body)) == []
        # What fits goes up as it came.
        assert there.provider.heard[0].body["contents"] == whole[: ends[0]]
        stats = there.settled()
        assert stats["requests"] == len(ends) and stats["passed_unchanged"] == 0
        assert stats["tokens_billed"] == sum(sizes)


def test_a_batch_that_was_interrupted_goes_up_in_one_content() -> None:
    talk: list[Plain] = [{"role": "user", "parts": [{"text": "go"}]}]
    with between(sane) as there:
        for turn in range(12):
            calls: list[Plain] = [{"functionCall": {"name": "read", "args": {}}} for _ in "ab"]
            calls[0]["thoughtSignature"] = "c2ln"
            response = {"name": "read", "response": {"result": f"line {turn}\n" * 90}}
            results: list[Plain] = [{"functionResponse": response}] * 2
            talk.append({"role": "model", "parts": calls})
            talk.append({"role": "user", "parts": results[turn % 3 == 1 :]})
            talk.append({"role": "user", "parts": [{"text": f"Stopped. Go on with {turn}."}]})
            path = f"{there.address}/v1beta/models/{MODEL}:generateContent"
            assert there.http.post(path, json={"contents": talk}).status_code == 200
        heard = [one.body["contents"] for one in there.provider.heard]
        # Until it is compacted a list goes up as it came, for the provider to judge.
        short = [sent for at, sent in enumerate(heard, 1) if sent != talk[: 1 + 3 * at]]
        assert len(short) > 6
        assert any("interrupted" in json.dumps(sent) for sent in short)
        for sent in short:
            assert list(gemini_problems({"contents": sent})) == []


def test_a_request_that_is_refused_as_too_long_is_sent_shorter() -> None:
    refusal = "The input token count (9000) exceeds the maximum number of tokens allowed (2000)."
    with between(Wrong(400, refusal), Say("noted")) as there, client_of(there) as client:
        assert ask(client, signed_talk(20), True)["text"] == "noted"
        first, second = there.provider.heard
        assert len(second.raw) < len(first.raw)
        assert list(gemini_problems(second.body)) == []


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("tools", [TOOLS, []])
def test_a_call_of_recall_is_answered_and_the_client_does_not_see_it(
    streamed: bool, tools: list[Any]
) -> None:
    talk: list[Plain] = [{"role": "user", "parts": [{"text": "the word is xylophone"}]}]
    found = Say("it is xylophone", said=7, number=2)
    given = {"recall": True, "settings": {"user": "ann"}}
    with between(RECALLS, found, found, **given) as there, client_of(there) as client:
        got = ask(client, talk, streamed, tools=tools)
        first, second = there.provider.heard
        assert got["text"] == "wait it is xylophone"
        assert (got["calls"], got["said"], got["stop"]) == ([], 17, "STOP")
        [tool] = first.body["tools"]
        names = [one["name"] for one in next(iter(tool.values()))]
        assert names == [*(["look"] if tools else []), "recall"]
        assert second.prompt.count("xylophone") == 2
        assert list(gemini_problems(second.body)) == []
        # Sent back by its client, the reply stands upstream as the model said it.
        said = {"role": "model", "parts": [{"text": got["text"]}]}
        thanks = {"role": "user", "parts": [{"text": "thanks"}]}
        ask(client, [*talk, said, thanks], streamed, tools=tools)
        third = there.provider.heard[-1]
        assert third.prompt.startswith(second.prompt[:-1])


@pytest.mark.parametrize(
    "more",
    [
        {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}},
        {"generationConfig": {"responseSchema": {"type": "STRING"}}},
        {"generationConfig": {"candidateCount": 2}},
        {"tools": [{"googleSearch": {}}]},
        {"tools": [{"functionDeclarations": [{"name": "recall"}]}]},
    ],
)
def test_recall_is_not_offered_where_it_could_do_harm(more: Plain) -> None:
    with between(sane, recall=True) as there:
        body = {"contents": [{"parts": [{"text": "hello"}]}], **more}
        path = f"{there.address}/v1beta/models/{MODEL}:generateContent"
        assert there.http.post(path, json=body).status_code == 200
        assert there.provider.heard[0].body == body


def test_a_stream_that_is_one_list_is_not_offered_recall() -> None:
    with between(sane, recall=True) as there:
        body = {"contents": [{"parts": [{"text": "hello"}]}]}
        there.http.post(f"{there.address}/v1beta/models/{MODEL}:streamGenerateContent", json=body)
        assert there.provider.heard[0].body == body


def test_other_paths_go_to_gemini_too() -> None:
    with between(sane) as there:
        answer = there.http.post(
            f"{there.address}/v1beta/models/{MODEL}:countTokens?key=AIza", json={"contents": []}
        )
        assert isinstance(answer, httpx2.Response)
        # The loopback knows no such path; that it says so shows that it was asked.
        assert (answer.status_code, ":countTokens" in answer.text) == (404, True)
