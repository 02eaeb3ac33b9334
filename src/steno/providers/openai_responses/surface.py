"""Responses as the proxy stands before them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from steno.core.message import Call, Message, Thinking
from steno.providers.openai_chat.surface import OPENAI
from steno.providers.openai_responses import PROVIDER
from steno.providers.openai_responses.codec import CALL_TYPES
from steno.providers.openai_responses.stream import ResponseStream
from steno.providers.shared.plain_json import get_field
from steno.providers.shared.surface import (
    AnswerPlaces,
    Event,
    Items,
    Reply,
    Surface,
    Upstream,
    inner_object,
)

# As Codex has it: openai/codex, codex-rs/model-provider-info/src/lib.rs, `to_api_provider`.
CHATGPT = Upstream(
    "chatgpt",
    "",
    "https://chatgpt.com/backend-api/codex",
    headers=("chatgpt-account-id",),
    cut="/v1",
)
FIRST_EVENTS = ("response.created", "response.in_progress", "response.queued")


class ResponsesSurface(Surface):
    """OpenAI's responses: items, each in its place."""

    upstream = OPENAI
    account = CHATGPT
    new_stream = ResponseStream
    said_keys = ("output_tokens", "total_tokens")
    by_item = True
    call_types = (*CALL_TYPES, "tool_search_call", "shell_call", "apply_patch_call")
    begun_key = "item"
    items_key = "output"

    def read(self, body: Event) -> Reply:
        stop = str(body.get("status") or "")
        usage = inner_object(body, "usage")
        return Reply(self.items(body), usage, stop, whole=stop == "completed")

    def call_name(self, item: Event) -> Any:
        if item.get("type") in self.call_types and not _is_run_by_provider(item):
            return item.get("name") or item["type"]
        return None

    def calls(self, messages: Items) -> list[Call]:
        return super().calls([one for one in messages if not _is_run_by_provider(one)])

    def without_open_thoughts(self, body: Event) -> Event:
        output = self.visible(self.items(body))
        while output and output[-1].get("type") == "reasoning":
            output.pop()
        return self.with_items(body, output)

    def visible(self, items: Items) -> list[Event]:
        return list(takewhile(lambda item: self.call_name(item) is None, items))

    def visible_events(self, event: Event, answer: AnswerPlaces) -> Iterator[Event]:
        kind = str(event.get("type"))
        if answer.stage and kind in FIRST_EVENTS:
            return
        if "output_index" in event:
            own = inner_object(event, "item").get("name") == answer.own
            place = answer.place(event["output_index"], shown=not own)
            if place is None:
                return
            event = event | {"output_index": place}
            if kind == "response.output_item.done":
                answer.earlier.append(event["item"])
        elif "output" in inner_object(event, "response"):
            response = event["response"] | {"output": list(answer.earlier)}
            # One response for the client, which began with the first reply's id.
            response |= {"id": get_field(answer.first, "response", "id") or response.get("id")}
            event = event | {"response": self.with_tokens(response, answer.spent)}
        if "sequence_number" in event:
            event = event | {"sequence_number": answer.number}
            answer.number += 1
        yield event

    def error_event(self, refusal: Any, answer: AnswerPlaces) -> Event:
        error = inner_object(super().error_event(refusal, answer), "error")
        # The documented fields, and the object that OpenAI's SDKs look for.
        return {
            "type": "error",
            "code": error.get("code"),
            "message": error.get("message"),
            "param": error.get("param"),
            "sequence_number": answer.number,
            "error": error,
        }

    def identity(self, messages: Items) -> str:
        return super().identity(messages[:1])

    def marks(self, message: Message) -> list[str]:
        thoughts = [block for block in message.blocks if isinstance(block, Thinking)]
        signatures = [thought.signature for thought in thoughts if thought.signature]
        return [*signatures, *super().marks(message)]


def _is_run_by_provider(item: Event) -> bool:
    """Tell whether an item is a call that the provider answers: in its container, or a search."""
    if get_field(item, "environment", "type") == "container_reference":
        return True
    return item.get("type") == "tool_search_call" and not item.get("call_id")


SURFACE = ResponsesSurface(PROVIDER.wire, PROVIDER.request)
