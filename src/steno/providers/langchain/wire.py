"""LangChain's messages as plain JSON: read and write them.

The JSON holds what a message says (content, calls, ids), not what a program
attaches to it (artifacts, usage, response metadata). LangChain is not imported
here: `steno.adapters` turns its objects into this JSON and back. Its users may
call any provider, so this wire follows the strictest rules about cutting.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, cast

from steno.core.errors import BadMessage
from steno.core.message import (
    Block,
    Call,
    Media,
    Message,
    Opaque,
    Result,
    Role,
    Speaker,
    Text,
    Thinking,
)
from steno.core.seam import (
    calls_keep_their_results,
    server_calls_keep_their_results,
    thinking_stays_signed,
)
from steno.core.wire import ProviderRules
from steno.providers.anthropic.wire import BOUND_THINKING_MODELS, CALL_ID
from steno.providers.shared.media_size import measure_media
from steno.providers.shared.parts import (
    BlockPlaces,
    arguments_object,
    content_with_places,
    encode_message,
    function_tool,
    joined_parts,
    only_blocks,
    optional_list,
    part_type,
    patch_places,
    user_speaker,
    without_nulls,
)
from steno.providers.shared.plain_json import Json, json_text, list_at, required_text, text_at

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
"""Roles of a chat message, which may be any string; every other role is sent as the user's."""
PERSON_ROLES = ("user", "human")
"""Roles of a chat message that a person speaks in; every other one names a program."""
CALL_TYPES = ("tool_use", "tool_call", "function_call")
"""Elements of content that repeat an entry of `tool_calls`."""
CHUNK_TYPES = ("input_json_delta", "tool_call_chunk")
"""Elements that streaming leaves in content for calls that `tool_calls` holds whole."""
THINKING_TYPES = ("thinking", "redacted_thinking", "reasoning", "reasoning_content")
MEDIA_TYPES = {
    "image": "image",
    "image_url": "image",
    "audio": "audio",
    "input_audio": "audio",
    "file": "document",
}
STENO_KEY = "steno"
"""Key of `additional_kwargs` that marks a message written by Steno."""


class LangChainWire:
    """Read and write LangChain's messages.

    `strict` is for models that refuse blank text and unusual ids; for `bound` see AnthropicWire.
    """

    name = "langchain"
    # `bind_tools` takes this form for every provider.
    tool = staticmethod(function_tool)

    def __init__(self, *, strict: bool = False, bound: bool = False) -> None:
        # Before a model is named, the list may go to any provider.
        seams = [calls_keep_their_results, server_calls_keep_their_results]
        if not bound:
            seams.append(thinking_stays_signed)
        ids = None
        if strict:
            ids = CALL_ID
        self.terms = ProviderRules(
            seams=tuple(seams),
            refuses_blank=strict,
            ids=ids,
            user_begins=True,
            binds_thinking=bound,
        )

    def for_model(self, model: str) -> LangChainWire:
        bound = BOUND_THINKING_MODELS.search(model) is not None
        return LangChainWire(strict="claude" in model, bound=bound)

    def decode(self, plain: Json, raw: str, where: str) -> Message:
        role = _role(plain, where)
        blocks = only_blocks(blocks_with_places(plain, where))
        return Message(role, blocks, raw, by=_speaker(plain, role))

    def encode(self, message: Message) -> tuple[str, ...]:
        return encode_message(message, _to_messages, _apply_patches)

    def request(self, messages: list[Any], system: Any, tools: Any) -> Json:
        if system is not None:
            messages = [{"type": "system", "content": system}, *messages]
        return without_nulls(messages=messages, tools=tools)

    def signs(self, plain: Json) -> str | None:
        kind = text_at(plain, "type")
        if kind in ROLES and "role" not in plain:
            return f"type {kind!r}"
        return None


def _role(plain: Json, where: str) -> Role:
    kind = plain.get("type")
    if "type" not in plain and "role" in plain:
        kind = "chat"
    if kind == "chat":
        return CHAT_ROLES.get(str(plain.get("role")), "user")
    if not isinstance(kind, str) or kind not in ROLES:
        raise BadMessage(
            f"{where}.type", f"unknown type {kind!r}; langchain has {', '.join(ROLES)} and chat"
        )
    return ROLES[kind]


def _speaker(plain: Json, role: Role) -> Speaker:
    chat = plain.get("role")
    if role == "user" and chat is not None and chat not in PERSON_ROLES:
        return "program"
    return user_speaker(role, plain.get("name"))


def blocks_with_places(plain: Json, where: str) -> BlockPlaces:
    """Return every block of a message with its place in the JSON."""
    content = content_with_places(plain.get("content"), f"{where}.content", _part)
    if plain.get("type") in ("tool", "function"):
        id = text_at(plain, "tool_call_id")
        return [((), Result(id, only_blocks(content), plain.get("status") == "error"))]
    calls: BlockPlaces = []
    for key in ("tool_calls", "invalid_tool_calls"):
        for at, call in enumerate(optional_list(plain, key, where)):
            read = _call(call, f"{where}.{key}[{at}]", valid=key == "tool_calls")
            calls.append(((key, at), read))
    found: BlockPlaces = []
    reasoning = text_at(plain, "additional_kwargs", "reasoning_content")
    if reasoning is not None:
        found.append((("additional_kwargs", "reasoning_content"), Thinking(reasoning)))
    # A call without an id cannot be recognised in content, and stays there as opaque.
    ids = frozenset(call.id for _, call in calls if isinstance(call, Call) and call.id)
    parts = list_at(plain, "content") or [plain.get("content")]
    # LangChain sets content to an empty string where a reply is calls alone.
    if parts != [""] or not calls:
        both = zip(parts, content, strict=False)
        found += [place for part, place in both if not _repeats(part, ids)]
    return found + calls


def _repeats(part: Any, ids: frozenset[str]) -> bool:
    """Return whether an element of content repeats a call with one of these ids."""
    if not isinstance(part, dict):
        return False
    if part.get("type") in CHUNK_TYPES:
        return True
    return part.get("type") in CALL_TYPES and _id_of(part) in ids


def _id_of(part: Json) -> str | None:
    return text_at(part.get("call_id") or part.get("id"))


def _part(part: Any, where: str) -> Block:
    if isinstance(part, str):
        return Text(part)
    kind = part_type(part, where)
    if kind == "text":
        return Text(required_text(part, "text", where))
    if kind in THINKING_TYPES:
        signature = part.get("signature") or part.get("data")
        return Thinking(_thinking_text(part), text_at(signature))
    if kind == "tool_result":
        content = content_with_places(part.get("content"), f"{where}.content", _part)
        id = text_at(part, "tool_use_id")
        return Result(id, only_blocks(content), bool(part.get("is_error")))
    if kind in MEDIA_TYPES:
        media_type = text_at(part, "mime_type")
        return measure_media(MEDIA_TYPES[kind], media_type, _data(part))
    return Opaque(kind, json_text(part))


def _thinking_text(part: Json) -> str:
    keys = ("thinking", "reasoning", "text", "summary")
    text: Any = next((part[key] for key in keys if part.get(key)), "")
    if isinstance(text, list):
        return "\n".join(text_at(piece, "text") or "" for piece in text)
    return text_at(text) or ""


def _data(part: Json) -> str | None:
    """Return the base64 or the URL of a medium, in any of the forms that LangChain takes."""
    holders = [part, *map(part.get, ("image_url", "source", "input_audio", "file"))]
    keys = ("base64", "data", "file_data", "url")
    found = (text_at(holder) or text_at(holder, key) for holder in holders for key in keys)
    return next((data for data in found if data), None)


def _call(call: Any, where: str, *, valid: bool) -> Call:
    if not isinstance(call, dict):
        raise BadMessage(where, f"a call must be an object, got {type(call).__name__}")
    id = text_at(call, "id")
    if valid:
        return Call(id, required_text(call, "name", where), json_text(call.get("args") or {}))
    # LangChain could not read its arguments; it waits for a result like any other.
    return Call(id, text_at(call, "name") or "", text_at(call, "args") or "")


def _to_messages(message: Message) -> list[Json]:
    """Return a message that Steno wrote as LangChain's, marked and with ids from their content."""
    made: list[Json] = []
    for result in message.results:
        content = joined_parts(result.content)
        made.append({"type": "tool", "content": content, "tool_call_id": result.call})
        if result.error:
            made[-1]["status"] = "error"
    text = joined_parts(part for part in message.blocks if isinstance(part, Text | Media | Opaque))
    calls = []
    for call in message.calls:
        args = arguments_object(call.arguments)
        calls.append({"name": call.name, "args": args, "id": call.id})
    if text or calls:
        kind = {"assistant": "ai", "system": "system"}.get(message.role, "human")
        made.append({"type": kind, "content": text})
        if calls:
            made[-1]["tool_calls"] = calls
    for plain in made:
        # From the content, so that the same view gives the same messages.
        digest = blake2b(json_text(plain).encode(), digest_size=8)
        plain["id"] = f"steno-{digest.hexdigest()}"
        plain["additional_kwargs"] = {STENO_KEY: True}
    return made


def _apply_patches(plain: Json, message: Message) -> Json:
    """Return the JSON as it was, with some of its blocks replaced."""
    places = blocks_with_places(plain, "")
    plain = patch_places(plain, message, places, _patch_value)
    plain.setdefault("content", "")
    for at, blocks in message.patches:
        old = places[at][1]
        if blocks and isinstance(old, Call):
            _patch_copies(plain, old, cast(Call, blocks[0]))
    return plain


def _patch_value(value: Any, old: Block, new: Block) -> Any:
    """Return what stands for a new block: a message, an element of a list, or a text."""
    if isinstance(new, Result) and isinstance(old, Result):
        key = "tool_call_id"
        if value["type"] == "tool_result":
            key = "tool_use_id"
        changed = value | {key: new.call}
        if new.content != old.content:
            changed["content"] = joined_parts(new.content)
        return changed
    if isinstance(new, Call) and isinstance(old, Call):
        args: Any = arguments_object(new.arguments)
        # An invalid call keeps its arguments as text: they could not be read as an object.
        if isinstance(value.get("args"), str) or not old.arguments:
            args = new.arguments
        return value | {"id": new.id, "name": new.name, "args": args}
    text = cast(Text, new).text
    if isinstance(value, str):
        return text
    return {"type": "text", "text": text}


def _patch_copies(plain: Json, old: Call, new: Call) -> None:
    """Change a call also where content repeats it; the provider's own copy would contradict it."""
    content = plain["content"]
    if isinstance(content, list) and old.id:
        for index, part in enumerate(content):
            if _repeats(part, frozenset({old.id})) and _id_of(part) == old.id:
                content[index] = part | _call_in_content(part, new)
    extra = plain.get("additional_kwargs")
    if isinstance(extra, dict):
        for copy in ("tool_calls", "function_call"):
            extra.pop(copy, None)


def _call_in_content(part: Json, call: Call) -> Json:
    args = arguments_object(call.arguments)
    forms: Json = {"arguments": call.arguments, "args": args, "input": args}
    key = next((key for key in forms if key in part), "input")
    id_key = next((key for key in ("call_id", "id") if key in part), "id")
    return {id_key: call.id, key: forms[key]}
