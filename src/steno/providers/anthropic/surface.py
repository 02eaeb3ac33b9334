"""The messages API as the proxy stands before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from steno.providers.anthropic.request import PATH
from steno.providers.anthropic.stream import MessageStream
from steno.providers.anthropic.wire import AnthropicWire
from steno.providers.shared.surface import (
    AnswerPlaces,
    Event,
    Reply,
    ReplyForm,
    Surface,
    Upstream,
    add_tokens,
    blocks_of,
    inner_list,
    inner_object,
    with_tokens,
)


class MessagesForm(ReplyForm):
    wire = AnthropicWire()
    no_call: Any = {"tool_choice": {"type": "none"}}  # noqa: RUF012

    def with_text(self, body: Event, text: str) -> Event:
        return body | {"content": [{"type": "text", "text": text}]}

    def read(self, body: Event) -> Reply:
        content = inner_list(body, "content")
        stop = str(body.get("stop_reason") or "")
        reply = Reply(usage=inner_object(body, "usage"), stop=stop, whole=True)
        if content:
            reply.messages = [{"role": "assistant", "content": content}]
        return reply

    def call_names(self, event: Event) -> list[Any]:
        block = inner_object(event, "content_block")
        return [block.get("name")] * (block.get("type") == "tool_use")

    def results(self, answers: Sequence[tuple[str | None, str]]) -> list[Event]:
        content = [
            {"type": "tool_result", "tool_use_id": id, "content": text} for id, text in answers
        ]
        return [{"role": "user", "content": content}]

    def merge(self, bodies: Sequence[Event], own: str) -> Event:
        *earlier, last = bodies
        content = [
            block
            for block in blocks_of(earlier)
            if block.get("type") not in ("tool_use", "fallback")
        ]
        content += [block for block in blocks_of([last]) if block.get("name") != own]
        merged = last | {"content": content}
        if merged.get("stop_reason") == "tool_use" and not self.calls([merged]):
            merged["stop_reason"] = "end_turn"
        add_tokens(merged, ("output_tokens",), earlier)
        return merged

    def visible_events(self, event: Event, answer: AnswerPlaces) -> Iterator[Event]:
        match event.get("type"):
            case "message_start" if answer.stage:
                return
            case "content_block_start" | "content_block_delta" | "content_block_stop":
                block = inner_object(event, "content_block")
                own = block.get("type") == "tool_use" and block.get("name") == answer.own
                place = answer.place(event.get("index"), shown=not own)
                if place is None:
                    return
                answer.earlier += [block] * (block.get("type") == "tool_use")
                event = event | {"index": place}
            case "message_delta":
                delta = inner_object(event, "delta")
                if delta.get("stop_reason") == "tool_use" and not answer.earlier:
                    event = event | {"delta": delta | {"stop_reason": "end_turn"}}
                event = with_tokens(event, ("output_tokens",), answer.spent)
        yield event


SURFACE = Surface(
    wire="anthropic",
    ends=("/messages",),
    sdk_path=PATH,
    upstream=Upstream(
        "anthropic",
        "ANTHROPIC_BASE_URL",
        "https://api.anthropic.com",
        headers=("anthropic-version", "x-api-key"),
    ),
    form=MessagesForm(),
    new_stream=MessageStream,
)
