"""Anthropic messages: read and write them.

A result is a block of a user message here. Thinking is signed and goes back as it came.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from steno.core.errors import BadMessage
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Text, Thinking
from steno.core.seam import (
    a_reply_follows_the_system,
    calls_keep_their_results,
    held_thinking_stays_with_its_reply,
    server_calls_keep_their_results,
    thinking_stays_signed,
)
from steno.core.state import BlockState
from steno.core.wire import ProviderRules
from steno.core.word_tables import word_tuple
from steno.providers.shared.block_types import state_of, treatment_table
from steno.providers.shared.media_size import measure_media
from steno.providers.shared.parts import (
    TURN_ROLES,
    BlockPlaces,
    Part,
    arguments_object,
    as_turn,
    content_with_places,
    encode_message,
    known_role,
    only_blocks,
    part_type,
    patch_places,
    refuse_misplaced,
    without_nulls,
)
from steno.providers.shared.plain_json import (
    Json,
    get_field,
    json_text,
    list_at,
    parse_json,
    required_text,
    text_at,
)

# `mcp_tool_listing`: without it the provider asks the MCP server again, so it sets nothing.
# `fallback` marks where another model took over inside one reply, and goes with that reply.
# `output_config`: a system message that holds nothing else; it is for its own turn.
BLOCK_TYPES = treatment_table(
    words="text search_result browser_state",
    media="image document",
    thinking="thinking redacted_thinking",
    call="tool_use",
    result="tool_result",
    server="server_tool_use mcp_tool_use mcp_tool_result mcp_tool_listing web_search_tool_result "
    "web_fetch_tool_result advisor_tool_result code_execution_tool_result "
    "bash_code_execution_tool_result text_editor_code_execution_tool_result fallback "
    "output_config",
    state="tool_search_tool_result tool_reference container_upload tool_addition tool_removal",
    restart="compaction",
)
# The API: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'".
CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
BOUND_THINKING_MODELS = re.compile(
    r"claude-(?:fable|mythos)-(?:5-[1-9]|[6-9])|claude-(?:opus|sonnet|haiku)-(?:5-[5-9]|[6-9])(?!\d{3})"
)
"""Models that refuse thinking after an edited prefix: "bound to a different conversation"."""
OWN_BLOCKS = word_tuple(
    "tool_use tool_result thinking redacted_thinking image document server_tool_use"
)
"""Types of blocks that no other wire writes."""


def claude_rules(bound: bool, **others: Any) -> ProviderRules:
    """Return what Claude's hosts refuse; `bound` as in `AnthropicWire`."""
    seams = [
        calls_keep_their_results,
        server_calls_keep_their_results,
        held_thinking_stays_with_its_reply,
        a_reply_follows_the_system,
    ]
    # Where thinking is bound, a view drops what is stale, so no cut has to spare it.
    if not bound:
        seams.append(thinking_stays_signed)
    return ProviderRules(
        seams=tuple(seams),
        # The API: "text content blocks must contain non-whitespace text", in results too.
        refuses_blank=True,
        # Recorded: 200. The error "`tool_use` ids must be unique" is about calls open at once.
        reuses_ids=True,
        system_before_reply=True,
        combines=True,
        binds_thinking=bound,
        **others,
    )


class AnthropicWire:
    """Read and write Anthropic's messages.

    `bound` is for models whose thinking is valid only after the exact text it followed.
    """

    name = "anthropic"

    def __init__(self, *, bound: bool = False) -> None:
        self.terms = claude_rules(bound, ids=CALL_ID, state=read_state)

    def for_model(self, model: str) -> AnthropicWire:
        if BOUND_THINKING_MODELS.search(model):
            return AnthropicWire(bound=True)
        return self

    def decode(self, plain: Json, raw: str, where: str) -> Message:
        role = known_role(plain.get("role"), TURN_ROLES, self.name, where)
        if plain.get("type") == "message" and "stop_reason" in plain:
            # A whole response object: the provider takes back these two keys alone.
            raw = json_text({"role": plain["role"], "content": plain.get("content")})
        config = plain.get("output_config")
        if role == "system" and config and not plain.get("content"):
            # It sets the effort of its turn and says nothing.
            return Message("system", (Opaque("output_config", json_text(config)),), raw)
        blocks = only_blocks(blocks_with_places(plain, where))
        refuse_misplaced(role, blocks, where)
        return Message(role, blocks, raw)

    def encode(self, message: Message) -> tuple[str, ...]:
        texts = encode_message(message, lambda own: as_turn(own, _element), _apply_patches)
        results = [isinstance(block, Result) for block in message.blocks]
        if message.role == "assistant" or results == sorted(results, reverse=True):
            return texts
        # The provider refuses a result that comes after something else.
        plain = parse_json(texts[0])
        plain["content"].sort(key=lambda element: element.get("type") != "tool_result")
        return (json_text(plain),)

    def request(self, messages: list[Any], system: Any, tools: Any) -> Json:
        return without_nulls(messages=messages, system=system, tools=tools)

    def tool(self, name: str, description: str, schema: Json) -> Json:
        return {"name": name, "description": description, "input_schema": schema}

    def signs(self, plain: Json) -> str | None:
        for block in list_at(plain, "content"):
            kind = text_at(block, "type") or ""
            if kind in OWN_BLOCKS or kind.endswith("_tool_result"):
                return f"block {kind!r}"
            if get_field(block, "cache_control"):
                return "key 'cache_control'"
        if plain.get("type") == "message" and "stop_reason" in plain:
            return "a whole response"
        return None


def read_state(block: Block) -> BlockState | None:
    """Return what a block sets for later messages, or stands for."""
    if not isinstance(block, Opaque) or block.kind != "compaction":
        return state_of(block, BLOCK_TYPES, _names_in)
    plain = parse_json(block.text)
    # The provider ignores a compaction that failed, and one that is not signed may stand
    # anywhere; a signed one is refused unless it is the first block of all.
    if plain.get("content") is None and not plain.get("encrypted_content"):
        return None
    return BlockState(("compaction",), restarts=True, must_be_first=bool(plain.get("signature")))


def _names_in(part: Opaque) -> Iterator[str]:
    """Yield the names of what a part sets: tools, and files of a container."""
    plain = parse_json(part.text)
    match part.kind:
        case "container_upload":
            yield f"file:{plain.get('file_id')}"
        case "tool_reference":
            yield f"found:{plain.get('tool_name')}"
        case "tool_search_tool_result":
            for reference in get_field(plain, "content", "tool_references") or ():
                yield f"found:{reference.get('tool_name')}"
        case _:
            yield from _changed_tools(plain.get("tool"))


def _changed_tools(tool: Any) -> Iterator[str]:
    """Yield the names of the tools that an addition or a removal changes."""
    if not isinstance(tool, dict):
        return
    if tool.get("type") == "tool_definition":
        definition = tool.get("definition")
        if isinstance(definition, dict):
            name = definition.get("name") or definition.get("mcp_server_name")
            yield f"tool:/{name}"
            # A later change may only refer to it, so the definition itself has a name too.
            yield f"definition:{name}"
        return
    yield f"tool:{tool.get('server_name') or ''}/{tool.get('name') or ''}"


def blocks_with_places(plain: Json, where: str) -> BlockPlaces:
    """Return every block of a message with its place in the JSON."""
    content, where = plain.get("content"), f"{where}.content"
    if content is None:
        raise BadMessage(where, "must be a string or a list of blocks, got NoneType")
    return content_with_places(content, where, _block)


def _block(block: Any, where: str) -> Block:
    match part_type(block, where):
        case "thinking":
            return Thinking(str(block.get("thinking") or ""), block.get("signature"))
        case "redacted_thinking":
            # Its text is encrypted, so there is nothing to search or to summarize.
            return Thinking("", str(block.get("data") or ""))
        case "tool_use":
            id = text_at(block, "id")
            arguments = json_text(block.get("input", {}))
            return Call(id, required_text(block, "name", where), arguments)
        case "tool_result":
            id = text_at(block, "tool_use_id")
            content = block.get("content") or None
            parts = only_blocks(content_with_places(content, f"{where}.content", _part))
            return Result(id, parts, bool(block.get("is_error")))
        case _:
            return _part(block, where)


def _part(part: Any, where: str) -> Part:
    kind = part_type(part, where)
    if kind == "text":
        return Text(required_text(part, "text", where))
    source = part.get("source")
    if kind not in ("image", "document") or not isinstance(source, dict):
        return Opaque(kind, json_text(part))
    # The source of a document may also be text or blocks: those count by their JSON.
    if source.get("type") not in ("base64", "url", "file"):
        return Opaque(kind, json_text(part))
    media_type = text_at(source, "media_type")
    return measure_media(kind, media_type, text_at(source, "data"))


def _element(block: Block) -> Json:
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text, signature):
            return {"type": "thinking", "thinking": text, "signature": signature}
        case Call(id, name, arguments):
            input = arguments_object(arguments)
            return {"type": "tool_use", "id": id, "name": name, "input": input}
        case Result(call, content, error):
            parts = [_element(part) for part in content]
            result: Json = {"type": "tool_result", "tool_use_id": call, "content": parts}
            if error:
                result["is_error"] = True
            return result
        case Opaque(_, text):
            return cast(Json, parse_json(text))
        case Media(kind):
            return {"type": "text", "text": f"[{kind}]"}


def _apply_patches(plain: Json, message: Message) -> Json:
    """Return the provider's own JSON with some elements of its content replaced."""
    if isinstance(plain["content"], str):
        plain["content"] = [{"type": "text", "text": plain["content"]}]
    return patch_places(plain, message, blocks_with_places(plain, ""), _changed_element)


def _changed_element(element: Json, old: Block, block: Block) -> Json:
    """Return the element for a block; keys that the block does not set stay as they were."""
    if isinstance(block, Call) and isinstance(old, Call):
        changed = element | {"id": block.id}
        if block.arguments != old.arguments:
            changed["input"] = arguments_object(block.arguments)
        return changed
    if isinstance(block, Result) and isinstance(old, Result):
        changed = element | {"tool_use_id": block.call}
        if block.content != old.content:
            changed["content"] = [_element(part) for part in block.content]
        return changed
    changed = _element(block)
    # The caller's mark: without it, everything up to here would no longer be cached.
    if "cache_control" in element:
        changed["cache_control"] = element["cache_control"]
    return changed
