"""`POST /fit`: a list in, a list that fits out, for programs in any language."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import msgspec
import pytest

from steno.adapters.resent.thread import StrangeWords
from steno.proxy.fit import FitRequest
from tests.adapters.test_fit import CONSTRAINT, openai_turn
from tests.proxy.test_proxy import Between, Plain, between
from tests.support import legal
from tests.support.promises import proves

WINDOW = 8_000


def post(there: Between, body: Any, **headers: str) -> httpx2.Response:
    url = f"{there.running.address}/secret/fit"
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.post(url, content=json.dumps(body), headers=named, timeout=60)


@pytest.mark.slow
@proves("fit.story")
def test_a_program_in_any_language_gets_a_list_that_fits_and_its_recall_answered() -> None:
    talk: list[Plain] = [{"role": "user", "content": f"{CONSTRAINT} The code is 4711. Begin."}]
    who = {"steno_session": "job", "steno_user": "ann"}
    with between(window=WINDOW) as there:
        for n in range(40):
            answer = post(there, {"messages": talk, "recall": True}, **who).json()
            assert answer["tokens"] <= WINDOW and CONSTRAINT in json.dumps(answer["messages"])
            assert legal.openai_chat({"messages": answer["messages"]}) == []
            talk += openai_turn(n)
        assert [tool["function"]["name"] for tool in answer["tools"]] == ["recall"]
        call = {"name": "recall", "arguments": {"query": "line of part 3", "role": "tool"}}
        said = post(there, {"messages": talk, "call": call}, **who).json()["answer"]
        assert "line of part 3 " in said
        # Nothing went upstream, and another user's list of the same name is another list.
        assert there.provider.heard == []
        bob = {"steno_session": "job", "steno_user": "bob"}
        asked = {"messages": talk[:1], "call": {"name": "recall", "arguments": {"query": "part"}}}
        assert "line of part" not in post(there, asked, **bob).json()["answer"]


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({}, "messages"),
        ({"messages": [], "windows": 3}, "windows"),
        ({"messages": [{"role": "bard"}]}, "messages[0]"),
        ({"messages": [{"role": "user", "content": "x"}], "wire": "latin"}, "latin"),
    ],
)
def test_a_bad_request_is_answered_with_what_is_wrong(body: Plain, part: str) -> None:
    with between(window=WINDOW) as there:
        answer = post(there, body)
        assert answer.status_code == 400 and part in answer.text
        assert httpx2.post(f"{there.running.address}/fit", content=b"{}").status_code == 401


def test_a_view_of_strange_words_is_refused_and_not_an_error_of_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*given: Any) -> None:
        raise StrangeWords("the session holds messages that are not in this list")

    monkeypatch.setattr("steno.proxy.server.answer_fit", refuse)
    with between(window=WINDOW) as there:
        answer = post(there, {"messages": [{"role": "user", "content": "x"}]})
    assert answer.status_code == 400 and "not in this list" in answer.text


def test_what_is_refused_is_quoted_without_its_secrets() -> None:
    key = "sk-ant-api03-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG3"
    with between(window=WINDOW, redact=True) as there:
        answer = post(there, {"messages": [{"role": key, "content": "x"}]})
        assert answer.status_code == 400 and "unknown role" in answer.text
        assert key not in answer.text and key not in str(there.events)


def test_a_body_that_is_nested_too_deeply_is_a_bad_request() -> None:
    deep = b'{"messages": [{"role": "user", "content": ' + b"[" * 5_000 + b"]" * 5_000 + b"}]}"
    with between(window=WINDOW) as there:
        url = f"{there.running.address}/secret/fit"
        assert httpx2.post(url, content=deep).status_code == 400


@proves("fit.story")
def test_a_session_takes_lists_by_fit_and_by_requests_in_turn() -> None:
    talk: list[Plain] = [{"role": "user", "content": f"{CONSTRAINT} Begin."}]
    who = {"steno_session": "job", "steno_user": "ann"}
    named = {name.replace("_", "-"): value for name, value in who.items()}
    with between(window=WINDOW) as there:
        url = f"{there.running.address}/secret/v1/chat/completions"
        for n in range(24):
            if n % 2:
                answer = httpx2.post(url, json={"model": "m", "messages": talk}, headers=named)
                assert answer.status_code == 200 and "steno-passed" not in answer.headers
                assert answer.headers["steno-session"] == "ann:job"
            else:
                fitted = post(there, {"messages": talk}, **who).json()
                assert fitted["tokens"] <= WINDOW
                assert legal.openai_chat({"messages": fitted["messages"]}) == []
            talk += openai_turn(n)


@proves("fit.identity")
def test_a_note_of_a_caller_without_a_name_reaches_no_other() -> None:
    talk = [{"role": "user", "content": "Begin."}]
    note = {"name": "remember", "arguments": {"text": "ANN99"}}
    with between(window=WINDOW) as there:
        assert post(there, {"messages": talk, "call": note}).json()["answer"] is None
        assert "ANN99" not in post(there, {"messages": talk}).text


def test_the_openapi_file_says_what_is_read_and_answered() -> None:
    with between(window=WINDOW) as there:
        spec = httpx2.get(f"{there.running.address}/secret/openapi.json").json()
        answer = post(there, {"messages": [{"role": "user", "content": "hello"}], "recall": True})
    parts = spec["components"]["schemas"]
    refs = "#/components/schemas/{name}"
    _, known = msgspec.json.schema_components([FitRequest], ref_template=refs)
    assert parts["FitRequest"] == known["FitRequest"]
    assert answer.json().keys() <= parts["FitAnswer"]["properties"].keys()
    assert list(spec["paths"]) == ["/fit"]
