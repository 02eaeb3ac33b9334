"""Choose the meter for a model: the first family whose names match, as its wire bills it."""

from __future__ import annotations

from steno.core.meter import Meter
from steno.meters.family import ModelFamily
from steno.providers import PROVIDERS
from steno.providers.openai_chat.meter import GPT_FAMILY
from steno.providers.openai_chat.open_weights import OPEN_WEIGHTS


def meter_for(model: str | None = None, wire: str | None = None) -> Meter:
    """Return the most exact meter for a model, or for a wire if the model is unknown."""
    # Fine-tuned models and routers put their own prefix before the name of the base.
    place, _, name = (model or "").lower().removeprefix("ft:").rpartition("/")
    provider = PROVIDERS.get(wire or "")
    family = _named_family(name)
    if family is None and provider is not None:
        family = provider.usual_family
    family = (family or GPT_FAMILY).for_model(place, name)
    if provider is not None:
        family = provider.bill(family, name)
    return family.meter(name)


def _named_family(name: str) -> ModelFamily | None:
    if not name:
        return None
    of_providers = [family for provider in PROVIDERS.values() for family in provider.families]
    for family in (*of_providers, *OPEN_WEIGHTS):
        if family.names.search(name):
            return family
    return None
