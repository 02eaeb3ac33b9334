"""Choose the meter for a model.

Owns the table of model families: their vocabulary, what the provider adds around
the words, and its rule for media. A family whose vocabulary cannot be loaded is
counted by the estimate, and the meter's name says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from steno.core.meter import Meter, Overheads, estimate
from steno.meters import media
from steno.meters.vocabulary import OVER_CL100K, OVER_ESTIMATE, claude_counter, load_counter

OPENAI_OVERHEADS = Overheads(request=3, message=4, call=6, result=0, tools=12, tool=7)
"""3 for a message and 1 for its role are published; those of calls and tools are assumed."""
CLAUDE_OVERHEADS = Overheads(request=6, message=2, call=10, result=6, tools=549, tool=53)
"""Published for Sonnet 4.5; those of call and result are assumed."""
TEMPLATE_OVERHEADS = Overheads(request=3, message=5, call=6, result=0, tools=50, tool=7)
"""Assumed for chat templates of open weights: a header and an end for each message."""


@dataclass(frozen=True, slots=True)
class ModelFamily:
    """Models that count tokens in the same way."""

    names: re.Pattern[str]
    vocabulary: str
    overheads: Overheads
    media: media.MediaWeight


def _family(
    names: str, vocabulary: str, overheads: Overheads, weigh: media.MediaWeight
) -> ModelFamily:
    return ModelFamily(re.compile(names), vocabulary, overheads, weigh)


CLAUDE_FAMILY = _family(r"claude", "claude", CLAUDE_OVERHEADS, media.ANTHROPIC_MEDIA)
GPT_FAMILY = _family(
    r"^(chatgpt-4o|gpt-(4o|4\.[15]|[5-9]|oss)|codex|o\d)",
    "o200k_base",
    OPENAI_OVERHEADS,
    media.OPENAI_MEDIA,
)

FAMILIES = (
    CLAUDE_FAMILY,
    GPT_FAMILY,
    _family(r"^gpt-(4|3\.?5)", "cl100k_base", OPENAI_OVERHEADS, media.OPENAI_MEDIA),
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
    _family(r"gemma|gemini", "gemma3", TEMPLATE_OVERHEADS, media.GOOGLE_MEDIA),
    _family(r"glm", "glm4", TEMPLATE_OVERHEADS, media.OPENAI_MEDIA),
    _family(r"kimi|moonshot", "kimi_k2", TEMPLATE_OVERHEADS, media.OPENAI_MEDIA),
    _family(r"phi-?4", "phi4", TEMPLATE_OVERHEADS, media.OPENAI_MEDIA),
)
"""The first family whose names match is used."""


def meter_for(model: str | None = None, wire: str | None = None) -> Meter:
    """Return the most exact meter for a model, or for a wire if the model is unknown."""
    # Fine-tuned models and routers put their own prefix before the name of the base.
    name = (model or "").lower().removeprefix("ft:").rpartition("/")[2]
    family = _family_of(name, wire)
    if family is CLAUDE_FAMILY:
        meter_name, count = _claude_counter()
    else:
        meter_name, count = _vocabulary_counter(family.vocabulary)
    return Meter(meter_name, count, media.media_rule_for(name, family.media), family.overheads)


def _family_of(name: str, wire: str | None) -> ModelFamily:
    for family in FAMILIES:
        if name and family.names.search(name):
            return family
    if wire == "anthropic":
        return CLAUDE_FAMILY
    return GPT_FAMILY


def _vocabulary_counter(vocabulary: str) -> tuple[str, Callable[[str], int]]:
    exact = load_counter(vocabulary)
    if exact:
        return (vocabulary, exact)
    return ("estimate", estimate)


def _claude_counter() -> tuple[str, Callable[[str], int]]:
    # cl100k, not o200k: outside English it cuts words much like Claude's legacy vocabulary.
    exact = load_counter("cl100k_base")
    if exact:
        return ("claude", claude_counter(exact, OVER_CL100K))
    return ("estimate", claude_counter(estimate, OVER_ESTIMATE))
