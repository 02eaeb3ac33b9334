"""What to do, as a value: limits, rungs in their order, checks, and how much tail.

A policy has no state and no window of its own; together with a model's window
it makes a budget.
"""

from __future__ import annotations

from dataclasses import dataclass

from steno.checks.shape import SHAPE, Check
from steno.core.budget import Budget, default_reserve
from steno.core.rung import Rung
from steno.steps.offload import Intake, Offload
from steno.steps.truncate import Truncate


@dataclass(frozen=True)
class Policy:
    soft: float = 0.85
    goal: float = 0.60
    hard: float = 0.95
    every_round: tuple[Rung, ...] = (Intake(),)
    """Rungs that look at what is new, pressure or not."""
    ladder: tuple[Rung, ...] = (Offload(), Truncate())
    """Rungs under pressure, gentlest first; the last one cannot fail."""
    checks: tuple[Check, ...] = SHAPE
    tail_share: float = 0.5
    """Of the goal, for the newest turns."""

    def budget(self, window: int, reserve: int | None = None) -> Budget:
        kept = default_reserve(window) if reserve is None else reserve
        return Budget(window, kept, self.soft, self.goal, self.hard)


DEFAULT = Policy()
