"""Meters that know a provider: its vocabulary, its overheads, its rule for pictures.

`meter_for` chooses one by model or wire; `lookup_model` returns a model's window and
prices. The type `Meter`, and the estimate without a vocabulary, are in `core.meter`.
"""

from steno.meters.catalog import ModelFacts, lookup_model
from steno.meters.families import meter_for

__all__ = ["ModelFacts", "lookup_model", "meter_for"]
