"""Which meter for which model.

Owns the table of model families: their vocabulary, what the provider adds
around the words, and its rule for media. A family without a vocabulary at hand
is counted by the estimate, and the meter's name says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from steno.core.meter import Meter, Overheads, estimate
from steno.meters import media
from steno.meters.vocabulary import OVER_CL100K, OVER_ESTIMATE, claude_counter, load_counter

OPENAI_OVERHEADS = Overheads(request=3, message=4, call=6, result=0, tools=12, tool=7)
"""3 a message and a token for its role; those of calls and tools are assumed."""
CLAUDE_OVERHEADS = Overheads(request=6, message=2, call=10, result=6, tools=549, tool=53)
"""Published for Sonnet 4.5, but for call and result, which are assumed."""
TEMPLATE_OVERHEADS = Overheads(request=3, message=5, call=6, result=0, tools=50, tool=7)
"""Assumed of chat templates of open weights: a header and an end to each message."""


@dataclass(frozen=True, slots=True)
class ModelFamily:
    """Models that count alike."""

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
    # Before DeepSeek, whose distilled models keep the vocabulary of what they were made from.
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
"""The first whose names match counts."""


def meter_for(model: str | None = None, wire: str | None = None) -> Meter:
    """The most exact meter at hand for a model, or for a wire whose model is not known."""
    name = (model or "").lower().removeprefix("ft:").rpartition("/")[2]
    by_wire = CLAUDE_FAMILY if wire == "anthropic" else GPT_FAMILY
    family = next((each for each in FAMILIES if name and each.names.search(name)), by_wire)
    called, count = (
        _claude_counter() if family is CLAUDE_FAMILY else _vocabulary_counter(family.vocabulary)
    )
    return Meter(called, count, media.media_rule_for(name, family.media), family.overheads)


def _vocabulary_counter(vocabulary: str) -> tuple[str, Callable[[str], int]]:
    exact = load_counter(vocabulary)
    if exact:
        return (vocabulary, exact)
    return ("estimate", estimate)


def _claude_counter() -> tuple[str, Callable[[str], int]]:
    # cl100k, not o200k: outside English it cuts words much as the legacy vocabulary does.
    exact = load_counter("cl100k_base")
    if exact:
        return ("claude", claude_counter(exact, OVER_CL100K))
    return ("estimate", claude_counter(estimate, OVER_ESTIMATE))
