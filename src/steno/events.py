"""Events: what `on_event=` is called with."""

from steno.core.events import (
    CacheMissed,
    Committed,
    Event,
    Failed,
    Learned,
    Overflow,
    PolicyMissing,
    ProviderEdited,
    SafetyNet,
    Skipped,
    Started,
    Waited,
)

__all__ = [
    "CacheMissed",
    "Committed",
    "Event",
    "Failed",
    "Learned",
    "Overflow",
    "PolicyMissing",
    "ProviderEdited",
    "SafetyNet",
    "Skipped",
    "Started",
    "Waited",
]
