"""How tokens are counted and what they cost, whichever provider bills them."""

from steno.meters.catalog import ModelFacts, find_model, lookup_model

__all__ = ["ModelFacts", "find_model", "lookup_model"]
