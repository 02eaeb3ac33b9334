"""How OpenAI counts tokens, in both of its APIs: overheads, pictures, tools, sealed blocks.

OpenAI shows a model its tools as TypeScript, so a schema of 400 characters weighs less
than a third of its JSON. Reasoning and compactions come encrypted, and are billed by
what is inside.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

import msgspec

from steno.core.message import Block, Opaque, Thinking
from steno.core.meter import Overheads
from steno.meters.family import ModelFamily, decoded_object, sealed_tokens, thinking_lapses
from steno.meters.media import MediaRule, shrink
from steno.meters.vocabulary import TokenCounter
from steno.providers.shared.plain_json import Json, json_text

OPENAI_OVERHEADS = Overheads(
    request=3, message=4, call=6, result=0, tools=16, tool=-1, system=4, schema=1
)
"""3 for a message and 1 for its role are published; those of tools are fitted to bills."""
GPT_5_OVERHEADS = msgspec.structs.replace(OPENAI_OVERHEADS, request=2, call=18)
"""Of models that reason: a call with its result is billed 12 tokens more than on those before."""
GPT_5_CHAT_OVERHEADS = msgspec.structs.replace(GPT_5_OVERHEADS, tools=97, call=13)
"""With tools, chat completions of these models are billed 81 tokens more than responses."""
GPT_OSS_OVERHEADS = msgspec.structs.replace(OPENAI_OVERHEADS, request=63)
"""Open weights are given a system message about the date, the effort and their channels."""
GPT_5 = re.compile(r"\bgpt-[5-9]")
SEALED_LEAST = 200
"""Characters from which a signature is an encrypted text, and no id."""
REASONING = (1_000, 0.2)
COMPACTION = (900, 0.135)
"""Fits of encrypted texts."""
ADDED_TOOLS = 56
"""Tokens that OpenAI puts around tools that come later, besides their JSON."""
UNSEEN = ("compaction_trigger", "configuration_update")
"""Items that are not shown to the model."""


def gpt_block(block: Block, count: TokenCounter) -> int | None:
    """Return OpenAI's tokens of a block that is not billed by its text; None for all others."""
    if isinstance(block, Thinking):
        if len(block.signature or "") < SEALED_LEAST:
            return None
        # Its summary is not sent to the model; what is sealed is.
        return sealed_tokens(len(block.signature or ""), REASONING)
    if not isinstance(block, Opaque):
        return None
    if block.kind == "compaction":
        return sealed_tokens(len(block.text), COMPACTION)
    if block.kind == "additional_tools":
        return ADDED_TOOLS + count(block.text)
    if block.kind in UNSEEN:
        return 0
    return None


def gpt_tool(definition: str, count: TokenCounter) -> int:
    """Return OpenAI's tokens of a tool: its declaration as TypeScript."""
    tool = decoded_object(definition)
    function = tool.get("function") if isinstance(tool.get("function"), dict) else tool
    if not isinstance(function, dict) or "parameters" not in function:
        return count(definition)
    return count("\n".join(_declaration(function)))


def _declaration(function: Json) -> Iterator[str]:
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


def _fields(schema: Json) -> Iterator[str]:
    required = schema.get("required") or ()
    for name, inner in (schema.get("properties") or {}).items():
        if not isinstance(inner, dict):
            continue
        if inner.get("description"):
            yield f"// {inner['description']}"
        mark = "" if name in required else "?"
        yield f"{name}{mark}: {_type(inner)},"


def _type(schema: Json) -> str:
    if "enum" in schema:
        return " | ".join(map(json_text, schema["enum"]))
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


def _patch_rule(factor: float) -> MediaRule:
    def picture(width: int, height: int) -> int:
        patches = math.ceil(width / 32) * math.ceil(height / 32)
        # The provider scales a picture down to this many patches.
        return math.ceil(min(1_536, patches) * factor)

    unseen = math.ceil(1_536 * factor)
    return MediaRule(picture, unseen, page=1_600, second=10, bare_page=205, text=0.178)


def _tile_rule(base: int, tile: int) -> MediaRule:
    def picture(width: int, height: int) -> int:
        # OpenAI scales to fit a square of 2,048, then the shorter edge to 768, and counts tiles.
        wide, high = shrink(width, height, max(width, height), 2_048)
        wide, high = shrink(wide, high, min(wide, high), 768)
        return base + tile * math.ceil(wide / 512) * math.ceil(high / 512)

    # At most 2,048 by 768 after scaling: four tiles by two.
    return replace(_patch_rule(1.0), picture=picture, unseen=base + 8 * tile, low=base)


OPENAI_MEDIA = _tile_rule(85, 170)
MEDIA_BY_NAME = (
    # The first start that matches is used, so `gpt-5-mini` comes before `gpt-5`.
    ("gpt-4o-mini", _tile_rule(2_833, 5_667)),
    ("gpt-4.1-mini", _patch_rule(1.62)),
    ("gpt-4.1-nano", _patch_rule(2.46)),
    ("gpt-5-mini", _patch_rule(1.2)),
    ("gpt-5-nano", _patch_rule(2.46)),
    ("o4-mini", _patch_rule(1.72)),
    ("gpt-5", _tile_rule(70, 140)),
    ("o1", _tile_rule(75, 150)),
    ("o3", _tile_rule(75, 150)),
)


def _family(names: str, overheads: Overheads, vocabulary: str = "o200k_base") -> ModelFamily:
    return ModelFamily(
        re.compile(names),
        vocabulary,
        overheads,
        OPENAI_MEDIA,
        sealed=gpt_block,
        definition=gpt_tool,
        media_by_name=MEDIA_BY_NAME,
    )


GPT_FAMILY = _family(r"\b(chatgpt-4o|gpt-4(o|\.[15]))", OPENAI_OVERHEADS)
FAMILIES = (
    _family(r"\bgpt-oss", GPT_OSS_OVERHEADS),
    _family(r"\bgpt-(5\.([6-9]|\d\d)|[6-9])", GPT_5_OVERHEADS),
    replace(_family(r"\bgpt-5|^(codex|o\d)", GPT_5_OVERHEADS), lapses=thinking_lapses),
    GPT_FAMILY,
    _family(r"\bgpt-(4|3\.?5)", OPENAI_OVERHEADS, "cl100k_base"),
)
