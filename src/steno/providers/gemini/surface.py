"""Gemini's API as the proxy stands before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from steno.core.message import Message
from steno.providers.gemini import PROVIDER
from steno.providers.gemini.request import either, one_or_many
from steno.providers.gemini.stream import ContentStream, read_counts
from steno.providers.gemini.wire import DECLARATIONS
from steno.providers.shared.plain_json import get_field
from steno.providers.shared.request import Body
from steno.providers.shared.surface import (
    AnswerPlaces,
    Event,
    Items,
    Reply,
    Surface,
    Upstream,
    inner_list,
    inner_object,
)


class ContentSurface(Surface):
    upstream = Upstream(
        "gemini",
        "GOOGLE_GEMINI_BASE_URL",
        "https://generativelanguage.googleapis.com",
        headers=("x-goog-api-key",),
        paths=("/v1beta/",),
    )
    new_stream = ContentStream
    text_key = "text"
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

    def items(self, body: Event) -> list[Event]:
        [candidate, *_] = inner_list(body, "candidates") or [{}]
        return inner_list(inner_object(candidate, "content"), "parts")

    def with_items(self, body: Event, items: Items) -> Event:
        [candidate, *_] = inner_list(body, "candidates") or [{}]
        content = {"role": "model"} | inner_object(candidate, "content") | {"parts": list(items)}
        return body | {"candidates": [candidate | {"content": content}]}

    def call_name(self, item: Event) -> Any:
        return inner_object(item, "functionCall").get("name")

    def read(self, body: Event) -> Reply:
        candidates, parts = inner_list(body, "candidates")[:1], self.items(body)
        messages = [{"role": "model", "parts": parts}] * bool(parts)
        usage = read_counts(inner_object(body, self.usage_key))
        stop = "".join(str(one.get("finishReason") or "") for one in candidates)
        return Reply(messages, usage, stop, whole=bool(candidates))

    def call_names(self, event: Event) -> list[Any]:
        return [self.call_name(part) for part in self.items(event) if "functionCall" in part]

    def visible_events(self, event: Event, answer: AnswerPlaces) -> Iterator[Event]:
        # There is one candidate: a request for several is not offered the tool.
        parts = self.items(event)
        if parts:
            shown = [part for part in parts if self.call_name(part) != answer.own]
            event = self.with_items(event, shown)
        yield self.with_tokens(event, answer.spent)

    def marks(self, message: Message) -> list[str]:
        # Its calls often have no id.
        return [f"{call.id}{call.arguments}" for call in message.calls]


SURFACE = ContentSurface(PROVIDER.wire, PROVIDER.request)
