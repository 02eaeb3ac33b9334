"""Chat completions as the proxy stands before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from steno.providers.openai_chat.request import PATH
from steno.providers.openai_chat.stream import ChatStream
from steno.providers.openai_chat.wire import OpenAIChatWire
from steno.providers.shared.surface import (
    AnswerPlaces,
    Event,
    Reply,
    ReplyForm,
    Surface,
    Upstream,
    add_tokens,
    inner_list,
    inner_object,
    with_tokens,
)

OPENAI = Upstream("openai", "OPENAI_BASE_URL", "https://api.openai.com")
SAID_KEYS = ("content", "tool_calls", "function_call", "refusal")


class ChatForm(ReplyForm):
    wire = OpenAIChatWire()

    def with_text(self, body: Event, text: str) -> Event:
        [choice, *_] = inner_list(body, "choices") or [{}]
        message = inner_object(choice, "message") | {"content": text}
        return body | {"choices": [choice | {"message": message}]}

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
        return [_function(call) for delta in deltas for call in inner_list(delta, "tool_calls")]

    def merge(self, bodies: Sequence[Event], own: str) -> Event:
        *earlier, last = bodies
        [choice, *_] = inner_list(last, "choices") or [{}]
        message = dict(inner_object(choice, "message"))
        choices = [inner_list(body, "choices")[0] for body in earlier]
        texts = [inner_object(one, "message").get("content") for one in choices]
        message["content"] = "".join(filter(None, [*texts, message.get("content")])) or None
        calls = [call for call in inner_list(message, "tool_calls") if _function(call) != own]
        if calls:
            message["tool_calls"] = calls
        else:
            message.pop("tool_calls", None)
        choice = choice | {"message": message}
        if choice.get("finish_reason") == "tool_calls" and not calls:
            choice["finish_reason"] = "stop"
        merged = last | {"choices": [choice]}
        add_tokens(merged, ("completion_tokens", "total_tokens"), earlier)
        return merged

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
        if event.get("usage"):
            event = with_tokens(event, ("completion_tokens", "total_tokens"), answer.spent)
        yield event

    def _shown_calls(self, delta: Event, answer: AnswerPlaces) -> Iterator[Event]:
        for call in inner_list(delta, "tool_calls"):
            at = call.get("index", 0)
            # As in `ChatStream`: some servers give every call the index 0, and only a new id
            # begins a new call.
            answer.ids[at] = call.get("id") or answer.ids.get(at)
            place = answer.place((at, answer.ids[at]), shown=_function(call) != answer.own)
            if place is not None:
                yield call | {"index": place}


def _function(call: Event) -> Any:
    return inner_object(call, "function").get("name")


SURFACE = Surface(
    wire="openai",
    ends=(PATH,),
    sdk_path=PATH,
    upstream=OPENAI,
    form=ChatForm(),
    new_stream=ChatStream,
)
