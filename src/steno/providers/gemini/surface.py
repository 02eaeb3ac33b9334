"""Gemini's API as the proxy stands before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from steno.providers.gemini.request import METHODS, either, one_or_many
from steno.providers.gemini.stream import ContentStream, read_counts
from steno.providers.gemini.wire import DECLARATIONS, GeminiWire
from steno.providers.shared.plain_json import get_field
from steno.providers.shared.request import Body
from steno.providers.shared.surface import (
    AnswerPlaces,
    Event,
    Reply,
    ReplyForm,
    Surface,
    Upstream,
    identity_of,
    inner_list,
    inner_object,
    with_tokens,
)

USAGE = "usageMetadata"
SAID_KEYS = ("candidatesTokenCount", "totalTokenCount")


class ContentForm(ReplyForm):
    wire = GeminiWire()
    no_call: Any = {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}}  # noqa: RUF012

    def may_offer(self, path: str, body: Body, own: str) -> bool:
        place, _, query = path.partition("?")
        # Without it a stream is one JSON list, of which nothing can be held back.
        if place.endswith(":streamGenerateContent") and "alt=sse" not in query:
            return False
        config = either(body, "generationConfig", "generation_config") or {}
        if either(config, "responseSchema", "responseJsonSchema", "response_schema"):
            return False
        if either(config, "candidateCount", "candidate_count") not in (None, 1):
            return False
        calling = get_field(either(body, "toolConfig", "tool_config"), "functionCallingConfig")
        if get_field(calling, "mode") not in (None, "AUTO", "MODE_UNSPECIFIED"):
            return False
        tools = one_or_many(body.get("tools"))
        declared = [function for tool in tools for function in either(tool, *DECLARATIONS) or ()]
        # Not every model takes functions beside the provider's own tools.
        if tools and not declared:
            return False
        return all(get_field(function, "name") != own for function in declared)

    def with_tool(self, given: Sequence[Any], tool: Any) -> list[Any]:
        """Return the tools with one more function: not every model takes two lists of them."""
        tools = list(given)
        for at, one in enumerate(tools):
            plain = getattr(one, "plain", one)
            for key in DECLARATIONS:
                if plain.get(key):
                    tools[at] = {**plain, key: [*plain[key], *either(tool, *DECLARATIONS)]}
                    return tools
        return [*tools, tool]

    def with_text(self, body: Event, text: str) -> Event:
        [candidate, *_] = inner_list(body, "candidates") or [{}]
        content = {"role": "model", "parts": [{"text": text}]}
        return body | {"candidates": [candidate | {"content": content}]}

    def read(self, body: Event) -> Reply:
        reply = Reply(usage=read_counts(inner_object(body, USAGE)))
        for candidate in inner_list(body, "candidates")[:1]:
            parts = _parts(candidate)
            if parts:
                reply.messages = [{"role": "model", "parts": parts}]
            reply.stop = str(candidate.get("finishReason") or "")
            reply.whole = True
        return reply

    def call_names(self, event: Event) -> list[Any]:
        parts = [part for one in inner_list(event, "candidates") for part in _parts(one)]
        return [_call_name(part) for part in parts if "functionCall" in part]

    def merge(self, bodies: Sequence[Event], own: str) -> Event:
        *earlier, last = bodies
        parts = [
            part
            for body in earlier
            for candidate in inner_list(body, "candidates")[:1]
            for part in _parts(candidate)
            if "functionCall" not in part
        ]
        [candidate, *_] = inner_list(last, "candidates") or [{}]
        parts += [part for part in _parts(candidate) if _call_name(part) != own]
        content = inner_object(candidate, "content") | {"parts": parts}
        merged = last | {"candidates": [candidate | {"content": content}]}
        spent = sum(self.read(body).output_tokens for body in earlier)
        return with_tokens(merged, SAID_KEYS, spent, USAGE)

    def visible_events(self, event: Event, answer: AnswerPlaces) -> Iterator[Event]:
        candidates = []
        for candidate in inner_list(event, "candidates"):
            if _parts(candidate):
                parts = [part for part in _parts(candidate) if _call_name(part) != answer.own]
                content = candidate["content"] | {"parts": parts}
                candidate = candidate | {"content": content}
            candidates.append(candidate)
        if candidates:
            event = event | {"candidates": candidates}
        if USAGE in event:
            event = with_tokens(event, SAID_KEYS, answer.spent, USAGE)
        yield event

    def identity(self, messages: Sequence[Event]) -> str:
        said = [message for message in messages if message.get("role") == "model"]
        texts = [
            str(part.get("text", ""))
            for message in said
            for part in inner_list(message, "parts")
            if not part.get("thought")
        ]
        # Its calls often have no id.
        calls = [f"{call.id}{call.arguments}" for call in self.calls(said[-1:])]
        return identity_of(texts, calls)


def _parts(candidate: Event) -> list[Event]:
    return inner_list(inner_object(candidate, "content"), "parts")


def _call_name(part: Event) -> Any:
    return inner_object(part, "functionCall").get("name")


SURFACE = Surface(
    wire="gemini",
    ends=tuple(f":{method}" for method in METHODS),
    upstream=Upstream(
        "gemini",
        "GOOGLE_GEMINI_BASE_URL",
        "https://generativelanguage.googleapis.com",
        headers=("x-goog-api-key",),
        paths=("/v1beta/",),
    ),
    form=ContentForm(),
    new_stream=ContentStream,
)
