"""The limits a session lives under, and the pressure they make.

Every percentage is of the usable window: window − reserve. System prompt and
tools count. When to act on pressure is the engine's business.
"""

from __future__ import annotations

from enum import StrEnum

from steno.core.error import BadBudget
from steno.core.message import Value

RESERVE_SHARE = 8
RESERVE_MOST = 16_000


class Pressure(StrEnum):
    NONE = "none"
    SOFT = "soft"
    HARD = "hard"


def default_reserve(window: int) -> int:
    """An eighth of the window, at most 16,000 tokens: room for one reply from 4k to 2M."""
    return min(window // RESERVE_SHARE, RESERVE_MOST)


class Budget(Value, frozen=True):
    """How much may be sent; loads at or above a limit are under its pressure."""

    window: int
    reserve: int
    soft: float = 0.85
    goal: float = 0.60
    hard: float = 0.95

    def __post_init__(self) -> None:
        if self.window <= 0:
            raise BadBudget(f"window must be positive, got {self.window:,}")
        if not 0 <= self.reserve < self.window:
            raise BadBudget(
                f"reserve must be at least 0 and under the window of {self.window:,}, got {self.reserve:,}"
            )
        if not 0 < self.goal < self.soft <= self.hard <= 1:
            shares = f"goal {self.goal}, soft {self.soft}, hard {self.hard}"
            raise BadBudget(f"shares must satisfy 0 < goal < soft ≤ hard ≤ 1, got {shares}")

    @property
    def usable(self) -> int:
        return self.window - self.reserve

    @property
    def goal_load(self) -> int:
        return int(self.usable * self.goal)

    @property
    def spacing(self) -> int:
        """New tokens between two commits nobody asked for."""
        return int(self.usable * (self.soft - self.goal) / 2)

    def pressure(self, load: int) -> Pressure:
        if load >= self.usable * self.hard:
            return Pressure.HARD
        if load >= self.usable * self.soft:
            return Pressure.SOFT
        return Pressure.NONE
