"""Events: what `on_event=` is called with."""

from steno.core.events import (
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
    Unpriced,
    UsedSince,
    Waited,
)

__all__ = [
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
    "Unpriced",
    "UsedSince",
    "Waited",
]
