"""LangChain's message objects through a session: legal, and untouched where no edit is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

import steno
from steno.adapters.langchain_messages import LangChainFormat, plain_messages, to_plain_message
from steno.adapters.resent.incoming import IncomingReader
from steno.adapters.resent.render import ListRenderer
from steno.providers import decode_messages
from steno.providers.langchain.wire import LangChainWire
from steno.rungs.offload import Offload
from tests.support.conversations import conversations
from tests.support.langgraph_agents import judged, thinking, words
from tests.support.promises import given, hit, hit_rate, proves

POLICIES = st.sampled_from(
    [
        steno.Policy(goal=0.3, soft=0.5),
        steno.Policy(
            goal=0.3, soft=0.5, ladder=(steno.rungs.Offload(50, 60), steno.rungs.Truncate())
        ),
        steno.Policy(goal="tail", soft=0.5, tail=steno.tails.OfMessages(0.5)),
        steno.Policy(goal=0.3, soft=0.5, ladder=(steno.rungs.Truncate(),)),
    ]
)


def as_objects(messages: list[dict[str, Any]]) -> list[BaseMessage]:
    """Return Anthropic's messages as LangChain's objects."""
    found: list[BaseMessage] = []
    for at, message in enumerate(messages):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        results = [block for block in blocks if block["type"] == "tool_result"]
        found += [
            ToolMessage(block["content"], tool_call_id=str(block["tool_use_id"]), id=f"{at}.{n}")
            for n, block in enumerate(results)
        ]
        rest = [block for block in blocks if block["type"] in ("text", "thinking", "tool_use")]
        if message["role"] == "assistant":
            used = [block for block in rest if block["type"] == "tool_use"]
            calls = [{"name": b["name"], "args": b["input"], "id": b["id"]} for b in used]
            found.append(AIMessage(rest, tool_calls=calls, id=f"a{at}"))
        elif rest:
            found.append(HumanMessage([b for b in rest if b["type"] == "text"], id=f"h{at}"))
    return found


def session_of(messages: list[BaseMessage], policy: steno.Policy, window: int) -> steno.Session:
    session = steno.Session(
        wire=LangChainWire(strict=True), window=window, reserve=0, policy=policy
    )
    for plain in plain_messages(messages):
        session.add(plain)
    return session


def shown_objects(session: steno.Session, messages: list[BaseMessage]) -> list[BaseMessage]:
    """Return the view as LangChain's objects; `messages` are the caller's, by position."""
    form = LangChainFormat()
    given = dict(enumerate(IncomingReader(form).read(messages)))
    shown = ListRenderer(form).render(session._parts.settings.wire, session.view, given)
    return [message.object for message in shown]


@pytest.mark.slow
@proves("view.legal")
@hit_rate(at_least=0.4, of="a commit landed", examples=40)
@given(
    st.booleans().flatmap(lambda broken: conversations("anthropic", broken=broken)),
    POLICIES,
    st.integers(200, 2_000),
)
def test_no_list_comes_out_that_a_provider_would_refuse(
    talk: Any, policy: steno.Policy, window: int
) -> None:
    messages = as_objects(talk)
    session = session_of(messages, policy, window)
    session.compact()
    out = shown_objects(session, messages)
    if out:
        assert judged(_without_calls(out)) == []
    kept = {id(message) for message in out}
    for item in session.view.items:
        if (
            item.main is not None
            and not item.is_edited
            and item.shows[item.main] == session.log.messages[item.span.start]
        ):
            assert id(messages[item.span.start]) in kept
    hit(any(commit.why == "asked" for commit in session.log.commits))


def _without_calls(messages: list[BaseMessage]) -> list[BaseMessage]:
    """Drop calls from content: LangChain's providers read them from `tool_calls`."""
    return [
        message.model_copy(
            update={"content": [b for b in message.content if b["type"] != "tool_use"]}
        )  # type: ignore[index]
        if isinstance(message, AIMessage) and isinstance(message.content, list)
        else message
        for message in messages
    ]


WHOLE: list[BaseMessage] = [
    SystemMessage("Lead.", id="s"),
    HumanMessage("Look.", id="h", name="ann"),
    HumanMessage(
        [
            {"type": "text", "text": "And this"},
            {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}},
        ]
    ),
    AIMessage("", tool_calls=[{"name": "read", "args": {"path": "a"}, "id": "c1"}], id="a"),
    ToolMessage([{"type": "text", "text": "found"}], tool_call_id="c1", artifact=object(), id="t"),
    AIMessage(
        [thinking("Hm."), {"type": "text", "text": "So."}], response_metadata={"model": object()}
    ),
    AIMessage("Said.", additional_kwargs={"reasoning_content": "Quietly.", "handle": object()}),
    ChatMessage("From the side.", role="critic"),
]


@proves("langchain.state")
def test_what_is_untouched_comes_back_as_that_very_object() -> None:
    session = session_of(WHOLE, steno.Policy(), 100_000)
    out = shown_objects(session, WHOLE)
    assert all(one is other for one, other in zip(out, WHOLE, strict=True))


@proves("langchain.state")
def test_what_is_shown_in_short_keeps_whatever_else_it_carried() -> None:
    large = {"path": "a.py", "text": words(900, "line")}
    artifact = object()
    content = [
        {"type": "text", "text": "Writing."},
        {"type": "tool_use", "id": "c1", "name": "write", "input": large},
    ]
    raw = {
        "id": "c1",
        "type": "function",
        "function": {"name": "write", "arguments": json.dumps(large)},
    }
    talk: list[BaseMessage] = [
        HumanMessage("Write it.", id="h"),
        AIMessage(
            content,
            tool_calls=[{"name": "write", "args": large, "id": "c1"}],
            additional_kwargs={"tool_calls": [raw], "odd": artifact},
            response_metadata={"seen": artifact},
            id="a",
        ),
        ToolMessage(words(900, "out"), tool_call_id="c1", artifact=artifact, id="t"),
        *[HumanMessage(f"Then {n}. {words(30)}", id=f"h{n}") for n in range(12)],
    ]
    policy = steno.Policy(goal=0.3, soft=0.5, ladder=(Offload(50, 60),))
    session = session_of(talk, policy, 4_000)
    session.compact()
    out = shown_objects(session, talk)
    wrote, result = out[1], out[2]
    assert isinstance(wrote, AIMessage) and isinstance(result, ToolMessage)
    assert wrote.id == "a" and wrote.response_metadata == {"seen": artifact}
    assert (
        len(str(wrote.tool_calls)) < 2_000
        and wrote.content[1]["input"] == wrote.tool_calls[0]["args"]
    )  # type: ignore[index]
    assert (
        "tool_calls" not in wrote.additional_kwargs and wrote.additional_kwargs["odd"] is artifact
    )
    assert result.artifact is artifact and result.id == "t" and len(str(result.content)) < 3_000
    assert talk[1].additional_kwargs["tool_calls"] == [raw], "what was handed in is not changed"
    assert judged(_without_calls(out)) == []


@proves("langchain.state")
def test_calls_that_could_not_be_read_get_a_result_and_pieces_of_calls_are_left_out() -> None:
    broken = AIMessage(
        [{"type": "text", "text": "Hm."}, {"type": "input_json_delta", "partial_json": '{"a'}],
        invalid_tool_calls=[
            {
                "name": "read",
                "args": '{"a',
                "id": "bad",
                "error": "cut off",
                "type": "invalid_tool_call",
            }
        ],
    )
    session = session_of(
        [HumanMessage("Go."), broken, HumanMessage("Well?")], steno.Policy(), 100_000
    )
    out = shown_objects(session, [])
    assert [type(message).__name__ for message in out] == [
        "HumanMessage",
        "AIMessage",
        "ToolMessage",
        "HumanMessage",
    ]
    assert (
        isinstance(out[2], ToolMessage)
        and out[2].tool_call_id == "bad"
        and out[2].additional_kwargs == {"steno": True}
    )
    read = decode_messages(LangChainWire(), [to_plain_message(broken, "")])[0]
    assert [type(block).__name__ for block in read.blocks] == ["Text", "Call"]


@proves("langchain.state")
def test_what_is_no_message_is_refused_with_its_place() -> None:
    with pytest.raises(steno.errors.BadMessage, match=r"messages\[1\]: a str"):
        plain_messages([HumanMessage("Hello"), "there"])  # type: ignore[list-item]
    with pytest.raises(steno.BadInput, match="must be a list"):
        plain_messages("hello")  # type: ignore[arg-type]
    with pytest.raises(steno.errors.BadMessage, match="unknown type 'robot'"):
        steno.Session(wire="langchain", window=1_000).add({"type": "robot", "content": "beep"})
