"""What leaves the proxy for a caller is made of that caller's own words, named or sent."""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest

from steno.store.names import UNNAMED
from tests.proxy.test_proxy import Between, Plain, ask_chat, between
from tests.support.loopback import Say

pytestmark = pytest.mark.slow

HI = [{"role": "user", "content": "hi"}]
ADDED = [
    *HI,
    {"role": "assistant", "content": "Hello!"},
    {"role": "user", "content": "My locker code is swordfish-4711."},
]
LOOKS_BACK = Say(calls=(("recall", {"query": "locker code"}),))


def test_recall_reads_no_words_that_another_caller_added_meanwhile() -> None:
    """Two callers begin alike; one adds words while the other's answer is under way."""
    there: Between

    def answer(heard: Any) -> Say:
        if "Another caller" in heard.prompt:
            return Say("Noted.")
        if len(there.provider.heard) == 1:
            ask_chat(there.openai, [*ADDED, {"role": "user", "content": "Another caller speaks."}])
            return LOOKS_BACK
        return Say("That is all.")

    with between(answer, recall=True) as there:
        ask_chat(there.openai, HI)
        last = there.provider.heard[-1].prompt
        assert "recall" in last and "swordfish" not in last


def test_a_hidden_call_goes_back_to_no_other_caller() -> None:
    private = Say(calls=(("recall", {"query": "notes on Ann Meyer"}),))
    replies = iter([private, Say("Hello!"), Say("Hello!"), Say("Fine.")])
    with between(lambda heard: next(replies), recall=True) as there:
        ask_chat(there.openai, HI)
        ask_chat(there.openai, HI)
        ask_chat(there.openai, [*HI, {"role": "assistant", "content": "Hello!"}, *HI])
        assert "Ann Meyer" not in there.provider.heard[-1].prompt


def test_a_canned_greeting_joins_no_two_customers() -> None:
    greeting = {"role": "assistant", "content": "Welcome to the bank. How can I help you? " * 8}
    start = [{"role": "user", "content": "start"}, greeting]
    ann = {"role": "user", "content": "<system-context>IBAN DE99-ANN</system-context> Balance?"}
    bert = {"role": "user", "content": "<system-context>IBAN DE00-BERT</system-context> Balance?"}
    with between(window=4_000) as there:
        ask_chat(there.openai, [*start, ann])
        talk: list[Plain] = [*start, bert]
        for number in range(15):
            talk.append({"role": "assistant", "content": f"Answer {number}. " * 60})
            talk.append({"role": "user", "content": f"And part {number}? " * 20})
            ask_chat(there.openai, talk)
        sent = [heard.prompt for heard in there.provider.heard[1:]]
        assert any("<steno-" in prompt for prompt in sent)
        assert not any("DE99-ANN" in prompt for prompt in sent)


def test_a_name_that_looks_like_a_number_of_ours_is_a_name() -> None:
    named = {"extra_headers": {"steno-session": "order-202611170807"}}
    with between() as there:
        ask_chat(there.openai, HI, **named)
        ask_chat(there.openai, ADDED)
        sessions = there.running.proxy._conversations.sessions_of("")
        assert len(sessions.names) == 2
        assert len(sessions["order-202611170807"].log.messages) == 1


def test_no_caller_takes_a_name_of_an_unnamed_session() -> None:
    with between() as there:
        ask_chat(there.openai, HI)
        sessions = there.running.proxy._conversations.sessions_of("")
        [unnamed] = sessions.names
        assert unnamed.startswith(UNNAMED)
        ask_chat(there.openai, ADDED, extra_headers={"steno-session": unnamed})
        assert len(sessions.names) == 2
        assert len(sessions.newest.log.messages) == len(ADDED)


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/stats", {"Host": "evil.example"}, 403),
        ("/stats", {"Host": "127.0.0.1:80", "Origin": "http://evil.example"}, 403),
        ("/stats", {"Host": "evil.example@127.0.0.1"}, 403),
        ("/stats", {"Host": "127.0.0.1#evil.example"}, 403),
        ("/stats", {"Host": "127.0.0.1", "Origin": "ftp://127.0.0.1"}, 403),
        ("/stats", {"Host": "127.0.0.1", "Origin": "http://evil@127.0.0.1"}, 403),
        ("@evil.example/v1/models", {}, 400),
        ("/stats", {"Host": "localhost:8787", "Origin": "http://127.0.0.1:3000"}, 200),
    ],
)
def test_without_a_token_only_this_machine_is_served(
    path: str, headers: dict[str, str], status: int
) -> None:
    with between(settings={"token": ""}) as there:
        connection = http.client.HTTPConnection("127.0.0.1", there.running.port, timeout=10)
        connection.putrequest("GET", path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == status, body
        assert status == 200 or "error" in json.loads(body)
        connection.close()
