"""The conversation in a request to Gemini's API or to Vertex AI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steno.providers.shared.plain_json import get_field
from steno.providers.shared.request import (
    Body,
    ConversationRequest,
    RequestForm,
    SkippedRequest,
    as_list,
)


@dataclass(frozen=True)
class GeminiRequest(RequestForm):
    """Its path names the model, and each key has two spellings."""

    def read(self, path: str, body: Body) -> ConversationRequest | SkippedRequest:
        instruction = either(body, "systemInstruction", "system_instruction")
        one_spelling = {
            "model": _gemini_model(path.partition("?")[0]),
            "contents": one_or_many(body.get("contents")),
            "system": one_or_many(get_field(instruction, "parts")),
            "tools": one_or_many(body.get("tools")),
            "cachedContent": either(body, "cachedContent", "cached_content"),
        }
        return super().read(path, one_spelling)


REQUEST = GeminiRequest(
    "gemini",
    ends=(":generateContent", ":streamGenerateContent"),
    key="contents",
    elsewhere=(("cachedContent", ""),),
)


def _gemini_model(path: str) -> str:
    """Return the model of a path; with its publisher on Vertex AI, which bills differently."""
    place = path.rpartition(":")[0]
    _, publishers, name = place.rpartition("publishers/")
    if publishers:
        return publishers + name
    return place.rpartition("/")[2]


def either(body: Body, *keys: str) -> Any:
    """Return the value of the first of these keys that there is: Google takes both spellings."""
    return next((body[key] for key in keys if body.get(key)), None)


def one_or_many(value: Any) -> list[Any]:
    """Return a list, also of a lone object: Google takes one for a list of one."""
    if isinstance(value, Mapping):
        return [value]
    return as_list(value)
