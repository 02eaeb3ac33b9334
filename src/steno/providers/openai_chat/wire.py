"""OpenAI chat completions: read and write its messages."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from steno.core.errors import BadMessage
from steno.core.message import Block, Call, Message, Opaque, Result, Role, Text, Thinking
from steno.core.seam import calls_keep_their_results
from steno.core.wire import ProviderRules
from steno.providers.shared.block_types import treatment_table
from steno.providers.shared.media_size import measure_media
from steno.providers.shared.parts import (
    BlockPlaces,
    Part,
    content_with_places,
    custom_input,
    encode_message,
    function_tool,
    joined_parts,
    joined_words,
    known_role,
    only_blocks,
    optional_list,
    part_type,
    patch_places,
    refuse_misplaced,
    user_speaker,
    without_nulls,
)
from steno.providers.shared.plain_json import Json, json_text, list_at, required_text, text_at

# `audio` is what the model said aloud, named by its id.
BLOCK_TYPES = treatment_table(words="text refusal", media="image_url input_audio file audio")
ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
OWN_KEYS = ("tool_calls", "function_call", "refusal", "audio", "tool_call_id")
"""Keys that no other wire writes."""
OWN_PARTS = ("image_url", "input_audio", "file", "refusal")
"""Types of content parts that no other wire writes."""
ALTERNATING_MODELS = re.compile(r"gemma|mistral|mixtral|ministral|codestral|devstral|magistral")
"""Models whose chat templates raise: "Conversation roles must alternate user/assistant"."""


class OpenAIChatWire:
    """Read and write the messages of chat completions.

    `alternating` is for models that refuse two messages of one role in a row.
    """

    name = "openai"
    tool = staticmethod(function_tool)

    def __init__(self, *, alternating: bool = False) -> None:
        joins = None
        if alternating:
            joins = join_messages
        # A tool message with null content is refused, one with an empty string is not.
        self.terms = ProviderRules(
            seams=(calls_keep_their_results,),
            refuses_void=True,
            user_begins=alternating,
            joins=joins,
        )

    def for_model(self, model: str) -> OpenAIChatWire:
        if ALTERNATING_MODELS.search(model.lower()):
            return type(self)(alternating=True)
        return self

    def decode(self, plain: Json, raw: str, where: str) -> Message:
        role = known_role(plain.get("role"), ROLES, self.name, where)
        blocks = only_blocks(blocks_with_places(plain, where))
        refuse_misplaced(role, blocks, where)
        if role == "tool" and plain.get("tool_calls"):
            # A result is read for its content alone, so calls in it would pass unseen.
            raise BadMessage(where, "only an assistant's message can call a tool, not a tool's")
        return Message(role, blocks, raw, by=user_speaker(role, plain.get("name")))

    def encode(self, message: Message) -> tuple[str, ...]:
        return encode_message(message, _to_messages, _apply_patches)

    def request(self, messages: list[Any], system: Any, tools: Any) -> Json:
        if system is not None:
            messages = [{"role": "system", "content": system}, *messages]
        return without_nulls(messages=messages, tools=tools)

    def signs(self, plain: Json) -> str | None:
        if plain.get("role") in ("system", "developer", "tool", "function"):
            return f"role {plain['role']!r}"
        for key in OWN_KEYS:
            if key in plain:
                return f"key {key!r}"
        for part in list_at(plain, "content"):
            if text_at(part, "type") in OWN_PARTS:
                return f"part {part['type']!r}"
        return None


def join_messages(first: Json, second: Json) -> Json | None:
    """Return two neighbours of one role as one message; results and calls stay by themselves."""
    if first.get("role") not in ("user", "assistant") or first.get("tool_calls"):
        return None
    before, after = first.get("content"), second.get("content")
    if not before or not after:
        return second | {"content": before or after}
    if isinstance(before, str) and isinstance(after, str):
        return first | second | {"content": f"{before}\n\n{after}"}
    return first | second | {"content": [*_as_parts(before), *_as_parts(after)]}


def _as_parts(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content)


def blocks_with_places(plain: Json, where: str) -> BlockPlaces:
    """Return every block of a message with its place in the JSON."""
    content = content_with_places(plain.get("content"), f"{where}.content", _read_part)
    # `function` is the form before tool messages: it answers a `function_call`, without an id.
    if plain["role"] in ("tool", "function"):
        return [((), Result(text_at(plain, "tool_call_id"), only_blocks(content)))]
    found: BlockPlaces = []
    if isinstance(plain.get("reasoning_content"), str):
        found.append((("reasoning_content",), Thinking(plain["reasoning_content"])))
    found += content
    if plain.get("refusal"):
        found.append((("refusal",), Opaque("refusal", str(plain["refusal"]))))
    if plain.get("audio"):
        found.append((("audio",), Opaque("audio", json_text(plain["audio"]))))
    for at, call in enumerate(optional_list(plain, "tool_calls", where)):
        found.append((("tool_calls", at), _call(call, f"{where}.tool_calls[{at}]")))
    if plain.get("function_call"):
        # The form before tool_calls: one call, without an id.
        call = _function_call(None, plain["function_call"], f"{where}.function_call")
        found.append((("function_call",), call))
    return found


def _read_part(part: Any, where: str) -> Part:
    if isinstance(part, str):
        return Text(part)
    kind = part_type(part, where)
    value = part.get(kind)
    match kind:
        case "text":
            return Text(required_text(part, "text", where))
        case "image_url":
            url = text_at(value, "url") or text_at(value)
            image = measure_media("image", None, url)
            return msgspec.structs.replace(image, detail=text_at(value, "detail"))
        case "input_audio":
            return measure_media("audio", None, text_at(value, "data"))
        case "file":
            return measure_media("document", None, text_at(value, "file_data"))
        case _:
            return Opaque(kind, json_text(part))


def _call(call: Any, where: str) -> Block:
    if not isinstance(call, dict):
        raise BadMessage(where, f"a call must be an object, got {type(call).__name__}")
    id = text_at(call, "id")
    custom = call.get("custom")
    if isinstance(custom, dict):
        return Call(id, str(custom.get("name", "")), json_text(custom.get("input", "")))
    return _function_call(id, call.get("function"), f"{where}.function")


def _function_call(id: str | None, function: Any, where: str) -> Call:
    if not isinstance(function, dict):
        raise BadMessage(
            where, f"must be an object with name and arguments, got {type(function).__name__}"
        )
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = json_text(arguments)
    return Call(id, required_text(function, "name", where), arguments)


def _to_messages(message: Message) -> list[Json]:
    """Return a message that Steno wrote as this provider's: each result is a message of its own."""
    # Results first: only tool messages may follow the calls they answer.
    made: list[Json] = []
    for result in message.results:
        content = joined_parts(result.content)
        made.append({"role": "tool", "tool_call_id": result.call, "content": content})
    text = joined_words(message.blocks)
    calls = [_call_object(call) for call in message.calls]
    if text or calls:
        # Null is legal only beside calls, and without text there are some.
        reply: Json = {"role": message.role, "content": text or None}
        if message.role == "tool":
            reply["role"] = "user"
        if calls:
            reply["tool_calls"] = calls
        made.append(reply)
    return made


def _call_object(call: Call) -> Json:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def _apply_patches(plain: Json, message: Message) -> Json:
    """Return the provider's own JSON with some of its blocks replaced."""
    plain = patch_places(plain, message, blocks_with_places(plain, ""), _patch_value)
    for key in ("content", "tool_calls"):
        # The API refuses an empty list, of calls or of content.
        if plain.get(key) == []:
            del plain[key]
    if "function" in (plain.get("function_call") or ()):
        # A call of this form has no id that could be renamed, so it gets the newer form.
        plain["tool_calls"] = [plain.pop("function_call")]
    return plain


def _patch_value(value: Any, old: Block, new: Block) -> Any:
    """Return what stands for a new block: a message, an element of a list, or a text."""
    if isinstance(new, Result) and isinstance(old, Result):
        changed = value | {"role": "tool", "tool_call_id": new.call}
        if new.content != old.content:
            changed["content"] = joined_parts(new.content)
        return changed
    if isinstance(new, Call):
        return _changed_call(value, new)
    if isinstance(value, str) and isinstance(new, Text | Thinking | Opaque):
        return new.text
    if isinstance(new, Text):
        return {"type": "text", "text": new.text}
    return value


def _changed_call(value: Json, call: Call) -> Json:
    function, custom = value.get("function"), value.get("custom")
    if isinstance(function, dict):
        function = function | {"name": call.name, "arguments": call.arguments}
        return value | {"id": call.id, "function": function}
    if isinstance(custom, dict):
        custom = custom | {"name": call.name, "input": custom_input(call.arguments)}
        return value | {"id": call.id, "custom": custom}
    return _call_object(call)
