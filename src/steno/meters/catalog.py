"""What is known of a model: its window and its prices.

Read from `catalog.json`, which `scripts/make_catalog.py` generates. A name is
looked up as it is, then without what providers put around it: a prefix
("openai/", "us.anthropic."), a "-latest", a date, a Bedrock version. There is no
guessing: a name that is not here raises, and names its neighbours.

What a model asks for its tokens, from the catalog.
"""

from __future__ import annotations

import difflib
import functools
import re
from importlib.resources import files

import msgspec

from steno.core.errors import BadInput, UnknownModel
from steno.core.message import Value
from steno.core.price import CACHE_SECONDS, CACHE_SECONDS_BY_PROVIDER, Prices

_PREFIX = re.compile(r"^(?:.*/|(?:(?:us|eu|apac|au|jp|global|regional)\.)?(?:[a-z]+\.)(?=[a-z]))")
_SUFFIX = re.compile(r"(?:-v\d+(?::\d+)?|-latest|[-@]\d{8}|-\d{4}-\d{2}-\d{2}|@latest)$")


class ModelFacts(Value, frozen=True):
    """A model's window, in tokens, and its base prices, in dollars a million tokens."""

    name: str
    provider: str
    window: int
    input: float | None = None
    cached: float | None = None
    """Input read from the cache."""
    write: float | None = None
    """Input written to the cache, where that has a price of its own."""
    output: float | None = None
    aliases: tuple[str, ...] = ()


class _Catalog(Value, frozen=True):
    source: str
    models: tuple[ModelFacts, ...]


def lookup_model(model: str) -> ModelFacts:
    """What is known of a model, by its exact name or a documented spelling of it."""
    exact, plain = _index()
    name = model.strip().lower()
    facts = exact.get(name) or exact.get(_plain_name(name)) or plain.get(_plain_name(name))
    if facts is None:
        raise UnknownModel(model, difflib.get_close_matches(_plain_name(name), exact, n=3))
    return facts


@functools.cache
def _index() -> tuple[dict[str, ModelFacts], dict[str, ModelFacts]]:
    """Facts by their exact names, and by their names without prefix and suffix."""
    data = files("steno.meters").joinpath("catalog.json").read_bytes()
    exact: dict[str, ModelFacts] = {}
    plain: dict[str, ModelFacts] = {}
    for facts in msgspec.json.decode(data, type=_Catalog).models:
        for name in (facts.name.lower(), *facts.aliases):
            exact.setdefault(name, facts)
            plain.setdefault(_plain_name(name), facts)
    return exact, plain


def _plain_name(name: str) -> str:
    name = _PREFIX.sub("", name)
    while (shorter := _SUFFIX.sub("", name)) != name:
        name = shorter
    return name


def model_prices(model: str) -> Prices:
    """What a model asks; where a price of the cache is not its own, that of plain input."""
    try:
        facts = lookup_model(model)
    except UnknownModel as unknown:
        near = f"; near names: {', '.join(unknown.close)}" if unknown.close else ""
        raise BadInput(f"no price is known for model {model!r}{near}") from None
    if facts.input is None:
        raise BadInput(f"no price is known for model {model!r}, only its window")
    cached = facts.input if facts.cached is None else facts.cached
    write = facts.input if facts.write is None else facts.write
    return Prices(
        cached,
        write,
        facts.input,
        facts.output or 0.0,
        CACHE_SECONDS_BY_PROVIDER.get(facts.provider, CACHE_SECONDS),
    )
