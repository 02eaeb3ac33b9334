"""A wrapped client, by the real SDKs against a real server: views go out, the rest is the SDK's."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic, BadRequestError
from hypothesis import strategies as st
from openai import AsyncOpenAI, Omit, OpenAI

import steno
from steno.adapters.resent import thread_table as bounds
from steno.adapters.resent.render import _move_patches
from steno.adapters.resent.thread import ResentThread
from steno.core.events import Billed
from steno.core.message import Result, Text
from steno.store.sqlite import SQLiteStore
from tests.support import legal, legal_responses
from tests.support.command_line import Run
from tests.support.loopback import Heard, Loopback, Say, Wrong
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.provider_replies import DIALECTS
from tests.support.sample_messages import anthropic_talk, openai_talk

Plain = dict[str, Any]
OPENAI, CLAUDE = "gpt-5", "claude-opus-5-5"
JUDGES = {
    "/v1/chat/completions": legal.openai_chat,
    "/v1/messages": legal.anthropic,
    "/v1/responses": legal_responses.openai_responses,
}


def sane(heard: Heard) -> Say:
    """Replies, and counts about what was sent."""
    return Say("noted", sent=len(heard.prompt) // 4)


@pytest.fixture
def server() -> Iterator[Loopback]:
    """Every request that it hears must be legal."""
    with Loopback(sane) as listening:
        yield listening
        for heard in listening.heard:
            assert JUDGES[heard.path](heard.body) == []


def sent(server: Loopback, at: int = -1) -> list[Plain]:
    body = server.heard[at].body
    return body["messages"] if "messages" in body else body["input"]


def openai(server: Loopback, **options: Any) -> OpenAI:
    return steno.wrap(OpenAI(api_key="any", base_url=server.openai, max_retries=0), **options)


def claude(server: Loopback, **options: Any) -> Anthropic:
    return steno.wrap(Anthropic(api_key="any", base_url=server.anthropic, max_retries=0), **options)


def say(client: Any, messages: list[Plain], **more: Any) -> Any:
    if isinstance(client, OpenAI | AsyncOpenAI):
        return client.chat.completions.create(model=OPENAI, messages=messages, **more)
    return client.messages.create(model=CLAUDE, max_tokens=100, messages=messages, **more)


def grown(talk: list[Plain]) -> Iterator[list[Plain]]:
    """The list of a caller who sends everything again, after each result."""
    return (talk[:end] for end in range(1, len(talk) + 1, 2))


def items(talk: list[Plain]) -> list[Plain]:
    """A chat as items of a response."""
    told: list[Plain] = []
    for message in talk:
        if message["role"] == "tool":
            call = {
                "type": "function_call_output",
                "call_id": message["tool_call_id"],
                "output": message["content"],
            }
            told.append(call)
            continue
        told.append({"role": message["role"], "content": message["content"]})
        for call in message.get("tool_calls", ()):
            told.append({"type": "function_call", "call_id": call["id"], **call["function"]})
    return told


def respond(client: OpenAI, messages: list[Plain]) -> Any:
    return client.responses.create(model=OPENAI, input=items(messages), store=False)


CALLERS: dict[str, tuple[Callable[..., Any], Callable[..., list[Plain]], Callable[..., Any]]] = {
    "chat": (openai, openai_talk, say),
    "messages": (claude, anthropic_talk, say),
    "responses": (openai, openai_talk, respond),
}


@pytest.mark.slow
@proves("wrap.views")
@pytest.mark.parametrize("caller", CALLERS)
def test_a_long_conversation_goes_out_within_its_window_and_is_kept_whole(
    server: Loopback, caller: str
) -> None:
    made, talk, ask = CALLERS[caller]
    told = talk(18)
    with made(server, window=1_500) as client:
        for messages in grown(told):
            ask(client, messages)
        found = steno.sessions(client)

    assert len(found.names) == 1
    assert any(isinstance(event, steno.events.Committed) for event in found.events)
    assert not any(isinstance(event, steno.events.Failed) for event in found.events)
    assert max(len(heard.prompt) for heard in server.heard) < 1_500 * 4.5
    assert found.newest.open(f"0-{len(told) - 1}")[:3] == (
        items(told)[:3] if caller == "responses" else told[:3]
    )


@pytest.mark.slow
@proves("cli.show")
@pytest.mark.parametrize("stream", [False, True])
def test_every_request_is_billed_as_the_proxy_bills_it(
    server: Loopback, run: Run, tmp_path: Path, stream: bool
) -> None:
    store, whole = tmp_path / "agent.db", openai_talk(18)
    more: Plain = {}
    if stream:
        more = {"stream": True, "stream_options": {"include_usage": True}}
    with openai(server, window=1_500, store=store) as client:
        for messages in grown(whole):
            answer = say(client, messages, **more)
            if stream:
                assert list(answer)
        events = [each for each in steno.sessions(client).events if isinstance(each, Billed)]
    [followed] = run("log", store, "--follow", "--json").json
    bill = followed["bill"]
    assert bill["requests"] == len(server.heard) == len(events)
    assert bill["usage"]["sent"] == sum(len(heard.prompt) // 4 for heard in server.heard)
    assert not bill["estimated"] and bill["spent"] > 0 and bill["spared"] > 0
    assert run("show", store, "--json").json["bill"] == bill
    printed = run("log", store, "--follow", wide=True).out
    assert printed.splitlines()[1].split()[-1] == str(bill["requests"])


@pytest.mark.slow
@proves("wrap.views")
@pytest.mark.parametrize("caller", CALLERS)
def test_between_commits_each_request_goes_on_from_the_last_text_for_text(
    server: Loopback, caller: str
) -> None:
    made, talk, ask = CALLERS[caller]
    with made(server, window=1_500) as client:
        same = 0
        for messages in grown(talk(18)):
            before = len(steno.sessions(client).newest.log.commits) if server.heard else 0
            ask(client, messages)
            if len(server.heard) > 1 and len(steno.sessions(client).newest.log.commits) == before:
                last, now = sent(server, -2), sent(server)
                assert now[: len(last)] == last
                same += before > 0
    assert same > 3


@proves("wrap.views")
def test_what_needs_no_edit_goes_out_as_it_came(server: Loopback) -> None:
    odd = [{"role": "user", "content": [{"type": "text", "text": "hi", "x-mine": 1e2}]}]
    with openai(server) as client:
        say(client, odd, n=2, store=True, metadata={"a": "b"}, tools=[_tool()])

    body = server.heard[0].body
    assert body == {
        "model": OPENAI,
        "messages": odd,
        "n": 2,
        "store": True,
        "metadata": {"a": "b"},
        "tools": [_tool()],
    }


@proves("indicator.shown")
@pytest.mark.parametrize("tools", [[], ["compress_context"]])
def test_an_agent_that_may_compact_is_told_how_full_its_context_is(
    server: Loopback, tools: list[str]
) -> None:
    talk = openai_talk(6)
    client = openai(server, window=8_000, policy="agent-controlled")
    offered = [{"type": "function", "function": {"name": name}} for name in tools]
    for listed in grown(talk):
        say(client, listed, **({"tools": offered} if offered else {}))
        line = sent(server)[-1]["content"]
        assert re.fullmatch(r"\[Context: [\d,]+ / 8,000 tokens \(\d+ %\)(; use .*)?\]", line)
        assert ("compress_context" in line) == bool(tools)
        assert sent(server)[:-1] == listed
    plain = openai(server, window=8_000)
    say(plain, talk)
    assert sent(server) == talk


def _tool() -> Plain:
    return {
        "type": "function",
        "function": {"name": "read_file", "parameters": {"type": "object", "properties": {}}},
    }


@proves("wrap.same")
def test_a_wrapped_client_is_of_the_clients_own_class_and_so_are_its_copies(
    server: Loopback,
) -> None:
    with openai(server, window=2_000) as client:
        other = client.with_options(timeout=5).copy(max_retries=1)
        for messages in grown(openai_talk(18)):
            say(other, messages)

        assert (
            type(client) is type(other) is OpenAI and other.timeout == 5 and other.max_retries == 1
        )
        assert steno.sessions(other) is steno.sessions(client)
        assert len(sent(server)) < 37


@pytest.mark.slow
@proves("wrap.same")
def test_raw_parsed_and_other_calls_are_the_sdks(server: Loopback) -> None:
    talk = openai_talk(40)
    with openai(server, window=3_000) as client:
        raw = client.chat.completions.with_raw_response.create(model=OPENAI, messages=talk)
        assert raw.parse().choices[0].message.content == "noted"
        assert (
            client.chat.completions.parse(model=OPENAI, messages=talk).choices[0].message.content
            == "noted"
        )
        with client.chat.completions.with_streaming_response.create(
            model=OPENAI, messages=talk
        ) as response:
            assert response.parse().choices[0].message.content == "noted"
        assert all(len(heard.body["messages"]) < len(talk) for heard in server.heard)
        assert client.base_url.host == "127.0.0.1" and client.files is not None


@pytest.mark.slow
@proves("wrap.same")
def test_a_stream_is_the_sdks_own_and_nothing_of_it_is_added(server: Loopback) -> None:
    chat, blocks = openai_talk(20), anthropic_talk(20)
    with openai(server, window=2_000) as client, claude(server, window=2_000) as other:
        words = "".join(
            chunk.choices[0].delta.content or ""
            for chunk in client.chat.completions.create(model=OPENAI, messages=chat, stream=True)
            if chunk.choices
        )
        with client.chat.completions.stream(model=OPENAI, messages=chat) as stream:
            whole = stream.get_final_completion().choices[0].message.content
        with client.responses.stream(model=OPENAI, input=items(chat)) as stream:
            text = stream.get_final_response().output_text
        with other.messages.stream(model=CLAUDE, max_tokens=100, messages=blocks) as stream:
            said = stream.get_final_text()
        logs = [len(steno.sessions(each).newest.log.messages) for each in (client, other)]

    assert words == whole == text == said == "noted"
    assert logs == [len(items(chat)), len(blocks)]


@pytest.mark.slow
@proves("session.async")
def test_on_an_event_loop_it_is_the_same(server: Loopback) -> None:
    async def talked(client: Any, talk: list[Plain]) -> int:
        async with client:
            for messages in grown(talk):
                reply = await say(client, messages)
            assert reply.usage
            return len(steno.sessions(client).newest.log.messages)

    async def both() -> list[int]:
        openai = AsyncOpenAI(api_key="any", base_url=server.openai)
        claude = AsyncAnthropic(api_key="any", base_url=server.anthropic)
        return await asyncio.gather(
            talked(steno.wrap(openai, window=2_000), openai_talk(18)),
            talked(steno.wrap(claude, window=2_000), anthropic_talk(18)),
        )

    assert asyncio.run(both()) == [37, 37]
    assert len(sent(server)) < 37


@proves("session.async")
def test_an_awaited_stream_is_the_sdks_own(server: Loopback) -> None:
    async def streamed() -> str:
        client = steno.wrap(AsyncAnthropic(api_key="any", base_url=server.anthropic), window=3_000)
        talk = anthropic_talk(40)
        async with (
            client,
            client.messages.stream(model=CLAUDE, max_tokens=9, messages=talk) as stream,
        ):
            return await stream.get_final_text()

    assert asyncio.run(streamed()) == "noted"
    assert len(sent(server)) < 81


def marked(messages: list[Plain]) -> list[Plain]:
    """With a cache mark on the newest message alone."""
    last = messages[-1]
    content = (
        last["content"]
        if isinstance(last["content"], list)
        else [{"type": "text", "text": last["content"]}]
    )
    block = content[-1] | {"cache_control": {"type": "ephemeral"}}
    return [*messages[:-1], last | {"content": [*content[:-1], block]}]


@pytest.mark.slow
@proves("wrap.found")
def test_a_cache_mark_that_moves_makes_no_new_session_and_never_piles_up(server: Loopback) -> None:
    with claude(server, window=4_000) as client:
        for messages in grown(anthropic_talk(80)):
            say(client, marked(messages))
        found = steno.sessions(client)
        assert len(found.names) == 1
        assert len(found.newest.log.messages) == 161

    assert all(heard.prompt.count("cache_control") <= 1 for heard in server.heard)
    assert sum(heard.prompt.count("cache_control") for heard in server.heard) == len(server.heard)


def reminded(messages: list[Plain], n: int) -> list[Plain]:
    """With a reminder that lives on the newest message alone."""
    last = messages[-1]
    content = (
        last["content"]
        if isinstance(last["content"], list)
        else [{"type": "text", "text": last["content"]}]
    )
    note = {"type": "text", "text": f"<system-reminder>{n} tokens are left.</system-reminder>"}
    return [*messages[:-1], last | {"content": [*content, note]}]


@pytest.mark.slow
@proves("wrap.found")
def test_a_reminder_on_the_newest_message_makes_no_new_session(server: Loopback) -> None:
    with claude(server, window=4_000, user="ann") as client:
        for n, messages in enumerate(grown(anthropic_talk(40))):
            say(client, reminded(messages, n))
            shown = [
                block
                for message in sent(server)
                for block in message["content"]
                if isinstance(block, dict)
            ]
            assert (
                sum(block.get("text", "").startswith("<system-reminder>") for block in shown) == 1
            )
        found = steno.sessions(client)

    assert len(found.names) == 1
    assert len(found.newest.log.messages) == 81


@pytest.mark.slow
@proves("wrap.found")
def test_the_system_prompt_may_say_the_time(server: Loopback) -> None:
    with openai(server, window=2_000) as client:
        for n, messages in enumerate(grown(openai_talk(20))):
            clock = {"role": "system", "content": f"It is {n} o'clock."}
            say(client, [clock, *messages, {"role": "developer", "content": f"Be brief, {n}."}])
            assert sent(server)[0] == clock and sent(server)[-1]["content"] == f"Be brief, {n}."
        found = steno.sessions(client)

    assert len(found.names) == 1
    assert len(found.newest.log.messages) == 41


@proves("wrap.found")
@pytest.mark.parametrize("head", [0, 1])
def test_a_caller_with_a_window_of_its_own_keeps_it_and_nothing_is_lost(
    server: Loopback, head: int
) -> None:
    talk = openai_talk(16)
    with openai(server, user="ann") as client:
        for messages in grown(talk):
            start = max(head, len(messages) - 10)
            say(client, messages[:head] + messages[start:])
            assert len(sent(server)) <= head + 12
        found = steno.sessions(client)
        assert len(found.names) == 1
        assert found.newest.open("0-32") == talk


@pytest.mark.slow
@proves("wrap.found")
def test_agents_with_the_same_opening_never_hear_each_other(server: Loopback) -> None:
    opening = [{"role": "user", "content": "You are one of five workers. Wait for your task."}]
    told = {
        name: [
            *opening,
            {"role": "user", "content": f"{name}: count."},
            *openai_talk(12, start=100 * n + 1),
        ]
        for n, name in enumerate(("ada", "bob", "cyd", "dan", "eve"))
    }
    with openai(server, window=1_200) as client:
        for end in range(1, 26, 2):
            for name, talk in told.items():
                say(client, talk[: end + 1])
                others = [other for other in told if other != name]
                assert not any(other in server.heard[-1].prompt for other in others)
                assert end == 1 or len(sent(server)) > 1
        found = steno.sessions(client)

    assert len(found.names) == 5
    assert sorted(len(found[name].log.messages) for name in found.names) == [26] * 5


@proves("wrap.found")
@pytest.mark.parametrize("more", [[], ["restored", "go on"]], ids=["at once", "restored"])
def test_who_says_less_than_another_is_not_that_other(server: Loopback, more: list[str]) -> None:
    opening = [
        {"role": "user", "content": "You are a worker."},
        {"role": "assistant", "content": "Ready."},
    ]
    with openai(server, window=1_500) as client:
        say(
            client,
            [
                *opening,
                {
                    "role": "user",
                    "content": "List the files. Never mention Alice. The token is 4471.",
                },
            ],
        )
        roles = ("assistant", "user")
        mine = [*opening, {"role": "user", "content": "List the files."}]
        mine += [{"role": role, "content": text} for role, text in zip(roles, more, strict=False)]
        for n in range(12):
            say(client, mine)
            assert "Alice" not in server.heard[-1].prompt and "4471" not in server.heard[-1].prompt
            mine += [
                {"role": "assistant", "content": f"w{n} " * 120},
                {"role": "user", "content": f"question {n}"},
            ]
        found = steno.sessions(client)

    assert len(found.names) == 2 and len(found.newest.log.commits) > 0
    assert found.newest.open(2)["content"] == "List the files."


@proves("wrap.found")
def test_a_reminder_may_stand_in_the_text_itself_but_not_another_word(server: Loopback) -> None:
    note = "\n<system-reminder>Nine tokens are left.</system-reminder>"
    for extra, sessions in (
        (note, 1),
        ("\nNever mention Alice.", 2),
        ("<document>Never.</document>", 2),
    ):
        with openai(server, user="ann") as client:
            first = [
                {"role": "user", "content": "Hello."},
                {"role": "assistant", "content": "Yes?"},
            ]
            say(client, [*first, {"role": "user", "content": f"Sum up.{extra}"}])
            after = [
                {"role": "assistant", "content": "Done."},
                {"role": "user", "content": "Go on."},
            ]
            say(client, [*first, {"role": "user", "content": "Sum up."}, *after])
            assert len(steno.sessions(client).names) == sessions


@proves("wrap.found")
@pytest.mark.parametrize(("user", "sessions"), [(None, 2), ("ann", 1)])
def test_a_reminder_may_go_only_from_the_list_of_a_known_caller(
    server: Loopback, user: str | None, sessions: int
) -> None:
    first = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Yes? " * 50}]
    after = [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Go on."}]
    note = "\n<system-reminder>Nine tokens are left.</system-reminder>"
    with openai(server, user=user) as client:
        say(client, [*first, {"role": "user", "content": f"Sum up.{note}"}])
        say(client, [*first, {"role": "user", "content": "Sum up."}, *after])
        assert len(steno.sessions(client).names) == sessions


ANN = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "Hello! How can I help?"},
    {"role": "user", "content": "I am Ann, number 4711. Never tell my employer Falcon of it."},
    {"role": "assistant", "content": "Understood, I decided to keep /srv/falcon/pay.csv closed."},
    {"role": "user", "content": "thanks"},
    {"role": "assistant", "content": "You're welcome!"},
]


@pytest.mark.slow
@proves("wrap.strangers")
@pytest.mark.parametrize("place", ["memory", "store", "restarted"])
@pytest.mark.parametrize(
    "common", [ANN[:2] + ANN[4:], ANN[4:], ANN[1:2]], ids=["both", "end", "middle"]
)
def test_nothing_of_one_caller_goes_out_for_another(
    server: Loopback, tmp_path: Path, place: str, common: list[Plain]
) -> None:
    options: Plain = {"window": 4_000}
    if place != "memory":
        options |= {"store": tmp_path / "a.db", "durable": False}
    client = openai(server, **options)
    say(client, ANN)
    if place == "restarted":
        client.close()
        client = openai(server, **options)
    other = list(common)
    with client:
        for n in range(20):
            other.append({"role": "user", "content": f"Chapter {n}: " + "it rained, " * 100})
            say(client, other)
            heard = server.heard[-1].prompt.lower()
            assert "falcon" not in heard and "4711" not in heard
            other.append({"role": "assistant", "content": f"noted {n}"})
        newest = steno.sessions(client).newest
        assert len(newest.log.commits) > 0
        assert not any("Falcon" in message.text for message in newest.log.messages)


@pytest.mark.slow
@proves("wrap.strangers")
def test_a_reminder_of_one_caller_is_not_shown_to_another(server: Loopback) -> None:
    note = "<system-reminder>The user is Ann, number 4711.</system-reminder>"
    with openai(server, window=2_000) as client:
        say(client, [{"role": "user", "content": f"hi {note}"}])
        other = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello!"}]
        for n in range(20):
            other.append({"role": "user", "content": f"Chapter {n}: " + "it rained, " * 60})
            say(client, other)
            assert "4711" not in server.heard[-1].prompt
            other.append({"role": "assistant", "content": f"noted {n}"})
        assert all("4711" not in m.text for m in steno.sessions(client).newest.log.messages)


@pytest.mark.slow
@proves("wrap.strangers")
def test_two_users_of_one_store_never_share_a_session(server: Loopback, tmp_path: Path) -> None:
    options: Plain = {"store": tmp_path / "a.db", "window": 2_000}
    with openai(server, user="ann", **options) as ann, openai(server, user="bob", **options) as bob:
        say(ann, ANN)
        mine = ANN[:2]
        for n in range(20):
            mine = [*mine, {"role": "user", "content": f"Chapter {n}: " + "it rained, " * 60}]
            say(bob, mine)
            assert "falcon" not in server.heard[-1].prompt.lower()
            mine = [*mine, {"role": "assistant", "content": f"noted {n}"}]
        session = steno.sessions(bob).newest
        assert session._parts.journal.user == "bob"
        assert not any("Falcon" in message.text for message in session.log.messages)


@proves("wrap.strangers")
def test_two_users_have_sessions_of_one_name(server: Loopback, tmp_path: Path) -> None:
    options: Plain = {"store": tmp_path / "a.db", "session": "support"}
    with openai(server, user="ann", **options) as ann, openai(server, user="bob", **options) as bob:
        say(ann, ANN)
        say(bob, ANN[:3])
        assert sent(server) == ANN[:3]
        assert steno.sessions(bob)["support"].name == "bob:support"
        assert not any(event.name.endswith("failed") for event in steno.sessions(bob).events)
    with openai(server, user="bob", **options) as bob:
        say(bob, ANN[:5])
        session = steno.sessions(bob)["support"]
        assert session.name == "bob:support" and len(session.log.messages) == 5
    with steno.Session(tmp_path / "a.db", name="ann:support", user="ann") as session:
        assert len(session.log.messages) == len(ANN)


@pytest.mark.slow
@proves("wrap.alone")
def test_calls_at_once_in_one_conversation_wait_for_each_other(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = ResentThread.messages_to_send

    def slowly(self: ResentThread, *given: Any) -> list[Any]:
        time.sleep(0.02)  # long enough for every other call to come between
        return shown(self, *given)

    monkeypatch.setattr(ResentThread, "messages_to_send", slowly)
    lists = list(grown(openai_talk(24)))
    with openai(server, window=1_500) as client, ThreadPoolExecutor(8) as pool:
        list(pool.map(partial(say, client), lists))
        failed = [
            event
            for event in steno.sessions(client).events
            if isinstance(event, steno.events.Failed)
        ]

    assert failed == []
    assert max(len(heard.body["messages"]) for heard in server.heard) < 40
    assert {heard.body["messages"][-1]["content"] for heard in server.heard} == {
        each[-1]["content"] for each in lists
    }


@proves("wrap.alone")
def test_what_failed_to_be_laid_and_is_too_long_is_laid_once_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failing = [True]
    shown = ResentThread.messages_to_send

    def fails_once(self: ResentThread, *given: Any) -> list[Any]:
        if failing.pop() if failing else False:
            raise OSError("no such luck")
        return shown(self, *given)

    def strict(heard: Heard) -> Say | Wrong:
        words = (
            "This model's maximum context length is 2000 tokens. "
            "However, your messages resulted in 9000 tokens."
        )
        return (
            sane(heard)
            if len(heard.body["messages"]) < 30
            else Wrong(400, words, code="context_length_exceeded")
        )

    monkeypatch.setattr(ResentThread, "messages_to_send", fails_once)
    with Loopback(strict) as server, openai(server, window=2_000) as client:
        assert say(client, openai_talk(60)).choices[0].message.content == "noted"
        assert len(server.heard) == 2 and len(sent(server)) < 30


@pytest.mark.slow
@proves("wrap.restart")
def test_a_name_that_looks_like_a_forks_is_a_name(server: Loopback, tmp_path: Path) -> None:
    lists = list(grown(openai_talk(12)))
    for some in (lists[:9], lists[9:]):
        with openai(
            server, window=800, session="a@3-abcdef", store=tmp_path / "agent.db"
        ) as client:
            for messages in some:
                say(client, messages)
            found = steno.sessions(client)
            assert found.names == ["a@3-abcdef"]
            assert (
                len(found.newest.log.messages) == len(some[-1])
                and len(found.newest.log.commits) > 0
            )
            say(client, [*lists[1][:-1], {"role": "user", "content": "Or otherwise."}])
            assert found.newest.name.startswith("a@3-abcdef@")


@proves("wrap.restart")
def test_a_caller_can_name_the_session_and_the_name_is_not_sent(
    server: Loopback,
) -> None:
    same = [{"role": "user", "content": "hello"}]
    with openai(server, session="all") as client:
        say(client, same)
        say(client, same, extra_headers={"steno-session": "mine", "x-else": "1"})
        found = steno.sessions(client)
        assert found.names == ["all", "mine"]
        assert found["mine"].open(0) == same[0]

    assert (
        "steno-session" not in server.heard[1].headers and server.heard[1].headers["x-else"] == "1"
    )


@proves("wrap.restart")
def test_a_list_without_a_name_never_joins_a_named_session(
    server: Loopback, tmp_path: Path
) -> None:
    talk = openai_talk(4)
    for start in (3, 5):  # the second time after a restart
        with openai(server, store=tmp_path / "agent.db") as client:
            say(client, talk[:start], extra_headers={"steno-session": "alice"})
            say(client, talk[: start + 2])
            found = steno.sessions(client)
            assert len(found.names) == 2 and found.newest.name != "alice"
            assert len(found["alice"].log.messages) == start


@proves("wrap.restart")
def test_a_session_named_like_a_fork_is_no_fork_of_that_name(
    server: Loopback, tmp_path: Path
) -> None:
    talk = openai_talk(4)
    for start in (3, 5):
        with openai(server, store=tmp_path / "agent.db") as client:
            say(client, talk[:start], extra_headers={"steno-session": "a@3-abcdef"})
            say(client, talk[: start + 2], extra_headers={"steno-session": "a"})
            assert sorted(steno.sessions(client).names) == ["a", "a@3-abcdef"]
            assert len(steno.sessions(client)["a@3-abcdef"].log.messages) == start


@proves("wrap.restart")
def test_a_changed_past_is_a_fork_and_no_copy(server: Loopback, tmp_path: Path) -> None:
    talk = openai_talk(10)
    other = [
        *talk[:15],
        {"role": "assistant", "content": "No, otherwise."},
        {"role": "user", "content": "Go on."},
    ]
    with openai(server, store=tmp_path / "agent.db", session="mine") as client:
        say(client, talk)
        say(client, other)
        assert sent(server) == other
        say(client, talk)
        assert sent(server) == talk
        found = steno.sessions(client)
        forked = [found[name] for name in found.names]

    with steno.Session(tmp_path / "agent.db", name="mine") as first:
        assert first.open("0-20") == talk
        kept = [first._parts.journal.store.session_info(session.name) for session in forked]
    assert [(info.parent, info.fork) for info in kept if info.parent] == [("mine", 15)]


@proves("wrap.restart")
def test_who_takes_back_the_last_words_is_heard_with_the_new_ones(server: Loopback) -> None:
    with claude(server) as client:
        for words in ("Which day is it?", "Which year is it?", "Which year was it?"):
            messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hi"}]
            messages.append({"role": "user", "content": words})
            say(client, messages)
            assert sent(server) == messages


@pytest.mark.slow
@proves("wrap.through")
@hit_rate(at_least=0.5, of="the past was changed, cut or marked", examples=40)
@given(
    st.lists(
        st.sampled_from(("on", "on", "mark", "remind", "slide", "change", "back", "other")),
        max_size=8,
    )
)
def test_without_pressure_what_goes_out_is_what_came_in(ways: list[str]) -> None:
    hit(set(ways) - {"on"})
    bodies: list[Plain] = []

    def answered(request: httpx2.Request) -> httpx2.Response:
        bodies.append(json.loads(request.content))
        return httpx2.Response(
            200, json=DIALECTS["/v1/messages"].whole(Say("ok", sent=500), CLAUDE)
        )

    callers = [anthropic_talk(2), anthropic_talk(2)]
    http = httpx2.Client(transport=httpx2.MockTransport(answered))
    with steno.wrap(Anthropic(api_key="any", base_url="http://local", http_client=http)) as client:
        for n, way in enumerate(ways):
            callers[0] = [*callers[0], *anthropic_talk(1, start=n + 10), _user(f"go on {n}")]
            messages = callers[0]
            if way == "other":
                callers.reverse()
            elif way == "slide":
                spoken = [
                    at for at, each in enumerate(messages) if isinstance(each["content"], str)
                ]
                callers[0] = messages = messages[spoken[len(spoken) // 2] :]
            elif way == "change":
                messages[-3]["content"][0]["text"] = f"otherwise {n}"
            elif way == "back":
                callers[0] = messages = messages[:-3] or messages
            shown = {"mark": marked, "remind": partial(reminded, n=n)}.get(way, list)(messages)
            client.messages.create(model=CLAUDE, max_tokens=9, messages=shown)
            assert bodies[-1]["messages"] == shown
        assert not any(
            isinstance(event, steno.events.Failed) for event in steno.sessions(client).events
        )


@pytest.mark.slow
@proves("wrap.restart")
@pytest.mark.parametrize("how", [lambda messages, n: messages, reminded], ids=["plain", "reminded"])
def test_after_a_restart_the_same_session_goes_on_with_the_same_edits(
    server: Loopback, tmp_path: Path, how: Callable[..., list[Plain]]
) -> None:
    talk = anthropic_talk(40)
    for n, messages in enumerate(grown(talk)):
        if n % 10 == 0:
            client = claude(
                server, window=3_000, store=tmp_path / "agent.db", durable=False, user="ann"
            )
            again = n > 0
        say(client, how(messages, n))
        if again and how is not reminded:
            last = sent(server, -2)
            assert len(steno.sessions(client).events) or sent(server)[: len(last)] == last
        again = False
        if n % 10 == 9 or len(messages) == len(talk):
            client.close()

    with steno.Session(tmp_path / "agent.db", user="ann") as kept:
        assert len(kept.log.messages) == 81
        assert len(kept.log.commits) > 1


@pytest.mark.slow
@proves("wrap.restart")
def test_two_processes_that_serve_one_caller_in_turns_say_nothing_twice(
    server: Loopback, tmp_path: Path
) -> None:
    told = {"window": 2_000, "store": tmp_path / "a.db", "durable": False}
    with claude(server, **told) as one, claude(server, **told) as other:
        for n, messages in enumerate(grown(anthropic_talk(30))):
            say((one, other)[n % 2], messages)

    with steno.Session(tmp_path / "a.db") as kept:
        assert kept.open("0-60") == anthropic_talk(30)


@proves("overflow.again")
@pytest.mark.parametrize("streamed", [False, True])
def test_a_request_that_the_provider_finds_too_long_is_compacted_and_sent_once_more(
    streamed: bool,
) -> None:
    long = Wrong(400, "prompt is too long: 9,000 tokens > 4,000 maximum", "invalid_request_error")
    talk = anthropic_talk(60)
    with Loopback(long, sane) as server:
        with claude(server, window=200_000) as client:
            if streamed:
                with client.messages.stream(model=CLAUDE, max_tokens=9, messages=talk) as stream:
                    assert stream.get_final_text() == "noted"
            else:
                assert say(client, talk).content[0].text == "noted"
        first, second = server.heard

    assert first.body["messages"] == talk
    assert len(second.prompt) < 4_000 * 4.5
    assert legal.anthropic(second.body) == []


@proves("overflow.again")
def test_a_second_refusal_and_every_other_error_are_the_callers() -> None:
    long = Wrong(400, "prompt is too long: 9,000 tokens > 4,000 maximum", "invalid_request_error")
    other = Wrong(400, "no such tool", "invalid_request_error")
    with Loopback(long, long, other) as server, claude(server, window=200_000) as client:
        for heard in (2, 3):
            with pytest.raises(BadRequestError):
                say(client, anthropic_talk(60), tools=[{"name": "run", "input_schema": {}}])
            assert len(server.heard) == heard


@proves("wrap.isolated")
def test_what_cannot_be_read_is_sent_as_it_is_and_an_event_says_so(
    server: Loopback, tmp_path: Path
) -> None:
    events: list[steno.Event] = []
    reference = [{"type": "item_reference", "id": "msg_1"}, {"role": "user", "content": "go on"}]
    with openai(server, on_event=events.append) as client:
        client.responses.create(model=OPENAI, input=reference)
        assert [type(event) for event in events] == [steno.events.Failed]
        assert "item_reference" in str(events[0]) and "go on" not in str(events[0])
        client.responses.create(model=OPENAI, input="more", previous_response_id="resp_1")
        assert (
            isinstance(events[1], steno.events.Skipped)
            and "previous_response_id" in events[1].reason
        )
    assert server.heard[0].body["input"] == reference
    assert server.heard[1].body["input"] == "more"
    server.heard.clear()


@proves("wrap.isolated")
def test_a_thread_that_anthropic_holds_is_left_alone(server: Loopback) -> None:
    """Its past is not here; a list that begins one is whole, and goes out as a view."""
    events: list[Any] = []
    ask: Any = {"model": CLAUDE, "max_tokens": 100}
    told, more = anthropic_talk(18), [{"role": "user", "content": "And now?"}]
    with claude(server, window=1_500, on_event=events.append) as client:
        client.beta.messages.create(messages=told, thread={"type": "create"}, **ask)
        session = steno.sessions(client).newest
        kept = len(session.log.messages)
        going_on: Any = {"type": "continue", "previous_message_id": "msg_1"}
        client.beta.messages.create(messages=more, thread=going_on, **ask)

    begun, gone_on = (heard.body for heard in server.heard)
    assert begun["thread"] == {"type": "create"} and len(begun["messages"]) < len(told) == kept
    assert gone_on["thread"] == going_on and gone_on["messages"] == more
    assert len(session.log.messages) == kept
    [skipped] = [event for event in events if isinstance(event, steno.events.Skipped)]
    assert "thread leaves the past with the provider" in skipped.reason


@proves("wrap.isolated")
def test_a_listener_that_raises_loses_no_call_and_failures_are_logged(
    server: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    def listener(event: steno.Event) -> None:
        raise RuntimeError("not now")

    with openai(server, window=800, on_event=listener) as client:
        for messages in grown(openai_talk(12)):
            say(client, messages)
        client.responses.create(model=OPENAI, input="more", previous_response_id="resp_1")
        client.responses.create(model=OPENAI, input=[{"type": "item_reference", "id": "msg_1"}])
        kinds = {type(event) for event in steno.sessions(client).events}

    assert {steno.events.Committed, steno.events.Skipped, steno.events.Failed} <= kinds
    assert "the whole list was sent" in caplog.text
    server.heard.clear()


@proves("wrap.isolated")
def test_a_message_that_says_nothing_goes_out_for_the_provider_to_judge(server: Loopback) -> None:
    empty = [{"role": "user"}]
    with openai(server) as client:
        say(client, empty)
        assert sent(server) == empty
        say(client, [*openai_talk(1), {"role": "user", "content": None}])
        assert sent(server)[-1] == {"role": "user", "content": None}
    server.heard.clear()


@proves("wrap.isolated")
def test_a_store_that_fails_costs_no_call(server: Loopback, tmp_path: Path) -> None:
    talk = openai_talk(20)
    with openai(server, store=tmp_path / "agent.db") as client:
        say(client, talk[:3])
        steno.sessions(client).newest._parts.journal.store.close()
        say(client, talk)

        assert sent(server) == talk
        assert isinstance(steno.sessions(client).events[-1], steno.events.Failed)


@proves("meter.usage")
def test_what_the_provider_counts_corrects_the_load() -> None:
    with (
        Loopback(lambda heard: Say("ok", sent=len(heard.prompt) // 2)) as server,
        openai(server) as client,
    ):
        for messages in grown(openai_talk(10)):
            say(client, messages)
        assert steno.sessions(client).newest.view.meter.ratio > 1.5


@proves("wrap.alone")
def test_what_is_held_in_memory_is_bounded(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "THREADS_MOST", 3)
    with openai(server) as client:
        for n in range(8):
            say(client, [{"role": "user", "content": f"conversation {n}"}])
        assert len(steno.sessions(client).names) == 3
        monkeypatch.setattr(bounds, "MESSAGES_MOST", 3)
        talk = [{"role": "user", "content": f"line {n}"} for n in range(3)]
        say(client, talk)
        assert len(steno.sessions(client).names) == 1


@proves("wrap.errors")
def test_what_cannot_be_wrapped_is_refused_with_what_can() -> None:
    with OpenAI(api_key="any", base_url="http://127.0.0.1:9/v1") as client:
        wrapped = steno.wrap(client)
        for wrong, words in (
            (lambda: steno.wrap(object()), "bedrock-runtime client, got object"),
            (lambda: steno.wrap(wrapped), "wrapped already"),
            (lambda: steno.sessions(client), "not wrapped"),
            (lambda: steno.sessions(wrapped).newest, "no request"),
            (
                lambda: wrapped.chat.completions.create(model="mine-1", messages=[_user("hi")]),
                "pass window=",
            ),
        ):
            with pytest.raises(steno.StenoError, match=words):
                wrong()


@proves("wrap.errors")
def test_a_misspelt_option_is_refused_with_the_nearest() -> None:
    with OpenAI(api_key="any", base_url="http://127.0.0.1:9/v1") as client:
        with pytest.raises(TypeError, match=r"wrap\(\) has no option 'polcy': .* 'policy'"):
            steno.wrap(client, polcy="deep")  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="has no option 'model'"):  # each call says its own
            steno.wrap(client, model="gpt-5")  # type: ignore[call-arg]
        with pytest.raises(steno.BadInput, match="window= takes"):
            steno.wrap(client, window="many")  # type: ignore[arg-type]


def _user(text: str) -> Any:
    return {"role": "user", "content": text}


@pytest.mark.slow
@proves("wrap.light")
def test_importing_steno_imports_no_sdk() -> None:
    program = (
        "import steno, sys; "
        "print([name for name in ('openai', 'anthropic', 'httpx2') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
@proves("constraints.head")
def test_constraints_stand_at_the_head_of_every_request(server: Loopback, tmp_path: Path) -> None:
    constraint = "Never write to the warehouse."
    given = {"window": 4_000, "store": tmp_path / "a.db", "constraints": [constraint]}
    client = openai(server, session="one", **given)
    prompt = {"role": "system", "content": "Be brief."}
    talk = openai_talk(turns=30)
    for messages in grown(talk):
        say(client, [prompt, *messages])
        heard = sent(server)
        assert heard[0] == prompt
        assert f"- {constraint} (c1)" in heard[1]["content"]
        assert str(heard).count(constraint) == 1
    session = steno.sessions(client)["one"]
    assert any(commit.why in ("soft", "hard") for commit in session.log.commits)
    assert not any(constraint in message.text for message in session.log.messages)
    session.retire_constraint("c1")
    say(client, [prompt, *talk])
    assert constraint not in str(sent(server))
    client.close()
    # A restarted program gives it again; a person's word still counts.
    client = openai(server, session="one", **given)
    say(client, [prompt, *talk])
    assert constraint not in str(sent(server))
    client.close()


@pytest.mark.slow
@proves("constraints.head")
def test_constraints_go_out_to_the_other_wires_too(server: Loopback) -> None:
    constraint = "Never write to the warehouse."
    other = claude(server, window=4_000, constraints=[constraint])
    for messages in grown(anthropic_talk(turns=20)):
        say(other, messages)
        assert constraint in str(sent(server)[0])
    client = openai(server, window=4_000, constraints=[constraint])
    client.responses.create(model=OPENAI, input="Read the plan.")
    assert constraint in str(sent(server)[0])


def test_blocks_that_say_the_same_are_each_patched_once() -> None:
    same = Result("call", (Text("long"),))
    short = (Result("call", (Text("short"),)),)
    moved = _move_patches([(0, short), (1, short)], [same, same], [same, same])
    assert [at for at, _ in moved] == [0, 1]
    # One of the two is gone.
    assert [at for at, _ in _move_patches([(0, short), (1, short)], [same, same], [same])] == [0]


@proves("wrap.strangers")
def test_a_caller_without_a_user_opens_no_session_of_a_user(
    server: Loopback, tmp_path: Path
) -> None:
    store = tmp_path / "a.db"
    with closing(SQLiteStore(store)) as earlier:
        # An earlier version stored the name alone.
        earlier.create("w", "openai", user="ann")
    with steno.Session(store, name="w", user="ann", wire="openai", window=2_000) as session:
        session.add(*ANN)
    with openai(server, store=store, session="w") as client:
        visitor = [{"role": "user", "content": "hi, what do you know?"}]
        say(client, visitor)
        assert sent(server) == visitor
        assert any(
            "belongs to another user" in str(event) for event in steno.sessions(client).events
        )
    with steno.Session(store, name="w", user="ann") as session:
        assert len(session.log.messages) == len(ANN)


@proves("wrap.strangers")
@pytest.mark.parametrize("header", [Omit(), None, "", " "], ids=["omit", "none", "empty", "blank"])
def test_a_header_that_says_nothing_names_no_session(server: Loopback, header: Any) -> None:
    start = [{"role": "user", "content": "start"}, {"role": "assistant", "content": "Hello! " * 40}]
    with openai(server, window=4_000) as client:
        for name in ("ANN-SECRET", "BERT"):
            note = f"<system-context>{name}</system-context> And now?"
            talk = [*start, {"role": "user", "content": note}]
            for number in range(12):
                say(client, talk, extra_headers={"steno-session": header})
                talk = [*talk, {"role": "assistant", "content": f"Part {number}. " * 60}]
                talk.append({"role": "user", "content": f"And part {number}? " * 20})
        assert all("ANN-SECRET" not in str(sent(server, -at)) for at in range(1, 13))


@proves("wrap.strangers")
def test_a_list_that_begins_with_a_summary_of_ours_is_compacted_all_the_same(
    server: Loopback,
) -> None:
    shown = steno.compact([*openai_talk(60), *openai_talk(20, start=60)], window=4_000).messages
    summary = next(message for message in shown if "<steno-" in str(message["content"]))
    talk = [{"role": "system", "content": "Be brief."}, summary]
    with openai(server, window=4_000) as client:
        for number in range(8):
            say(client, talk)
            talk = [*talk, {"role": "assistant", "content": f"Part {number}. " * 150}]
            talk.append({"role": "user", "content": f"And part {number}? " * 100})
        assert not any("StrangeWords" in str(event) for event in steno.sessions(client).events)
        assert steno.sessions(client).newest.log.commits
