"""OpenAI responses: read and write its input items.

Each item is a message: calls, outputs and reasoning are items of their own.
Reasoning goes back as it came, together with the reply it led to. Calls other
than a function's have id spaces of their own here (`custom:…`, `shell:…`), so
that an output written by Steno is of the type the provider waits for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from steno.core.errors import BadMessage
from steno.core.message import Block, Call, Message, Opaque, Result, Role, Text, Thinking
from steno.core.seam import (
    a_reply_keeps_its_reasoning,
    calls_keep_their_results,
    held_thinking_stays_with_its_reply,
    hosted_calls_keep_their_outputs,
)
from steno.core.state import BlockState
from steno.core.wire import ProviderRules
from steno.providers.shared.block_types import state_of, treatment_table
from steno.providers.shared.media_size import measure_media
from steno.providers.shared.parts import (
    TURN_ROLES,
    BlockPlaces,
    Part,
    content_with_places,
    custom_input,
    encode_message,
    joined_parts,
    joined_words,
    only_blocks,
    optional_list,
    part_type,
    patch_places,
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

# `mcp_list_tools`: without it the provider asks the MCP server again, so it sets nothing.
BLOCK_TYPES = treatment_table(
    words="message input_text output_text text refusal summary_text reasoning_text "
    "encrypted_content",
    media="input_image input_file input_audio computer_screenshot",
    thinking="reasoning",
    call="function_call custom_tool_call tool_search_call shell_call apply_patch_call",
    result="function_call_output custom_tool_call_output shell_call_output apply_patch_call_output",
    # The output of a computer must be a picture, and that of `local_shell` may name its call by
    # either of two ids: they stay as they came.
    server="file_search_call web_search_call image_generation_call code_interpreter_call "
    "computer_call computer_call_output local_shell_call local_shell_call_output mcp_list_tools "
    "mcp_approval_request mcp_approval_response mcp_call program program_output "
    "compaction_trigger item_reference",
    state="tool_search_output additional_tools configuration_update",
    restart="compaction",
)
ROLES: dict[str, Role] = TURN_ROLES | {"developer": "system"}
FUNCTION_CALL = "function_call"
CUSTOM_CALL = "custom_tool_call"
SEARCH_CALL = "tool_search_call"
SEARCH_OUTPUT = "tool_search_output"
INPUT_KEYS = {
    FUNCTION_CALL: "arguments",
    CUSTOM_CALL: "input",
    SEARCH_CALL: "arguments",
    "shell_call": "action",
    "apply_patch_call": "operation",
}
"""Types of calls that a client answers, and the key of what the tool is given."""
OUTPUT_TYPES = {kind: f"{kind}_output" for kind in INPUT_KEYS} | {SEARCH_CALL: SEARCH_OUTPUT}
ID_SPACES = {kind: kind.removesuffix("_call") for kind in INPUT_KEYS}
ID_SPACES[CUSTOM_CALL] = "custom"
"""What the ids of calls of a type begin with in a log."""
_KINDS = {space: kind for kind, space in ID_SPACES.items()}
PART_TYPES = ("input_text", "output_text", "input_image", "input_file")
"""Types of content parts that no other wire writes."""
STORED_BY_PROVIDER = (
    "{} leaves earlier messages with the provider, and Steno can only keep what it sees: "
    "send the whole conversation as input items (store=False with encrypted reasoning does that)"
)


def read_state(block: Block) -> BlockState | None:
    """Return what an item sets for later ones, or stands for."""
    if isinstance(block, Opaque) and block.kind == "compaction":
        return BlockState(("compaction",), restarts=True)
    return state_of(block, BLOCK_TYPES, _names_in)


def _names_in(part: Opaque) -> Iterator[str]:
    """Yield the names of the tools or settings that an item sets."""
    plain = parse_json(part.text)
    if part.kind == "configuration_update":
        yield from (f"setting:{key}" for key in plain if key not in ("type", "id"))
    for tool in plain.get("tools") or ():
        if isinstance(tool, dict):
            yield f"tool:{tool.get('name') or tool.get('server_label') or tool.get('type')}"


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
        state=read_state,
    )

    def for_model(self, model: str) -> OpenAIResponsesWire:
        return self

    def decode(self, plain: Json, raw: str, where: str) -> Message:
        _refuse_references(plain, where)
        blocks = only_blocks(blocks_with_places(plain, where))
        if (plain.get("type") or "").endswith(("_output", "_response")):
            return Message("tool", blocks, raw)
        return Message(ROLES.get(str(plain.get("role")), "assistant"), blocks, raw)

    def encode(self, message: Message) -> tuple[str, ...]:
        return encode_message(message, _to_items, _apply_patches)

    def request(self, messages: list[Any], system: Any, tools: Any) -> Json:
        return without_nulls(input=messages, instructions=_instructions(system), tools=tools)

    def tool(self, name: str, description: str, schema: Json) -> Json:
        return {
            "type": "function",
            "name": name,
            "description": description,
            "parameters": schema,
            # Their default is strict, which demands that every field is required.
            "strict": False,
        }

    def signs(self, plain: Json) -> str | None:
        kind = plain.get("type")
        if "role" not in plain:
            if isinstance(kind, str):
                return f"an item of type {kind!r}"
            return None
        for part in list_at(plain, "content"):
            if text_at(part, "type") in PART_TYPES:
                return f"part {part['type']!r}"
        # A whole Anthropic response is of type "message" as well, with a stop_reason.
        if kind == "message" and "stop_reason" not in plain:
            return "type 'message'"
        return None


def _refuse_references(plain: Json, where: str) -> None:
    """Raise BadMessage if the item points at words that the provider keeps, or is no item."""
    if plain.get("previous_response_id"):
        raise BadMessage(
            f"{where}.previous_response_id", STORED_BY_PROVIDER.format("previous_response_id")
        )
    if plain.get("tool_calls"):
        # Read as an item, the message would lose them.
        raise BadMessage(f"{where}.tool_calls", "this is a message of chat: pass wire='openai'")
    # The type of a reference may be left out; then it is an object with an id alone.
    if plain.get("type") == "item_reference" or set(plain) == {"id"}:
        raise BadMessage(where, STORED_BY_PROVIDER.format("an item_reference"))


def blocks_with_places(plain: Json, where: str) -> BlockPlaces:
    """Return every block of an item with its place in the JSON."""
    kind = plain.get("type") or "message"
    if not isinstance(kind, str):
        raise BadMessage(f"{where}.type", f"must be a string, got {type(kind).__name__}")
    if kind == "message":
        if text_at(plain, "role") not in ROLES:
            known = f"openai-responses has {', '.join(ROLES)}, and items with a type"
            raise BadMessage(f"{where}.role", f"unknown role {plain.get('role')!r}; {known}")
        return content_with_places(plain.get("content"), f"{where}.content", _read_part)
    # A search that the provider runs itself has no call_id.
    if kind in (SEARCH_CALL, SEARCH_OUTPUT) and not text_at(plain, "call_id"):
        return [((), Opaque(kind, json_text(plain)))]
    if kind in INPUT_KEYS:
        return [((), _call(plain, kind, where))]
    for call, answer in OUTPUT_TYPES.items():
        if kind == answer:
            content = _output_content(plain, call, where)
            return [((), Result(_call_id(plain, call), content))]
    if kind == "reasoning":
        encrypted = text_at(plain, "encrypted_content")
        # Without encrypted content, the provider finds its own reasoning by the id.
        signature = encrypted or text_at(plain, "id") or None
        return [((), Thinking(_thinking_text(plain, where), signature))]
    return [((), Opaque(kind, json_text(plain)))]


def _read_part(part: Any, where: str) -> Part:
    kind = part_type(part, where)
    match kind:
        case "input_text" | "output_text" | "text":
            return Text(required_text(part, "text", where))
        case "input_image":
            image = measure_media("image", None, text_at(part, "image_url"))
            return msgspec.structs.replace(image, detail=text_at(part, "detail") or None)
        case "input_file":
            return measure_media("document", None, text_at(part, "file_data"))
        case "refusal" if "refusal" in part:
            return Opaque(kind, str(part["refusal"]))
        case _:
            return Opaque(kind, json_text(part))


def _call(plain: Json, kind: str, where: str) -> Call:
    arguments = plain.get(INPUT_KEYS[kind])
    # A custom tool is given free text: as JSON, that is a string.
    if kind != FUNCTION_CALL or not isinstance(arguments, str):
        arguments = json_text(arguments)
    name = kind.removesuffix("_call")
    if kind in (FUNCTION_CALL, CUSTOM_CALL):
        name = required_text(plain, "name", where)
    return Call(_call_id(plain, kind), name, arguments)


def _call_id(plain: Json, kind: str) -> str | None:
    """Return the id that pairs calls and outputs of one type."""
    id = text_at(plain, "call_id") or None
    # A function's id stays as it is, unless it looks like one of another space.
    if id and (kind != FUNCTION_CALL or id.partition(":")[0] in _KINDS):
        return f"{ID_SPACES[kind]}:{id}"
    return id


def _output_content(plain: Json, kind: str, where: str) -> tuple[Part, ...]:
    """Return what the output of a call of this type says."""
    output = plain.get("output")
    if kind == SEARCH_CALL:
        return (Opaque(SEARCH_OUTPUT, json_text(plain)),)
    if kind == "shell_call" and isinstance(output, list):
        said = [part for chunk in output for part in _chunk_words(chunk)]
        return (Text("\n".join(said)),)
    return only_blocks(content_with_places(output, f"{where}.output", _read_part))


def _chunk_words(chunk: Any) -> Iterator[str]:
    """Yield what a chunk of a shell's output says, and how it ended unless that was well."""
    yield from filter(None, (text_at(chunk, "stdout"), text_at(chunk, "stderr")))
    outcome = get_field(chunk, "outcome")
    if get_field(outcome, "type") == "timeout":
        yield "timed out"
    elif code := get_field(outcome, "exit_code"):
        yield f"exit code {code}"


def _thinking_text(plain: Json, where: str) -> str:
    parts = optional_list(plain, "summary", where) + optional_list(plain, "content", where)
    return "\n".join(text_at(part, "text") or "" for part in parts)


def _instructions(system: Any) -> str | None:
    """Return the system prompt as one text: this provider takes no blocks there."""
    if system is None or isinstance(system, str):
        return system
    return "\n\n".join(text_at(block) or text_at(block, "text") or "" for block in system)


def _to_items(message: Message) -> list[Json]:
    """Return a message that Steno wrote as items: outputs, then words, then calls."""
    items = [_result_item({}, result, joined_parts(result.content)) for result in message.results]
    text = joined_words(message.blocks)
    if text:
        role: str = message.role
        if role == "tool":
            role = "user"
        items.append({"type": "message", "role": role, "content": [_text_part(role, text)]})
    return items + [_call_item({}, call) for call in message.calls]


def _text_part(role: str, text: str) -> Json:
    if role == "assistant":
        return {"type": "output_text", "text": text}
    return {"type": "input_text", "text": text}


def _result_item(old: Json, result: Result, output: Any) -> Json:
    """Return an output of the type that its call waits for."""
    kind, id = _kind_and_id(result.call)
    item = _of_type(old, OUTPUT_TYPES[kind]) | {"call_id": id}
    match kind:
        case "tool_search_call":
            return {"execution": "client", "status": "completed", "tools": []} | item
        case "apply_patch_call":
            return {"status": "failed"} | item | {"output": output}
        case "shell_call" if isinstance(output, str):
            outcome: Any = {"type": "timeout"}
            for chunk in list_at(old, "output"):
                outcome = get_field(chunk, "outcome") or outcome
            output = [{"stdout": output, "stderr": "", "outcome": outcome}]
    return item | {"output": output}


def _call_item(old: Json, call: Call) -> Json:
    kind, id = _kind_and_id(call.id)
    item = _of_type(old, kind) | {"call_id": id}
    if kind == CUSTOM_CALL:
        return item | {"name": call.name, "input": custom_input(call.arguments)}
    if kind != FUNCTION_CALL:
        return {"status": "completed"} | item | {INPUT_KEYS[kind]: parse_json(call.arguments)}
    arguments = call.arguments
    if "input" in old:
        # A custom call that became a function call: a function takes its input by name.
        arguments = json_text({"input": parse_json(call.arguments)})
    return item | {"name": call.name, "arguments": arguments}


def _of_type(old: Json, kind: str) -> Json:
    """Return the item with this type; what belongs to its old type is left out."""
    if old.get("type") == kind:
        return old
    # Also its id: the provider's ids carry the type of the item.
    return {"type": kind}


def _kind_and_id(id: str | None) -> tuple[str, str | None]:
    """Return the type of call that an id belongs to, and the provider's own id."""
    space, colon, rest = (id or "").partition(":")
    if colon and space in _KINDS:
        return _KINDS[space], rest
    return FUNCTION_CALL, id


def _apply_patches(plain: Json, message: Message) -> Json:
    """Return the provider's own JSON with some of its blocks replaced."""

    def patch_value(value: Any, old: Block, new: Block) -> Any:
        if value is plain:
            return _patch_item(plain, old, new)
        if not isinstance(new, Text) or new == old:
            return value
        if isinstance(value, str):
            return new.text
        return _text_part(plain["role"], new.text)

    return patch_places(plain, message, blocks_with_places(plain, ""), patch_value)


def _patch_item(plain: Json, old: Block, new: Block) -> Json:
    if isinstance(new, Call) and isinstance(old, Call):
        return _call_item(plain, new)
    if isinstance(new, Result) and isinstance(old, Result):
        output = plain.get("output")
        kind, _ = _kind_and_id(new.call)
        # Also for a call whose new id is a function's: that has no chunks.
        if new.content != old.content or plain.get("type") != OUTPUT_TYPES[kind]:
            output = joined_parts(new.content)
        return _result_item(plain, new, output)
    return plain
