"""OpenAI's chat completions: an ask and a turn as requests, a reply and a stream as they come.

Spoken by OpenAI and by vLLM, llama.cpp, Ollama, LiteLLM and many others, each with
small liberties; what is not agreed on is taken as it comes. Pure: the call itself
is the provider's.

OpenAI's responses: an ask and a turn as requests, a reply and a stream as they come.

Nothing is left with the provider: the whole past is sent and reasoning comes back
encrypted, so that the log holds all of it. Pure: the call itself is the provider's.

OpenAI, and whatever speaks its protocol, by its SDK: chat completions or responses.

Owns whom to call and with which key; a key of the environment goes to OpenAI alone,
never to another address.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import msgspec

from steno.core.effects import Ask
from steno.core.errors import BadInput, ModelFailed
from steno.core.model import Delta, FinishedTurn, StopReason
from steno.models.errors import ERROR_TEXTS
from steno.models.provider import (
    Codec,
    ErrorReply,
    JsonObject,
    Provider,
    import_sdk,
    is_json,
    openai_usage,
    request_with_message,
)

REASONING_KEYS = ("reasoning_content", "reasoning")
FINISH_REASONS: dict[str, StopReason] = {"length": "length", "content_filter": "refused"}


@dataclass(frozen=True)
class ChatCodec:
    """`limit`: how this server names the most tokens of a reply; `room`: how many more it needs to think."""

    limit: str = "max_completion_tokens"
    room: int = 0
    effort: str | None = None
    wire = "openai"

    def ask_request(self, ask: Ask, nicely: bool) -> JsonObject:
        bound = {self.limit: ask.max_tokens + self.room}
        said = {"role": "user", "content": ask.prompt}
        if ask.after is not None:
            # A schema or another system prompt would stand before the shared prefix and change it.
            request = request_with_message(ask.after, "messages", said) | bound
            return request | ({"tool_choice": "none"} if request.get("tools") else {})
        head = [] if ask.system is None else [{"role": "system", "content": ask.system}]
        request = {"messages": [*head, said]} | bound
        if nicely and self.effort:
            request["reasoning_effort"] = self.effort
        if nicely and ask.schema:
            request["response_format"] = {
                "type": "json_schema",
                "json_schema": named_schema(ask.schema),
            }
        return request

    def turn_request(self, request: Mapping[str, Any], max_tokens: int | None) -> JsonObject:
        asked = dict(request) | {"stream_options": {"include_usage": True}}
        if max_tokens is None:
            return asked
        return asked | {self.limit: max_tokens}

    def parse_reply(self, whole: JsonObject) -> tuple[str, FinishedTurn]:
        choices = whole.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise ModelFailed(ERROR_TEXTS["invalid"], "invalid")
        said = _resendable_message(message, choice.get("finish_reason"))
        usage = openai_usage(whole.get("usage"), "prompt_tokens", "completion_tokens")
        stop = _chat_stop(said, choice.get("finish_reason"))
        messages = (
            (said,) if said.get("content") or said.get("tool_calls") or said.get("refusal") else ()
        )
        return _chat_text(message.get("content")), FinishedTurn(messages, usage, stop)

    def new_stream(self) -> ChatStream:
        return ChatStream()


def named_schema(schema: str) -> JsonObject:
    """A schema as OpenAI wants it named; strict where it is closed enough for that."""
    value = msgspec.json.decode(schema)
    return {"name": "answer", "schema": value, "strict": _allows_strict(value)}


def _allows_strict(schema: Any) -> bool:
    """Every object in it names all its keys, and requires them."""
    if isinstance(schema, list):
        return all(map(_allows_strict, schema))
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False
        or set(schema.get("required", ())) != set(schema.get("properties", {}))
    ):
        return False
    return all(map(_allows_strict, schema.values()))


def _resendable_message(message: JsonObject, finish: Any) -> JsonObject:
    """The message as it may be sent back: no nulls, and no call that was cut off."""
    said = {"role": "assistant"} | {
        key: value for key, value in message.items() if value is not None
    }
    calls = [
        call
        for call in said.pop("tool_calls", None) or ()
        if finish != "length" or _is_complete_call(call)
    ]
    if not calls:
        return said
    return {"content": None} | said | {"tool_calls": calls}


def _is_complete_call(call: Any) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    return not isinstance(function, dict) or is_json(str(function.get("arguments") or "{}"))


def _chat_stop(said: JsonObject, finish: Any) -> StopReason:
    if said.get("refusal"):
        return "refused"
    named = FINISH_REASONS.get(str(finish))
    return named or ("calls" if said.get("tool_calls") or said.get("function_call") else "end")


def _chat_text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    if isinstance(content, str):
        return content
    return ""


class ChatStream:
    """Chunks of a completion, put together."""

    def __init__(self) -> None:
        self._message: JsonObject = {"role": "assistant"}
        self._calls: list[JsonObject] = []
        self._at: dict[Any, int] = {}
        self._usage: Any = None
        self._finish: Any = None

    def feed(self, event: JsonObject) -> Iterator[Delta]:
        self._usage = event.get("usage") or self._usage
        for choice in event.get("choices") or ():
            if choice.get("index", 0) != 0:
                continue
            self._finish = choice.get("finish_reason") or self._finish
            yield from self._apply_delta(choice.get("delta") or {})

    def _apply_delta(self, delta: JsonObject) -> Iterator[Delta]:
        for key, value in delta.items():
            if key == "tool_calls":
                for call in value or ():
                    self._add_call_piece(dict(call))
            elif isinstance(value, str) and key != "role":
                self._message[key] = self._message.get(key, "") + value
                if value and (key == "content" or key in REASONING_KEYS):
                    yield Delta(value, thinking=key in REASONING_KEYS)
            elif value is not None and key != "role":
                self._message[key] = value

    def _add_call_piece(self, piece: JsonObject) -> None:
        """Add a piece of a call; some servers give every call the index 0, or none, and only a new id tells."""
        index = piece.pop("index", None)
        at = self._at.get(index, len(self._calls) - 1 if index is None else -1)
        fresh = at < 0 or (piece.get("id") and self._calls[at].get("id") not in (None, piece["id"]))
        if fresh:
            at = len(self._calls)
            self._calls.append({"type": "function", "function": {"name": "", "arguments": ""}})
        self._at[index] = at
        function = piece.pop("function", None) or {}
        call = self._calls[at]
        call |= {key: value for key, value in piece.items() if value is not None}
        for key in ("name", "arguments"):
            call["function"][key] += function.get(key) or ""

    def complete_reply(self) -> JsonObject | None:
        if self._finish is None:
            return None
        message = self._message | ({"tool_calls": self._calls} if self._calls else {})
        return {
            "choices": [{"message": message, "finish_reason": self._finish}],
            "usage": self._usage,
        }


MIN_OUTPUT_TOKENS = 16
"""OpenAI refuses a smaller limit."""
FINAL_EVENTS = ("response.completed", "response.incomplete", "response.failed")
TEXT_EVENTS = {"response.output_text.delta": False}
REASONING_EVENTS = {
    "response.reasoning_summary_text.delta": True,
    "response.reasoning_text.delta": True,
}
CALL_TYPES = ("function_call", "custom_tool_call")


@dataclass(frozen=True)
class ResponsesCodec:
    room: int = 0
    effort: str | None = None
    wire = "openai-responses"

    def ask_request(self, ask: Ask, nicely: bool) -> JsonObject:
        bound = {
            "max_output_tokens": max(MIN_OUTPUT_TOKENS, ask.max_tokens + self.room),
            "store": False,
        }
        said = {"role": "user", "content": ask.prompt}
        if ask.after is not None:
            # A schema or other instructions would stand before the shared prefix and change it.
            request = request_with_message(ask.after, "input", said) | bound
            return request | ({"tool_choice": "none"} if request.get("tools") else {})
        request = (
            {"input": [said]} | bound | ({} if ask.system is None else {"instructions": ask.system})
        )
        if nicely and self.effort:
            request["reasoning"] = {"effort": self.effort}
        if nicely and ask.schema:
            request["text"] = {"format": {"type": "json_schema"} | named_schema(ask.schema)}
        return request

    def turn_request(self, request: Mapping[str, Any], max_tokens: int | None) -> JsonObject:
        asked = {"store": False} | dict(request)
        if self.effort and not asked["store"]:
            # Only models that reason take it; without it their reasoning could not be sent back.
            asked.setdefault("include", ["reasoning.encrypted_content"])
        if max_tokens is None:
            return asked
        return asked | {"max_output_tokens": max(MIN_OUTPUT_TOKENS, max_tokens)}

    def parse_reply(self, whole: JsonObject) -> tuple[str, FinishedTurn]:
        if whole.get("status") == "failed":
            raise ErrorReply(whole.get("error") or {"code": "server_error"})
        output = whole.get("output")
        if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
            raise ModelFailed(ERROR_TEXTS["invalid"], "invalid")
        stop = _responses_stop(whole, output)
        items = tuple(item for item in output if stop != "length" or _is_complete_item(item))
        usage = openai_usage(whole.get("usage"), "input_tokens", "output_tokens")
        return "".join(_output_texts(output)), FinishedTurn(items, usage, stop)

    def new_stream(self) -> ResponseStream:
        return ResponseStream()


def _message_parts(output: list[JsonObject]) -> Iterator[JsonObject]:
    for item in output:
        if item.get("type") == "message":
            yield from (part for part in item.get("content") or () if isinstance(part, dict))


def _output_texts(output: list[JsonObject]) -> Iterator[str]:
    return (
        str(part.get("text") or "")
        for part in _message_parts(output)
        if part.get("type") == "output_text"
    )


def _responses_stop(whole: JsonObject, output: list[JsonObject]) -> StopReason:
    if any(part.get("type") == "refusal" for part in _message_parts(output)):
        return "refused"
    if whole.get("status") == "incomplete":
        reason = (whole.get("incomplete_details") or {}).get("reason")
        if reason == "content_filter":
            return "refused"
        return "length"
    if any(item.get("type") in CALL_TYPES for item in output):
        return "calls"
    return "end"


def _is_complete_item(item: JsonObject) -> bool:
    """What may be sent back: a call that was cut off may not, nor reasoning that led to nothing."""
    if item.get("type") == "function_call":
        return item.get("status") != "incomplete" and is_json(str(item.get("arguments") or "{}"))
    return (
        item.get("type") not in ("custom_tool_call", "reasoning")
        or item.get("status") != "incomplete"
    )


class ResponseStream:
    """Events of a response; the last one holds it whole."""

    def __init__(self) -> None:
        self._whole: JsonObject | None = None
        self._items: list[JsonObject] = []

    def feed(self, event: JsonObject) -> Iterator[Delta]:
        kind = event.get("type")
        if kind in TEXT_EVENTS or kind in REASONING_EVENTS:
            yield Delta(str(event.get("delta") or ""), thinking=kind in REASONING_EVENTS)
        elif kind == "error":
            raise ErrorReply(event)
        elif kind == "response.output_item.done":
            self._items.append(event["item"])
        elif kind in FINAL_EVENTS:
            self._whole = event["response"]

    def complete_reply(self) -> JsonObject | None:
        if self._whole is None:
            return None
        # Some servers leave the items out of the last event.
        if self._whole.get("output"):
            return self._whole
        return self._whole | {"output": self._items}


REASONING_MODELS = re.compile(r"^(?:o\d|gpt-(?:[5-9]|\d\d))(?!.*-chat)")
"""Names of models that think before they answer."""
THINKING_ROOM = 4_000
"""Tokens such a model gets for its thoughts, besides those of the answer."""


class OpenAI(Provider):
    """A model of OpenAI's, or at `url` one of vLLM, llama.cpp, Ollama, LiteLLM …

    `responses` speaks that API instead of chat completions; `client` takes an SDK client of your own (Azure);
    `room` is what a model that thinks may use besides its answer; `options` go with every request.
    """

    def __init__(
        self,
        model: str,
        *,
        key: str | None = None,
        url: str | None = None,
        responses: bool = False,
        client: Any = None,
        window: int | None = None,
        room: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.url = None if url is None else _validate_url(url)
        thinks = self.url is None and REASONING_MODELS.match(model) is not None
        space = (THINKING_ROOM if thinks else 0) if room is None else room
        form = _codec_for(responses, "low" if thinks else None, space, ours=self.url is not None)
        self._responses = responses
        owned = client is None
        made = _open_client(key, self.url) if owned else client
        super().__init__(model, form, made, owned=owned, window=window, options=options)

    def __repr__(self) -> str:
        where = "" if self.url is None else f", url={self.url!r}"
        return f"{type(self).__name__}({self.name!r}{where}{', responses=True' if self._responses else ''})"

    def _call(self, request: JsonObject, stream: bool, seconds: float | None) -> Any:
        calls = self._client.responses if self._responses else self._client.chat.completions
        return self._create(
            calls.create, "input" if self._responses else "messages", request, stream, seconds
        )


def _codec_for(responses: bool, effort: str | None, room: int, ours: bool) -> Codec:
    if responses:
        return ResponsesCodec(room, effort)
    # Other servers know the older name; OpenAI's newer models refuse it.
    return ChatCodec("max_tokens" if ours else "max_completion_tokens", room, effort)


def _validate_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(
            f"a model's address is http://host:port/v1, got one that begins with {url[:8]!r}"
        )
    if parts.username or parts.password or parts.query:
        raise BadInput("a model's address holds no key: pass key= to steno.models.OpenAI")
    return url.rstrip("/")


def _open_client(key: str | None, url: str | None) -> Any:
    sdk = import_sdk("openai")
    if url is not None:
        foreign = {"OpenAI-Organization": sdk.Omit(), "OpenAI-Project": sdk.Omit()}
        return sdk.OpenAI(
            api_key=key or "none", base_url=url, max_retries=0, default_headers=foreign
        )
    if not key and not os.environ.get("OPENAI_API_KEY"):
        raise BadInput(
            "there is no key for OpenAI: set OPENAI_API_KEY, or pass key= to steno.models.OpenAI"
        )
    return sdk.OpenAI(api_key=key, max_retries=0)
