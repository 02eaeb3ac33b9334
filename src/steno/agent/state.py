"""Where a run stands: a value, jotted beside the log after every turn.

The log is the checkpoint; this is the little that it does not say: the task, the
plan, and what was spent. Whoever reads the newest one can go on.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from steno.core.message import Value
from steno.core.model import Usage

RunOutcome = Literal["answered", "limit", "failed", "stopped"]


class RunLimits(Value, frozen=True):
    """What one run may cost; None for no limit."""

    turns: int | None = 100
    tokens: int | None = None
    """Sent and said, all turns together."""
    money: float | None = None
    """In dollars, by the model's list prices."""
    seconds: float | None = None


class Step(Value, frozen=True):
    """One step of a plan."""

    text: str
    done: bool = False


class RunState(Value, frozen=True):
    task: str
    start: int
    """The position of the task."""
    turns: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0
    stage: str = ""
    """Where a loop is in its own course; each has names for it."""
    plan: tuple[Step, ...] = ()
    outcome: RunOutcome | None = None
    text: str = ""
    """The answer, where there is one."""
    reason: str = ""

    def but(self, **changes: Any) -> RunState:
        return msgspec.structs.replace(self, **changes)

    @property
    def next_step(self) -> int:
        """The first step of the plan that is not done; how many there are, where all are."""
        return next((n for n, step in enumerate(self.plan) if not step.done), len(self.plan))
