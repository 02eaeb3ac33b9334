"""Chat completions as the proxy stands before them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from steno.providers.openai_chat import PROVIDER
from steno.providers.openai_chat.stream import ChatStream
from steno.providers.shared.plain_json import get_field
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

OPENAI = Upstream("openai", "OPENAI_BASE_URL", "https://api.openai.com")
SAID_KEYS = ("content", "tool_calls", "function_call", "refusal")


class ChatSurface(Surface):
    upstream = OPENAI
    new_stream = ChatStream
    text_key = "content"
    said_keys = ("completion_tokens", "total_tokens")

    def items(self, body: Event) -> list[Event]:
        """Return the words of a reply, as an item without a name, and its calls."""
        [choice, *_] = inner_list(body, "choices") or [{}]
        message = inner_object(choice, "message")
        return [{"content": message.get("content")}, *inner_list(message, "tool_calls")]

    def with_items(self, body: Event, items: Items) -> Event:
        [choice, *_] = inner_list(body, "choices") or [{}]
        message = dict(inner_object(choice, "message"))
        message["content"] = "".join(item.get("content") or "" for item in items) or None
        message["tool_calls"] = [item for item in items if "content" not in item]
        choice = choice | {"message": message}
        if not message["tool_calls"]:
            del message["tool_calls"]
            if choice.get("finish_reason") == "tool_calls":
                choice["finish_reason"] = "stop"
        return body | {"choices": [choice]}

    def call_name(self, item: Event) -> Any:
        return get_field(item, "function", "name") or get_field(item, "custom", "name")

    def read(self, body: Event) -> Reply:
        reply = Reply(usage=inner_object(body, "usage"))
        for choice in inner_list(body, "choices")[:1]:
            message = {"role": "assistant", "content": None} | inner_object(choice, "message")
            if any(message.get(key) for key in SAID_KEYS):
                reply.messages = [message]
            reply.stop = str(choice.get("finish_reason") or "")
            reply.whole = True
        return reply

    def call_names(self, event: Event) -> list[Any]:
        deltas = [inner_object(choice, "delta") for choice in inner_list(event, "choices")]
        calls = [call for delta in deltas for call in inner_list(delta, "tool_calls")]
        return list(map(self.call_name, calls))

    def visible_events(self, event: Event, answer: AnswerPlaces) -> Iterator[Event]:
        event = event | {"id": answer.first.get("id")}
        choices = []
        for choice in inner_list(event, "choices"):
            delta = dict(inner_object(choice, "delta"))
            if answer.stage:
                # Clients join the pieces of every field.
                delta.pop("role", None)
            if "tool_calls" in delta:
                delta["tool_calls"] = list(self._shown_calls(delta, answer))
            finish = choice.get("finish_reason")
            if finish == "tool_calls" and not answer.next_place:
                finish = "stop"
            choices.append(choice | {"delta": delta, "finish_reason": finish})
        if choices:
            event["choices"] = choices
        yield self.with_tokens(event, answer.spent)

    def _shown_calls(self, delta: Event, answer: AnswerPlaces) -> Iterator[Event]:
        for call in inner_list(delta, "tool_calls"):
            at = call.get("index", 0)
            # As in `ChatStream`: some servers give every call the index 0, and only a new id
            # begins a new call.
            answer.ids[at] = call.get("id") or answer.ids.get(at)
            place = answer.place((at, answer.ids[at]), shown=self.call_name(call) != answer.own)
            if place is not None:
                yield call | {"index": place}


SURFACE = ChatSurface(PROVIDER.wire, PROVIDER.request)
