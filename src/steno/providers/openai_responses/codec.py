"""Requests and replies of responses.

Nothing is left with the provider: the whole past is sent, and reasoning comes back encrypted,
so that the log holds all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from steno.core.effects import Ask
from steno.core.errors import ModelFailed
from steno.core.model import FinishedTurn, StopReason
from steno.providers.openai_chat.codec import after_request, named_schema
from steno.providers.openai_responses.stream import ResponseStream
from steno.providers.shared.errors import ERROR_TEXTS
from steno.providers.shared.provider_report import read_usage
from steno.providers.shared.stream import ErrorReply, JsonObject, is_json

MIN_OUTPUT_TOKENS = 16
"""OpenAI refuses a smaller limit."""
CALL_TYPES = ("function_call", "custom_tool_call")


@dataclass(frozen=True)
class ResponsesCodec:
    room: int = 0
    effort: str | None = None
    wire = "openai-responses"
    new_stream = ResponseStream

    def ask_request(self, ask: Ask, nicely: bool) -> JsonObject:
        bound = {
            "max_output_tokens": max(MIN_OUTPUT_TOKENS, ask.max_tokens + self.room),
            "store": False,
        }
        prompt = {"role": "user", "content": ask.prompt}
        if ask.after is not None:
            # A schema or other instructions would stand before the shared prefix and change it.
            return after_request(ask.after, "input", prompt) | bound
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
        usage = read_usage(whole.get("usage"))
        said = [part for part in _message_parts(output) if part.get("type") == "output_text"]
        text = "".join(str(part.get("text") or "") for part in said)
        return text, FinishedTurn(items, usage, stop)


def _message_parts(output: list[JsonObject]) -> Iterator[JsonObject]:
    for item in output:
        if item.get("type") == "message":
            yield from (part for part in item.get("content") or () if isinstance(part, dict))


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
