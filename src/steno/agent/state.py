"""Where a run stands: a value, recorded beside the log after every turn.

The log is the checkpoint. The state holds the little that the log does not say: the
task, the plan, and what was spent. A run resumes from the newest one.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from steno.core.message import Value
from steno.core.model import Complexity, Usage

RunOutcome = Literal["answered", "limit", "failed", "stopped"]


class RunLimits(Value):
    """What one run may cost; None means no limit."""

    turns: int | None = 100
    tokens: int | None = None
    """Tokens sent and received, of all turns together."""
    money: float | None = None
    """In dollars, by the model's list prices."""
    seconds: float | None = None


class Step(Value):
    """One step of a plan."""

    text: str
    done: bool = False


class RunState(Value):
    """Where a run stands."""

    task: str
    start: int
    """The position of the task."""
    turns: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0
    stage: str = ""
    """Name of the stage the loop is in; each loop has its own names."""
    plan: tuple[Step, ...] = ()
    outcome: RunOutcome | None = None
    text: str = ""
    """The answer, if there is one."""
    reason: str = ""
    """Why the run ended without an answer."""
    complexity: Complexity | None = None
    """How hard the task is called; None for what the session's policy says."""

    def but(self, **changes: Any) -> RunState:
        return msgspec.structs.replace(self, **changes)

    @property
    def next_step(self) -> int:
        """Return the index of the first open step, or the number of steps if all are done."""
        for number, step in enumerate(self.plan):
            if not step.done:
                return number
        return len(self.plan)
