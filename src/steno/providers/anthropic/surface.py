"""The messages API as the proxy stands before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from steno.providers.anthropic import PROVIDER
from steno.providers.anthropic.stream import MessageStream
from steno.providers.shared.surface import (
    AnswerPlaces,
    Event,
    Items,
    Reply,
    Surface,
    Upstream,
    inner_object,
)


class MessagesSurface(Surface):
    upstream = Upstream(
        "anthropic",
        "ANTHROPIC_BASE_URL",
        "https://api.anthropic.com",
        headers=("anthropic-version", "x-api-key"),
    )
    new_stream = MessageStream
    said_keys = ("output_tokens",)
    call_types = ("tool_use",)
    begun_key = "content_block"
    items_key = "content"
    no_call: Any = {"tool_choice": {"type": "none"}}  # noqa: RUF012

    def with_text(self, body: Event, text: str) -> Event:
        return self.with_items(body, [{"type": "text", "text": text}])

    def with_items(self, body: Event, items: Items) -> Event:
        body = super().with_items(body, items)
        if body.get("stop_reason") == "tool_use" and not any(map(self.call_name, items)):
            body["stop_reason"] = "end_turn"
        return body

    def visible(self, items: Items) -> list[Event]:
        return [item for item in super().visible(items) if item.get("type") != "fallback"]

    def read(self, body: Event) -> Reply:
        content = self.items(body)
        messages = [{"role": "assistant", "content": content}] * bool(content)
        stop = str(body.get("stop_reason") or "")
        return Reply(messages, inner_object(body, "usage"), stop, whole=True)

    def visible_events(self, event: Event, answer: AnswerPlaces) -> Iterator[Event]:
        match event.get("type"):
            case "message_start" if answer.stage:
                return
            case "content_block_start" | "content_block_delta" | "content_block_stop":
                block = inner_object(event, "content_block")
                own = self.call_name(block) == answer.own
                place = answer.place(event.get("index"), shown=not own)
                if place is None:
                    return
                answer.earlier += [block] * (block.get("type") == "tool_use")
                event = event | {"index": place}
            case "message_delta":
                delta = inner_object(event, "delta")
                if delta.get("stop_reason") == "tool_use" and not answer.earlier:
                    event = event | {"delta": delta | {"stop_reason": "end_turn"}}
                event = self.with_tokens(event, answer.spent)
        yield event


SURFACE = MessagesSurface(PROVIDER.wire, PROVIDER.request)
