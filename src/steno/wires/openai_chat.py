"""OpenAI chat completions: its messages, read and written.

Content parts, tool calls and results become blocks; each block knows its place
in the JSON it was read from, so that one block can be shown otherwise and the
rest stay as they came.
"""

from __future__ import annotations

from typing import Any, cast

from steno.core.errors import BadMessage
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Role, Text, Thinking
from steno.core.seam import calls_keep_their_results
from steno.core.wire import ProviderRules
from steno.wires.media_size import measure_media
from steno.wires.plain_json import json_text, parse_json, required_text

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
OWN_KEYS = ("tool_calls", "function_call", "refusal", "audio", "tool_call_id")
OWN_PARTS = ("image_url", "input_audio", "file", "refusal")

Place = tuple[str | int, ...]
BlockPlaces = list[tuple[Place, Block]]


class OpenAIChatWire:
    name = "openai"
    terms = ProviderRules(seams=(calls_keep_their_results,), refuses_void=True)

    def for_model(self, model: str) -> OpenAIChatWire:
        return self

    def decode(self, plain: dict[str, Any], raw: str, where: str) -> Message:
        role = plain.get("role")
        if role not in ROLES:
            raise BadMessage(
                f"{where}.role", f"unknown role {role!r}; openai has {', '.join(ROLES)}"
            )
        return Message(
            ROLES[role], tuple(block for _, block in blocks_with_places(plain, where)), raw
        )

    def encode(self, message: Message) -> tuple[str, ...]:
        if message.raw is None:
            return tuple(map(json_text, _to_messages(message)))
        if not message.patches:
            return (message.raw,)
        return (json_text(_apply_patches(parse_json(message.raw), message)),)

    def request(self, messages: list[Any], system: Any, tools: Any) -> dict[str, Any]:
        head = [] if system is None else [{"role": "system", "content": system}]
        return {"messages": head + messages} | ({} if tools is None else {"tools": tools})

    def tool(self, name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "function",
            "function": {"name": name, "description": description, "parameters": schema},
        }

    def signs(self, plain: dict[str, Any]) -> str | None:
        if plain.get("role") in ("system", "developer", "tool", "function"):
            return f"role {plain['role']!r}"
        key = next((key for key in OWN_KEYS if key in plain), None)
        if key:
            return f"key {key!r}"
        parts = plain.get("content")
        kinds = (
            (part.get("type") for part in parts if isinstance(part, dict))
            if isinstance(parts, list)
            else ()
        )
        kind = next((kind for kind in kinds if kind in OWN_PARTS), None)
        if kind:
            return f"part {kind!r}"
        return None


def blocks_with_places(plain: dict[str, Any], where: str) -> BlockPlaces:
    """Every block of a message and its place in the JSON."""
    content = plain.get("content")
    if plain["role"] in ("tool", "function"):
        parts = tuple(_as_part(block) for _, block in _content(content, where))
        return [((), Result(_text(plain.get("tool_call_id")), parts))]
    found: BlockPlaces = []
    if isinstance(plain.get("reasoning_content"), str):
        found.append((("reasoning_content",), Thinking(plain["reasoning_content"])))
    found += _content(content, where)
    if plain.get("refusal"):
        found.append((("refusal",), Opaque("refusal", str(plain["refusal"]))))
    if plain.get("audio"):
        found.append((("audio",), Opaque("audio", json_text(plain["audio"]))))
    for at, call in enumerate(plain.get("tool_calls") or ()):
        found.append((("tool_calls", at), _call(call, f"{where}.tool_calls[{at}]")))
    if plain.get("function_call"):
        found.append(
            (
                ("function_call",),
                _function_call(None, plain["function_call"], f"{where}.function_call"),
            )
        )
    return found


def _content(content: Any, where: str) -> BlockPlaces:
    if content is None or content == "":
        if content == "":
            return [(("content",), Text(""))]
        return []
    if isinstance(content, str):
        return [(("content",), Text(content))]
    if isinstance(content, list):
        return [
            (("content", at), _read_part(part, f"{where}.content[{at}]"))
            for at, part in enumerate(content)
        ]
    raise BadMessage(
        f"{where}.content",
        f"must be a string, a list of parts or null, got {type(content).__name__}",
    )


def _read_part(part: Any, where: str) -> Text | Media | Opaque:
    if isinstance(part, str):
        return Text(part)
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        raise BadMessage(where, "a part must be an object with a type")
    kind = part["type"]
    if kind == "text":
        return Text(required_text(part, "text", where))
    if kind == "image_url":
        image = part.get("image_url")
        url, detail = (
            (image.get("url"), image.get("detail")) if isinstance(image, dict) else (image, None)
        )
        seen = measure_media("image", None, url if isinstance(url, str) else None)
        return Media("image", seen.width, seen.height, seen.size, seen.pages, detail)
    if kind == "input_audio":
        audio = part.get("input_audio")
        return measure_media("audio", None, audio.get("data") if isinstance(audio, dict) else None)
    if kind == "file":
        file = part.get("file")
        return measure_media(
            "document", None, file.get("file_data") if isinstance(file, dict) else None
        )
    return Opaque(kind, json_text(part))


def _as_part(block: Block) -> Text | Media | Opaque:
    return cast(Text | Media | Opaque, block)


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    return None


def _call(call: Any, where: str) -> Block:
    if not isinstance(call, dict):
        raise BadMessage(where, f"a call must be an object, got {type(call).__name__}")
    if isinstance(call.get("custom"), dict):
        custom = call["custom"]
        return Call(
            _text(call.get("id")), str(custom.get("name", "")), json_text(custom.get("input", ""))
        )
    return _function_call(_text(call.get("id")), call.get("function"), f"{where}.function")


def _function_call(id: str | None, function: Any, where: str) -> Call:
    if not isinstance(function, dict):
        raise BadMessage(
            where, f"must be an object with name and arguments, got {type(function).__name__}"
        )
    arguments = function.get("arguments")
    return Call(
        id,
        required_text(function, "name", where),
        arguments if isinstance(arguments, str) else json_text(arguments),
    )


def _to_messages(message: Message) -> list[dict[str, Any]]:
    """Messages that Steno made, in this provider's words: a result is a message of its own."""
    results = [
        {"role": "tool", "tool_call_id": result.call, "content": _result_text(result)}
        for result in message.results
    ]
    text = "\n".join(part.text for part in message.blocks if isinstance(part, Text | Opaque))
    calls = [_call_object(call) for call in message.calls]
    if not text and not calls:
        return cast(list[dict[str, Any]], results)
    role = "user" if message.role == "tool" else message.role
    said: dict[str, Any] = {"role": role, "content": text or None}
    return [*results, said | ({"tool_calls": calls} if calls else {})]


def _call_object(call: Call) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def _result_text(result: Result) -> str:
    return "\n".join(
        part.text if isinstance(part, Text) else f"[{part.kind}]" for part in result.content
    )


def _apply_patches(plain: dict[str, Any], message: Message) -> dict[str, Any]:
    """The provider's own JSON with some of its blocks shown otherwise."""
    places = blocks_with_places(plain, "")
    gone: list[Place] = []
    for at, blocks in message.patches:
        place, old = places[at]
        if not blocks:
            gone.append(place)
        elif place == ():
            plain = _patch_result(plain, cast(Result, old), blocks)
        elif len(place) == 1:
            plain = _patch_key(plain, str(place[0]), blocks)
        else:
            key, index = str(place[0]), cast(int, place[1])
            plain[key][index] = _patch_element(plain[key][index], blocks[0])
    for place in sorted(gone, reverse=True):
        _drop(plain, place)
    return plain


def _patch_result(plain: dict[str, Any], old: Result, blocks: tuple[Block, ...]) -> dict[str, Any]:
    result = cast(Result, blocks[0])
    new = plain | {"role": "tool", "tool_call_id": result.call}
    if result.content != old.content:
        new["content"] = _result_text(result)
    return new


def _patch_key(plain: dict[str, Any], key: str, blocks: tuple[Block, ...]) -> dict[str, Any]:
    if key == "function_call":
        # The form without ids has none to rename: it is told in the form that has.
        calls = [_call_object(block) for block in blocks if isinstance(block, Call)]
        return {k: v for k, v in plain.items() if k != key} | {"tool_calls": calls}
    return plain | {
        key: "\n".join(
            block.text for block in blocks if isinstance(block, Text | Thinking | Opaque)
        )
    }


def _patch_element(element: Any, block: Block) -> Any:
    match block:
        case Call(id, name, arguments) if isinstance(element.get("function"), dict):
            return element | {
                "id": id,
                "function": element["function"] | {"name": name, "arguments": arguments},
            }
        case Call(id, name, arguments) if isinstance(element.get("custom"), dict):
            return element | {
                "id": id,
                "custom": element["custom"] | {"name": name, "input": _custom_input(arguments)},
            }
        case Text(text):
            return {"type": "text", "text": text}
        case _:
            return element


def _custom_input(arguments: str) -> str:
    """Free text, as a custom tool takes it; what was shortened is an object around that text."""
    read = parse_json(arguments)
    if isinstance(read, dict):
        read = read.get("arguments", arguments)
    if isinstance(read, str):
        return read
    return arguments


def _drop(plain: dict[str, Any], place: Place) -> None:
    key = str(place[0]) if place else "content"
    if len(place) < 2:
        plain.pop(key, None)
        return
    del plain[key][cast(int, place[1])]
    if not plain[key]:
        del plain[key]
