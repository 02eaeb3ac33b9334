"""Errors: everything that Steno raises on purpose; all of them are a `StenoError`."""

from steno.core.errors import (
    BadBudget,
    BadEdit,
    BadInput,
    BadMessage,
    BadPolicy,
    DoesNotFit,
    ModelFailed,
    NotHere,
    SessionGone,
    Stale,
    StenoError,
    StoreFailed,
    TooLong,
    UnknownModel,
    UnknownWire,
)

__all__ = [
    "BadBudget",
    "BadEdit",
    "BadInput",
    "BadMessage",
    "BadPolicy",
    "DoesNotFit",
    "ModelFailed",
    "NotHere",
    "SessionGone",
    "Stale",
    "StenoError",
    "StoreFailed",
    "TooLong",
    "UnknownModel",
    "UnknownWire",
]
