"""The conversation in a request to Gemini's API or to Vertex AI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steno.providers.shared.request import (
    PAST_ELSEWHERE,
    Body,
    ConversationRequest,
    SkippedRequest,
    as_list,
    system_text,
)

METHODS = ("generateContent", "streamGenerateContent")


def read_request(path: str, body: Body) -> ConversationRequest | SkippedRequest | None:
    place, _, method = path.partition("?")[0].rpartition(":")
    if method not in METHODS:
        return None
    if either(body, "cachedContent", "cached_content"):
        return SkippedRequest(PAST_ELSEWHERE.format("cachedContent"), "contents")
    instruction = either(body, "systemInstruction", "system_instruction")
    return ConversationRequest(
        wire="gemini",
        model=_gemini_model(place),
        key="contents",
        messages=one_or_many(body.get("contents")),
        system=system_text(*one_or_many((instruction or {}).get("parts"))),
        tools=one_or_many(body.get("tools")),
    )


def _gemini_model(place: str) -> str:
    """Return the model of a path; with its publisher on Vertex AI, which bills differently."""
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
