"""Whether a step of the work has just ended, so that little is lost by compacting now.

A step ends when a person has spoken, when the assistant has replied without calling, when
a test run has passed, or when a to-do list was updated. It does not end in the middle of
a chain of calls.
"""

from __future__ import annotations

from collections.abc import Sequence

from steno.core.message import Message
from steno.facts.ledger import facts_of

BATCH_MOST = 8
"""Messages that one batch of results may have."""
_LISTS = ("todo", "task", "box")


def ends_a_step(messages: Sequence[Message]) -> bool:
    """Whether what was said last is a good place to stop and think."""
    if not messages:
        return True
    last = messages[-1]
    if not last.only_results:
        return not any(True for _ in last.calls)
    if any(fact.kind == "close" and fact.note.endswith("passed") for fact in facts_of(last)):
        return True
    called = next(
        (each for each in reversed(messages[-BATCH_MOST:]) if each.role == "assistant"), None
    )
    return called is not None and any(fact.note.startswith(_LISTS) for fact in facts_of(called))
