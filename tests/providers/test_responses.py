"""The Responses wire: items in and out, reasoning with its reply, no references."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import strategies as st
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseFunctionWebSearch,
    ResponseOutputMessage,
    ResponseReasoningItem,
)

import steno
from steno import Policy, Session
from steno.core.item import Item
from steno.core.message import Call, Message, Opaque, Result, Span, Text, Thinking
from steno.core.repair import INTERRUPTED
from steno.core.seam import find_seams
from steno.providers.openai_responses.wire import OpenAIResponsesWire
from steno.providers.shared.plain_json import json_text, parse_json
from steno.rungs import Offload, Truncate
from tests.support.legal_responses import openai_responses, replies_keep_their_reasoning
from tests.support.promises import given, hit, hit_rate, proves

Plain = dict[str, Any]
WIRE = OpenAIResponsesWire()


def user(text: Any) -> Plain:
    return {"role": "user", "content": text}


def said(text: str, n: int = 0) -> Plain:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "type": "message",
        "id": f"msg_{n}",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def thought(n: int, text: str = "hm") -> Plain:
    summary = [{"type": "summary_text", "text": text}]
    return {
        "type": "reasoning",
        "id": f"rs_{n}",
        "summary": summary,
        "encrypted_content": f"gAAA{n}",
    }


def call(id: str | None, arguments: str = "{}", n: int = 0) -> Plain:
    return {
        "type": "function_call",
        "id": f"fc_{id}_{n}",
        "call_id": id,
        "name": "read",
        "arguments": arguments,
    }


def output(id: str | None, text: Any = "ok") -> Plain:
    return {"type": "function_call_output", "call_id": id, "output": text}


def custom(id: str | None, text: str = "*** Begin Patch", n: int = 0) -> Plain:
    return {
        "type": "custom_tool_call",
        "id": f"ctc_{id}_{n}",
        "call_id": id,
        "name": "patch",
        "input": text,
    }


def custom_output(id: str | None, text: str = "done") -> Plain:
    return {"type": "custom_tool_call_output", "call_id": id, "output": text}


def shown(*items: Plain, **how: Any) -> list[Plain]:
    session = Session(wire=WIRE, window=100_000, **how)
    session.add(*items)
    request = session.request()
    assert openai_responses(request) == []
    return request["input"]


def decoded(item: Plain) -> Message:
    return WIRE.decode(item, json.dumps(item), "input[0]")


def long_talk(turns: int, words: int = 120) -> list[Plain]:
    talk = [user("Find the slow query. Never touch production.")]
    for n in range(turns):
        talk += [
            thought(n),
            said(f"Reading {n}.", n),
            call(f"c{n}", json.dumps({"path": f"src/{n}.py"}), n),
        ]
        talk.append(output(f"c{n}", f"row {n} of the table\n" * (words // 6)))
    return talk


@proves("wire.responses")
@pytest.mark.parametrize(
    ("item", "role", "block"),
    [
        (user("hi"), "user", Text("hi")),
        (user([{"type": "input_text", "text": "hi"}]), "user", Text("hi")),
        ({"role": "developer", "content": "be kind"}, "system", Text("be kind")),
        (said("yes"), "assistant", Text("yes")),
        (call("a", '{"x":1}'), "assistant", Call("a", "read", '{"x":1}')),
        (output("a", "ok"), "tool", Result("a", (Text("ok"),))),
        (custom("a", "text"), "assistant", Call("custom:a", "patch", '"text"')),
        (custom_output("a"), "tool", Result("custom:a", (Text("done"),))),
        (thought(1), "assistant", Thinking("hm", "gAAA1")),
        ({"type": "reasoning", "id": "rs_9", "summary": []}, "assistant", Thinking("", "rs_9")),
    ],
)
def test_an_item_is_read_as_what_it_is(item: Plain, role: str, block: Any) -> None:
    message = decoded(item)

    assert (message.role, message.blocks) == (role, (block,))
    assert WIRE.encode(message) == (json.dumps(item),)


@proves("wire.responses")
def test_an_item_of_another_kind_is_carried_and_a_picture_is_measured() -> None:
    search = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search"},
    }
    picture = user(
        [{"type": "input_image", "image_url": "https://example.org/a.png", "detail": "low"}]
    )

    assert isinstance(decoded(search).blocks[0], Opaque)
    assert shown(user("go"), thought(1), search, said("Found."), picture) == [
        user("go"),
        thought(1),
        search,
        said("Found."),
        picture,
    ]


@proves("wire.responses")
@pytest.mark.parametrize(
    ("item", "says"),
    [
        (
            user("go") | {"previous_response_id": "resp_1"},
            "previous_response_id leaves earlier messages with the provider",
        ),
        (
            {"type": "item_reference", "id": "rs_1"},
            "an item_reference leaves earlier messages with the provider",
        ),
        ({"role": "tool", "content": "x"}, "unknown role 'tool'"),
        ({"type": 3}, r"input\[0\].type: must be a string"),
        ({"type": "function_call", "call_id": "a"}, r"input\[0\].name: must be a string"),
        (user(3), r"input\[0\].content: must be a string, a list"),
        (user(["x"]), r"input\[0\].content\[0\]: a block must be an object"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_sentence(item: Plain, says: str) -> None:
    with pytest.raises(steno.errors.BadMessage, match=says):
        decoded(item)


@proves("wire.responses")
def test_a_request_has_input_instructions_and_tools() -> None:
    tools = [{"type": "function", "name": "read", "parameters": {}}]
    session = Session(
        wire=WIRE, window=10_000, system=[{"type": "text", "text": "Be brief."}], tools=tools
    )
    session.add(user("go"))

    assert session.request() == {"input": [user("go")], "instructions": "Be brief.", "tools": tools}


@proves("wire.responses")
def test_calls_in_a_row_are_one_batch_and_words_between_them_do_not_close_it() -> None:
    items = [
        user("go"),
        thought(1),
        call("a"),
        said("And the other."),
        call("b"),
        output("b"),
        output("a"),
    ]

    assert shown(*items) == items


@proves("wire.responses")
def test_an_interrupted_call_gets_an_output_of_its_kind() -> None:
    view = shown(user("go"), call("a"), custom("b"), user("stop"))

    assert view[3:5] == [
        {"type": "function_call_output", "call_id": "a", "output": INTERRUPTED},
        {"type": "custom_tool_call_output", "call_id": "b", "output": INTERRUPTED},
    ]


@proves("wire.responses")
def test_a_renamed_custom_call_is_told_as_a_function_together_with_its_output() -> None:
    view = shown(user("go"), custom("a"), custom_output("a"), custom("a", n=1), custom_output("a"))

    assert view[3]["type"] == "function_call" and json.loads(view[3]["arguments"]) == {
        "input": "*** Begin Patch"
    }
    assert "id" not in view[3] and "input" not in view[3]
    assert (view[4]["type"], view[4]["call_id"]) == ("function_call_output", view[3]["call_id"])


@proves("wire.responses")
def test_reasoning_that_led_to_nothing_is_not_shown() -> None:
    assert shown(user("go"), thought(1), user("on"), thought(2), said("Yes.")) == [
        user("go"),
        user("on"),
        thought(2),
        said("Yes."),
    ]


@proves("wire.responses")
def test_no_cut_parts_a_reply_from_its_reasoning() -> None:
    computer = {"type": "computer_call", "call_id": "k", "id": "cu_1", "action": {}}
    seen = {"type": "computer_call_output", "call_id": "k", "output": {}}
    talk = [
        user("go"),
        thought(1),
        said("I look."),
        call("a"),
        output("a"),
        computer,
        seen,
        said("Done."),
    ]
    items = [Item(Span(at, at + 1), (decoded(item),), 1, 0) for at, item in enumerate(talk)]

    assert find_seams(items, WIRE.terms) == {0, 1, 5, 7, 8}


@proves("wire.responses")
def test_a_block_in_short_keeps_the_rest_of_its_item() -> None:
    long = "word " * 2_000
    session = Session(wire=WIRE, window=4_000, policy=Policy(ladder=(Offload(50, 60), Truncate())))
    patch = custom("b", long) | {"status": "completed"}
    session.add(
        user("go"),
        call("a") | {"status": "completed"},
        output("a", [{"type": "input_text", "text": long}]),
    )
    session.add(patch, custom_output("b"), said("Done."))
    session.compact()
    short = session.messages()

    assert openai_responses(session.request()) == []
    changed = next(item for item in short if item.get("call_id") == "b" and "input" in item)
    assert {key: value for key, value in changed.items() if key != "input"} == {
        key: value for key, value in patch.items() if key != "input"
    }
    assert "characters in all …]" in changed["input"]
    assert len(json.dumps(short)) < len(long)


@proves("wire.responses")
def test_sdk_objects_are_taken_as_they_are() -> None:
    items: list[Any] = [
        ResponseReasoningItem(id="rs_1", type="reasoning", summary=[], encrypted_content="gAAA"),
        ResponseFunctionWebSearch(
            id="ws_1",
            type="web_search_call",
            status="completed",
            action={"type": "search", "query": "x"},
        ),
        ResponseOutputMessage.model_validate(said("I read.")),
        ResponseFunctionToolCall(
            type="function_call", id="fc_1", call_id="a", name="read", arguments="{}"
        ),
    ]
    view = shown(user("go"), *items, output("a"))

    assert view[1:5] == [
        item.model_dump(mode="json", exclude_unset=True, by_alias=True) for item in items
    ]


@proves("wire.responses")
def test_a_long_talk_fits_and_its_outcome_comes_back_unchanged() -> None:
    talk = long_talk(60)
    first = steno.compact(talk, window=4_000, wire=WIRE)
    again = steno.compact(first.messages, window=4_000, wire=WIRE)

    assert first.within_window and first.commit is not None
    assert openai_responses(first.request) == []
    assert replies_keep_their_reasoning(first.messages, talk) == []
    assert again.messages == first.messages
    assert first.open(7) == talk[7]


@proves("wire.responses")
@pytest.mark.parametrize(
    ("item", "sign"),
    [
        (call("a"), "an item of type 'function_call'"),
        (user([{"type": "input_text", "text": "x"}]), "part 'input_text'"),
        (said("x"), "part 'output_text'"),
        (user("x"), None),
        ({"role": "user", "content": [{"type": "text", "text": "x"}]}, None),
        ({"type": "message", "role": "assistant", "content": [], "stop_reason": None}, None),
    ],
)
def test_its_signs_are_what_only_it_would_write(item: Plain, sign: str | None) -> None:
    assert WIRE.signs(item) == sign


@st.composite
def talks(draw: st.DrawFn) -> list[Plain]:
    """Items in any order: replies with and without reasoning, batches, everything broken."""
    items: list[Plain] = [user("go")]
    ids = st.sampled_from(["a", "b", "c", "d", None])
    for n in range(draw(st.integers(4, 24))):
        text = draw(st.sampled_from(["ok", "", "word " * 200, "漢字 " * 30, "half \ud83d pair"]))
        kind = draw(st.sampled_from("urssccooxyw"))
        id = draw(ids)
        item = {
            "u": user(text),
            "r": thought(n, text),
            "s": said(text, n),
            "c": call(id, json.dumps({"text": text}), n),
            "o": output(id, text),
            "x": custom(id, text, n),
            "y": custom_output(id, text),
            "w": {"type": "web_search_call", "id": f"ws_{n}", "status": "completed"},
        }[kind]
        items.append(item)
    return items


@pytest.mark.slow
@proves("wire.responses")
@hit_rate(at_least=0.5, of="a commit landed")
@given(talks(), st.sampled_from([600, 1_500]))
def test_no_view_is_refused(talk: list[Plain], window: int) -> None:
    session = Session(wire=WIRE, window=window, policy=Policy(ladder=(Offload(50, 60), Truncate())))
    session.add(*talk)
    before = session.request()["input"]
    session.compact()
    request = session.request()

    assert openai_responses({"input": before}) == []
    assert openai_responses(request) == []
    assert replies_keep_their_reasoning(request["input"], talk) == []
    assert all(session.open(at) == json.loads(json.dumps(item)) for at, item in enumerate(talk))
    hit(session.log.commits)


@proves("wire.responses")
@hit_rate(at_least=0.5, of="a text was spelled otherwise than we would")
@given(talks(), st.integers(0, 3))
def test_what_is_not_touched_goes_out_as_it_came(talk: list[Plain], how: int) -> None:
    otherwise = False
    for item in talk:
        turned = json.dumps(dict(reversed(item.items())))
        raw = (
            turned,
            json.dumps(item, indent=1),
            json_text(item),
            json.dumps(item)[:-1] + ', "x": 1e2}',
        )[how]
        assert WIRE.encode(WIRE.decode(json.loads(raw), raw, "input[0]")) == (raw,)
        otherwise = otherwise or json_text(parse_json(raw)) != raw
    hit(otherwise)
