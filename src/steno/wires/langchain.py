"""LangChain's messages as plain JSON: read and written.

What a message says is here (content, calls, ids); what only a program carries
with it (artifacts, usage, response metadata) is not. LangChain itself is not
imported: turning its objects into this JSON and back is the adapters' business.
Its users talk to any provider, so the rules about cutting are the strictest.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, cast

from steno.core.errors import BadMessage
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Role, Text, Thinking
from steno.core.seam import (
    calls_keep_their_results,
    server_calls_keep_their_results,
    thinking_stays_signed,
)
from steno.core.wire import ProviderRules
from steno.wires.anthropic import BOUND_THINKING_MODELS, CALL_ID
from steno.wires.media_size import measure_media
from steno.wires.plain_json import json_text, parse_json, required_text

ROLES: dict[str, Role] = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}
CHAT_ROLES: dict[str, Role] = {
    "assistant": "assistant",
    "ai": "assistant",
    "system": "system",
    "developer": "system",
}
"""The free roles of a chat message; any other is somebody who speaks to the model."""
CALL_TYPES = ("tool_use", "tool_call", "function_call")
"""Elements of content that repeat a call."""
CHUNK_TYPES = ("input_json_delta", "tool_call_chunk")
"""What streaming leaves behind of calls that are complete elsewhere."""
THINKING_TYPES = ("thinking", "redacted_thinking", "reasoning", "reasoning_content")
MEDIA_TYPES = {
    "image": "image",
    "image_url": "image",
    "audio": "audio",
    "input_audio": "audio",
    "file": "document",
}
STENO_KEY = "steno"
"""The key of `additional_kwargs` under which a message of Steno's says so."""

Place = tuple[str | int, ...]
BlockPlaces = list[tuple[Place, Block]]


class LangChainWire:
    """`strict`: for a model that refuses blank text and unusual ids; `bound`: see the Anthropic wire."""

    name = "langchain"

    def __init__(self, *, strict: bool = False, bound: bool = False) -> None:
        thinking = () if bound else (thinking_stays_signed,)
        self.terms = ProviderRules(
            seams=(calls_keep_their_results, server_calls_keep_their_results, *thinking),
            refuses_blank=strict,
            ids=CALL_ID if strict else None,
            user_begins=True,
            binds_thinking=bound,
        )

    def for_model(self, model: str) -> LangChainWire:
        return LangChainWire(
            strict="claude" in model, bound=bool(BOUND_THINKING_MODELS.search(model))
        )

    def decode(self, plain: dict[str, Any], raw: str, where: str) -> Message:
        kind = plain.get("type", "chat" if "role" in plain else None)
        if kind != "chat" and kind not in ROLES:
            raise BadMessage(
                f"{where}.type", f"unknown type {kind!r}; langchain has {', '.join(ROLES)} and chat"
            )
        role = CHAT_ROLES.get(str(plain.get("role")), "user") if kind == "chat" else ROLES[kind]
        return Message(role, tuple(block for _, block in blocks_with_places(plain, where)), raw)

    def encode(self, message: Message) -> tuple[str, ...]:
        if message.raw is None:
            return tuple(map(json_text, _to_messages(message)))
        if not message.patches:
            return (message.raw,)
        return (json_text(_apply_patches(parse_json(message.raw), message)),)

    def request(self, messages: list[Any], system: Any, tools: Any) -> dict[str, Any]:
        head = [] if system is None else [{"type": "system", "content": system}]
        return {"messages": head + messages} | ({} if tools is None else {"tools": tools})

    def tool(self, name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
        # As `bind_tools` takes it, whatever the provider.
        return {
            "type": "function",
            "function": {"name": name, "description": description, "parameters": schema},
        }

    def signs(self, plain: dict[str, Any]) -> str | None:
        if plain.get("type") in ROLES and "role" not in plain:
            return f"type {plain['type']!r}"
        return None


def blocks_with_places(plain: dict[str, Any], where: str) -> BlockPlaces:
    """Every block of a message and its place in the JSON."""
    content = plain.get("content")
    if plain.get("type") in ("tool", "function"):
        parts = tuple(
            cast(Text | Media | Opaque, block) for _, block in _content(content, where, frozenset())
        )
        return [
            ((), Result(_text(plain.get("tool_call_id")), parts, plain.get("status") == "error"))
        ]
    calls = [
        _call(call, f"{where}.tool_calls[{at}]")
        for at, call in enumerate(plain.get("tool_calls") or ())
    ]
    wrong = [_invalid_call(call) for call in plain.get("invalid_tool_calls") or ()]
    found: BlockPlaces = []
    thought = (plain.get("additional_kwargs") or {}).get("reasoning_content")
    if isinstance(thought, str):
        found.append((("additional_kwargs", "reasoning_content"), Thinking(thought)))
    if content != "" or not (calls or wrong):  # beside calls, an empty string says nothing
        found += _content(
            content, where, frozenset(call.id for call in (*calls, *wrong) if call.id)
        )
    found += [(("tool_calls", at), call) for at, call in enumerate(calls)]
    found += [(("invalid_tool_calls", at), call) for at, call in enumerate(wrong)]
    return found


def _content(content: Any, where: str, called: frozenset[str]) -> BlockPlaces:
    if content is None:
        return []
    if isinstance(content, str):
        return [(("content",), Text(content))]
    if not isinstance(content, list):
        raise BadMessage(
            f"{where}.content", f"must be a string or a list, got {type(content).__name__}"
        )
    return [
        (("content", at), _part(part, f"{where}.content[{at}]"))
        for at, part in enumerate(content)
        if not _repeats(part, called)
    ]


def _repeats(part: Any, called: frozenset[str]) -> bool:
    """The element says again what stands among the calls."""
    if not isinstance(part, dict):
        return False
    return part.get("type") in CHUNK_TYPES or (
        part.get("type") in CALL_TYPES and _id_of(part) in called
    )


def _id_of(part: dict[str, Any]) -> str | None:
    return _text(part.get("call_id") or part.get("id"))


def _part(part: Any, where: str) -> Block:
    if isinstance(part, str):
        return Text(part)
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        raise BadMessage(where, "a part must be a string or an object with a type")
    kind = part["type"]
    if kind == "text":
        return Text(required_text(part, "text", where))
    if kind in THINKING_TYPES:
        return Thinking(_thinking_text(part), _text(part.get("signature") or part.get("data")))
    if kind == "tool_result":
        parts = tuple(
            cast(Text | Media | Opaque, block)
            for _, block in _content(part.get("content"), where, frozenset())
        )
        return Result(_text(part.get("tool_use_id")), parts, bool(part.get("is_error")))
    if kind in MEDIA_TYPES:
        return measure_media(MEDIA_TYPES[kind], _text(part.get("mime_type")), _data(part))
    return Opaque(kind, json_text(part))


def _thinking_text(part: dict[str, Any]) -> str:
    said = (
        part.get("thinking")
        or part.get("reasoning")
        or part.get("text")
        or part.get("summary")
        or ""
    )
    if isinstance(said, list):
        return "\n".join(str(each.get("text", "")) for each in said if isinstance(each, dict))
    if isinstance(said, str):
        return said
    return ""


def _data(part: dict[str, Any]) -> str | None:
    """The base64 of a medium, or the URL it is at, in whichever of the shapes that LangChain takes."""
    holders = [
        part,
        *(part[key] for key in ("image_url", "source", "input_audio", "file") if key in part),
    ]
    for holder in holders:
        if isinstance(holder, str):
            return holder
        for key in ("base64", "data", "file_data", "url"):
            if isinstance(holder, dict) and isinstance(holder.get(key), str):
                return cast(str, holder[key])
    return None


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    return None


def _call(call: Any, where: str) -> Call:
    if not isinstance(call, dict):
        raise BadMessage(where, f"a call must be an object, got {type(call).__name__}")
    return Call(
        _text(call.get("id")), required_text(call, "name", where), json_text(call.get("args") or {})
    )


def _invalid_call(call: dict[str, Any]) -> Call:
    """A call whose arguments could not be read; it waits for a result like any other."""
    return Call(_text(call.get("id")), str(call.get("name") or ""), str(call.get("args") or ""))


def _to_messages(message: Message) -> list[dict[str, Any]]:
    """Messages that Steno made: each has an id of its own words, and says that it is Steno's."""
    made: list[dict[str, Any]] = [
        {"type": "tool", "content": _join_parts(result.content), "tool_call_id": result.call}
        | ({"status": "error"} if result.error else {})
        for result in message.results
    ]
    said = _join_parts(
        tuple(part for part in message.blocks if isinstance(part, Text | Media | Opaque))
    )
    calls = [
        {"name": call.name, "args": _args(call.arguments), "id": call.id} for call in message.calls
    ]
    if said or calls:
        kind = {"assistant": "ai", "system": "system"}.get(message.role, "human")
        made.append({"type": kind, "content": said} | ({"tool_calls": calls} if calls else {}))
    return [
        each | {"id": f"steno-{_digest(each)}", "additional_kwargs": {STENO_KEY: True}}
        for each in made
    ]


def _digest(plain: dict[str, Any]) -> str:
    return blake2b(json_text(plain).encode(), digest_size=8).hexdigest()


def _join_parts(parts: tuple[Text | Media | Opaque, ...]) -> str:
    return "\n".join(part.text if isinstance(part, Text) else f"[{part.kind}]" for part in parts)


def _args(arguments: str) -> dict[str, Any]:
    try:
        read = parse_json(arguments)
    except ValueError:
        read = arguments
    if isinstance(read, dict):
        return read
    return {"arguments": read}


def _apply_patches(plain: dict[str, Any], message: Message) -> dict[str, Any]:
    """The JSON as it was, with some of its blocks shown otherwise."""
    places = blocks_with_places(plain, "")
    gone: list[Place] = []
    for at, blocks in message.patches:
        place, old = places[at]
        if not blocks:
            gone.append(place)
        elif place == ():
            plain = _patch_result(plain, cast(Result, old), cast(Result, blocks[0]))
        elif isinstance(old, Call):
            _patch_call(plain, place, old, cast(Call, blocks[0]))
        else:
            _patch_part(plain, place, old, blocks[0])
    for place in reversed(gone):  # from the last on: the places of the others stay as they were
        _drop(plain, place)
    return plain


def _patch_result(plain: dict[str, Any], old: Result, new: Result) -> dict[str, Any]:
    changed = {} if new.content == old.content else {"content": _join_parts(new.content)}
    return plain | {"tool_call_id": new.call} | changed


def _patch_call(plain: dict[str, Any], place: Place, old: Call, new: Call) -> None:
    key, at = str(place[0]), cast(int, place[1])
    args: Any = _args(new.arguments) if key == "tool_calls" else new.arguments
    plain[key][at] = plain[key][at] | {"id": new.id, "name": new.name, "args": args}
    content = plain.get("content")
    if isinstance(content, list) and old.id:
        same = [
            n
            for n, part in enumerate(content)
            if _repeats(part, frozenset({old.id})) and _id_of(part) == old.id
        ]
        for n in same:
            content[n] = content[n] | _call_in_content(content[n], new)
    # The provider's own copy of the calls would contradict what is shown.
    for copy in ("tool_calls", "function_call"):
        (plain.get("additional_kwargs") or {}).pop(copy, None)


def _call_in_content(part: dict[str, Any], call: Call) -> dict[str, Any]:
    named = {"call_id" if "call_id" in part else "id": call.id}
    if "arguments" in part:
        return named | {"arguments": call.arguments}
    return named | {"args" if "args" in part else "input": _args(call.arguments)}


def _patch_part(plain: dict[str, Any], place: Place, old: Block, new: Block) -> None:
    text = _join_parts(new.content) if isinstance(new, Result) else cast(Text, new).text
    if place == ("content",):
        plain["content"] = text
    elif place[0] == "additional_kwargs":
        plain["additional_kwargs"][place[1]] = text
    elif isinstance(old, Result) and isinstance(new, Result):
        changed = {} if new.content == old.content else {"content": text}
        plain["content"][place[1]] = (
            plain["content"][place[1]] | {"tool_use_id": new.call} | changed
        )
    else:
        plain["content"][place[1]] = {"type": "text", "text": text}


def _drop(plain: dict[str, Any], place: Place) -> None:
    if len(place) < 2:
        plain["content"] = ""
    else:
        del plain[cast(str, place[0])][place[1]]
