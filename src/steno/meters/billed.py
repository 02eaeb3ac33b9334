"""What providers bill for what is not plain text: tool definitions and sealed blocks.

OpenAI shows a model its tools as TypeScript, so a schema of 400 characters weighs less
than a third of its JSON. Reasoning and compactions come encrypted, and are billed by
what is inside. The numbers were fitted to recorded requests with their billed usage;
`bench/billed.py` prints how far off they are on the half that was not used.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from operator import sub
from typing import Any

import msgspec

from steno.core.message import Block, Call, Message, Opaque, Thinking

Count = Callable[[str], int]
SEALED_LEAST = 200
"""Characters from which a signature is an encrypted text, and no id."""
REASONING = (1_000, 0.2)
COMPACTION = (900, 0.135)
"""Characters of an encrypted text that hold nothing, and tokens for each character after them."""
CALL_SIGNATURE = (56, 0.212)
"""The same of the signature that Gemini 3 puts on a call; one on a text is not billed."""
AROUND_SUMMARY = 87
"""Tokens that Anthropic puts around the text of its compaction."""
ADDED_TOOLS = 56
"""Tokens that OpenAI puts around tools that come later, besides their JSON."""
SCHEMA_KEYS = ("parametersJsonSchema", "parameters_json_schema")
UNSEEN = ("fallback", "compaction_trigger", "configuration_update", "cachePoint", "output_config")
"""Blocks that are not shown to the model."""


def _sealed(length: int, fit: tuple[int, float]) -> int:
    empty, rate = fit
    return max(0, math.ceil((length - empty) * rate))


def gpt_block(block: Block, count: Count) -> int | None:
    """Return OpenAI's tokens of a block that is not billed by its text; None for all others."""
    if isinstance(block, Thinking):
        if len(block.signature or "") < SEALED_LEAST:
            return None
        # Its summary is not sent to the model; what is sealed is.
        return _sealed(len(block.signature or ""), REASONING)
    if not isinstance(block, Opaque):
        return None
    if block.kind == "compaction":
        return _sealed(len(block.text), COMPACTION)
    if block.kind == "additional_tools":
        return ADDED_TOOLS + count(block.text)
    if block.kind in UNSEEN:
        return 0
    return None


def claude_block(block: Block, count: Count) -> int | None:
    """Return Anthropic's tokens of a block that is not billed by its text; None for others."""
    if not isinstance(block, Opaque):
        return None
    if block.kind == "compaction":
        return AROUND_SUMMARY + count(str(_decoded(block.text).get("content") or ""))
    if block.kind in UNSEEN:
        return 0
    return None


def gemini_signatures(message: Message) -> tuple[int, ...]:
    """Return Gemini's tokens of the signatures on the calls of a message, for each block."""
    signed: Iterator[int] = iter(())
    if message.raw is not None and "ignature" in message.raw:
        parts = _decoded(message.raw).get("parts")
        signed = iter([_call_signature(part) for part in parts or () if _is_call(part)])
    weights = []
    for block in message.blocks:
        weights.append(0)
        if isinstance(block, Call):
            weights[-1] = next(signed, 0)
    return tuple(weights)


def gemini_lapses(message: Message, weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return Gemini's tokens of a message after its turn: signatures are no longer billed."""
    return tuple(map(sub, weights, gemini_signatures(message)))


def claude_lapses(message: Message, weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return Anthropic's tokens after the turn: some messages are no longer shown to Claude."""
    if message.role != "system" or message.raw is None or "clear_at" not in message.raw:
        return weights
    if _decoded(message.raw).get("clear_at") == "next_user_message":
        return (0,) * len(weights)
    return weights


def older_claude_lapses(message: Message, weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return the same for models that are not shown their thinking of earlier turns."""
    return thinking_lapses(message, claude_lapses(message, weights))


def thinking_lapses(message: Message, weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return the tokens of a message for models that are not shown their earlier thinking."""
    if message.role != "assistant":
        return weights
    thought = [isinstance(block, Thinking) for block in message.blocks]
    return tuple(0 if gone else tokens for gone, tokens in zip(thought, weights, strict=True))


def _is_call(part: Any) -> bool:
    return isinstance(part, dict) and ("functionCall" in part or "function_call" in part)


def _call_signature(part: dict[str, Any]) -> int:
    signature = part.get("thoughtSignature") or part.get("thought_signature") or ""
    return _sealed(len(str(signature)), CALL_SIGNATURE)


def gpt_tool(definition: str, count: Count) -> int:
    """Return OpenAI's tokens of a tool: its declaration as TypeScript."""
    tool = _decoded(definition)
    function = tool.get("function") if isinstance(tool.get("function"), dict) else tool
    if not isinstance(function, dict) or "parameters" not in function:
        return count(definition)
    return count("\n".join(_declaration(function)))


def gemini_tool(definition: str, count: Count) -> int:
    """Return the tokens of a tool since Gemini 3: the JSON of each function, with spaces."""
    tokens = 0
    for function in _declared(definition):
        schema = function.get("parameters")
        if isinstance(schema, dict) and not schema.get("properties"):
            function = function | {"parameters": {}}
        tokens += count(json.dumps(function, ensure_ascii=False)) - 1
    return tokens


def gemini_2_5_tool(definition: str, count: Count) -> int:
    """Return the tokens of a tool on Gemini 2.5: the JSON of each function, without spaces."""
    return sum(count(_encoded(function)) + 2 for function in _declared(definition))


def gemini_words_tool(definition: str, count: Count) -> int:
    """Return the tokens of a tool where only names and descriptions of functions are billed."""
    tokens = 0
    for function in _declared(definition):
        tokens += count(str(function.get("name") or ""))
        tokens += count(str(function.get("description") or ""))
    return tokens


def _declared(definition: str) -> list[dict[str, Any]]:
    """Return the functions of a tool as they are billed."""
    tool = _decoded(definition)
    declared = tool.get("functionDeclarations") or tool.get("function_declarations")
    if not isinstance(declared, list):
        return []
    return [_as_billed(each) for each in declared if isinstance(each, dict)]


def _as_billed(value: Any) -> Any:
    """Return a declaration without what is not shown: the schema's name, and closed objects."""
    if isinstance(value, list):
        return [_as_billed(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        "parameters" if key in SCHEMA_KEYS else key: _as_billed(inner)
        for key, inner in value.items()
        if key != "additionalProperties" or inner is not False
    }


def _declaration(function: dict[str, Any]) -> Iterator[str]:
    if function.get("description"):
        yield from (f"// {line}" for line in str(function["description"]).splitlines())
    parameters = function.get("parameters")
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    if not properties:
        yield f"type {function.get('name')} = () => any;"
        return
    yield f"type {function.get('name')} = (_: {{"
    yield from _fields(parameters or {})
    yield "}) => any;"


def _fields(schema: dict[str, Any]) -> Iterator[str]:
    required = schema.get("required") or ()
    for name, inner in (schema.get("properties") or {}).items():
        if not isinstance(inner, dict):
            continue
        if inner.get("description"):
            yield f"// {inner['description']}"
        mark = "" if name in required else "?"
        yield f"{name}{mark}: {_type(inner)},"


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(map(_encoded, schema["enum"]))
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return " | ".join(_type(each) for each in schema[key] if isinstance(each, dict))
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    match schema.get("type"):
        case "object" if schema.get("properties"):
            return "\n".join(["{", *_fields(schema), "}"])
        case "array":
            items = schema.get("items")
            return f"{_type(items) if isinstance(items, dict) else 'any'}[]"
        case "integer":
            return "number"
        case str(name):
            return name
    return "any"


def _decoded(text: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return {}
    if isinstance(value, dict):
        return value
    return {}


def _encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode()
