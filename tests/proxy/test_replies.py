"""What the proxy reads of a reply is what a model would have read of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steno.providers import PROVIDERS
from steno.proxy.replies import ReplyReader
from steno.proxy.stages import StagedAnswer

STREAMED = {"content-type": "text/event-stream"}


def chunk(**delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def call_piece(name: str, id: str, arguments: str) -> dict[str, Any]:
    return {"index": 0, "id": id, "function": {"name": name, "arguments": arguments}}


def read(wire: str, *events: dict[str, Any]) -> Any:
    surface = PROVIDERS[wire].surface()
    assert surface is not None
    reader = ReplyReader(surface, STREAMED)
    for event in events:
        reader.feed(b"data: " + json.dumps(event).encode() + b"\n\n")
    return reader.finish()


def test_two_calls_with_the_same_index_stay_two_calls() -> None:
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    reply = read(
        "openai",
        chunk(reasoning="Both. "),
        chunk(tool_calls=[call_piece("read", "a", '{"p":1}')]),
        chunk(tool_calls=[call_piece("write", "b", '{"p":2}')]),
        end,
    )

    assert reply.whole and reply.stop == "tool_calls"
    [message] = reply.messages
    said = [(call["id"], call["function"]) for call in message["tool_calls"]]
    assert said == [
        ("a", {"name": "read", "arguments": '{"p":1}'}),
        ("b", {"name": "write", "arguments": '{"p":2}'}),
    ]
    assert message["reasoning"] == "Both. "


def test_of_two_calls_with_the_same_index_only_ours_is_hidden() -> None:
    surface = PROVIDERS["openai"].surface()
    assert surface is not None
    staged = StagedAnswer(surface, "recall")
    events = [
        chunk(tool_calls=[call_piece("recall", "a", '{"p":1}')]),
        chunk(tool_calls=[call_piece("write", "b", '{"p"')]),
        chunk(tool_calls=[{"index": 0, "function": {"arguments": ":2}"}}]),
    ]
    shown = b"".join(staged.feed(b"data: " + json.dumps(one).encode() + b"\n\n") for one in events)
    lines = (shown + staged.finish()).split(b"\n\n")
    seen = [json.loads(line[5:])["choices"][0]["delta"] for line in lines if line]

    assert b"recall" not in shown + b"".join(lines)
    pieces = [call["function"]["arguments"] for delta in seen for call in delta["tool_calls"]]
    assert "".join(pieces) == '{"p":2}'


@pytest.mark.parametrize(
    ("wire", "events"),
    [
        ("openai", [chunk(content="Half a "), {"choices": "?"}, chunk(content="word")]),
        (
            "anthropic",
            [
                {"type": "message_start", "message": {"usage": {"input_tokens": 3}}},
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}},
                {"type": "content_block_delta", "delta": {}},
                {
                    "type": "content_block_delta",
                    "index": 0,
                    "delta": {"type": "text_delta", "text": "Half a word"},
                },
            ],
        ),
    ],
)
def test_a_broken_stream_is_read_as_far_as_it_came(wire: str, events: list[Any]) -> None:
    reply = read(wire, *events)

    assert not reply.whole
    assert "Half a word" in json.dumps(reply.messages)
