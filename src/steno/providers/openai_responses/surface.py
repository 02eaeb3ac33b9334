"""Responses as the proxy stands before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from steno.providers.openai_chat.surface import OPENAI
from steno.providers.openai_responses.codec import CALL_TYPES
from steno.providers.openai_responses.request import PATH
from steno.providers.openai_responses.stream import ResponseStream
from steno.providers.openai_responses.wire import OpenAIResponsesWire
from steno.providers.shared.surface import (
    AnswerPlaces,
    Event,
    Reply,
    ReplyForm,
    Surface,
    Upstream,
    add_tokens,
    blocks_of,
    identity_of,
    inner_list,
    inner_object,
    with_tokens,
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


class ResponsesForm(ReplyForm):
    """OpenAI's responses: items, each in its place."""

    wire = OpenAIResponsesWire()
    by_item = True

    def read(self, body: Event) -> Reply:
        stop = str(body.get("status") or "")
        usage = inner_object(body, "usage")
        return Reply(inner_list(body, "output"), usage, stop, whole=stop == "completed")

    def call_names(self, event: Event) -> list[Any]:
        item = inner_object(event, "item")
        return [item.get("name")] * (item.get("type") in CALL_TYPES)

    def merge(self, bodies: Sequence[Event], own: str) -> Event:
        *earlier, last = bodies
        output = [item for body in earlier for item in self.visible(inner_list(body, "output"))]
        output += [item for item in inner_list(last, "output") if item.get("name") != own]
        merged = last | {"output": output}
        add_tokens(merged, ("output_tokens", "total_tokens"), earlier)
        return merged

    def without_open_thoughts(self, body: Event) -> Event:
        output = self.visible(inner_list(body, "output"))
        while output and output[-1].get("type") == "reasoning":
            output.pop()
        return body | {"output": output}

    def visible(self, messages: Sequence[Event]) -> list[Event]:
        shown: list[Event] = []
        for item in messages:
            if item.get("type") in CALL_TYPES:
                break
            shown.append(item)
        return shown

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
            response |= {"id": inner_object(answer.first, "response").get("id", response.get("id"))}
            if response.get("usage"):
                keys = ("output_tokens", "total_tokens")
                response = with_tokens(response, keys, answer.spent)
            event = event | {"response": response}
        if "sequence_number" in event:
            event = event | {"sequence_number": answer.number}
            answer.number += 1
        yield event

    def identity(self, messages: Sequence[Event]) -> str:
        for item in messages[:1]:
            if item.get("type") in CALL_TYPES:
                return str(item.get("call_id") or "")
            if item.get("type") == "reasoning":
                return str(item.get("encrypted_content") or item.get("id") or "")
            if item.get("type", "message") == "message" and item.get("role") == "assistant":
                return identity_of([block.get("text", "") for block in blocks_of([item])], [])
        return ""


SURFACE = Surface(
    wire="openai-responses",
    ends=(PATH,),
    sdk_path=PATH,
    upstream=OPENAI,
    account=CHATGPT,
    form=ResponsesForm(),
    new_stream=ResponseStream,
)
