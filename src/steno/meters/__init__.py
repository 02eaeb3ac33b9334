"""How tokens are counted and what they cost, whichever provider bills them.

Vocabularies, rules for media, and `lookup_model` for a model's window and prices. Which model
counts how is said in each provider's folder; `steno.providers.meter` chooses.
"""

from steno.meters.catalog import ModelFacts, find_model, lookup_model

__all__ = ["ModelFacts", "find_model", "lookup_model"]
