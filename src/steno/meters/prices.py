"""What a model asks for its tokens, from the catalog."""

from __future__ import annotations

from steno.core.error import BadInput, UnknownModel
from steno.core.price import LIFETIME, LIFETIMES, Prices
from steno.meters.catalog import known


def prices_of(model: str) -> Prices:
    """What a model asks; where a price of the cache is not its own, that of plain input."""
    try:
        facts = known(model)
    except UnknownModel as unknown:
        near = f"; near names: {', '.join(unknown.close)}" if unknown.close else ""
        raise BadInput(f"no price is known for model {model!r}{near}") from None
    if facts.input is None:
        raise BadInput(f"no price is known for model {model!r}, only its window")
    cached = facts.input if facts.cached is None else facts.cached
    write = facts.input if facts.write is None else facts.write
    return Prices(cached, write, facts.input, facts.output or 0.0, LIFETIMES.get(facts.provider, LIFETIME))
