"""Meters that know a provider: its vocabulary, its overheads, its rule for pictures.

`meter_for` picks one by model or wire; `known` tells a model's window and
prices. What a meter is, and the estimate that needs no vocabulary, are in core.
"""

from steno.meters.catalog import ModelFacts, lookup_model
from steno.meters.families import meter_for

__all__ = ["ModelFacts", "lookup_model", "meter_for"]
