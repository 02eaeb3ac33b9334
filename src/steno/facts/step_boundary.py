"""Whether a step of the work has just ended, so that little is lost by compacting now.

A step ends when a person has spoken, when the assistant has replied without calling, when
a test run has passed, or when a to-do list was updated. Nearly as good are places where the
agent has just said what it found or does next. Nothing ends while a call waits for its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from steno.core.message import Message
from steno.facts.runs import run_outcome
from steno.facts.tasks import keeps_tasks

BATCH_MOST = 8
"""Messages that one batch of results may have."""
TOLD_LEAST = 40
"""Characters from which on text beside a call says more than the call itself."""

Boundary = Literal["none", "fair", "good"]
"""How good a place is to stop and think."""


def boundary_after(messages: Sequence[Message]) -> Boundary:
    """Return how good a place there is to stop after what was said last."""
    if not messages:
        return "good"
    last = messages[-1]
    if not last.only_results:
        if last.calls:
            return "none"
        return "good"
    if any(run_outcome(result.text) == "passed" for result in last.results):
        return "good"
    called = next(
        (each for each in reversed(messages[-BATCH_MOST:]) if each.role == "assistant"), None
    )
    if called is None:
        return "none"
    if any(map(keeps_tasks, called.calls)):
        return "good"
    if len(called.text) >= TOLD_LEAST:
        return "fair"
    return "none"
