"""Cache keys and marks: one key a session, marks where the next request begins alike."""

from __future__ import annotations

import json
from typing import Any

import pytest
from anthropic import Anthropic
from openai import OpenAI

import steno
from steno import Session
from steno.core.errors import BadInput
from steno.providers.cache_marks import with_cache_marks, with_moved_marks
from tests.support import legal
from tests.support.converse_server import bedrock_problems
from tests.support.loopback import Loopback, Say
from tests.support.promises import proves
from tests.support.sample_messages import anthropic_talk, bedrock_talk, openai_talk

Json = dict[str, Any]
MODELS = {"anthropic": "claude-opus-5", "bedrock": "anthropic.claude-opus-5-v1:0"}


def blocks_of(request: Json) -> list[Json]:
    """Return all blocks of a request in the order in which the provider reads them."""
    system = request.get("system") or []
    content = [message["content"] for message in request["messages"]]
    return [
        {"type": "text", "text": block} if isinstance(block, str) else block
        for part in [system, *content]
        for block in ([part] if isinstance(part, str) else part)
    ]


def marked_prefixes(request: Json) -> list[str]:
    """Return what the provider keeps: everything up to each mark, without the marks."""
    prefixes, before = [], ""
    for block in blocks_of(request):
        plain = {key: value for key, value in block.items() if key != "cache_control"}
        if "cachePoint" not in block:
            before += json.dumps(plain, sort_keys=True)
        if plain != block or "cachePoint" in block:
            prefixes.append(before)
    return prefixes


@proves("cache.marks")
@pytest.mark.parametrize("wire", ["anthropic", "bedrock"])
def test_every_request_begins_with_what_the_last_one_marked(wire: str) -> None:
    talk = anthropic_talk(16) if wire == "anthropic" else bedrock_talk(16)
    judge = {"anthropic": legal.anthropic, "bedrock": bedrock_problems}[wire]
    commits = 0
    with Session(wire=wire, model=MODELS[wire], window=2_500, cache="managed") as session:
        last: list[str] = []
        for message in talk:
            session.add(message)
            if session._parts.journal.has_open_call or message["role"] != "user":
                continue
            request = session.request(system="You work on a database. " * 20)
            marked = marked_prefixes(request)
            assert 1 < len(marked) <= 3 and list(judge(request)) == []
            # Also right after a commit: what no commit changes was marked before.
            assert not last or set(last) & set(marked)
            if len(session.log.commits) == commits:
                assert not last or any(each.startswith(last[-1]) for each in marked)
            commits = len(session.log.commits)
            last = marked
        assert commits >= 2


@proves("cache.marks")
def test_a_session_has_one_key_and_another_session_another() -> None:
    keys = []
    with Loopback(lambda heard: Say("noted")) as server:
        client = steno.wrap(
            OpenAI(api_key="any", base_url=server.openai, max_retries=0),
            window=1_000,
            cache="managed",
        )
        for start in (0, 40):
            talk: list[Any] = openai_talk(8, start=start)
            for stop in (1, len(talk) - 4, len(talk)):
                client.chat.completions.create(model="gpt-5", messages=talk[:stop])
            keys.append({heard.body["prompt_cache_key"] for heard in server.heard})
            server.heard.clear()
        client.chat.completions.create(model="gpt-5", messages=talk, prompt_cache_key="mine")
        client.close()
        assert server.heard[-1].body["prompt_cache_key"] == "mine"
    assert [len(each) for each in keys] == [1, 1] and keys[0] != keys[1]


@proves("cache.marks")
def test_a_wrapped_client_of_anthropic_sends_marks() -> None:
    with Loopback(lambda heard: Say("noted")) as server:
        client = steno.wrap(
            Anthropic(api_key="any", base_url=server.anthropic, max_retries=0),
            window=9_000,
            cache="managed",
        )
        talk: list[Any] = [{"role": "user", "content": "hi"}]
        client.messages.create(model="claude-opus-5", max_tokens=9, system="Hm.", messages=talk)
        client.close()
        assert len(marked_prefixes(server.heard[-1].body)) == 2


def mark(wire: str, request: Json, model: str = "") -> Json:
    """Return a request of one message or two with its marks."""
    named = model or MODELS[wire]
    return dict(with_cache_marks(wire, request, model=named, session="s", stable=1, end=2))


@proves("cache.marks")
def test_marks_inside_a_result_count_and_a_place_takes_one() -> None:
    text = {"type": "text", "text": "found", "cache_control": {"type": "ephemeral"}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [text]}
    held = {"type": "document", "source": {"type": "content", "content": [text]}}
    for block in (result, held):
        given = {"messages": [{"role": "user", "content": [block]}]}
        assert mark("anthropic", given) == given

    tools = [{"name": "read"}, {"name": "later", "defer_loading": True}]
    done = mark("anthropic", {"messages": anthropic_talk(1), "tools": tools})
    assert "cache_control" in done["tools"][0] and done["tools"][1] == tools[1]

    point = {"cachePoint": {"type": "default"}}
    said = [{"role": "user", "content": [{"text": "hi"}]}, {"role": "assistant", "content": []}]
    done = mark("bedrock", {"messages": said}, "arn:aws:bedrock:…/Anthropic.Claude-opus-5")
    assert done["messages"][0]["content"] == [{"text": "hi"}, point]
    empty = {"messages": [{"role": "user", "content": [{"text": ""}]}]}
    assert mark("bedrock", empty) == empty


@proves("cache.marks")
def test_a_reminder_at_the_end_takes_no_mark_and_a_callers_marks_are_enough() -> None:
    talk = anthropic_talk(3)
    reminder = {"role": "user", "content": "72 % of the context is used."}
    request = {"messages": [*talk, reminder], "tools": [{"name": "read"}]}
    done = with_cache_marks(
        "anthropic", request, model="claude-opus-5", session="s", stable=1, end=len(talk)
    )
    assert done["messages"][-1] == reminder and "cache_control" in done["tools"][0]
    assert len(marked_prefixes(dict(done))) == 2
    assert (
        with_cache_marks("anthropic", done, model="claude-opus-5", session="t", stable=1, end=2)
        is done
    )

    for wire, model in (("bedrock", "meta.llama4"), ("gemini", "gemini-3-pro")):
        plain = {"messages": bedrock_talk(1)}
        assert with_cache_marks(wire, plain, model=model, session="s", stable=1, end=1) is plain
    with pytest.raises(BadInput, match="cache= takes 'given' or 'managed', got 'yes'"):
        Session(window=2_000, cache="yes")  # type: ignore[arg-type]


@proves("cache.marks")
def test_a_mark_that_is_covered_stands_on_what_covers_it() -> None:
    hour = {"type": "ephemeral", "ttl": "1h"}
    talk: list[Any] = anthropic_talk(30)
    words = {"type": "text", "text": "Read this. " * 50, "cache_control": hour}
    talk[2]["content"].append(words)
    with Loopback(lambda heard: Say("noted")) as server:
        client = steno.wrap(
            Anthropic(api_key="any", base_url=server.anthropic, max_retries=0), window=3_000
        )
        client.messages.create(model="claude-opus-5", max_tokens=9, messages=talk[:3])
        client.messages.create(model="claude-opus-5", max_tokens=9, messages=talk)
        client.close()
        before, after = (heard.body for heard in server.heard)
    assert before["messages"] == talk[:3]
    marks = [block["cache_control"] for block in blocks_of(after) if "cache_control" in block]
    assert len(after["messages"]) < len(talk) and marks == [hour]
    assert legal.anthropic(after) == []

    given = bedrock_talk(2)
    given[0]["content"].append({"cachePoint": {"type": "default"}})
    summary = {"role": "user", "content": [{"text": "so far"}]}
    moved = with_moved_marks("bedrock", given, [summary, given[-1]])
    assert moved[0]["content"] == [{"text": "so far"}, {"cachePoint": {"type": "default"}}]
