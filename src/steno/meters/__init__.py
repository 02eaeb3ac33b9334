"""Meters that know a provider: its vocabulary, its overheads, its rule for pictures.

`meter_for` picks one by model or wire; `known` tells a model's window and
prices. What a meter is, and the estimate that needs no vocabulary, are in core.
"""

from steno.meters.catalog import ModelFacts, known
from steno.meters.choice import meter_for

__all__ = ["ModelFacts", "known", "meter_for"]
