"""Gemini's contents: read and write them.

A content has a role and parts. A call may come without an id, and its response names
the function, so an id here is `name|id`: a response that Steno writes can then name its
function. Signatures stay on the part they came with. Keys come in camelCase from the
API and in snake_case from programs; both are read, and each message keeps its own.
"""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from steno.core.errors import BadMessage
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Role, Text, Thinking
from steno.core.seam import calls_keep_their_results, server_calls_keep_their_results
from steno.core.wire import ProviderRules
from steno.providers.shared.block_types import state_of, treatment_table
from steno.providers.shared.media_size import measure_media
from steno.providers.shared.parts import (
    BlockPlaces,
    Part,
    arguments_object,
    as_turn,
    encode_message,
    joined_parts,
    known_role,
    only_blocks,
    patch_places,
    refuse_misplaced,
    without_nulls,
)
from steno.providers.shared.plain_json import Json, get_field, json_text, parse_json, text_at

# From `media_resolution` on, and `part_metadata`: beside another part they say how to read it.
BLOCK_TYPES = treatment_table(
    words="text empty part_metadata",
    media="inline_data file_data media_resolution video_metadata media_processing "
    "audio_transcription speech_metadata",
    thinking="thought thought_signature",
    call="function_call",
    result="function_response",
    server="executable_code code_execution_result tool_call tool_response",
)
ROLES: dict[str, Role] = {"user": "user", "model": "assistant", "function": "tool"}
ID_MARK = "|"
DECLARATIONS = ("functionDeclarations", "function_declarations")
SIDE_KEYS = frozenset(
    {"thought", "thought_signature", "part_metadata", "media_resolution", "video_metadata"}
    | {"media_processing", "speech_metadata", "audio_transcription"}
)
"""Keys of a part beside the one that says what it is."""


def join_batch(first: Json, second: Json) -> Json | None:
    """Return two neighbours as one content where they hold one batch of calls, or its results.

    "Please ensure that the number of function response parts is equal to the number of function
    call parts of the function call turn": a turn is one content.
    """
    calls, results = _says(first, "call"), _says(first, "response") and _says(second, "response")
    if calls or results:
        return first | {"parts": [*first["parts"], *(second.get("parts") or ())]}
    return None


def _says(content: Json, kind: str) -> bool:
    keys = (f"function{kind.title()}", f"function_{kind}")
    return any(get_field(part, key) for part in content.get("parts") or () for key in keys)


class GeminiWire:
    name = "gemini"
    terms = ProviderRules(
        seams=(calls_keep_their_results, server_calls_keep_their_results),
        # "Please ensure that function call turn comes immediately after a user turn": a
        # conversation cannot begin with the model's call.
        user_begins=True,
        combines=True,
        reuses_ids=True,
        repeats_ids=True,
        joins=join_batch,
        # No part that we know sets anything for later, so only unknown ones are kept.
        state=partial(state_of, known=BLOCK_TYPES, names_in=lambda part: ()),
    )

    def for_model(self, model: str) -> GeminiWire:
        return self

    def decode(self, plain: Json, raw: str, where: str) -> Message:
        # The API takes a content without a role for the user's.
        role = known_role(plain.get("role") or "user", ROLES, self.name, where)
        blocks = only_blocks(blocks_with_places(plain, where))
        refuse_misplaced(role, blocks, where)
        return Message(role, blocks, raw)

    def encode(self, message: Message) -> tuple[str, ...]:
        return encode_message(
            message, lambda own: as_turn(own, part_of, "model", "parts"), _apply_patches
        )

    def request(self, messages: list[Any], system: Any, tools: Any) -> Json:
        config = without_nulls(system_instruction=system, tools=tools)
        return without_nulls(contents=messages, config=config or None)

    def tool(self, name: str, description: str, schema: Json) -> Json:
        function = {"name": name, "description": description, "parameters_json_schema": schema}
        return {"function_declarations": [function]}

    def signs(self, plain: Json) -> str | None:
        if plain.get("role") == "model":
            return "role 'model'"
        if isinstance(plain.get("parts"), list):
            return "key 'parts'"
        return None


def blocks_with_places(plain: Json, where: str) -> BlockPlaces:
    """Return every block of a content with its place in the JSON."""
    parts = plain.get("parts")
    if parts is None and "role" in plain and "content" not in plain:
        return []
    if not isinstance(parts, list):
        raise BadMessage(f"{where}.parts", f"must be a list of parts, got {type(parts).__name__}")
    return [(("parts", at), _block(part, f"{where}.parts[{at}]")) for at, part in enumerate(parts)]


def _block(part: Any, where: str) -> Block:
    if not isinstance(part, dict):
        raise BadMessage(where, f"a part must be an object, got {type(part).__name__}")
    named = {_snake(key): value for key, value in part.items()}
    # The one key that says what a part is; others stand beside it.
    kind = next((name for name in named if name not in SIDE_KEYS), next(iter(named), "empty"))
    value = named.get(kind)
    match kind:
        case "text" if part.get("thought"):
            return Thinking(str(value or ""), text_at(named, "thought_signature"))
        case "text":
            return Text(str(value or ""))
        case "function_call" if isinstance(value, dict):
            arguments = value.get("args")
            if arguments is None:
                arguments = {}
            return Call(pairing_id(value), str(value.get("name")), json_text(arguments))
        case "function_response" if isinstance(value, dict):
            return _result(value)
        case "inline_data" | "file_data" if isinstance(value, dict):
            return _media(value)
        case _:
            return Opaque(kind, json_text(part))


def _snake(key: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)


def pairing_id(value: Json) -> str:
    return f"{value.get('name')}{ID_MARK}{value.get('id') or ''}"


def _result(value: Json) -> Result:
    response = value.get("response")
    error = isinstance(response, dict) and "error" in response
    content: list[Part] = []
    if response not in (None, {}):
        content.append(Text(_response_text(response)))
    for part in value.get("parts") or ():
        content.append(cast(Part, _block(part, "")))
    return Result(pairing_id(value), tuple(content), error)


def _response_text(response: Any) -> str:
    """Return the words of a response: its one string, or its JSON."""
    if isinstance(response, dict) and len(response) == 1:
        only = next(iter(response.values()))
        if isinstance(only, str):
            return only
    return json_text(response)


def _media(value: Json) -> Media:
    kind = str(value.get("mimeType") or value.get("mime_type") or "file")
    name, _, form = kind.partition("/")
    if form == "pdf" or name not in ("image", "audio", "video"):
        name = "document"
    return measure_media(name, kind, text_at(value, "data"))


def part_of(block: Block) -> Json:
    match block:
        case Text(text):
            return {"text": text}
        case Thinking(text):
            return {"text": text, "thought": True}
        case Call(id, name, arguments):
            args = arguments_object(arguments)
            return {"functionCall": without_nulls(name=name, id=_own_id(id), args=args)}
        case Result(call, content, error):
            name = (call or "").partition(ID_MARK)[0]
            words = {"error" if error else "result": joined_parts(content)}
            response = without_nulls(name=name, id=_own_id(call), response=words)
            return {"functionResponse": response}
        case Opaque(_, text):
            return cast(Json, parse_json(text))
        case Media(kind):
            return {"text": f"[{kind}]"}


def _own_id(id: str | None) -> str | None:
    """Return the provider's id of a call, if it gave one."""
    return (id or "").partition(ID_MARK)[2] or None


def _apply_patches(plain: Json, message: Message) -> Json:
    """Return the provider's own JSON with some parts replaced."""
    return patch_places(plain, message, blocks_with_places(plain, ""), _changed_part)


def _changed_part(part: Json, old: Block, block: Block) -> Json:
    """Return the part for a block; a signature stays on the part it came with."""
    made = part_of(block)
    if type(block) is not type(old) or not isinstance(block, Call | Result):
        return made
    [(key, new)] = made.items()
    # The key as the caller wrote it.
    if key not in part:
        key = _snake(key)
    changed = part[key] | new
    if isinstance(block, Result) and isinstance(old, Result):
        changed = part[key] | {"name": new["name"]}
        if block.content != old.content:
            changed = {**part[key], "response": new["response"]}
            changed.pop("parts", None)
    return part | {key: changed}
