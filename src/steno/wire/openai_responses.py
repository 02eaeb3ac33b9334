"""OpenAI responses: its input items, read and written.

An item is a message: a call, an output and a piece of reasoning each stand
alone. Reasoning goes back as it came, with the reply it led to. A block knows
its place in the item, so that it can be shown otherwise and the rest stays as
it came. What kind of call an id belongs to is part of the id (`custom:…`), so
that an output made by Steno is of the kind the provider waits for.
"""

from __future__ import annotations

from typing import Any, cast

from steno.core.error import BadMessage
from steno.core.media import measured
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Role, Text, Thinking
from steno.core.seam import (
    a_reply_keeps_its_reasoning,
    calls_keep_their_results,
    hosted_calls_keep_their_outputs,
    what_is_held_stays_with_what_shows_it,
)
from steno.core.wire import Terms
from steno.wire.plain import required, text_of, value_of

ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
OUTPUTS = ("function_call_output", "custom_tool_call_output")
PARTS = ("input_text", "output_text", "input_image", "input_file")
CUSTOM = "custom:"
HELD = (
    "{} leaves the past with the provider, and Steno can only keep what it sees: "
    "send the whole conversation as input items (store=False with encrypted reasoning does that)"
)

Place = tuple[str | int, ...]
Placed = list[tuple[Place, Block]]


class OpenAIResponses:
    name = "openai-responses"
    terms = Terms(
        seams=(
            calls_keep_their_results,
            a_reply_keeps_its_reasoning,
            hosted_calls_keep_their_outputs,
            what_is_held_stays_with_what_shows_it,
        ),
        combines=True,
    )

    def for_model(self, model: str) -> OpenAIResponses:
        return self

    def decode(self, plain: dict[str, Any], raw: str, where: str) -> Message:
        _refuse_held(plain, where)
        blocks = tuple(block for _, block in placed(plain, where))
        kind = plain.get("type") or "message"
        if kind == "message":
            return Message(ROLES[plain["role"]], blocks, raw)
        if kind.endswith(("_output", "_response")):
            return Message("tool", blocks, raw)
        return Message(ROLES.get(str(plain.get("role")), "assistant"), blocks, raw)

    def encode(self, message: Message) -> tuple[str, ...]:
        if message.raw is None:
            return tuple(map(text_of, _written(message)))
        if not message.patches:
            return (message.raw,)
        return (text_of(_patched(value_of(message.raw), message)),)

    def request(self, messages: list[Any], system: Any, tools: Any) -> dict[str, Any]:
        given = {"instructions": _instructions(system), "tools": tools}
        return {"input": messages} | {key: value for key, value in given.items() if value is not None}

    def tool(self, name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
        said = {"name": name, "description": description, "parameters": schema}
        return {"type": "function"} | said | {"strict": False}  # strict is their default, and wants every field

    def signs(self, plain: dict[str, Any]) -> str | None:
        kind = plain.get("type")
        if "role" not in plain:
            return f"an item of type {kind!r}" if isinstance(kind, str) else None
        parts = plain.get("content")
        kinds = [part.get("type") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
        own = next((kind for kind in kinds if kind in PARTS), None)
        if own:
            return f"part {own!r}"
        return "type 'message'" if kind == "message" and "stop_reason" not in plain else None


def _refuse_held(plain: dict[str, Any], where: str) -> None:
    """What only points at words the provider keeps cannot be kept, counted or cut."""
    if plain.get("object") == "response":
        raise BadMessage(where, "this is a whole response: add its items, add(*response.output)")
    if plain.get("previous_response_id"):
        raise BadMessage(f"{where}.previous_response_id", HELD.format("previous_response_id"))
    if plain.get("type") == "item_reference" or set(plain) == {"id"}:
        raise BadMessage(where, HELD.format("an item_reference"))


def placed(plain: dict[str, Any], where: str) -> Placed:
    """Every block of an item and its place in the JSON."""
    kind = plain.get("type") or "message"
    if not isinstance(kind, str):
        raise BadMessage(f"{where}.type", f"must be a string, got {type(kind).__name__}")
    if kind == "message":
        return _said(plain, where)
    if kind in CALLS:
        return [((), _call(plain, kind, where))]
    if kind in OUTPUTS:
        content = tuple(_part(block) for _, block in _content(plain.get("output"), f"{where}.output"))
        return [((), Result(_named(plain, kind), content))]
    if kind == "reasoning":
        return [((), Thinking(_thought(plain), _text(plain.get("encrypted_content")) or _text(plain.get("id"))))]
    return [((), Opaque(kind, text_of(plain)))]


def _said(plain: dict[str, Any], where: str) -> Placed:
    if plain.get("role") not in ROLES:
        known = f"openai-responses has {', '.join(ROLES)}, and items with a type"
        raise BadMessage(f"{where}.role", f"unknown role {plain.get('role')!r}; {known}")
    return _content(plain.get("content"), f"{where}.content")


def _content(content: Any, where: str) -> Placed:
    if content is None:
        return []
    if isinstance(content, str):
        return [(("content",), Text(content))]
    if isinstance(content, list):
        return [(("content", at), _read_part(part, f"{where}[{at}]")) for at, part in enumerate(content)]
    raise BadMessage(where, f"must be a string or a list of parts, got {type(content).__name__}")


def _read_part(part: Any, where: str) -> Text | Media | Opaque:
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        raise BadMessage(where, "a part must be an object with a type")
    kind = part["type"]
    if kind in ("input_text", "output_text", "text"):
        return Text(required(part, "text", where))
    if kind == "input_image":
        seen = measured("image", None, _text(part.get("image_url")))
        return Media("image", seen.width, seen.height, seen.size, seen.pages, _text(part.get("detail")))
    if kind == "input_file":
        return measured("document", None, _text(part.get("file_data")))
    return Opaque(kind, str(part["refusal"]) if kind == "refusal" and "refusal" in part else text_of(part))


def _call(plain: dict[str, Any], kind: str, where: str) -> Call:
    said = plain.get(CALLS[kind])
    # What a custom tool is given is text, not JSON: told as a JSON string.
    arguments = said if isinstance(said, str) and kind == "function_call" else text_of(said)
    return Call(_named(plain, kind), required(plain, "name", where), arguments)


def _named(plain: dict[str, Any], kind: str) -> str | None:
    """The id by which calls and outputs of one kind find each other."""
    id = plain.get("call_id")
    if not isinstance(id, str) or not id:
        return None
    return CUSTOM + id if kind.startswith("custom") else id


def _thought(plain: dict[str, Any]) -> str:
    parts = [*(plain.get("summary") or ()), *(plain.get("content") or ())]
    return "\n".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))


def _part(block: Block) -> Text | Media | Opaque:
    return cast(Text | Media | Opaque, block)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _instructions(system: Any) -> str | None:
    """One text: this provider takes no blocks there."""
    if system is None or isinstance(system, str):
        return system
    return "\n\n".join(str(block.get("text", "")) if isinstance(block, dict) else str(block) for block in system)


def _written(message: Message) -> list[dict[str, Any]]:
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
    return "\n".join(part.text if isinstance(part, Text) else f"[{part.kind}]" for part in result.content)


def _result_item(was: dict[str, Any], result: Result, output: Any) -> dict[str, Any]:
    kind, id = _kind_and_id(result.call)
    return _of_kind(was, OUTPUTS[kind]) | {"call_id": id, "output": output}


def _call_item(was: dict[str, Any], call: Call) -> dict[str, Any]:
    kind, id = _kind_and_id(call.id)
    if kind:
        said = {"input": _custom_input(call.arguments)}
    elif "input" in was:  # a custom call that was renamed: a function has its input by name
        said = {"arguments": text_of({"input": value_of(call.arguments)})}
    else:
        said = {"arguments": call.arguments}
    return _of_kind(was, tuple(CALLS)[kind]) | {"call_id": id, "name": call.name} | said


def _of_kind(was: dict[str, Any], kind: str) -> dict[str, Any]:
    """The item as it was; of another kind, without what only the old kind has: its input and its own id."""
    if was.get("type") == kind:
        return was
    return {"type": kind} | {key: value for key, value in was.items() if key not in ("type", "id", "input")}


def _kind_and_id(id: str | None) -> tuple[int, str | None]:
    return (1, id.removeprefix(CUSTOM)) if id is not None and id.startswith(CUSTOM) else (0, id)


def _custom_input(arguments: str) -> str:
    """The text for a custom tool; a short form that became an object is told as its one string."""
    read = value_of(arguments)
    if isinstance(read, dict) and len(read) == 1:
        read = next(iter(read.values()))
    return read if isinstance(read, str) else arguments


def _patched(plain: dict[str, Any], message: Message) -> dict[str, Any]:
    """The provider's own JSON with some of its blocks shown otherwise."""
    places = placed(plain, "")
    gone: list[int] = []
    for at, blocks in message.patches:
        place, old = places[at]
        if place == ():
            plain = _patched_item(plain, old, blocks[0]) if blocks else plain
        elif len(place) == 1:
            plain["content"] = "\n".join(block.text for block in blocks if isinstance(block, Text))
        elif not blocks:
            gone.append(cast(int, place[1]))
        elif isinstance(blocks[0], Text) and blocks[0] != old:
            plain["content"][cast(int, place[1])] = _text_part(plain["role"], blocks[0].text)
    for index in sorted(gone, reverse=True):
        del plain["content"][index]
    return plain


def _patched_item(plain: dict[str, Any], old: Block, new: Block) -> dict[str, Any]:
    match new, old:
        case Result(_, content), Result(_, before):
            return _result_item(plain, new, plain.get("output") if content == before else _result_text(new))
        case Call(), Call():
            return _call_item(plain, new)
    return plain
