"""How Google counts tokens: pictures, tools, and what calls are signed with."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import sub
from typing import Any

import msgspec

from steno.core.message import Call, Message
from steno.core.meter import Overheads
from steno.meters.family import ModelFamily, decoded_object, sealed_tokens
from steno.meters.media import MediaRule
from steno.meters.vocabulary import TokenCounter
from steno.providers.shared.plain_json import Json, json_text

GEMINI_OVERHEADS = Overheads(request=0, message=0, call=6, result=0, tools=0, tool=0)
"""Vertex AI, and Gemini until 2.0, bill words alone."""
GEMINI_2_5_OVERHEADS = msgspec.structs.replace(GEMINI_OVERHEADS, message=1, system=1)
VERTEX = re.compile(r"vertex|\bpublishers/google/")
"""In the path of a model that Vertex AI serves."""
CALL_SIGNATURE = (56, 0.212)
"""Fit of the signature that Gemini 3 puts on a call; one on a text is not billed."""
CALL_KEYS = {"functionCall", "function_call"}
SCHEMA_KEYS = ("parametersJsonSchema", "parameters_json_schema")


def gemini_signatures(message: Message) -> tuple[int, ...]:
    """Return Gemini's tokens of the signatures on the calls of a message, for each block."""
    signed: Iterator[int] = iter(())
    if message.raw is not None and "ignature" in message.raw:
        parts = decoded_object(message.raw).get("parts")
        signed = iter([_call_signature(part) for part in parts or () if CALL_KEYS & part.keys()])
    weights = []
    for block in message.blocks:
        weights.append(0)
        if isinstance(block, Call):
            weights[-1] = next(signed, 0)
    return tuple(weights)


def gemini_lapses(message: Message, weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return Gemini's tokens of a message after its turn: signatures are no longer billed."""
    return tuple(map(sub, weights, gemini_signatures(message)))


def _call_signature(part: Json) -> int:
    signature = part.get("thoughtSignature") or part.get("thought_signature") or ""
    return sealed_tokens(len(str(signature)), CALL_SIGNATURE)


def gemini_tool(definition: str, count: TokenCounter) -> int:
    """Return the tokens of a tool since Gemini 3: the JSON of each function, with spaces."""
    tokens = 0
    for function in _functions_of(definition):
        schema = function.get("parameters")
        if isinstance(schema, dict) and not schema.get("properties"):
            function = function | {"parameters": {}}
        tokens += count(json.dumps(function, ensure_ascii=False)) - 1
    return tokens


def gemini_2_5_tool(definition: str, count: TokenCounter) -> int:
    """Return the tokens of a tool on Gemini 2.5: the JSON of each function, without spaces."""
    return sum(count(json_text(function)) + 2 for function in _functions_of(definition))


def gemini_words_tool(definition: str, count: TokenCounter) -> int:
    """Return the tokens of a tool where only names and descriptions of functions are billed."""
    functions = _functions_of(definition)
    words = [function.get(key) for function in functions for key in ("name", "description")]
    return sum(count(str(word or "")) for word in words)


def _functions_of(definition: str) -> list[Json]:
    tool = decoded_object(definition)
    declared = tool.get("functionDeclarations") or tool.get("function_declarations")
    if not isinstance(declared, list):
        return []
    return [_billed_form(each) for each in declared if isinstance(each, dict)]


def _billed_form(value: Any) -> Any:
    """Return a declaration without what is not shown: the schema's name, and closed objects."""
    if isinstance(value, list):
        return [_billed_form(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        "parameters" if key in SCHEMA_KEYS else key: _billed_form(inner)
        for key, inner in value.items()
        if key != "additionalProperties" or inner is not False
    }


def _by_crops(width: int, height: int) -> int:
    if max(width, height) <= 384:
        return 258
    return 258 * math.ceil(width / 768) * math.ceil(height / 768)


GOOGLE_MEDIA = MediaRule(
    _by_crops, unseen=258 * 8, page=258, second=32, bare_page=258, video=263 + 32
)
GEMINI_3_PICTURE = 1_120
"""Tokens of any picture at the resolution that Gemini 3 uses unless it is told another."""
GEMINI_3_MEDIA = MediaRule(
    lambda width, height: GEMINI_3_PICTURE,
    unseen=GEMINI_3_PICTURE,
    page=560,
    second=25,
    bare_page=560,
    video=66 + 25,
)


@dataclass(frozen=True)
class GeminiFamily(ModelFamily):
    def for_model(self, place: str, name: str) -> ModelFamily:
        family = super().for_model(place, name)
        if not VERTEX.search(f"{place}/") or "gemini" not in name:
            return family
        # Vertex AI bills words, also of tools, and no signatures.
        return replace(
            family,
            overheads=GEMINI_OVERHEADS,
            definition=gemini_words_tool,
            signatures=None,
            lapses=None,
        )


GEMINI_2_FAMILY = GeminiFamily(
    re.compile(r"gemini-(1|2\.0)"),
    "gemma3",
    GEMINI_OVERHEADS,
    GOOGLE_MEDIA,
    definition=gemini_words_tool,
    media_by_name=[("gemini-3", GEMINI_3_MEDIA)],
)
GEMINI_2_5_FAMILY = replace(
    GEMINI_2_FAMILY,
    names=re.compile(r"gemini-2"),
    overheads=GEMINI_2_5_OVERHEADS,
    definition=gemini_2_5_tool,
)
GEMINI_FAMILY = replace(
    GEMINI_2_5_FAMILY,
    names=re.compile("gemini"),
    definition=gemini_tool,
    signatures=gemini_signatures,
    lapses=gemini_lapses,
)
"""Since Gemini 3, calls are signed with what led to them; that is billed until the user speaks."""
FAMILIES = (GEMINI_2_FAMILY, GEMINI_2_5_FAMILY, GEMINI_FAMILY)
