"""Windows and prices of models.

Read from `catalog.json`, which `scripts/make_catalog.py` generates. A name is
looked up as it is, then without what providers put around it: a prefix
("openai/", "us.anthropic."), a "-latest", a date, a Bedrock version.
"""

from __future__ import annotations

import difflib
import functools
import re
from pathlib import Path

from steno.core.decoders import json_decoder
from steno.core.errors import BadInput, UnknownModel
from steno.core.message import Value
from steno.core.price import CACHE_LIFETIMES, CACHE_SECONDS, CACHE_SECONDS_BY_PROVIDER, Prices

_PREFIX = re.compile(r"^(?:.*/|(?:(?:us|eu|apac|au|jp|global|regional)\.)?(?:[a-z]+\.)(?=[a-z]))")
_SUFFIX = re.compile(r"(?:-v\d+(?::\d+)?|-latest|[-@]\d{8}|-\d{4}-\d{2}-\d{2}|@latest)$")


class ModelFacts(Value):
    """A model's window in tokens, and its prices in dollars for a million tokens."""

    name: str
    provider: str
    window: int
    input: float | None = None
    cached: float | None = None
    """Input read from the cache."""
    write: float | None = None
    """Input written to the cache, if that has its own price."""
    output: float | None = None
    aliases: tuple[str, ...] = ()


class _Catalog(Value):
    models: tuple[ModelFacts, ...]


def lookup_model(model: str) -> ModelFacts:
    """Return what is known of a model; raise UnknownModel with close names if nothing is."""
    facts = find_model(model)
    if facts is None:
        raise UnknownModel(model, _close_names(model))
    return facts


def find_model(model: str) -> ModelFacts | None:
    """Return what is known of a model, by its exact name or a documented spelling."""
    exact, plain = _index()
    name = model.strip().lower()
    # Exact first: a dated name may have its own window or price.
    return exact.get(name) or exact.get(_plain_name(name)) or plain.get(_plain_name(name))


def _close_names(model: str) -> list[str]:
    return difflib.get_close_matches(_plain_name(model.strip().lower()), _index()[0], n=3)


@functools.cache
def _index() -> tuple[dict[str, ModelFacts], dict[str, ModelFacts]]:
    """Return the facts by exact name, and by name without prefix and suffix."""
    data = Path(__file__).with_name("catalog.json").read_bytes()
    exact: dict[str, ModelFacts] = {}
    plain: dict[str, ModelFacts] = {}
    for facts in json_decoder(_Catalog).decode(data).models:
        for name in (facts.name.lower(), *facts.aliases):
            # The first entry of a name stays; the plain form of several may be the same.
            exact.setdefault(name, facts)
            plain.setdefault(_plain_name(name), facts)
    return exact, plain


def _plain_name(name: str) -> str:
    name = _PREFIX.sub("", name)
    # Names carry several, such as a date and a Bedrock version.
    while (shorter := _SUFFIX.sub("", name)) != name:
        name = shorter
    return name


def model_prices(model: str) -> Prices:
    """Return a model's prices; raise BadInput with close names if none are known."""
    prices = known_prices(model)
    if prices is not None:
        return prices
    what = f"no price is known for model {model!r}"
    if find_model(model) is not None:
        raise BadInput(f"{what}, only its window")
    close = ", ".join(_close_names(model))
    if close:
        raise BadInput(f"{what}; close names: {close}")
    raise BadInput(f"{what}; name it as its provider does, such as claude-sonnet-5 or gpt-5")


def known_prices(model: str) -> Prices | None:
    """Return a model's prices, None if none are known; a cache may cost as plain input."""
    facts = find_model(model)
    if facts is None or facts.input is None:
        return None
    cached, write = facts.cached, facts.write
    if cached is None:
        cached = facts.input
    if write is None:
        write = facts.input
    lifetime = CACHE_SECONDS_BY_PROVIDER.get(facts.provider, CACHE_SECONDS)
    if facts.provider == "openai" and facts.write is not None:
        # Models that charge for writing keep it for half an hour, unless asked for longer.
        lifetime = CACHE_LIFETIMES["30m"]
    return Prices(cached, write, facts.input, facts.output or 0.0, lifetime)


def cache_seconds(model: str | None, lifetime: str | None) -> float:
    """Return how long a provider keeps its cache: as it reported, else as its model does."""
    if lifetime in CACHE_LIFETIMES:
        return CACHE_LIFETIMES[lifetime]
    prices = known_prices(model or "")
    if prices is None:
        return CACHE_SECONDS
    return prices.lifetime
