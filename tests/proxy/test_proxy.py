"""The proxy between real SDKs and a real server: what goes up, what comes back, what is kept."""

from __future__ import annotations

import asyncio
import errno
import gzip
import json
import os
import re
import socket
import sys
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic import BadRequestError as AnthropicBadRequest
from openai import APIError, OpenAI

import steno
from steno.adapters.resent import sessions as resent
from steno.cli.proxy import EventPrinter, ProxyOptions
from steno.core.errors import BadInput
from steno.providers.bill import RequestBill
from steno.proxy import replies
from steno.proxy.conversations import REPLY_KIND, Conversations
from steno.proxy.receipts import Receipt, Receipts
from steno.proxy.run import RunningProxy
from steno.proxy.server import Proxy, ProxySettings
from steno.proxy.surfaces import SURFACES
from steno.proxy.upstreams import read_upstreams
from steno.rungs import Arrive
from steno.session.options import SessionOptions
from steno.telemetry import Telemetry
from tests.support import legal, legal_responses
from tests.support.command_line import Run
from tests.support.loopback import Broken, Garbage, Half, Heard, Loopback, Say, Wrong
from tests.support.sample_messages import anthropic_talk, openai_talk

pytestmark = pytest.mark.slow  # a server and a client in most tests

Plain = dict[str, Any]
CLAUDE, GPT = "claude-opus-5-5", "gpt-5"
WINDOW = 4_000


def sane(heard: Heard) -> Say:
    return Say("noted", sent=len(heard.prompt) // 4)


@dataclass
class Between:
    """A proxy in front of a loopback provider."""

    provider: Loopback
    running: RunningProxy
    events: list[Any]
    open: ExitStack

    @property
    def address(self) -> str:
        return f"{self.running.address}/secret"

    @property
    def proxy(self) -> Proxy:
        return self.running.proxy

    @cached_property
    def http(self) -> httpx2.Client:
        return self.open.enter_context(httpx2.Client(timeout=60))

    @cached_property
    def claude(self) -> Anthropic:
        client = Anthropic(api_key="sk-claude", base_url=self.address, max_retries=0)
        return self.open.enter_context(client)

    @cached_property
    def openai(self) -> OpenAI:
        client = OpenAI(api_key="sk-gpt", base_url=f"{self.address}/v1", max_retries=0)
        return self.open.enter_context(client)

    def settled(self) -> dict[str, Any]:
        """The figures, once everything that passed is kept."""
        deadline = time.monotonic() + 60
        while self.proxy.busy and time.monotonic() < deadline:
            time.sleep(0.005)
        return self.proxy.stats()


@contextmanager
def between(
    *replies: Any,
    store: Path | None = None,
    receipts: Path | None = None,
    settings: Plain | None = None,
    recall: bool | None = False,
    compacts: bool = False,
    arrive: Arrive | None = None,
    own: dict[str, SessionOptions] | None = None,
    unused: int = 0,
    telemetry: Telemetry | None = None,
    **options: Any,
) -> Iterator[Between]:
    events: list[Any] = []
    chosen = SessionOptions(**{"window": WINDOW, "on_event": events.append} | options)
    with Loopback(*(replies or (sane,))) as provider:
        upstreams = read_upstreams([provider.anthropic], {})
        told = ProxySettings(upstreams, **{"token": "secret"} | (settings or {}))
        conversations = Conversations(
            store,
            chosen,
            recall=recall,
            compacts=compacts,
            arrive=arrive,
            own=own,
            unused=unused,
        )
        proxy = Proxy(told, conversations, Receipts(receipts), telemetry)
        with RunningProxy(proxy) as running, ExitStack() as open:
            yield Between(provider, running, events, open)


def ask_claude(client: Any, talk: list[Plain], **more: Any) -> Any:
    return client.messages.create(model=CLAUDE, max_tokens=100, messages=talk, **more)


def ask_chat(client: Any, talk: list[Plain], **more: Any) -> Any:
    return client.chat.completions.create(model=GPT, messages=talk, **more)


def grown(talk: list[Plain]) -> Iterator[list[Plain]]:
    return (talk[:end] for end in range(1, len(talk) + 1, 2))


@pytest.mark.slow
@pytest.mark.parametrize("surface", ["messages", "chat", "responses"])
def test_a_conversation_that_outgrows_its_window_goes_on(surface: str) -> None:
    with between() as there:
        if surface == "messages":
            talk, judge = anthropic_talk(24), legal.anthropic
            for said in grown(talk):
                ask_claude(there.claude, said)
        else:
            talk, judge = openai_talk(24), legal.openai_chat
            if surface == "responses":
                judge = legal_responses.openai_responses
            for said in grown(talk):
                if surface == "chat":
                    ask_chat(there.openai, said)
                else:
                    there.openai.responses.create(model=GPT, input=as_items(said), store=False)
        assert len(json.dumps(talk)) // 4 > WINDOW * 0.8
        for heard in there.provider.heard:
            assert len(heard.prompt) // 4 < WINDOW
            assert judge(heard.body) == []
        assert talk[0]["content"] in there.provider.heard[-1].prompt
        assert there.settled()["passed_unchanged"] == 0


def as_items(talk: list[Plain]) -> list[Plain]:
    items: list[Plain] = []
    for message in talk:
        if message["role"] == "tool":
            items.append(
                {
                    "type": "function_call_output",
                    "call_id": message["tool_call_id"],
                    "output": message["content"],
                }
            )
            continue
        items.append({"role": message["role"], "content": message["content"]})
        for call in message.get("tool_calls", ()):
            items.append({"type": "function_call", "call_id": call["id"], **call["function"]})
    return items


ODD_BODY = (
    b'{ "model":"claude-opus-5-5",  "max_tokens":10,"unknown":{"b":1,"a":[1.50,1e3]},'
    b'"messages":[ {"content":"h\\u00e9llo", "role":"user", "extra":[ ]} ],'
    b'"metadata":{"n":123456789012345678901234567890}}'
)


def test_without_pressure_the_bytes_that_go_up_are_those_that_came() -> None:
    with between() as there:
        headers = {"x-api-key": "k", "anthropic-version": "2023-06-01", "anthropic-beta": "a,b"}
        answer = there.http.post(f"{there.address}/v1/messages", content=ODD_BODY, headers=headers)
        heard = there.provider.heard[-1]
        assert answer.status_code == 200
        assert heard.raw == ODD_BODY
        assert heard.headers["x-api-key"] == "k"
        assert heard.headers["anthropic-beta"] == "a,b"


def test_a_request_carries_no_header_that_its_client_did_not_send() -> None:
    body = {"messages": [{"role": "user", "content": "hi"}]}
    with between(Wrong(400, "no", headers={"set-cookie": "who=ann; Path=/"}), sane) as there:
        there.http.post(f"{there.address}/v1/messages", json=body)
        with socket.create_connection(("127.0.0.1", there.running.port)) as other:
            text = json.dumps(body)
            head = f"POST /secret/v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: {len(text)}"
            other.sendall(f"{head}\r\nconnection: close\r\n\r\n{text}".encode())
            while other.recv(65536):
                pass
        wanted = {"host", "content-length", "accept-encoding", "steno-proxy"}
        assert set(there.provider.heard[-1].headers) == wanted


def test_the_name_in_an_upstreams_address_is_sent_unless_the_caller_sends_one() -> None:
    with between() as there:
        url = there.provider.anthropic.replace("://", "://ann:pw%21@")
        there.proxy.settings = replace(there.proxy.settings, upstreams=read_upstreams([url], {}))
        for headers in ({"x-api-key": "k"}, {"authorization": "Bearer own"}):
            there.http.post(f"{there.address}/v1/messages", content=ODD_BODY, headers=headers)
        sent = [heard.headers["authorization"] for heard in there.provider.heard]
        assert sent == [f"Basic {b64encode(b'ann:pw!').decode()}", "Bearer own"]
        assert there.http.request("TRACE", f"{there.address}/v1/models").status_code == 405
        assert len(there.provider.heard) == 2


def test_a_reply_that_unpacks_to_more_than_is_read_stops_being_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replies, "READ_MOST", 1_000)
    packed = gzip.compress(b"a" * 100_000)
    assert len(replies.read_json(packed, {"content-encoding": "gzip"})) <= 1_001
    reader = replies.ReplyReader(SURFACES[0], {"content-encoding": "gzip"})
    reader.feed(packed)
    assert reader.finish() == replies.Reply()


@pytest.mark.slow
def test_a_constraint_given_to_the_proxy_stands_in_what_it_sends() -> None:
    constraint = "Never write to the warehouse."
    with between(constraints=[constraint]) as there:
        for turns in (1, 60):
            ask_claude(there.claude, anthropic_talk(turns)[:-1])
            assert constraint in json.dumps(there.provider.heard[-1].body["messages"][0])


def test_under_pressure_all_other_fields_keep_their_bytes() -> None:
    with between() as there:
        talk = anthropic_talk(60)
        raw = (
            b'{"model":"claude-opus-5-5","max_tokens":10,"odd":[1.50, 1e3],"messages":'
            + json.dumps(talk).encode()
            + b',"n":12345678901234567890123}'
        )
        there.http.post(f"{there.address}/v1/messages", content=raw)
        heard = there.provider.heard[-1].raw
        assert len(heard) < len(raw)
        assert b'"odd":[1.50, 1e3]' in heard
        assert heard.endswith(b',"n":12345678901234567890123}')
        # The newest messages are the client's own bytes, blanks and all.
        assert heard.count(json.dumps(talk[-1]).encode()) == 1


def raw_reply(http: httpx2.Client, url: str, body: Plain) -> tuple[int, bytes, bool]:
    """What a client gets, up to where the connection ends, and whether it broke off."""
    kept = b""
    broke = False
    with http.stream("POST", url, json=body) as answer:
        try:
            for chunk in answer.iter_raw():
                kept += chunk
        except httpx2.TransportError:
            broke = True
        return answer.status_code, kept, broke


REPLIES: dict[str, Callable[[], Any]] = {
    "whole": lambda: Say("all of it", calls=(("look", {"at": "é"}),), thinking="hm"),
    "half": lambda: Half(),
    "half, quietly": lambda: Half(quietly=True),
    "garbage": lambda: Garbage(),
    "page": lambda: Garbage("<html>", "text/html"),
    "refused": lambda: Wrong(400, "no such tool"),
    "busy": lambda: Wrong(529, "overloaded", headers={"retry-after": "3"}),
    "error in the stream": lambda: Wrong(200, "overloaded", in_stream=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions", "/v1/responses"])
def test_a_client_gets_what_it_would_have_got_directly(path: str) -> None:
    key = "input" if path.endswith("responses") else "messages"
    cases = [(name, streamed) for name in REPLIES for streamed in (False, True)]
    cases.remove(("error in the stream", False))
    replies = [REPLIES[name]() for name, _ in cases for _ in ("direct", "through")]
    with between(*replies) as there:
        for name, streamed in cases:
            body: Plain = {"model": CLAUDE, "max_tokens": 9, "stream": streamed}
            body[key] = [{"role": "user", "content": "go on"}]
            direct = raw_reply(there.http, there.provider.anthropic + path, body)
            through = raw_reply(there.http, there.address + path, body)
            breaks = name == "half" or (name == "half, quietly" and not streamed)
            assert through[0] == direct[0], name
            assert through[2] == direct[2] == breaks, name
            if breaks:
                # A reset may overtake the bytes before it.
                assert through[1].startswith(direct[1]) or direct[1].startswith(through[1])
            else:
                assert through[1] == direct[1], name


@pytest.mark.parametrize("after_headers", [False, True])
def test_an_upstream_that_breaks_off_is_an_error_for_the_client(after_headers: bool) -> None:
    with between(Broken(after_headers=after_headers)) as there, pytest.raises(APIError):
        ask_chat(there.openai, [{"role": "user", "content": "go"}])


@pytest.mark.slow
def test_an_upstream_that_is_not_there_is_a_502_that_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = ProxySettings(read_upstreams(["http://ann:secret@127.0.0.1:9"], {}))
    options = ProxyOptions(window=WINDOW).session_options(EventPrinter())
    proxy = Proxy(settings, Conversations(None, options))
    with RunningProxy(proxy) as running:
        for path in ("/v1/messages", "/v1/messages", "/v1/models"):
            answer = httpx2.post(f"{running.address}{path}", json={"messages": []})
            assert answer.status_code == 502
            message = answer.json()["error"]["message"]
            assert message.startswith("http://127.0.0.1:9 cannot be reached: ")
    # On stderr it is said once.
    assert capsys.readouterr().err == f"steno: {message}; --upstream URL sets another\n"


def test_a_stop_before_the_start_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    async def stop(sockets: list[socket.socket]) -> None:
        raise KeyboardInterrupt

    settings = ProxySettings(read_upstreams(["http://127.0.0.1:9"], {}))
    running = RunningProxy(Proxy(settings, Conversations(None, SessionOptions(window=WINDOW))))
    monkeypatch.setattr(running._server, "serve", stop)
    with pytest.raises(KeyboardInterrupt):
        running.run()
    assert running._socket.fileno() == -1


@pytest.mark.slow
def test_streams_and_tools_through_both_sdks() -> None:
    reply = Say("let me look", calls=(("look", {"path": "a.py"}),))
    with between(lambda heard: reply) as there:
        with there.claude.messages.stream(
            model=CLAUDE, max_tokens=9, messages=[{"role": "user", "content": "look"}]
        ) as stream:
            message = stream.get_final_message()
        chunks = list(ask_chat(there.openai, [{"role": "user", "content": "look"}], stream=True))
        there.settled()
        assert message.content[-1].input == {"path": "a.py"}
        assert any(chunk.choices and chunk.choices[0].delta.tool_calls for chunk in chunks)


@pytest.mark.slow
def test_async_clients_at_the_same_time_keep_their_conversations_apart() -> None:
    async def talk(client: Any, who: str) -> None:
        said: list[Plain] = []
        for turn in range(4):
            said.append({"role": "user", "content": f"{who} says {turn}"})
            answer = await ask_claude(client, list(said))
            said.append({"role": "assistant", "content": answer.content[0].text})

    async def everybody(address: str) -> None:
        client = AsyncAnthropic(api_key="k", base_url=address, max_retries=0)
        await asyncio.gather(*(talk(client, f"caller {at}") for at in range(12)))
        await client.close()

    with between() as there:
        asyncio.run(everybody(there.address))
        for heard in there.provider.heard:
            callers = {text.partition(" says")[0] for text in user_texts(heard)}
            assert len(callers) == 1
        assert there.settled()["requests"] == 48


def user_texts(heard: Heard) -> list[str]:
    return [one["content"] for one in heard.body["messages"] if one["role"] == "user"]


def test_a_request_that_was_too_long_is_compacted_and_sent_once_more() -> None:
    def strict(heard: Heard) -> Any:
        if len(heard.prompt) // 4 > 3_000:
            return Wrong(400, f"prompt is too long: {len(heard.prompt) // 4} tokens > 3000 maximum")
        return Say("noted", sent=len(heard.prompt) // 4)

    with between(strict, window=200_000) as there:
        answer = ask_claude(there.claude, anthropic_talk(60))
        assert answer.content[0].text == "noted"
        assert [len(heard.prompt) // 4 > 3_000 for heard in there.provider.heard] == [True, False]


def test_other_refusals_reach_the_client_as_they_are() -> None:
    with between(Wrong(400, "tools.0.name: too odd")) as there:
        with pytest.raises(AnthropicBadRequest, match="too odd"):
            ask_claude(there.claude, [{"role": "user", "content": "go"}])
        assert len(there.provider.heard) == 1


def test_replies_are_kept_before_the_client_sends_them_back(tmp_path: Path) -> None:
    with between(Say("the last word"), store=tmp_path / "agent.db") as there:
        raw = there.claude.messages.with_raw_response.create(
            model=CLAUDE, max_tokens=9, messages=[{"role": "user", "content": "and?"}]
        )
        name = raw.headers["steno-session"]
        there.settled()
    session = steno.Session(tmp_path / "agent.db", name=name, window=WINDOW)
    [(_, kept)] = session._parts.journal.records.of(REPLY_KIND)
    assert kept["whole"] is True
    assert kept["messages"][0]["content"][0]["text"] == "the last word"
    assert session.log.messages[0].text == "and?"


@pytest.mark.slow
def test_a_conversation_is_found_again_after_a_restart(tmp_path: Path) -> None:
    talk = anthropic_talk(40)
    names = set()
    for part in (talk[:41], talk):
        with between(store=tmp_path / "agent.db") as there:
            raw = there.claude.messages.with_raw_response.create(
                model=CLAUDE, max_tokens=9, messages=part
            )
            names.add(raw.headers["steno-session"])
    assert len(names) == 1


def test_a_header_names_session_and_user_and_goes_no_further() -> None:
    with between() as there:
        told = {"steno-session": "mine", "steno-user": "ann"}
        said = [{"role": "user", "content": "hello"}]
        raw = there.claude.messages.with_raw_response.create(
            model=CLAUDE, max_tokens=9, messages=said, extra_headers=told
        )
        assert raw.headers["steno-session"] == "ann:mine"
        assert not {"steno-session", "steno-user"} & there.provider.heard[-1].headers.keys()
        # The same words of another user are another session.
        other = there.claude.messages.with_raw_response.create(
            model=CLAUDE, max_tokens=9, messages=said, extra_headers={"steno-user": "bob"}
        )
        assert other.headers["steno-session"] != "ann:mine"


@pytest.mark.parametrize("owner", ["", "ann"])
def test_people_behind_one_proxy_who_name_nobody_share_nothing(owner: str) -> None:
    def session_of(client: OpenAI, talk: list[Plain]) -> str:
        asked = client.chat.completions.with_raw_response.create(model=GPT, messages=talk)
        return str(asked.headers["steno-session"])

    end = [
        {"role": "user", "content": "thanks"},
        {"role": "assistant", "content": "You're welcome!"},
        {"role": "user", "content": "bye"},
    ]
    secret = {"role": "user", "content": "I am patient 4711. Never tell Falcon Corp."}
    chapters = [{"role": "user", "content": f"{n}: " + "it rained, " * 400} for n in range(9)]
    with between(settings={"user": owner}, recall=True) as there:
        one = session_of(there.openai, [secret, {"role": "assistant", "content": "Sure."}, *end])
        other = session_of(there.openai, [*end, *chapters])
        sessions = there.proxy._conversations.sessions_of(owner)
        if owner:
            # One person's: the list lost its beginning to a window of its client's own.
            assert one == other
            return
        assert one != other
        assert "Falcon" not in json.dumps(there.provider.heard[-1].body)
        everywhere = {"name": "recall", "arguments": {"query": "patient", "where": "user"}}
        assert "no user" in str(sessions[other].handle(everywhere))


def test_a_fault_of_our_own_costs_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any, **named: Any) -> Any:
        raise RuntimeError("planted")

    with between() as there:
        monkeypatch.setattr(resent.ListSessions, "checkout", broken)
        talk = anthropic_talk(3)
        raw = there.claude.messages.with_raw_response.create(
            model=CLAUDE, max_tokens=9, messages=talk
        )
        assert raw.parse().content[0].text == "noted"
        assert "RuntimeError" in raw.headers["steno-passed"]
        assert there.provider.heard[-1].body["messages"] == talk
        assert any("RuntimeError" in getattr(event, "reason", "") for event in there.events)
        assert there.settled()["passed_unchanged"] == 1


def test_secrets_are_taken_out_of_what_is_kept_and_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-ant-api03-" + "a1B2" * 20
    said = [{"role": "user", "content": f"use {key} for it"}]
    with between(Say(f"I use {key}"), sane, store=tmp_path / "agent.db", redact=True) as there:
        ask_claude(there.claude, said)
        assert key not in there.provider.heard[-1].prompt
        there.settled()
        # Also where Steno itself fails.
        monkeypatch.setattr(resent.ListSessions, "checkout", None)
        ask_claude(there.claude, said)
        assert key not in there.provider.heard[-1].prompt
    for file in tmp_path.iterdir():
        assert key.encode() not in file.read_bytes()


@pytest.mark.slow
def test_keys_are_kept_nowhere(tmp_path: Path) -> None:
    with between(store=tmp_path / "agent.db", receipts=tmp_path / "receipts") as there:
        ask_claude(there.claude, [{"role": "user", "content": "hello"}])
        ask_chat(there.openai, [{"role": "user", "content": "hello"}])
        there.settled()
    for file in tmp_path.iterdir():
        text = file.read_bytes()
        assert b"sk-claude" not in text and b"sk-gpt" not in text


def test_only_who_has_the_token_is_served() -> None:
    with between() as there:
        for path in ("/v1/messages", "/wrong/v1/messages", "/stats", "/metrics", "//v1/messages"):
            answer = there.http.post(there.running.address + path, json={"messages": []})
            assert answer.status_code == 401, path
        assert there.provider.heard == []
        assert there.http.get(f"{there.running.address}/health").json() == {"ok": True}
        assert "steno_proxy_requests 0" in there.http.get(f"{there.address}/metrics").text


def test_other_paths_pass_untouched() -> None:
    with between() as there:
        body = b'{"model": "m",  "messages": []}'
        answer = there.http.post(
            f"{there.address}/v1/messages/count_tokens?beta=true", content=body
        )
        assert answer.status_code == 404
        assert "/v1/messages/count_tokens?beta=true" in answer.text
        assert there.http.get(f"{there.address}/v1/models").status_code == 501


def test_a_client_that_wants_a_websocket_is_told_to_use_http() -> None:
    with between() as there:
        wanted = {"connection": "Upgrade", "upgrade": "websocket"}
        answer = there.http.get(f"{there.address}/v1/responses", headers=wanted)
        assert answer.status_code == 426
        assert "HTTP only" in answer.text


BAD_BODIES = (
    b"",
    b"not json",
    b"[1]",
    b"\xff\xfe",
    b'{"messages": 3}',
    b'{"messages": "x"}',
    b'{"messages":[{]}',
    b'{"messages":[3]}',
    b'{"messages":[{"role":7}]}',
    b'{"messages":[{"role":"user"}],"tools":8,"system":{"a":1}}',
    b'{"model":[],"messages":[{"role":"user","content":"x"}]}',
)


def test_a_body_that_is_too_long_or_no_json() -> None:
    with between(settings={"body_most": 1_000}) as there:
        long = there.http.post(f"{there.address}/v1/messages", content=b"x" * 2_000)
        assert long.status_code == 413
        for raw in BAD_BODIES:
            answer = there.http.post(f"{there.address}/v1/messages", content=raw)
            passed = answer.headers.get("steno-passed", "")
            assert not re.fullmatch(r"\w*Error", passed)
            assert there.provider.heard[-1].raw == raw


def test_half_of_a_surrogate_pair_is_repaired_and_the_request_managed() -> None:
    raw = b'{"model":"gpt-5","messages":[{"role":"user","content":"cut \\ud83d, \\\\ud83d"}]}'
    with between() as there:
        answer = there.http.post(f"{there.address}/v1/chat/completions", content=raw)
        assert "steno-passed" not in answer.headers and "steno-session" in answer.headers
        heard = json.loads(there.provider.heard[-1].raw)
        assert heard["messages"][0]["content"] == "cut \ufffd, \\ud83d"


def test_a_client_that_leaves_ends_the_stream_upstream_and_its_part_is_kept() -> None:
    long = Say("word " * 8_000, pause=0.005)
    with between(long) as there:
        body = {
            "model": CLAUDE,
            "max_tokens": 9,
            "stream": True,
            "messages": [{"role": "user", "content": "go"}],
        }
        with there.http.stream("POST", f"{there.address}/v1/messages", json=body) as answer:
            next(answer.iter_raw())
        deadline = time.monotonic() + 60
        while not there.provider.left and time.monotonic() < deadline:
            time.sleep(0.01)
        assert there.provider.left == 1
        assert there.settled()["running"] == 0


@pytest.mark.slow
def test_receipts_say_what_was_sent_again(tmp_path: Path) -> None:
    path = tmp_path / "receipts"
    with between(receipts=path) as there:
        for said in grown(anthropic_talk(24)):
            ask_claude(there.claude, said)
            there.settled()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == len(there.provider.heard)
    assert all(line["spent"] > 0 and line["can_open"] >= line["messages"] for line in lines)
    assert lines[-1]["spared"] > 0 and lines[-1]["saved"] > 0 and lines[-1]["hidden"] > 0
    assert lines[0]["spared"] == lines[0]["hidden"] == 0
    # A line rewrites messages only when a compaction made it so.
    assert 0 < sum(line["rewritten"] > 0 for line in lines) <= 8


def test_a_receipt_that_was_cut_off_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "receipts"
    receipt = Receipt("s", 200, came=1, went=1, messages=1, bill=RequestBill())
    Receipts(path).add(receipt)
    with path.open("ab") as file:
        file.write(b'{"at": 1, "sess')
    receipts = Receipts(path)
    receipts.add(receipt)
    receipts.add(receipt)

    first, torn, *later = path.read_text().splitlines()
    assert torn == '{"at": 1, "sess'
    assert [json.loads(line)["session"] for line in (first, *later)] == ["s"] * 3


def test_a_full_disk_does_not_stop_the_proxy_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "receipts"
    path.write_bytes(b'{"at": 1, "sess')

    def full(file: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    receipts = Receipts(path)
    with pytest.raises(OSError, match="No space"):
        receipts.add(Receipt("s", 200, came=1, went=1, messages=1, bill=RequestBill()))
    assert receipts.totals["requests"] == 1


def test_a_proxy_whose_upstream_is_itself_says_so() -> None:
    settings = ProxySettings(read_upstreams(["http://127.0.0.1:1"], {}))
    proxy = Proxy(settings, Conversations(None, SessionOptions(window=WINDOW)))
    running = RunningProxy(proxy)
    proxy.settings = replace(proxy.settings, upstreams=read_upstreams([running.address], {}))
    with running:
        answer = httpx2.post(f"{running.address}/v1/messages", json={"messages": []})
    assert answer.status_code == 508


def test_a_proxy_may_stand_behind_another() -> None:
    talk = [{"role": "user", "content": "hi"}]
    with between() as outer:
        settings = ProxySettings(read_upstreams([outer.address], {}))
        inner = Proxy(settings, Conversations(None, SessionOptions(window=WINDOW)))
        with RunningProxy(inner) as running:
            body = {"model": CLAUDE, "max_tokens": 9, "messages": talk}
            answer = httpx2.post(f"{running.address}/v1/messages", json=body)
        assert answer.status_code == 200
        [heard] = outer.provider.heard
        assert heard.headers["steno-proxy"] == f"{inner.name},{outer.proxy.name}"


def test_a_refused_request_is_not_counted_as_shown() -> None:
    totals = Receipts()
    for status in (200, 429):
        bill = RequestBill(shown=100)
        totals.add(Receipt("s", status, came=1, went=1, messages=1, bill=bill))
    assert (totals.totals["tokens_shown"], totals.totals["failed"]) == (100, 1)


@pytest.mark.parametrize(
    ("given", "path", "provider", "model", "url"),
    [
        ((), "/v1/messages", "anthropic", "", "https://api.anthropic.com/v1/messages"),
        ((), "/v1/responses", "openai", "", "https://api.openai.com/v1/responses"),
        (("http://h/v1/",), "/v1/models", "openai", "", "http://h/v1/models"),
        (
            ("openai=http://h",),
            "/v1/messages",
            "anthropic",
            "",
            "https://api.anthropic.com/v1/messages",
        ),
        (("model:gpt-*=http://h",), "/v1/responses", "openai", "gpt-5", "http://h/v1/responses"),
        (
            ("model:gpt-*=http://h",),
            "/v1/responses",
            "openai",
            "o3",
            "https://api.openai.com/v1/responses",
        ),
        (("/groq=http://h/openai/v1",), "/groq/v1/chat", "openai", "", "http://h/openai/v1/chat"),
    ],
)
def test_where_a_request_goes(
    given: tuple[str, ...], path: str, provider: str, model: str, url: str
) -> None:
    assert read_upstreams(given, {}).choose(path, provider, model) == url


def test_the_variables_of_the_sdks_say_where_a_request_goes() -> None:
    found = read_upstreams((), {"OPENAI_BASE_URL": "http://there/v1"})
    assert found.choose("/v1/models", "openai", "") == "http://there/v1/models"


@pytest.mark.parametrize("given", ["ftp://x", "nothing", "mistral=http://x", "openai="])
def test_a_wrong_upstream_is_refused(given: str) -> None:
    with pytest.raises(BadInput):
        read_upstreams([given], {})


@pytest.mark.slow
def test_many_streams_at_once() -> None:
    reply = Say("word " * 40)
    with between(lambda heard: reply) as there:

        def one(at: int) -> str:
            with there.claude.messages.stream(
                model=CLAUDE, max_tokens=9, messages=[{"role": "user", "content": f"n {at}"}]
            ) as stream:
                return stream.get_final_text()

        with ThreadPoolExecutor(16) as pool:
            texts = list(pool.map(one, range(32)))
        assert set(texts) == {reply.text}
        assert there.settled()["requests"] == 32


@pytest.mark.slow
def test_what_a_provider_would_refuse_is_not_mended_without_pressure() -> None:
    with between() as there:
        body = (
            b'{"model":"claude-opus-5-5","messages":[{"role":"user","content":[{"type":'
            b'"tool_result","tool_use_id":"gone","content":"orphan"}]}]}'
        )
        there.http.post(f"{there.address}/v1/messages", content=body)
        assert there.provider.heard[-1].raw == body


def test_a_large_result_stays_whole_without_pressure() -> None:
    with between(window=1_000_000) as there:
        talk = [
            {"role": "user", "content": "read it"},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t1", "name": "read", "input": {}}],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": "a line\n" * 30_000}
                ],
            },
        ]
        ask_claude(there.claude, talk)
        assert there.provider.heard[-1].body["messages"] == talk


SECRET = "sk-ant-api03-" + "a1B2" * 20


def test_what_cannot_be_read_is_not_sent_where_secrets_are_taken_out() -> None:
    twice = (
        b'{"messages":[{"role":"user","content":"%b"}],"messages":[{"role":"user","content":"hi"}]}'
    )
    said = b'{"model":"claude-opus-5-5","messages":[{"role":"user","content":"%b"}]}'
    with between(redact=True) as there:
        for path in ("/v1/messages", "/v1/messages/count_tokens", "/v1/embeddings"):
            for raw in (
                twice % SECRET.encode(),
                (said % SECRET.encode()).decode().encode("utf-16"),
                b"\xff" + said % SECRET.encode(),
                said % (SECRET.encode() + b"\\ud800"),
                b'{"metadata":{"k":"%b"},"messages":[]}' % SECRET.encode(),
            ):
                there.http.post(there.address + path, content=raw)
        for query in (f"{SECRET}=1", f"q={SECRET}&key=own%2Dkey", "alt=sse&x=%41"):
            there.http.post(f"{there.address}/v1/messages?{query}", content=said % b"hi")
        for path in (SECRET, SECRET.replace("sk", "s%6B"), f"models/{SECRET}:run"):
            answer = there.http.post(f"{there.address}/v1/{path}", content=b"{}")
            assert "redacted" in answer.text and SECRET[2:] not in unquote(answer.text)
        answer = there.http.post(f"{there.address}/v1/a%2Fb/models:x", content=b"{}")
        assert "/v1/a%2Fb/models:x" in answer.text
        for heard in there.provider.heard:
            assert SECRET.encode() not in heard.raw
            assert SECRET not in heard.query
        assert there.provider.heard[-2].query.endswith("&key=own-key")
        assert there.provider.heard[-1].query == "alt=sse&x=%41"


@pytest.mark.parametrize(
    "path", ["/../../admin", "/%2e%2e/admin", "/..%2fadmin", "/a/%252e%252e/b"]
)
def test_a_path_that_climbs_is_refused(path: str) -> None:
    with (
        between() as there,
        socket.create_connection(("127.0.0.1", there.running.port)) as connection,
    ):
        # By hand: a client would tidy the path.
        connection.sendall(f"GET /secret{path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert b" 400 " in connection.recv(200)


@pytest.mark.parametrize("header", ["steno-user", "steno-session"])
def test_a_request_that_names_two_callers_is_refused(header: str) -> None:
    with between() as there:
        # A gateway that adds a header does not take a client's own one out.
        named = [(header, "mallory"), (header, "ann")]
        address = f"{there.running.address}/secret/v1/chat/completions"
        answer = httpx2.post(address, json={"messages": []}, headers=named)
        assert answer.status_code == 400 and f"{header} is given more than once" in answer.text
        assert there.provider.heard == []


def test_odd_names_long_bodies_and_deep_json_get_an_answer() -> None:
    with between() as there:
        asked = (
            f"POST /secret/v1/x?{'q' * 66_000} HTTP/1.1\r\nHost: x\r\ncontent-length: 2\r\n\r\n{{}}"
        )
        with socket.create_connection(("127.0.0.1", there.running.port)) as connection:
            connection.sendall(asked.encode())
            assert b" 414 " in connection.recv(200)
        url = f"{there.address}/v1/messages"
        odd = there.http.post(url, headers={"steno-session": b"\xff\xfe"}, json={})
        assert odd.status_code == 400
        deep = b'{"messages":' + b"[" * 20_000 + b"]" * 20_000 + b"}"
        there.http.post(url, content=deep)
        assert there.provider.heard[-1].raw == deep
        with socket.create_connection(("127.0.0.1", there.running.port)) as connection:
            head = (
                "POST /secret/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 70000000\r\n\r\n"
            )
            connection.sendall(head.encode())
            assert b" 413 " in connection.recv(200)


def test_a_file_that_is_no_store_is_refused_at_the_start_and_keeps_its_rights(
    tmp_path: Path, run: Run
) -> None:
    notes = tmp_path / "notes.jsonl"
    notes.write_text('{"role": "user"}')
    notes.chmod(0o644)
    ran = run("wrap", "--store", str(notes), "python3", "-c", "")
    assert ran.code == 2
    assert "notes.jsonl" in ran.err
    assert notes.stat().st_mode & 0o777 == 0o644


def test_small_pieces_leave_at_once_while_the_server_runs() -> None:
    """asyncio turns Nagle's delay of 40 ms off only for sockets that say they are TCP."""
    usual = sys.getswitchinterval()
    # A server of an earlier test may be stopping, with the short interval still set.
    sys.setswitchinterval(0.005)
    with between() as there:
        assert there.running._socket.proto == socket.IPPROTO_TCP
        assert sys.getswitchinterval() < 0.005
    assert sys.getswitchinterval() == pytest.approx(0.005)
    sys.setswitchinterval(usual)


def test_a_proxy_is_busy_until_the_reply_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = []
    finish = Proxy.finish

    def noted(proxy: Proxy, *words: Any) -> None:
        busy.append(proxy.busy)
        finish(proxy, *words)
        busy.append(proxy.busy)

    monkeypatch.setattr(Proxy, "finish", noted)
    with between() as there:
        ask_claude(there.claude, [{"role": "user", "content": "hello"}])
        there.settled()
    assert busy == [True, True]


@pytest.mark.slow
@pytest.mark.parametrize("differs", [False, True])
def test_a_shadow_run_compares_the_next_action_with_a_floor(differs: bool) -> None:
    """The whole list is sent twice; what came of it is counted, and no client sees it."""

    def brain(heard: Heard) -> Say:
        whole = len(heard.prompt) > WINDOW * 4
        path = "a.py" if whole and differs else "b.py"
        return Say(calls=(("look", {"path": path}),), sent=len(heard.prompt) // 4)

    with between(brain, settings={"shadow": 1}) as there:
        ask_claude(there.claude, [{"role": "user", "content": "small"}])
        assert there.settled()["shadow_runs"] == 0
        ask_claude(there.claude, anthropic_talk(60))
        stats = there.settled()
        assert len(there.provider.heard) == 4
        assert stats["shadow_runs"] == stats["shadow_floor"] == 1
        assert stats["shadow_same"] == (not differs)


@pytest.mark.slow
def test_a_shadow_run_is_only_of_a_view_and_only_counts_answers() -> None:
    def brain(heard: Heard) -> Say | Wrong:
        if len(heard.prompt) > WINDOW * 4:
            return Wrong(400, "prompt is too long")
        return Say("noted", sent=len(heard.prompt) // 4)

    with between(brain, settings={"shadow": 1}, recall=True) as there:
        ask_claude(there.claude, [{"role": "user", "content": "small"}])
        there.settled()
        # The tool was offered, and no message differs.
        assert len(there.provider.heard) == 1
        ask_claude(there.claude, anthropic_talk(60))
        assert there.settled()["shadow_runs"] == 0
        # The view, and the whole list, which was refused and is not sent again.
        assert len(there.provider.heard) == 3


def test_a_port_that_cannot_be_is_refused_in_one_sentence() -> None:
    with pytest.raises(BadInput, match="there is no port 99999: the last is 65535"):
        RunningProxy(None, port=99_999)  # type: ignore[arg-type]


def test_a_window_smaller_than_the_tools_is_said_once_and_less_is_sent() -> None:
    tools = [{"name": f"t{n}", "description": "word " * 100, "input_schema": {}} for n in range(60)]
    with between() as it:
        talk: list[Any] = []
        for turn in range(12):
            talk.append({"role": "user", "content": f"{turn}: " + "say more " * 400})
            body = {"model": CLAUDE, "max_tokens": 9, "messages": talk, "tools": tools}
            it.claude.post("/v1/messages", body=body, cast_to=object)
            talk.append({"role": "assistant", "content": "noted"})
        sizes = [len(heard.prompt) // 4 for heard in it.provider.heard]
        it.settled()
    assert max(sizes) < WINDOW
    [said] = [event.reason for event in it.events if event.name.endswith("failed")]
    assert re.search(r"tools \d,\d{3}, instructions 0, messages \d+\)", said)


def test_tools_that_come_as_an_item_are_counted() -> None:
    tools = [{"type": "function", "name": f"t{n}", "parameters": {"n": n}} for n in range(200)]
    head = {"type": "additional_tools", "role": "developer", "tools": tools}
    with between(window=32_000) as it:
        it.openai.responses.create(model=GPT, input=[head, {"role": "user", "content": "go"}])
        assert it.settled()["tokens_shown"] > 1_000
