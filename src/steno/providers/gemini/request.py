"""The conversation in a request to Gemini's API or to Vertex AI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steno.providers.shared.request import (
    PAST_ELSEWHERE,
    Body,
    ConversationRequest,
    RequestForm,
    SkippedRequest,
    as_list,
    system_text,
)


@dataclass(frozen=True)
class GeminiRequest(RequestForm):
    """Its path names the model, and each key has two spellings."""

    def read(self, path: str, body: Body) -> ConversationRequest | SkippedRequest:
        if either(body, "cachedContent", "cached_content"):
            return SkippedRequest(PAST_ELSEWHERE.format("cachedContent"), self.key)
        instruction = either(body, "systemInstruction", "system_instruction")
        return ConversationRequest(
            wire=self.wire,
            model=_gemini_model(path.partition("?")[0]),
            key=self.key,
            messages=one_or_many(body.get("contents")),
            system=system_text(*one_or_many((instruction or {}).get("parts"))),
            tools=one_or_many(body.get("tools")),
        )


REQUEST = GeminiRequest("gemini", (":generateContent", ":streamGenerateContent"), key="contents")


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
