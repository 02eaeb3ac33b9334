"""Choose the meter for a model.

Owns the table of model families: their vocabulary, what the provider adds around
the words, and its rule for media. A family whose vocabulary cannot be loaded is
counted by the estimate, and the meter's name says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec

from steno.core.message import Block, Message
from steno.core.meter import Meter, Overheads, estimate
from steno.meters import media
from steno.meters.billed import (
    claude_block,
    claude_lapses,
    gemini_2_5_tool,
    gemini_lapses,
    gemini_signatures,
    gemini_tool,
    gemini_words_tool,
    gpt_block,
    gpt_tool,
    older_claude_lapses,
    thinking_lapses,
)
from steno.meters.vocabulary import NEWER, OVER_CL100K, OVER_ESTIMATE, claude_counter, load_counter

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
CLAUDE_OVERHEADS = Overheads(
    request=4, message=3, call=20, result=19, tools=310, tool=5, argument=13, schema=149
)
"""Fitted: a request of one message costs 7, a call with its result 45, an argument 13."""
CLAUDE_4_5_OVERHEADS = msgspec.structs.replace(CLAUDE_OVERHEADS, tools=500)
"""Having tools at all costs more on the models of 2025 than before and after."""
GEMINI_OVERHEADS = Overheads(request=0, message=0, call=6, result=0, tools=0, tool=0)
"""Vertex AI, and Gemini until 2.0, bill words alone."""
GEMINI_2_5_OVERHEADS = msgspec.structs.replace(GEMINI_OVERHEADS, message=1, system=1)
NOVA_OVERHEADS = msgspec.structs.replace(CLAUDE_OVERHEADS, request=-3, tools=365, schema=None)
"""The first message of a request to Amazon's Nova costs its words alone."""
NOVA_2_OVERHEADS = msgspec.structs.replace(NOVA_OVERHEADS, tools=850)
TEMPLATE_OVERHEADS = Overheads(request=3, message=5, call=6, result=0, tools=50, tool=7)
"""Assumed for chat templates of open weights: a header and an end for each message."""
GPT_5 = re.compile(r"\bgpt-[5-9]")
NEWER_CLAUDE = re.compile(r"claude-(opus-4[-.][7-9]|[a-z]+-[5-9])")
"""Models with the vocabulary that came with Opus 4.7."""
OLDER_CLAUDE = re.compile(r"claude-(3|(opus|sonnet)-4(-[01]|-2025|$)|(sonnet|haiku)-4-5)")
"""Models that are not shown their thinking again once the user has spoken; Opus 4.5 is."""
Lapses = Callable[[Message, tuple[int, ...]], tuple[int, ...]]
BlockWeight = Callable[[Block, Callable[[str], int]], int | None]
ToolWeight = Callable[[str, Callable[[str], int]], int]


@dataclass(frozen=True, slots=True)
class ModelFamily:
    """Models that count tokens in the same way."""

    names: re.Pattern[str]
    vocabulary: str
    overheads: Overheads
    media: media.MediaRule
    sealed: BlockWeight | None = None
    definition: ToolWeight | None = None
    signatures: Callable[[Message], tuple[int, ...]] | None = None
    lapses: Lapses | None = None


def _family(
    names: str,
    vocabulary: str,
    overheads: Overheads,
    weigh: media.MediaRule,
    sealed: BlockWeight | None = None,
    definition: ToolWeight | None = None,
) -> ModelFamily:
    return ModelFamily(re.compile(names), vocabulary, overheads, weigh, sealed, definition)


def _claude_family(names: str, overheads: Overheads) -> ModelFamily:
    family = _family(names, "claude", overheads, media.ANTHROPIC_MEDIA, sealed=claude_block)
    return replace(family, lapses=claude_lapses)


CLAUDE_FAMILY = _claude_family(r"claude", CLAUDE_OVERHEADS)


def _gpt_family(names: str, overheads: Overheads) -> ModelFamily:
    return _family(names, "o200k_base", overheads, media.OPENAI_MEDIA, gpt_block, gpt_tool)


GPT_FAMILY = _gpt_family(r"\b(chatgpt-4o|gpt-4(o|\.[15]))", OPENAI_OVERHEADS)

GEMINI_2_FAMILY = _family(
    r"gemini-(1|2\.0)", "gemma3", GEMINI_OVERHEADS, media.GOOGLE_MEDIA, definition=gemini_words_tool
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
VERTEX = re.compile(r"vertex|\bpublishers/google/")
"""In the path of a model that Vertex AI serves."""

FAMILIES = (
    _claude_family(r"claude-[a-z]+-4[-.][56]\b", CLAUDE_4_5_OVERHEADS),
    CLAUDE_FAMILY,
    _gpt_family(r"\bgpt-oss", GPT_OSS_OVERHEADS),
    _gpt_family(r"\bgpt-(5\.([6-9]|\d\d)|[6-9])", GPT_5_OVERHEADS),
    replace(_gpt_family(r"\bgpt-5|^(codex|o\d)", GPT_5_OVERHEADS), lapses=thinking_lapses),
    GPT_FAMILY,
    _family(
        r"\bgpt-(4|3\.?5)", "cl100k_base", OPENAI_OVERHEADS, media.OPENAI_MEDIA, definition=gpt_tool
    ),
    # Qwen and Llama before DeepSeek: a distilled model keeps the vocabulary of its base.
    _family(r"qwen|qwq", "qwen3", TEMPLATE_OVERHEADS, media.OPENAI_MEDIA),
    _family(r"llama", "llama3", TEMPLATE_OVERHEADS, media.OPENAI_MEDIA),
    _family(r"deepseek", "deepseek_v3", TEMPLATE_OVERHEADS, media.OPENAI_MEDIA),
    _family(
        r"(mi|code|dev|magi|mini)stral|(mi|pi|vo)xtral",
        "mistral_v3",
        TEMPLATE_OVERHEADS,
        media.OPENAI_MEDIA,
    ),
    GEMINI_2_FAMILY,
    GEMINI_2_5_FAMILY,
    GEMINI_FAMILY,
    _family(r"\bnova-2", "o200k_base", NOVA_2_OVERHEADS, media.NOVA_MEDIA),
    _family(r"\bnova\b", "o200k_base", NOVA_OVERHEADS, media.NOVA_MEDIA),
    _family(r"gemma", "gemma3", TEMPLATE_OVERHEADS, media.GOOGLE_MEDIA),
    _family(r"glm", "glm4", TEMPLATE_OVERHEADS, media.OPENAI_MEDIA),
    _family(r"kimi|moonshot", "kimi_k2", TEMPLATE_OVERHEADS, media.OPENAI_MEDIA),
    _family(r"phi-?4", "phi4", TEMPLATE_OVERHEADS, media.OPENAI_MEDIA),
)
"""The first family whose names match is used."""


FAMILIES_BY_WIRE = {"anthropic": CLAUDE_FAMILY, "bedrock": CLAUDE_FAMILY, "gemini": GEMINI_FAMILY}
"""What to count by if the model is unknown; OpenAI's for every other wire."""


def meter_for(model: str | None = None, wire: str | None = None) -> Meter:
    """Return the most exact meter for a model, or for a wire if the model is unknown."""
    # Fine-tuned models and routers put their own prefix before the name of the base.
    place, _, name = (model or "").lower().removeprefix("ft:").rpartition("/")
    family = _family_of(name, wire)
    if VERTEX.search(f"{place}/") and "gemini" in name:
        family = _on_vertex(family)
    if family.vocabulary == "claude":
        meter_name, count = _claude_counter(name)
    else:
        meter_name, count = _vocabulary_counter(family.vocabulary)
    overheads = family.overheads
    if wire == "openai" and GPT_5.search(name):
        overheads = GPT_5_CHAT_OVERHEADS
    return Meter(
        meter_name,
        count,
        media.media_rule_for(name, family.media, wire),
        overheads,
        sealed=family.sealed,
        definition=family.definition,
        signatures=family.signatures,
        lapses=_lapses(family, name),
    )


def _lapses(family: ModelFamily, name: str) -> Lapses | None:
    if family.vocabulary == "claude" and OLDER_CLAUDE.search(name):
        return older_claude_lapses
    return family.lapses


def _on_vertex(family: ModelFamily) -> ModelFamily:
    """Return how Vertex AI bills a Gemini: words, also of tools, and no signatures."""
    return replace(
        family,
        overheads=GEMINI_OVERHEADS,
        definition=gemini_words_tool,
        signatures=None,
        lapses=None,
    )


def _family_of(name: str, wire: str | None) -> ModelFamily:
    for family in FAMILIES:
        if name and family.names.search(name):
            return family
    return FAMILIES_BY_WIRE.get(wire or "", GPT_FAMILY)


def _vocabulary_counter(vocabulary: str) -> tuple[str, Callable[[str], int]]:
    exact = load_counter(vocabulary)
    if exact:
        return (vocabulary, exact)
    return ("estimate", estimate)


def _claude_counter(name: str) -> tuple[str, Callable[[str], int]]:
    times = 1.0
    if NEWER_CLAUDE.search(name):
        times = NEWER
    # cl100k, not o200k: outside English it cuts words much like Claude's legacy vocabulary.
    exact = load_counter("cl100k_base")
    if exact:
        return ("claude", claude_counter(exact, OVER_CL100K, times))
    return ("estimate", claude_counter(estimate, OVER_ESTIMATE, times))
