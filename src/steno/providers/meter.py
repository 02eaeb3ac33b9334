"""Choose the meter for a model: the first family whose names match, as its wire bills it.

The families of providers are in their folders; those of open weights, which many servers run,
are here.
"""

from __future__ import annotations

import re

from steno.core.meter import Meter, Overheads
from steno.meters.family import ModelFamily
from steno.meters.media import MediaRule
from steno.providers import PROVIDERS
from steno.providers.gemini.meter import GOOGLE_MEDIA
from steno.providers.openai_chat.meter import GPT_FAMILY, OPENAI_MEDIA
from steno.providers.provider import Provider

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


def meter_for(model: str | None = None, wire: str | None = None) -> Meter:
    """Return the most exact meter for a model, or for a wire if the model is unknown."""
    # Fine-tuned models and routers put their own prefix before the name of the base.
    place, _, name = (model or "").lower().removeprefix("ft:").rpartition("/")
    provider = PROVIDERS.get(wire or "")
    family = _named_family(name, provider)
    if family is None and provider is not None:
        family = provider.usual_family
    family = (family or GPT_FAMILY).for_model(place, name)
    if provider is not None:
        family = provider.bill(family, name)
    return family.meter(name)


def _named_family(name: str, own: Provider | None) -> ModelFamily | None:
    if not name:
        return None
    # Its own families first: another provider may serve models of the same names.
    providers = sorted(PROVIDERS.values(), key=lambda provider: provider is not own)
    of_providers = [family for provider in providers for family in provider.families]
    for family in (*of_providers, *OPEN_WEIGHTS):
        if family.names.search(name):
            return family
    return None
