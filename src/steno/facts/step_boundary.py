"""Whether a step of the work has just ended, so that little is lost by compacting now.

A step ends when a person has spoken, when the assistant has replied without calling, when
a test run has passed, or when a to-do list was updated. Nearly as good are places where the
agent has just said what it found or does next. Nothing ends while a call waits for its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from steno.core.message import Message
from steno.facts.ledger import facts_of

BATCH_MOST = 8
"""Messages that one batch of results may have."""
TOLD_LEAST = 40
"""Characters from which on text beside a call says more than the call itself."""
_LISTS = ("todo", "task", "box")

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
    if any(fact.kind == "close" and fact.note.endswith("passed") for fact in facts_of(last)):
        return "good"
    called = next(
        (each for each in reversed(messages[-BATCH_MOST:]) if each.role == "assistant"), None
    )
    if called is None:
        return "none"
    if any(fact.note.startswith(_LISTS) for fact in facts_of(called)):
        return "good"
    if len(called.text) >= TOLD_LEAST:
        return "fair"
    return "none"
