"""Bedrock Converse: read and write its messages.

The key of a block says what it is. Roles must alternate, so neighbours of one role are
joined when they go out. Bytes are base64 in our JSON and go back to botocore as bytes.
A cache point is no block: it moves from call to call and says nothing.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from functools import partial
from typing import Any, cast

from steno.core.errors import BadMessage
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Text, Thinking
from steno.providers.anthropic.wire import BOUND_THINKING_MODELS, CALL_ID, claude_rules
from steno.providers.shared.block_types import state_of, treatment_table
from steno.providers.shared.media_size import measure_media
from steno.providers.shared.parts import (
    TURN_ROLES,
    BlockPlaces,
    Part,
    arguments_object,
    as_turn,
    encode_message,
    known_role,
    only_blocks,
    patch_places,
    refuse_misplaced,
    without_nulls,
)
from steno.providers.shared.plain_json import (
    BYTES_KEYS,
    Json,
    get_field,
    json_text,
    list_at,
    parse_json,
    text_at,
)

BLOCK_TYPES = treatment_table(
    words="text guardContent citationsContent searchResult cachePoint",
    media="image document video audio",
    thinking="reasoningContent",
    call="toolUse",
    result="toolResult",
    server="server_tool_use",
    state="toolAddition toolRemoval",
)
# Other models name their calls as in "functions.get_temperature:0".
ANY_CALL_ID = re.compile(r"[a-zA-Z0-9_.:-]+")
CACHE_POINT = "cachePoint"
MEDIA = ("image", "document", "video", "audio")


def _names_in(part: Opaque) -> Iterator[str]:
    """Yield the tool that a part adds or removes."""
    tool = parse_json(part.text)[part.kind].get("tool") or {}
    yield f"tool:{tool.get('serverName') or ''}/{tool.get('name') or ''}"


def join_messages(first: Json, second: Json) -> Json:
    return first | {"content": [*first["content"], *second["content"]]}


class BedrockWire:
    """Read and write the messages of Converse.

    `bound` is for models whose thinking is valid only after the exact text it followed,
    `claude` for Anthropic's, which may speak first and take plainer ids alone.
    """

    name = "bedrock"

    def __init__(self, *, bound: bool = False, claude: bool = False) -> None:
        self.terms = claude_rules(
            bound,
            # "The text field in the ContentBlock object at messages.0.content.0 is blank."
            takes_spaces=True,
            ids=CALL_ID if claude else ANY_CALL_ID,
            user_begins=not claude,
            joins=join_messages,
            state=partial(state_of, known=BLOCK_TYPES, names_in=_names_in),
        )

    def for_model(self, model: str) -> BedrockWire:
        bound = BOUND_THINKING_MODELS.search(model) is not None
        return BedrockWire(bound=bound, claude="claude" in model)

    def decode(self, plain: Json, raw: str, where: str) -> Message:
        role = known_role(plain.get("role"), TURN_ROLES, self.name, where)
        blocks = only_blocks(blocks_with_places(plain, where))
        # The result of a tool that the provider ran has a type, and stands in the reply itself.
        if not any(get_field(block, "toolResult", "type") for block in plain["content"]):
            refuse_misplaced(role, blocks, where)
        return Message(role, blocks, raw)

    def encode(self, message: Message) -> tuple[str, ...]:
        return encode_message(message, lambda own: as_turn(own, _element), _apply_patches)

    def request(self, messages: list[Any], system: Any, tools: Any) -> Json:
        if isinstance(system, str):
            system = [{"text": system}]
        config = None
        if tools is not None:
            config = {"tools": tools}
        return without_nulls(messages=with_bytes(messages), system=system, toolConfig=config)

    def tool(self, name: str, description: str, schema: Json) -> Json:
        spec = {"name": name, "description": description, "inputSchema": {"json": schema}}
        return {"toolSpec": spec}

    def signs(self, plain: Json) -> str | None:
        for block in list_at(plain, "content"):
            # Elsewhere a block says its type by a key of that name.
            if isinstance(block, dict) and block and "type" not in block:
                return f"block {next(iter(block))!r} without a type"
        return None


def blocks_with_places(plain: Json, where: str) -> BlockPlaces:
    """Return every block of a message with its place in the JSON; a cache point is none."""
    content = plain.get("content")
    if not isinstance(content, list):
        raise BadMessage(
            f"{where}.content", f"must be a list of blocks, got {type(content).__name__}"
        )
    return [
        (("content", at), _block(block, f"{where}.content[{at}]"))
        for at, block in enumerate(content)
        if not _is_cache_point(block)
    ]


def _is_cache_point(block: Any) -> bool:
    return isinstance(block, dict) and CACHE_POINT in block


def _block(block: Any, where: str) -> Block:
    if not isinstance(block, dict) or len(block) != 1:
        raise BadMessage(where, "a block must be an object with one key, which says what it is")
    kind, value = next(iter(block.items()))
    if kind == "toolUse" and isinstance(value, dict) and not value.get("type"):
        id = text_at(value, "toolUseId")
        return Call(id, str(value.get("name")), json_text(value.get("input") or {}))
    if kind == "toolResult" and isinstance(value, dict) and not value.get("type"):
        id = text_at(value, "toolUseId")
        parts = tuple(_part(part) for part in value.get("content") or ())
        return Result(id, parts, value.get("status") == "error")
    if kind == "reasoningContent" and isinstance(value, dict):
        text = value.get("reasoningText")
        if isinstance(text, dict):
            return Thinking(str(text.get("text") or ""), text_at(text, "signature"))
        return Thinking("", str(value.get("redactedContent") or ""))
    # The provider ran it: like `server_tool_use`, it is bound to the result after it.
    if kind == "toolUse":
        return Opaque("server_tool_use", json_text(block))
    return _part(block)


def _part(part: Any) -> Part:
    kind, value = next(iter(part.items()))
    if kind == "text" and isinstance(value, str):
        return Text(value)
    if kind == "json":
        return Text(json_text(value))
    source = get_field(value, "source")
    if kind in MEDIA and isinstance(source, dict) and not {"text", "content"} & source.keys():
        return measure_media(kind, str(value.get("format")), text_at(source, "bytes"))
    return Opaque(kind, json_text(part))


def _element(block: Block) -> Json:
    match block:
        case Text(text):
            return {"text": text}
        case Thinking(text, signature):
            thought = without_nulls(text=text, signature=signature)
            return {"reasoningContent": {"reasoningText": thought}}
        case Call(id, name, arguments):
            input = arguments_object(arguments)
            return {"toolUse": {"toolUseId": id, "name": name, "input": input}}
        case Result(call, content, error):
            parts = [_element(part) for part in content]
            status = "success"
            if error:
                status = "error"
            return {"toolResult": {"toolUseId": call, "content": parts, "status": status}}
        case Opaque(_, text):
            return cast(Json, parse_json(text))
        case Media(kind):
            return {"text": f"[{kind}]"}


def _apply_patches(plain: Json, message: Message) -> Json:
    """Return the provider's own JSON with some blocks of its content replaced."""
    plain = patch_places(plain, message, blocks_with_places(plain, ""), _changed_block)
    # A cache point at the very start has nothing before it, and is refused.
    while plain["content"] and _is_cache_point(plain["content"][0]):
        del plain["content"][0]
    return plain


def _changed_block(block: Json, old: Block, new: Block) -> Json:
    """Return the block for a patch; what the patch does not set stays as it was."""
    element = _element(new)
    if isinstance(new, Call) and isinstance(old, Call):
        return {"toolUse": block["toolUse"] | element["toolUse"]}
    if isinstance(new, Result) and isinstance(old, Result):
        changed = block["toolResult"] | {"toolUseId": new.call}
        if new.content != old.content:
            changed["content"] = element["toolResult"]["content"]
        return {"toolResult": changed}
    return element


def with_bytes(value: Any) -> Any:
    """Return messages with their base64 as bytes, as botocore takes them."""
    if isinstance(value, list):
        return [with_bytes(inner) for inner in value]
    if isinstance(value, dict):
        return dict(_with_bytes(value))
    return value


def _with_bytes(plain: Json) -> Iterator[tuple[str, Any]]:
    for key, value in plain.items():
        if key in BYTES_KEYS and isinstance(value, str):
            try:
                yield key, base64.b64decode(value, validate=True)
            except binascii.Error:
                yield key, value
        elif key in ("input", "json"):
            # Arguments and results of tools are the caller's: no key in there is ours.
            yield key, value
        else:
            yield key, with_bytes(value)
