"""OpenAI responses: its input items, read and written.

An item is a message: a call, an output and a piece of reasoning each stand
alone. Reasoning goes back as it came, with the reply it led to. A block knows
its place in the item, so that it can be shown otherwise and the rest stays as
it came. What kind of call an id belongs to is part of the id (`custom:…`), so
that an output made by Steno is of the kind the provider waits for.
"""

from __future__ import annotations

from typing import Any, cast

from steno.core.errors import BadMessage
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Role, Text, Thinking
from steno.core.seam import (
    a_reply_keeps_its_reasoning,
    calls_keep_their_results,
    held_thinking_stays_with_its_reply,
    hosted_calls_keep_their_outputs,
)
from steno.core.wire import ProviderRules
from steno.wires.media_size import measure_media
from steno.wires.plain_json import json_text, parse_json, required_text

ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}
CALL_TYPES = {"function_call": "arguments", "custom_tool_call": "input"}
OUTPUT_TYPES = ("function_call_output", "custom_tool_call_output")
PART_TYPES = ("input_text", "output_text", "input_image", "input_file")
CUSTOM_PREFIX = "custom:"
STORED_BY_PROVIDER = (
    "{} leaves the past with the provider, and Steno can only keep what it sees: "
    "send the whole conversation as input items (store=False with encrypted reasoning does that)"
)

Place = tuple[str | int, ...]
BlockPlaces = list[tuple[Place, Block]]


class OpenAIResponsesWire:
    name = "openai-responses"
    terms = ProviderRules(
        seams=(
            calls_keep_their_results,
            a_reply_keeps_its_reasoning,
            hosted_calls_keep_their_outputs,
            held_thinking_stays_with_its_reply,
        ),
        combines=True,
    )

    def for_model(self, model: str) -> OpenAIResponsesWire:
        return self

    def decode(self, plain: dict[str, Any], raw: str, where: str) -> Message:
        _refuse_references(plain, where)
        blocks = tuple(block for _, block in blocks_with_places(plain, where))
        kind = plain.get("type") or "message"
        if kind == "message":
            return Message(ROLES[plain["role"]], blocks, raw)
        if kind.endswith(("_output", "_response")):
            return Message("tool", blocks, raw)
        return Message(ROLES.get(str(plain.get("role")), "assistant"), blocks, raw)

    def encode(self, message: Message) -> tuple[str, ...]:
        if message.raw is None:
            return tuple(map(json_text, _to_items(message)))
        if not message.patches:
            return (message.raw,)
        return (json_text(_apply_patches(parse_json(message.raw), message)),)

    def request(self, messages: list[Any], system: Any, tools: Any) -> dict[str, Any]:
        given = {"instructions": _instructions(system), "tools": tools}
        return {"input": messages} | {
            key: value for key, value in given.items() if value is not None
        }

    def tool(self, name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
        said = {"name": name, "description": description, "parameters": schema}
        return (
            {"type": "function"} | said | {"strict": False}
        )  # strict is their default, and wants every field

    def signs(self, plain: dict[str, Any]) -> str | None:
        kind = plain.get("type")
        if "role" not in plain:
            if isinstance(kind, str):
                return f"an item of type {kind!r}"
            return None
        parts = plain.get("content")
        kinds = (
            [part.get("type") for part in parts if isinstance(part, dict)]
            if isinstance(parts, list)
            else []
        )
        own = next((kind for kind in kinds if kind in PART_TYPES), None)
        if own:
            return f"part {own!r}"
        if kind == "message" and "stop_reason" not in plain:
            return "type 'message'"
        return None


def _refuse_references(plain: dict[str, Any], where: str) -> None:
    """What only points at words the provider keeps cannot be kept, counted or cut."""
    if plain.get("object") == "response":
        raise BadMessage(where, "this is a whole response: add its items, add(*response.output)")
    if plain.get("previous_response_id"):
        raise BadMessage(
            f"{where}.previous_response_id", STORED_BY_PROVIDER.format("previous_response_id")
        )
    if plain.get("type") == "item_reference" or set(plain) == {"id"}:
        raise BadMessage(where, STORED_BY_PROVIDER.format("an item_reference"))


def blocks_with_places(plain: dict[str, Any], where: str) -> BlockPlaces:
    """Every block of an item and its place in the JSON."""
    kind = plain.get("type") or "message"
    if not isinstance(kind, str):
        raise BadMessage(f"{where}.type", f"must be a string, got {type(kind).__name__}")
    if kind == "message":
        return _message_blocks(plain, where)
    if kind in CALL_TYPES:
        return [((), _call(plain, kind, where))]
    if kind in OUTPUT_TYPES:
        content = tuple(
            _as_part(block) for _, block in _content(plain.get("output"), f"{where}.output")
        )
        return [((), Result(_call_id(plain, kind), content))]
    if kind == "reasoning":
        return [
            (
                (),
                Thinking(
                    _thinking_text(plain),
                    _text(plain.get("encrypted_content")) or _text(plain.get("id")),
                ),
            )
        ]
    return [((), Opaque(kind, json_text(plain)))]


def _message_blocks(plain: dict[str, Any], where: str) -> BlockPlaces:
    if plain.get("role") not in ROLES:
        known = f"openai-responses has {', '.join(ROLES)}, and items with a type"
        raise BadMessage(f"{where}.role", f"unknown role {plain.get('role')!r}; {known}")
    return _content(plain.get("content"), f"{where}.content")


def _content(content: Any, where: str) -> BlockPlaces:
    if content is None:
        return []
    if isinstance(content, str):
        return [(("content",), Text(content))]
    if isinstance(content, list):
        return [
            (("content", at), _read_part(part, f"{where}[{at}]")) for at, part in enumerate(content)
        ]
    raise BadMessage(where, f"must be a string or a list of parts, got {type(content).__name__}")


def _read_part(part: Any, where: str) -> Text | Media | Opaque:
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        raise BadMessage(where, "a part must be an object with a type")
    kind = part["type"]
    if kind in ("input_text", "output_text", "text"):
        return Text(required_text(part, "text", where))
    if kind == "input_image":
        seen = measure_media("image", None, _text(part.get("image_url")))
        return Media(
            "image", seen.width, seen.height, seen.size, seen.pages, _text(part.get("detail"))
        )
    if kind == "input_file":
        return measure_media("document", None, _text(part.get("file_data")))
    return Opaque(
        kind, str(part["refusal"]) if kind == "refusal" and "refusal" in part else json_text(part)
    )


def _call(plain: dict[str, Any], kind: str, where: str) -> Call:
    said = plain.get(CALL_TYPES[kind])
    # What a custom tool is given is text, not JSON: told as a JSON string.
    arguments = said if isinstance(said, str) and kind == "function_call" else json_text(said)
    return Call(_call_id(plain, kind), required_text(plain, "name", where), arguments)


def _call_id(plain: dict[str, Any], kind: str) -> str | None:
    """The id by which calls and outputs of one kind find each other."""
    id = plain.get("call_id")
    if not isinstance(id, str) or not id:
        return None
    if kind.startswith("custom"):
        return CUSTOM_PREFIX + id
    return id


def _thinking_text(plain: dict[str, Any]) -> str:
    parts = [*(plain.get("summary") or ()), *(plain.get("content") or ())]
    return "\n".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))


def _as_part(block: Block) -> Text | Media | Opaque:
    return cast(Text | Media | Opaque, block)


def _text(value: Any) -> str | None:
    if isinstance(value, str) and value:
        return value
    return None


def _instructions(system: Any) -> str | None:
    """One text: this provider takes no blocks there."""
    if system is None or isinstance(system, str):
        return system
    return "\n\n".join(
        str(block.get("text", "")) if isinstance(block, dict) else str(block) for block in system
    )


def _to_items(message: Message) -> list[dict[str, Any]]:
    """What Steno says, in this provider's words: outputs, words and calls are items of their own."""
    items = [_result_item({}, result, _result_text(result)) for result in message.results]
    text = "\n".join(part.text for part in message.blocks if isinstance(part, Text | Opaque))
    if text:
        role = "user" if message.role == "tool" else message.role
        items.append({"type": "message", "role": role, "content": [_text_part(role, text)]})
    return items + [_call_item({}, call) for call in message.calls]


def _text_part(role: str, text: str) -> dict[str, Any]:
    return {"type": "output_text" if role == "assistant" else "input_text", "text": text}


def _result_text(result: Result) -> str:
    return "\n".join(
        part.text if isinstance(part, Text) else f"[{part.kind}]" for part in result.content
    )


def _result_item(was: dict[str, Any], result: Result, output: Any) -> dict[str, Any]:
    kind, id = _kind_and_id(result.call)
    return _of_kind(was, OUTPUT_TYPES[kind]) | {"call_id": id, "output": output}


def _call_item(was: dict[str, Any], call: Call) -> dict[str, Any]:
    kind, id = _kind_and_id(call.id)
    if kind:
        said = {"input": _custom_input(call.arguments)}
    elif "input" in was:  # a custom call that was renamed: a function has its input by name
        said = {"arguments": json_text({"input": parse_json(call.arguments)})}
    else:
        said = {"arguments": call.arguments}
    return _of_kind(was, tuple(CALL_TYPES)[kind]) | {"call_id": id, "name": call.name} | said


def _of_kind(was: dict[str, Any], kind: str) -> dict[str, Any]:
    """The item as it was; of another kind, without what only the old kind has: its input and its own id."""
    if was.get("type") == kind:
        return was
    return {"type": kind} | {
        key: value for key, value in was.items() if key not in ("type", "id", "input")
    }


def _kind_and_id(id: str | None) -> tuple[int, str | None]:
    if id is not None and id.startswith(CUSTOM_PREFIX):
        return (1, id.removeprefix(CUSTOM_PREFIX))
    return (0, id)


def _custom_input(arguments: str) -> str:
    """The text for a custom tool; a short form that became an object is told as its one string."""
    read = parse_json(arguments)
    if isinstance(read, dict) and len(read) == 1:
        read = next(iter(read.values()))
    if isinstance(read, str):
        return read
    return arguments


def _apply_patches(plain: dict[str, Any], message: Message) -> dict[str, Any]:
    """The provider's own JSON with some of its blocks shown otherwise."""
    places = blocks_with_places(plain, "")
    gone: list[int] = []
    for at, blocks in message.patches:
        place, old = places[at]
        if place == ():
            plain = _patch_item(plain, old, blocks[0]) if blocks else plain
        elif len(place) == 1:
            plain["content"] = "\n".join(block.text for block in blocks if isinstance(block, Text))
        elif not blocks:
            gone.append(cast(int, place[1]))
        elif isinstance(blocks[0], Text) and blocks[0] != old:
            plain["content"][cast(int, place[1])] = _text_part(plain["role"], blocks[0].text)
    for index in sorted(gone, reverse=True):
        del plain["content"][index]
    return plain


def _patch_item(plain: dict[str, Any], old: Block, new: Block) -> dict[str, Any]:
    match new, old:
        case Result(_, content), Result(_, before):
            return _result_item(
                plain, new, plain.get("output") if content == before else _result_text(new)
            )
        case Call(), Call():
            return _call_item(plain, new)
    return plain
