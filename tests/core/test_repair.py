"""Examples of repairs: broken input from real sessions, and how each is shown."""

from __future__ import annotations

import time
from random import Random
from typing import Any

import pytest

from steno import Session, chars_per_four
from steno.core.message import Call, Message, Result, Text
from steno.core.repair import INTERRUPTED, OPENING_NOTE, SILENT_FAILURE
from steno.core.view import View
from steno.providers import get_wire
from tests.support import legal
from tests.support.promises import proves

Plain = dict[str, Any]


def user(text: Any) -> Plain:
    return {"role": "user", "content": text}


def openai_call(*ids: str | None) -> Plain:
    calls = [
        {"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}}
        for id in ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def openai_result(id: str | None, text: str = "ok") -> Plain:
    return {"role": "tool", "tool_call_id": id, "content": text}


def anthropic_call(*ids: str | None) -> Plain:
    return {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": id, "name": "read", "input": {}} for id in ids],
    }


def anthropic_result(*ids: str | None, text: str = "ok") -> Plain:
    return user([{"type": "tool_result", "tool_use_id": id, "content": text} for id in ids])


def shown(wire: str, *messages: Plain) -> list[Plain]:
    session = Session(wire=wire, window=100_000)
    session.add(*messages)
    request = session.request()
    problems = legal.openai_chat(request) if wire == "openai" else legal.anthropic(request)
    assert problems == []
    return request["messages"]


@proves("repair.late")
def test_an_interrupted_call_gets_a_synthetic_result_once_something_else_follows() -> None:
    pending = shown("openai", user("go"), openai_call("a", "b"), openai_result("a"))
    followed = shown("openai", user("go"), openai_call("a", "b"), openai_result("a"), user("stop"))

    assert pending[-1]["tool_call_id"] == "a"
    assert followed[: len(pending)] == pending
    assert followed[-2] == {"role": "tool", "tool_call_id": "b", "content": INTERRUPTED}
    assert followed[-1] == user("stop")


@proves("repair.late")
def test_a_partial_batch_with_words_behind_it_is_completed_before_them() -> None:
    mixed = user(
        [
            {"type": "tool_result", "tool_use_id": "a", "content": "ok"},
            {"type": "text", "text": "stop"},
        ]
    )
    view = shown("anthropic", user("go"), anthropic_call("a", "b"), mixed)

    assert view[2]["content"][0]["tool_use_id"] == "b"
    assert view[2]["content"][0]["is_error"] is True
    assert view[3] == mixed


@proves("repair.late")
def test_a_late_result_is_shown_as_text_with_its_place() -> None:
    view = shown(
        "openai", user("go"), openai_call("a"), user("never mind"), openai_result("a", "42 rows")
    )

    assert [message["role"] for message in view] == ["user", "assistant", "tool", "user", "user"]
    assert "42 rows" in view[-1]["content"]
    assert 'at="3.0"' in view[-1]["content"]


@proves("repair.late")
def test_an_orphaned_result_waits_until_the_open_batch_is_answered() -> None:
    view = shown(
        "openai",
        user("go"),
        openai_call("a", "b"),
        openai_result("a"),
        openai_result("x"),
        openai_result("b"),
    )

    assert [message.get("tool_call_id") for message in view[2:4]] == ["a", "b"]
    assert 'at="3.0"' in view[4]["content"]


@proves("repair.late")
def test_a_list_that_begins_with_a_result_is_shown_as_text() -> None:
    view = shown("anthropic", anthropic_result("gone", text="left over"), user("go"))

    assert "left over" in view[0]["content"][0]["text"]


@proves("repair.ids")
def test_reused_ids_are_renamed_together_with_their_results() -> None:
    call, result = openai_call, openai_result
    view = shown("openai", user("go"), call("a"), result("a"), call("a"), result("a"))

    assert view[:3] == [user("go"), call("a"), result("a")]
    assert view[3] == call("call_3_0")
    assert view[4] == result("call_3_0")


@proves("repair.ids")
def test_an_id_that_comes_again_after_its_result_stays_where_the_provider_takes_it() -> None:
    call, result = anthropic_call, anthropic_result
    said = (user("go"), call("a"), result("a"), call("a"), result("a"))

    assert shown("anthropic", *said) == list(said)


@proves("repair.ids")
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_null_ids_are_paired_by_their_order(wire: str) -> None:
    call, result = (
        (openai_call, openai_result) if wire == "openai" else (anthropic_call, anthropic_result)
    )
    view = shown(wire, user("go"), call(None, None), result(None), result(None))

    assert view[1] == call("call_1_0", "call_1_1")
    assert view[2:] == [result("call_1_0"), result("call_1_1")]


@proves("repair.ids")
def test_the_old_form_of_a_call_is_told_in_the_form_that_has_ids() -> None:
    old: Plain = {
        "role": "assistant",
        "content": None,
        "function_call": {"name": "read", "arguments": "{}"},
    }
    view = shown("openai", user("go"), old, {"role": "function", "name": "read", "content": "ok"})

    assert view[1]["tool_calls"][0]["id"] == view[2]["tool_call_id"] == "call_1_0"
    assert "function_call" not in view[1]


@proves("repair.blank")
def test_blank_messages_are_left_out_where_a_provider_refuses_them() -> None:
    blank: Plain = {"role": "assistant", "content": [{"type": "text", "text": " \n"}]}

    assert shown("anthropic", user("go"), blank, user("on")) == [user("go"), user("on")]
    assert shown("openai", user("go"), {"role": "assistant", "content": None}) == [user("go")]


@proves("repair.blank")
def test_a_failure_without_words_says_that_it_failed() -> None:
    failed = user([{"type": "tool_result", "tool_use_id": "a", "content": "", "is_error": True}])

    assert shown("anthropic", user("go"), anthropic_call("a"), failed)[2]["content"][0][
        "content"
    ] == [{"type": "text", "text": SILENT_FAILURE}]


@proves("repair.blank")
@pytest.mark.parametrize("nothing", [None, []])
def test_a_result_without_content_is_shown_with_an_empty_text(nothing: Any) -> None:
    void: Plain = {"role": "tool", "tool_call_id": "a", "content": nothing}

    assert shown("openai", user("go"), openai_call("a"), void)[2] == openai_result("a", "")


@proves("repair.blank")
def test_a_conversation_that_the_assistant_begins_gets_a_first_word() -> None:
    greeting: Plain = {"role": "assistant", "content": "Hello, how can I help?"}

    for wire in ("openai", "anthropic"):
        assert shown(wire, greeting, user("go"))[0] == greeting
    with Session(wire="langchain", window=100_000) as session:
        session.add({"type": "ai", "content": "Hello!"}, {"type": "human", "content": "go"})
        assert session.messages()[0]["content"] == OPENING_NOTE


@proves("repair.ids")
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_lone_surrogates_are_replaced_in_the_view_and_kept_in_the_log(wire: str) -> None:
    session = Session(wire=wire, window=100_000)
    broken = user("a \ud83d b \ude00 c \ud83d\ude00 \\ud83d")
    session.add(broken)

    assert session.messages() == [user("a � b � c 😀 \\ud83d")]
    assert session.open(0) == user("a \ud83d b \ude00 c 😀 \\ud83d")


@proves("thinking.bound")
def test_thinking_that_leads_to_nothing_is_not_shown() -> None:
    thought: Plain = {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}],
    }
    said: Plain = {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}

    assert shown("anthropic", user("go"), thought, user("on")) == [user("go"), user("on")]
    assert shown("anthropic", user("go"), thought, said) == [user("go"), thought, said]


@proves("repair.batch")
def test_one_reply_in_several_messages_is_one_batch_where_the_provider_combines_them() -> None:
    view = shown(
        "anthropic",
        user("go"),
        anthropic_call("a"),
        anthropic_call("b"),
        anthropic_result("a", "b"),
    )

    assert view == [
        user("go"),
        anthropic_call("a"),
        anthropic_call("b"),
        anthropic_result("a", "b"),
    ]


TRIES = 5
GROWTH_MOST = 3.0
"""How much longer twice as many may take; what is compared with each other takes four times."""


@pytest.mark.slow
@proves("commit.cost")
@pytest.mark.parametrize("apart", [True, False], ids=["each in a message", "in one message"])
def test_calls_of_one_batch_are_answered_in_any_order_at_the_same_cost_each(apart: bool) -> None:
    def seconds(size: int) -> float:
        ids = [f"call_{n}" for n in range(size)]
        said = [Message("assistant", tuple(Call(id, "look", "{}") for id in ids))]
        results = [Result(id, (Text("seen"),)) for id in ids]
        Random(size).shuffle(results)
        if apart:
            said += [Message("tool", (result,)) for result in results]
        else:
            said.append(Message("tool", tuple(results)))
        view = View(get_wire("openai").terms, chars_per_four())
        began = time.process_time()
        view = view.with_messages(said)
        took = time.process_time() - began
        assert not view.mending.open and len(view.mending.used) == size
        return took

    assert any(seconds(8_000) <= GROWTH_MOST * seconds(4_000) for _ in range(TRIES))
