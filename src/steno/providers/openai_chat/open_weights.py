"""Families of open weights, which many servers run and most serve as chat completions."""

from __future__ import annotations

import re

from steno.core.meter import Overheads
from steno.meters.family import ModelFamily
from steno.meters.media import MediaRule
from steno.providers.gemini.meter import GOOGLE_MEDIA
from steno.providers.openai_chat.meter import OPENAI_MEDIA

TEMPLATE_OVERHEADS = Overheads(request=3, message=5, call=6, result=0, tools=50, tool=7)
"""Assumed for chat templates of open weights: a header and an end for each message."""


def _family(names: str, vocabulary: str, media: MediaRule = OPENAI_MEDIA) -> ModelFamily:
    return ModelFamily(re.compile(names), vocabulary, TEMPLATE_OVERHEADS, media)


OPEN_WEIGHTS = (
    # Qwen and Llama before DeepSeek: a distilled model keeps the vocabulary of its base.
    _family(r"qwen|qwq", "qwen3"),
    _family(r"llama", "llama3"),
    _family(r"deepseek", "deepseek_v3"),
    _family(r"(mi|code|dev|magi|mini)stral|(mi|pi|vo)xtral", "mistral_v3"),
    _family(r"gemma", "gemma3", GOOGLE_MEDIA),
    _family(r"glm", "glm4"),
    _family(r"kimi|moonshot", "kimi_k2"),
    _family(r"phi-?4", "phi4"),
)
