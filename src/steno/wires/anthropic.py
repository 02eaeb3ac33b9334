"""Anthropic messages: read and written.

A result is a block of a user message here. Thinking is signed and goes back as
it came. Each block is one element of `content`, so one of them can be shown
otherwise and the rest stay as they came.
"""

from __future__ import annotations

import re
from typing import Any, cast

from steno.core.errors import BadMessage
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Role, Text, Thinking
from steno.core.seam import (
    a_reply_follows_the_system,
    calls_keep_their_results,
    held_thinking_stays_with_its_reply,
    server_calls_keep_their_results,
    thinking_stays_signed,
)
from steno.core.wire import ProviderRules
from steno.wires.media_size import measure_media
from steno.wires.plain_json import json_text, parse_json, required_text

ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
BOUND_THINKING_MODELS = re.compile(
    r"claude-(?:fable|mythos)-(?:5-[1-9]|[6-9])|claude-(?:opus|sonnet|haiku)-(?:5-[5-9]|[6-9])(?!\d{3})"
)
"""Models that refuse thinking after an edited prefix ("The block is bound to a different conversation")."""
OWN_BLOCKS = (
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "image",
    "document",
    "server_tool_use",
)


class AnthropicWire:
    """`bound`: for models whose thinking is valid only after the very text it was written after."""

    name = "anthropic"

    def __init__(self, *, bound: bool = False) -> None:
        thinking = () if bound else (thinking_stays_signed,)
        self.terms = ProviderRules(
            seams=(
                calls_keep_their_results,
                server_calls_keep_their_results,
                held_thinking_stays_with_its_reply,
                a_reply_follows_the_system,
                *thinking,
            ),
            refuses_blank=True,
            ids=CALL_ID,
            user_begins=True,
            combines=True,
            binds_thinking=bound,
        )

    def for_model(self, model: str) -> AnthropicWire:
        """The wire as this model wants it."""
        if BOUND_THINKING_MODELS.search(model):
            return AnthropicWire(bound=True)
        return self

    def decode(self, plain: dict[str, Any], raw: str, where: str) -> Message:
        role = plain.get("role")
        if role not in ROLES:
            raise BadMessage(
                f"{where}.role", f"unknown role {role!r}; anthropic has {', '.join(ROLES)}"
            )
        if plain.get("type") == "message" and "stop_reason" in plain:
            # A whole response object: only these two may be sent back.
            raw = json_text({"role": role, "content": plain.get("content")})
        return Message(ROLES[role], tuple(_blocks(plain.get("content"), f"{where}.content")), raw)

    def encode(self, message: Message) -> tuple[str, ...]:
        if message.raw is None:
            return (json_text(_to_json(message)),)
        if not message.patches:
            return (message.raw,)
        return (json_text(_apply_patches(parse_json(message.raw), message)),)

    def request(self, messages: list[Any], system: Any, tools: Any) -> dict[str, Any]:
        given = {"system": system, "tools": tools}
        return {"messages": messages} | {
            key: value for key, value in given.items() if value is not None
        }

    def tool(self, name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
        return {"name": name, "description": description, "input_schema": schema}

    def signs(self, plain: dict[str, Any]) -> str | None:
        content = plain.get("content")
        for block in content if isinstance(content, list) else ():
            if not isinstance(block, dict):
                continue
            kind = block.get("type")
            if kind in OWN_BLOCKS or (isinstance(kind, str) and kind.endswith("_tool_result")):
                return f"block {kind!r}"
            if "cache_control" in block:
                return "key 'cache_control'"
        if plain.get("type") == "message" and "stop_reason" in plain:
            return "a whole response"
        return None


def _blocks(content: Any, where: str) -> list[Block]:
    if isinstance(content, str):
        return [Text(content)]
    if not isinstance(content, list):
        raise BadMessage(
            where, f"must be a string or a list of blocks, got {type(content).__name__}"
        )
    return [_block(block, f"{where}[{at}]") for at, block in enumerate(content)]


def _block(block: Any, where: str) -> Block:
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        raise BadMessage(where, "a block must be an object with a type")
    match block["type"]:
        case "thinking":
            return Thinking(str(block.get("thinking") or ""), block.get("signature"))
        case "redacted_thinking":
            return Thinking("", str(block.get("data") or ""))
        case "tool_use":
            arguments = json_text(block.get("input", {}))
            return Call(_text(block.get("id")), required_text(block, "name", where), arguments)
        case "tool_result":
            parts = _parts(block.get("content"), f"{where}.content")
            return Result(_text(block.get("tool_use_id")), parts, bool(block.get("is_error")))
        case _:
            return _part(block, where)


def _parts(content: Any, where: str) -> tuple[Text | Media | Opaque, ...]:
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (Text(content),)
    if not isinstance(content, list):
        raise BadMessage(
            where, f"must be a string or a list of blocks, got {type(content).__name__}"
        )
    return tuple(_part(part, f"{where}[{at}]") for at, part in enumerate(content))


def _part(part: Any, where: str) -> Text | Media | Opaque:
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        raise BadMessage(where, "a block must be an object with a type")
    kind = part["type"]
    if kind == "text":
        return Text(required_text(part, "text", where))
    source = part.get("source")
    if (
        kind in ("image", "document")
        and isinstance(source, dict)
        and source.get("type") in ("base64", "url", "file")
    ):
        return measure_media(kind, _text(source.get("media_type")), _text(source.get("data")))
    return Opaque(kind, json_text(part))


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    return None


def _to_json(message: Message) -> dict[str, Any]:
    """A message that Steno made, in this provider's words."""
    role = "assistant" if message.role == "assistant" else "user"
    return {"role": role, "content": [_element(block) for block in message.blocks]}


def _element(block: Block) -> dict[str, Any]:
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text, signature):
            return {"type": "thinking", "thinking": text, "signature": signature}
        case Call(id, name, arguments):
            return {"type": "tool_use", "id": id, "name": name, "input": _input_object(arguments)}
        case Result(call, content, error):
            result = {
                "type": "tool_result",
                "tool_use_id": call,
                "content": [_element(part) for part in content],
            }
            return result | ({"is_error": True} if error else {})
        case Opaque(_, text):
            return cast(dict[str, Any], parse_json(text))
        case Media(kind):
            return {"type": "text", "text": f"[{kind}]"}


def _input_object(arguments: str) -> dict[str, Any]:
    """The arguments as the object this provider wants, whatever the model wrote."""
    try:
        read = parse_json(arguments)
    except ValueError:
        read = arguments
    if isinstance(read, dict):
        return read
    return {"arguments": read}


def _apply_patches(plain: dict[str, Any], message: Message) -> dict[str, Any]:
    """The provider's own JSON with some elements of its content shown otherwise."""
    content = plain["content"]
    old = [{"type": "text", "text": content}] if isinstance(content, str) else content
    patches = dict(message.patches)
    new = [
        element
        for at, was in enumerate(old)
        for element in (
            [was] if at not in patches else [_change_element(was, block) for block in patches[at]]
        )
    ]
    return plain | {"content": new}


def _change_element(was: dict[str, Any], block: Block) -> dict[str, Any]:
    """The element for a block, keeping of the old one whatever the block does not say."""
    before = _block(was, "")
    match block, before:
        case Call(id, _, arguments), Call():
            changed = {} if arguments == before.arguments else {"input": _input_object(arguments)}
            return was | {"id": id} | changed
        case Result(call, content), Result():
            shown = [_element(part) for part in content]
            return (
                was
                | {"tool_use_id": call}
                | ({} if content == before.content else {"content": shown})
            )
    kept = {"cache_control": was["cache_control"]} if "cache_control" in was else {}
    return _element(block) | kept
