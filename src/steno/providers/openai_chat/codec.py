"""Requests and replies of chat completions.

vLLM, llama.cpp, Ollama, LiteLLM and others speak them, each with small liberties, so they
are read leniently. At the end is what responses have in common with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from steno.core.decoders import convert
from steno.core.effects import Ask
from steno.core.errors import ModelFailed
from steno.core.model import FinishedTurn, StopReason
from steno.providers.openai_chat.stream import ChatStream
from steno.providers.shared.errors import ERROR_TEXTS
from steno.providers.shared.model import request_with_message
from steno.providers.shared.provider_report import read_usage
from steno.providers.shared.stream import JsonObject, is_json

FINISH_REASONS: dict[str, StopReason] = {"length": "length", "content_filter": "refused"}


@dataclass(frozen=True)
class ChatCodec:
    limit: str = "max_completion_tokens"
    """Name of the key that limits the tokens of a reply."""
    room: int = 0
    """Tokens for thinking, beside those of the answer."""
    effort: str | None = None
    wire = "openai"
    new_stream = ChatStream

    def ask_request(self, ask: Ask, nicely: bool) -> JsonObject:
        bound = {self.limit: ask.max_tokens + self.room}
        prompt = {"role": "user", "content": ask.prompt}
        if ask.after is not None:
            # A schema or another system prompt would stand before the shared prefix and change it.
            return after_request(ask.after, "messages", prompt) | bound
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
            choice = convert(whole["choices"][0], _ChatChoice)
        except (KeyError, IndexError, TypeError, msgspec.ValidationError):
            raise ModelFailed(ERROR_TEXTS["invalid"], "invalid") from None
        reply = _resendable_message(choice.message, choice.finish_reason)
        usage = read_usage(whole.get("usage"))
        messages: tuple[JsonObject, ...] = ()
        if reply.get("content") or reply.get("tool_calls") or reply.get("refusal"):
            messages = (reply,)
        turn = FinishedTurn(messages, usage, _chat_stop(reply, choice.finish_reason))
        return _chat_text(choice.message.get("content")), turn


class _ChatChoice(msgspec.Struct):
    message: JsonObject
    finish_reason: Any = None


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


def after_request(after: str, key: str, prompt: JsonObject) -> JsonObject:
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
