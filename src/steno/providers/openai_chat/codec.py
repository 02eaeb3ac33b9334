"""Requests and replies of chat completions.

vLLM, llama.cpp, Ollama, LiteLLM and others speak them, each with small liberties, so they
are read leniently.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from steno.core.errors import ModelFailed
from steno.core.model import FinishedTurn, StopReason
from steno.providers.openai_chat.stream import ChatStream
from steno.providers.shared.errors import ERROR_TEXTS
from steno.providers.shared.model import Codec
from steno.providers.shared.plain_json import Json, JsonView, get_field, list_at
from steno.providers.shared.provider_report import read_usage
from steno.providers.shared.stream import is_json

NO_CALL = {"tool_choice": "none"}
FINISH_REASONS: dict[str, StopReason] = {"length": "length", "content_filter": "refused"}


@dataclass(frozen=True)
class ChatCodec(Codec):
    limit_key: str = "max_completion_tokens"
    room: int = 0
    effort: str | None = None
    wire = "openai"
    create = "chat.completions.create"
    no_call = NO_CALL
    new_stream = ChatStream

    def niceties(self, schema: str | None) -> Json:
        nice: Json = {}
        if self.effort:
            nice["reasoning_effort"] = self.effort
        if schema:
            nice["response_format"] = {"type": "json_schema", "json_schema": named_schema(schema)}
        return nice

    def turn_request(self, request: JsonView) -> Json:
        # Unless it is asked for, a stream ends without its usage.
        return dict(request) | {"stream_options": {"include_usage": True}}

    def parse_reply(self, whole: Json) -> tuple[str, FinishedTurn]:
        [choice, *_] = list_at(whole, "choices") or [None]
        message, finish = get_field(choice, "message"), get_field(choice, "finish_reason")
        if not isinstance(message, dict):
            raise ModelFailed(ERROR_TEXTS["invalid"], "invalid")
        reply = _resendable_message(message, finish)
        usage = read_usage(whole.get("usage"))
        messages: tuple[Json, ...] = ()
        if reply.get("content") or reply.get("tool_calls") or reply.get("refusal"):
            messages = (reply,)
        turn = FinishedTurn(messages, usage, _chat_stop(reply, finish))
        return _chat_text(message.get("content")), turn


def _resendable_message(message: Json, finish: Any) -> Json:
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
    return is_json(str(get_field(call, "function", "arguments") or "{}"))


def _chat_stop(reply: Json, finish: Any) -> StopReason:
    if reply.get("refusal"):
        return "refused"
    if str(finish) in FINISH_REASONS:
        return FINISH_REASONS[str(finish)]
    if reply.get("tool_calls") or reply.get("function_call"):
        return "calls"
    return "end"


def _chat_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(get_field(part, "text") or "") for part in list_at(content))


def named_schema(schema: str) -> Json:
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
