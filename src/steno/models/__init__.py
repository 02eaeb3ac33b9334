"""Models: what answers an ask or takes a turn, behind one interface."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from steno.core.effects import Answer, Ask, Limits, Model, NoAnswer, Reply
from steno.models.registry import model_name, resolve_model
from steno.models.retry import RetryingWriter, RetryPolicy
from steno.models.script import Script
from steno.models.spend import Spend
from steno.providers.shared.errors import classify_error

if TYPE_CHECKING:
    from steno.gateway.client import Gateway
    from steno.providers.anthropic.model import Anthropic
    from steno.providers.openai_chat.model import OpenAI

__all__ = [
    "Answer",
    "Anthropic",
    "Ask",
    "Gateway",
    "Limits",
    "Model",
    "NoAnswer",
    "OpenAI",
    "Reply",
    "RetryPolicy",
    "RetryingWriter",
    "Script",
    "Spend",
    "classify_error",
    "model_name",
    "resolve_model",
]

LOADED_LATE = {
    "Anthropic": "steno.providers.anthropic.model",
    "Gateway": "steno.gateway.client",
    "OpenAI": "steno.providers.openai_chat.model",
}
"""Models whose packages are imported when they are named, not before."""


def __getattr__(name: str) -> Any:
    if name not in LOADED_LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(LOADED_LATE[name]), name)
