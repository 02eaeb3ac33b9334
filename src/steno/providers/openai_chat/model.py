"""OpenAI's models, and those of any server that speaks its protocol, by its SDK.

Owns the address and the key (a key from the environment goes to OpenAI alone, never
to another address), and the codecs of both APIs. Chat completions are spoken by vLLM,
llama.cpp, Ollama, LiteLLM and others, each with small liberties, so they are read
leniently. Of responses nothing is left with the provider: the whole past is sent,
and reasoning comes back encrypted, so that the log holds all of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import msgspec

from steno.core.effects import Ask
from steno.core.errors import BadInput, ModelFailed
from steno.core.model import Delta, FinishedTurn, StopReason
from steno.providers.shared.errors import ERROR_TEXTS
from steno.providers.shared.model import (
    Codec,
    ErrorReply,
    JsonObject,
    SdkModel,
    import_sdk,
    is_json,
    openai_usage,
    request_with_message,
    time_limit,
)

REASONING_KEYS = ("reasoning_content", "reasoning")
FINISH_REASONS: dict[str, StopReason] = {"length": "length", "content_filter": "refused"}


@dataclass(frozen=True)
class ChatCodec:
    """Requests and replies of chat completions."""

    limit: str = "max_completion_tokens"
    """Name of the key that limits the tokens of a reply."""
    room: int = 0
    """Tokens for thinking, beside those of the answer."""
    effort: str | None = None
    wire = "openai"

    def ask_request(self, ask: Ask, nicely: bool) -> JsonObject:
        bound = {self.limit: ask.max_tokens + self.room}
        prompt = {"role": "user", "content": ask.prompt}
        if ask.after is not None:
            # A schema or another system prompt would stand before the shared prefix and change it.
            return _after_request(ask.after, "messages", prompt) | bound
        messages = [prompt]
        if ask.system is not None:
            messages.insert(0, {"role": "system", "content": ask.system})
        request: JsonObject = {"messages": messages} | bound
        if nicely and self.effort:
            request["reasoning_effort"] = self.effort
        if nicely and ask.schema:
            request["response_format"] = {
                "type": "json_schema",
                "json_schema": named_schema(ask.schema),
            }
        return request

    def turn_request(self, request: Mapping[str, Any], max_tokens: int | None) -> JsonObject:
        # Unless it is asked for, a stream ends without its usage.
        streamed = dict(request) | {"stream_options": {"include_usage": True}}
        if max_tokens is not None:
            streamed[self.limit] = max_tokens
        return streamed

    def parse_reply(self, whole: JsonObject) -> tuple[str, FinishedTurn]:
        try:
            choice = msgspec.convert(whole["choices"][0], _ChatChoice)
        except (KeyError, IndexError, TypeError, msgspec.ValidationError):
            raise ModelFailed(ERROR_TEXTS["invalid"], "invalid") from None
        reply = _resendable_message(choice.message, choice.finish_reason)
        usage = openai_usage(whole.get("usage"), "prompt_tokens", "completion_tokens")
        messages: tuple[JsonObject, ...] = ()
        if reply.get("content") or reply.get("tool_calls") or reply.get("refusal"):
            messages = (reply,)
        turn = FinishedTurn(messages, usage, _chat_stop(reply, choice.finish_reason))
        return _chat_text(choice.message.get("content")), turn

    def new_stream(self) -> ChatStream:
        return ChatStream()


class _ChatChoice(msgspec.Struct):
    message: JsonObject
    finish_reason: Any = None


def _after_request(after: str, key: str, prompt: JsonObject) -> JsonObject:
    """Return the agent's own request with the prompt at its end, and its tools switched off."""
    request = request_with_message(after, key, prompt)
    if request.get("tools"):
        # The tools stay in the request: they stand in the prefix that the provider has cached.
        request["tool_choice"] = "none"
    return request


def named_schema(schema: str) -> JsonObject:
    """Return a schema with a name, as OpenAI wants it; strict if it is closed enough."""
    value = msgspec.json.decode(schema)
    return {"name": "answer", "schema": value, "strict": _allows_strict(value)}


def _allows_strict(schema: Any) -> bool:
    """Tell whether every object of a schema names all its keys, and requires them."""
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
    """Return the message as it may be sent back: no nulls, and no call that was cut off."""
    kept = {key: value for key, value in message.items() if value is not None}
    kept = {"role": "assistant"} | kept
    calls = kept.pop("tool_calls", None) or []
    if finish == "length":
        calls = [call for call in calls if _is_complete_call(call)]
    if not calls:
        return kept
    return {"content": None} | kept | {"tool_calls": list(calls)}


def _is_complete_call(call: Any) -> bool:
    if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
        return True
    return is_json(str(call["function"].get("arguments") or "{}"))


def _chat_stop(reply: JsonObject, finish: Any) -> StopReason:
    if reply.get("refusal"):
        return "refused"
    if str(finish) in FINISH_REASONS:
        return FINISH_REASONS[str(finish)]
    if reply.get("tool_calls") or reply.get("function_call"):
        return "calls"
    return "end"


def _chat_text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    if isinstance(content, str):
        return content
    return ""


class ChatStream:
    """Puts the chunks of a completion together."""

    def __init__(self) -> None:
        self._message: JsonObject = {"role": "assistant"}
        self._calls: list[JsonObject] = []
        self._at: dict[Any, int] = {}
        self._usage: Any = None
        self._finish: Any = None

    def feed(self, event: JsonObject) -> Iterator[Delta]:
        # The usage comes in a last chunk of its own, which has no choices.
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
        """Add a piece to the call it belongs to, or begin a new one."""
        index = piece.pop("index", None)
        at = -1
        if index is None:
            at = len(self._calls) - 1
        at = self._at.get(index, at)
        # Some servers give every call the index 0, or none: only a new id begins a new call.
        renamed = at >= 0 and self._calls[at].get("id") not in (None, piece.get("id"))
        if at < 0 or (piece.get("id") and renamed):
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
        message = dict(self._message)
        if self._calls:
            message["tool_calls"] = self._calls
        choice = {"message": message, "finish_reason": self._finish}
        return {"choices": [choice], "usage": self._usage}


MIN_OUTPUT_TOKENS = 16
"""OpenAI refuses a smaller limit."""
FINAL_EVENTS = ("response.completed", "response.incomplete", "response.failed")
TEXT_EVENT = "response.output_text.delta"
REASONING_EVENTS = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
CALL_TYPES = ("function_call", "custom_tool_call")


@dataclass(frozen=True)
class ResponsesCodec:
    """Requests and replies of responses."""

    room: int = 0
    effort: str | None = None
    wire = "openai-responses"

    def ask_request(self, ask: Ask, nicely: bool) -> JsonObject:
        bound = {
            "max_output_tokens": max(MIN_OUTPUT_TOKENS, ask.max_tokens + self.room),
            "store": False,
        }
        prompt = {"role": "user", "content": ask.prompt}
        if ask.after is not None:
            # A schema or other instructions would stand before the shared prefix and change it.
            return _after_request(ask.after, "input", prompt) | bound
        request: JsonObject = {"input": [prompt]} | bound
        if ask.system is not None:
            request["instructions"] = ask.system
        if nicely and self.effort:
            request["reasoning"] = {"effort": self.effort}
        if nicely and ask.schema:
            request["text"] = {"format": {"type": "json_schema"} | named_schema(ask.schema)}
        return request

    def turn_request(self, request: Mapping[str, Any], max_tokens: int | None) -> JsonObject:
        streamed = {"store": False} | dict(request)
        if self.effort and not streamed["store"]:
            # Only models that reason take it; without it their reasoning could not be sent back.
            streamed.setdefault("include", ["reasoning.encrypted_content"])
        if max_tokens is not None:
            streamed["max_output_tokens"] = max(MIN_OUTPUT_TOKENS, max_tokens)
        return streamed

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
    """Tell whether an item may be sent back: no call cut off, no reasoning without its item."""
    if item.get("type") == "function_call":
        return item.get("status") != "incomplete" and is_json(str(item.get("arguments") or "{}"))
    return (
        item.get("type") not in ("custom_tool_call", "reasoning")
        or item.get("status") != "incomplete"
    )


class ResponseStream:
    """Reads the events of a response; the last one holds it whole."""

    def __init__(self) -> None:
        self._whole: JsonObject | None = None
        self._items: list[JsonObject] = []

    def feed(self, event: JsonObject) -> Iterator[Delta]:
        kind = event.get("type")
        if kind == TEXT_EVENT or kind in REASONING_EVENTS:
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


class OpenAI(SdkModel):
    """A model of OpenAI's, or at `url` one of vLLM, llama.cpp, Ollama, LiteLLM …

    responses: use that API instead of chat completions.
    client: an SDK client of your own, for instance Azure's.
    room: tokens that a model may think, beside those of its answer.
    options: sent with every request.
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
        self.url = None
        if url is not None:
            self.url = _validate_url(url)
        effort = None
        # At another address a model's name says nothing about what the server takes.
        if self.url is None and REASONING_MODELS.match(model):
            effort = "low"
            room = THINKING_ROOM if room is None else room
        self._responses = responses
        codec: Codec = ResponsesCodec(room or 0, effort)
        if not responses:
            # Other servers know the older name; OpenAI's newer models refuse it.
            limit = "max_completion_tokens" if self.url is None else "max_tokens"
            codec = ChatCodec(limit, room or 0, effort)
        opens = partial(_open_client, key, self.url)
        super().__init__(model, codec, client, opens, window=window, options=options)

    def __repr__(self) -> str:
        parts = [repr(self.name)]
        if self.url is not None:
            parts.append(f"url={self.url!r}")
        if self._responses:
            parts.append("responses=True")
        return f"{type(self).__name__}({', '.join(parts)})"

    def _call(self, request: JsonObject, stream: bool, seconds: float | None) -> Any:
        if self._responses:
            return self._create(self._client.responses.create, "input", request, stream, seconds)
        create = self._client.chat.completions.create
        return self._create(create, "messages", request, stream, seconds)

    def _count(self, request: JsonObject, seconds: float | None) -> Any:
        if not self._responses:
            return None
        rest = {key: value for key, value in request.items() if key != "model"}
        counted = self._client.responses.input_tokens.count(
            model=self.name, extra_body=rest, **time_limit(seconds)
        )
        return counted.input_tokens

    def _warm_request(self, request: JsonObject) -> JsonObject | None:
        if not self._responses:
            return None
        options = request.get("prompt_cache_options") or {}
        return request | {"prompt_cache_options": {**options, "prewarm": True}}

    def _compact(self, request: JsonObject, ask: Ask) -> Any:
        if not self._responses:
            return None
        known: JsonObject = {
            key: request[key] for key in ("input", "instructions") if key in request
        }
        if ask.seconds is not None:
            known["timeout"] = ask.seconds
        return self._client.responses.compact(model=self.name, **known)


def _validate_url(url: str) -> str:
    parts = urlsplit(url)
    # The error shows only the first characters: what was passed by mistake may be a key.
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
        # Left out, key and headers come from the environment, and those are for OpenAI alone.
        foreign = {"OpenAI-Organization": sdk.Omit(), "OpenAI-Project": sdk.Omit()}
        return sdk.OpenAI(
            api_key=key or "none", base_url=url, max_retries=0, default_headers=foreign
        )
    if not key and not os.environ.get("OPENAI_API_KEY"):
        raise BadInput(
            "there is no key for OpenAI: set OPENAI_API_KEY, "
            "or in Python pass key= to steno.models.OpenAI"
        )
    return sdk.OpenAI(api_key=key, max_retries=0)
