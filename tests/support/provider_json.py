"""A planned conversation in a provider's own JSON.

Owns how each wire writes a line: strings or parts, results as messages or as
blocks, thinking, pictures, cache marks, fields and blocks that nobody knows.
What a provider would refuse and mending does not promise to repair is not written.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from tests.support.conversation_plans import Called, Json, Line, Plan, Returned, lines

Wire = Literal["openai", "anthropic"]
WIRES: tuple[Wire, ...] = ("openai", "anthropic")


class Written(list[Json]):
    """A provider's list that prints as its plan."""

    def __init__(self, messages: list[Json], plan: Plan, wire: Wire) -> None:
        super().__init__(messages)
        self.plan, self.wire = plan, wire

    def __repr__(self) -> str:
        return f"written({self.plan!r}, {self.wire!r})"


def written(plan: Plan, wire: Wire) -> Written:
    found = lines(plan)
    messages = (
        _anthropic(found, plan)
        if wire == "anthropic"
        else [m for line in found for m in _openai(line)]
    )
    if plan.odd:
        for at, message in enumerate(messages):
            if at % 2:
                message["x_trace"] = {"z": [1.5, None, True], "a": f"span-{at}"}
    return Written(messages, plan, wire)


def _openai(line: Line) -> Iterator[Json]:
    if line.blank is not None:
        content = {"none": None, "list": [], "empty": "", "white": " \n"}[line.blank]
        yield {"content": content, "role": "assistant" if line.role == "assistant" else "user"}
        return
    for result in line.results:
        yield {"role": "tool", "tool_call_id": result.id, "content": result.text}
    if line.role == "tool":
        return
    message: Json = {"role": line.role, "content": _openai_content(line)}
    if line.thinking:
        message["reasoning_content"] = line.thinking
    if line.calls:
        message["tool_calls"] = [_openai_call(call) for call in line.calls]
    yield message


def _openai_content(line: Line) -> Any:
    parts: list[Json] = [] if line.text is None else [{"type": "text", "text": line.text}]
    if line.odd == "picture" and line.role == "user":
        parts.insert(
            0,
            {
                "type": "image_url",
                "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"},
            },
        )
    elif line.odd == "file" and line.role == "user":
        parts.append({"type": "file", "file": {"file_id": "file-1"}})
    elif line.odd == "parts":
        parts.append({"text": "and more", "type": "text", "x_rank": 3})
    elif line.odd == "strange":
        parts.append({"type": "hologram", "data": {"b": 1, "a": [2]}})
    elif not line.odd or not parts:
        return line.text
    return parts


def _openai_call(call: Called) -> Json:
    function = {"name": call.name, "arguments": json.dumps(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _anthropic(found: list[Line], plan: Plan) -> list[Json]:
    messages: list[Json] = []
    for line, then in zip(found, [*found[1:], None], strict=True):
        if line.odd == "paused" and line.role == "assistant":
            messages += _paused(line)
            continue
        message = _anthropic_message(line)
        if (
            plan.whole
            and line.role == "system"
            and then
            and then.role == "assistant"
            and _user_spoke(messages)
        ):
            message["role"] = "system"
        last = messages[-1]["content"] if messages and messages[-1]["role"] == "user" else None
        if (
            line.joins
            and isinstance(last, list)
            and isinstance(message["content"], list)
            and _only_results(last)
        ):
            last += message["content"]
        else:
            messages.append(message)
    if plan.marked:
        can_carry = [
            b
            for m in messages
            if isinstance(m["content"], list)
            for b in m["content"]
            if _can_carry(b)
        ]
        for block in can_carry[:: max(1, len(can_carry) // 3)][:4]:
            block["cache_control"] = {"type": "ephemeral"}
    return messages


def _anthropic_message(line: Line) -> Json:
    if line.blank is not None:
        white = [{"type": "text", "text": "  "}]
        content = {"none": [], "list": [], "empty": "", "white": white}[line.blank]
        return {"content": content, "role": "assistant" if line.role == "assistant" else "user"}
    blocks: list[Json] = [_anthropic_result(result) for result in line.results]
    if line.thinking:
        blocks.append(
            {
                "type": "thinking",
                "thinking": line.thinking,
                "signature": f"sig-{len(line.thinking)}",
            }
        )
    blocks += _anthropic_odds(line)
    if line.text is not None:
        blocks.append({"type": "text", "text": line.text})
    blocks += [
        {"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in line.calls
    ]
    plain = line.role != "assistant" and not line.odd and not line.results and not line.joins
    role = "assistant" if line.role == "assistant" else "user"
    return {"role": role, "content": line.text if plain else blocks}


def _anthropic_result(result: Returned) -> Json:
    block: Json = {"type": "tool_result", "tool_use_id": result.id, "content": result.text}
    if result.pictured:
        block["content"] = [{"type": "text", "text": result.text}, _picture()]
    return block | ({"is_error": True} if result.failed else {})


def _anthropic_odds(line: Line) -> list[Json]:
    if line.odd == "strange":
        return [{"type": "hologram", "data": {"b": 1, "a": [2]}}]
    if line.role == "assistant":
        number = (line.text or "").partition(":")[0]
        served = {
            "type": "web_search_tool_result",
            "tool_use_id": f"srvtoolu_{number}",
            "content": [],
        }
        call = {
            "type": "server_tool_use",
            "id": served["tool_use_id"],
            "name": "web_search",
            "input": {"query": "q"},
        }
        return [call, served] if line.odd == "file" else []
    text = {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": "a page"},
    }
    return {
        "picture": [_picture()],
        "file": [text],
        "parts": [{"type": "text", "text": "first", "x_rank": 3}],
    }.get(line.odd, [])


def _paused(line: Line) -> list[Json]:
    """A reply that waits for a tool of the provider's, and goes on in the next message."""
    reply = _anthropic_message(replace(line, odd="file"))["content"]
    return [
        {"role": "assistant", "content": reply[:-2]},
        {"role": "assistant", "content": reply[-2:]},
    ]


def _user_spoke(messages: list[Json]) -> bool:
    return bool(messages) and messages[-1]["role"] == "user"


def _picture() -> Json:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}


def _only_results(blocks: list[Json]) -> bool:
    return all(block["type"] == "tool_result" for block in blocks)


def _can_carry(block: Json) -> bool:
    return (
        block["type"] in ("text", "tool_result", "image") and block.get("text", "x").strip() != ""
    )


def _png(width: int, height: int) -> str:
    header = struct.pack(">I4sIIBBBBB", 13, b"IHDR", width, height, 8, 6, 0, 0, 0)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + header + b"\0\0\0\0").decode()


PNG = _png(640, 480)
