"""The limits of a session, and the pressure of a load under them.

Every share is of the usable window: window − reserve. System prompt and tools count. With a
limit under the window, soft and goal are shares of that limit, and hard stays one of the window.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Literal

from steno.core.errors import BadBudget
from steno.core.message import Value

WINDOW_LEAST = 100
"""Tokens below which a window is a slip of the pen: 10 for 10k."""
RESERVE_SHARE = 8
RESERVE_MOST = 16_000
LEFT_SHARE = 0.7
"""Share of the room between a large prompt and the soft limit that a compaction leaves filled."""
ROUND_DIGITS = 6
"""Digits of a share in tokens: 0.55 × 100 is 55, not 55.00000000000001."""
WINDOW_MOST = 10**12
"""Tokens of the largest window; the shares of a larger one are no longer told apart."""

Goal = float | Literal["tail"]
"""The load to come down to, as a share; "tail" covers everything outside the tail, once."""
Trigger = Literal["at", "over"]
"""Whether pressure begins at a limit or only over it."""


class Pressure(StrEnum):
    NONE = "none"
    SOFT = "soft"
    HARD = "hard"


def check_window(window: int) -> int:
    """Return a window; raise BadBudget if it can hold no conversation, or no model has it."""
    # Without the number: Python refuses to write one of thousands of digits.
    if window > WINDOW_MOST:
        raise BadBudget(f"a window of more than {WINDOW_MOST:,} tokens: no model has one")
    if 0 < window < WINDOW_LEAST:
        raise BadBudget(
            f"a window of {window} tokens: did you mean {window}k? The least is {WINDOW_LEAST}"
        )
    return window


def default_reserve(window: int) -> int:
    """Return an eighth of the window, at most 16,000 tokens: room for one reply."""
    return min(window // RESERVE_SHARE, RESERVE_MOST)


class Budget(Value):
    """How much may be sent, and at which load pressure begins."""

    window: int
    reserve: int
    soft: float
    goal: Goal
    hard: float
    trigger: Trigger = "at"
    limit: int | None = None
    """Tokens that soft and goal are shares of, if fewer than the usable ones."""

    def __post_init__(self) -> None:
        if self.window <= 0:
            raise BadBudget(f"window must be positive, got {self.window:,}")
        if not 0 <= self.reserve < self.window:
            raise BadBudget(
                f"reserve must be at least 0 and under the window of {self.window:,}, "
                f"got {self.reserve:,}"
            )
        if self.limit is not None and self.limit <= 0:
            raise BadBudget(f"limit must be positive, got {self.limit:,}")
        if isinstance(self.goal, str):
            if not 0 < self.soft <= self.hard <= 1:
                shares = f"soft {self.soft}, hard {self.hard}"
                raise BadBudget(f"shares must satisfy 0 < soft ≤ hard ≤ 1, got {shares}")
        elif not 0 < self.goal < self.soft <= self.hard <= 1:
            shares = f"goal {self.goal}, soft {self.soft}, hard {self.hard}"
            raise BadBudget(f"shares must satisfy 0 < goal < soft ≤ hard ≤ 1, got {shares}")

    @property
    def usable(self) -> int:
        return self.window - self.reserve

    @property
    def share_base(self) -> int:
        """What soft and goal are shares of."""
        if self.limit is None:
            return self.usable
        return min(self.limit, self.usable)

    @property
    def down_to_tail(self) -> bool:
        """Whether everything outside the tail is to be covered at once."""
        return self.goal == "tail"

    @property
    def soft_load(self) -> float:
        return round(self.share_base * self.soft, ROUND_DIGITS)

    @property
    def hard_load(self) -> float:
        # Not of `limit`: a provider refuses what is over its window, not what is over ours.
        return round(self.usable * self.hard, ROUND_DIGITS)

    @property
    def goal_load(self) -> int:
        """The load to come down to; with the tail as goal, the largest without pressure."""
        if isinstance(self.goal, str):
            if self.trigger == "over":
                return math.floor(self.soft_load)
            # Pressure begins at the limit itself, so the largest load without it is one token less.
            return math.ceil(self.soft_load) - 1
        return int(self.share_base * self.goal)

    def goal_beside(self, fixed: int) -> int:
        """Return the goal beside a system prompt and tools of so many tokens."""
        # A coding agent's may fill half of a window: a share of all of it would leave no room.
        if isinstance(self.goal, str):
            return self.goal_load
        least = fixed + LEFT_SHARE * (self.soft_load - fixed) * self.goal / self.soft
        return max(self.goal_load, min(int(least), math.ceil(self.soft_load) - 1))

    @property
    def spacing(self) -> int:
        """New tokens that must arrive between two commits under pressure."""
        # Each commit makes the provider write its cache again, so two must not follow closely.
        # Down to the tail there is no distance from goal to soft, and any new token will do.
        if isinstance(self.goal, str):
            return 1
        return int(self.share_base * (self.soft - self.goal) / 2)

    def way_to_hard(self, load: int) -> float:
        """Return how far a load is on the way from soft to hard: 0 at soft, 1 at hard."""
        # Hard of the limit, if there is one: waiting for a better moment must not pass it.
        way = self.share_base * self.hard - self.soft_load
        if way <= 0:
            return 1.0
        return (load - self.soft_load) / way

    def pressure(self, load: int) -> Pressure:
        # Hard first: the two limits are equal in a policy that leaves compaction to the agent.
        if self._reaches(load, self.hard_load):
            return Pressure.HARD
        if self._reaches(load, self.soft_load):
            return Pressure.SOFT
        return Pressure.NONE

    def _reaches(self, load: int, limit: float) -> bool:
        if self.trigger == "over":
            return load > limit
        return load >= limit
