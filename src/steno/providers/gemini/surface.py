"""Gemini's API as the proxy stands before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from steno.core.message import Block, Call
from steno.providers.gemini import PROVIDER
from steno.providers.gemini.request import either, one_or_many
from steno.providers.gemini.stream import ContentStream, read_counts
from steno.providers.gemini.wire import DECLARATIONS
from steno.providers.shared.plain_json import get_field
from steno.providers.shared.request import Body
from steno.providers.shared.surface import (
    AnswerPlaces,
    Event,
    Reply,
    Surface,
    Upstream,
    inner_list,
    inner_object,
)


class ContentSurface(Surface):
    wire = PROVIDER.wire
    request = PROVIDER.request
    upstream = Upstream(
        "gemini",
        "GOOGLE_GEMINI_BASE_URL",
        "https://generativelanguage.googleapis.com",
        headers=("x-goog-api-key",),
        paths=("/v1beta/",),
    )
    new_stream = ContentStream
    usage_key = "usageMetadata"
    said_keys = ("candidatesTokenCount", "totalTokenCount")
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
        return self.with_items(body, [{"text": text}])

    def items(self, body: Event) -> list[Event]:
        return [part for one in inner_list(body, "candidates")[:1] for part in _parts(one)]

    def with_items(self, body: Event, items: Sequence[Event]) -> Event:
        [candidate, *_] = inner_list(body, "candidates") or [{}]
        content = {"role": "model"} | inner_object(candidate, "content") | {"parts": list(items)}
        return body | {"candidates": [candidate | {"content": content}]}

    def call_name(self, item: Event) -> Any:
        return inner_object(item, "functionCall").get("name")

    def read(self, body: Event) -> Reply:
        reply = Reply(usage=read_counts(inner_object(body, self.usage_key)))
        for candidate in inner_list(body, "candidates")[:1]:
            if _parts(candidate):
                reply.messages = [{"role": "model", "parts": _parts(candidate)}]
            reply.stop = str(candidate.get("finishReason") or "")
            reply.whole = True
        return reply

    def call_names(self, event: Event) -> list[Any]:
        parts = [part for one in inner_list(event, "candidates") for part in _parts(one)]
        return [self.call_name(part) for part in parts if "functionCall" in part]

    def visible_events(self, event: Event, answer: AnswerPlaces) -> Iterator[Event]:
        candidates = []
        for candidate in inner_list(event, "candidates"):
            if _parts(candidate):
                parts = [part for part in _parts(candidate) if self.call_name(part) != answer.own]
                content = candidate["content"] | {"parts": parts}
                candidate = candidate | {"content": content}
            candidates.append(candidate)
        if candidates:
            event = event | {"candidates": candidates}
        yield self.with_tokens(event, answer.spent)

    def block_identity(self, block: Block) -> str | None:
        # Its calls often have no id.
        if isinstance(block, Call):
            return f"{block.id}{block.arguments}"
        return None


def _parts(candidate: Event) -> list[Event]:
    return inner_list(inner_object(candidate, "content"), "parts")


SURFACE = ContentSurface()
