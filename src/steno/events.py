"""Events: what `on_event=` is called with."""

from steno.core.events import (
    Answered,
    Committed,
    Event,
    Failed,
    Learned,
    Overflow,
    Refilled,
    SafetyNet,
    Skipped,
    Started,
    Survived,
    UnknownBlock,
    Unpriced,
    UsedSince,
    Waited,
)

__all__ = [
    "Answered",
    "Committed",
    "Event",
    "Failed",
    "Learned",
    "Overflow",
    "Refilled",
    "SafetyNet",
    "Skipped",
    "Started",
    "Survived",
    "UnknownBlock",
    "Unpriced",
    "UsedSince",
    "Waited",
]
