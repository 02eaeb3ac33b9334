"""Requests and replies of responses.

Nothing is left with the provider: the whole past is sent, and reasoning comes back encrypted,
so that the log holds all of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from steno.core.errors import ModelFailed
from steno.core.model import FinishedTurn, StopReason
from steno.providers.openai_chat.codec import NO_CALL, named_schema
from steno.providers.openai_responses.stream import ResponseStream
from steno.providers.shared.errors import ERROR_TEXTS
from steno.providers.shared.model import Codec
from steno.providers.shared.plain_json import Json, JsonView, get_field, list_at
from steno.providers.shared.provider_report import read_usage
from steno.providers.shared.stream import ErrorReply, is_json

NOT_STORED = {"store": False}
CALL_TYPES = ("function_call", "custom_tool_call")


@dataclass(frozen=True)
class ResponsesCodec(Codec):
    room: int = 0
    effort: str | None = None
    wire = "openai-responses"
    create = "responses.create"
    key = "input"
    limit_key = "max_output_tokens"
    least = 16
    when_asked = NOT_STORED
    no_call = NO_CALL
    new_stream = ResponseStream

    def niceties(self, schema: str | None) -> Json:
        nice: Json = {}
        if self.effort:
            nice["reasoning"] = {"effort": self.effort}
        if schema:
            nice["text"] = {"format": {"type": "json_schema"} | named_schema(schema)}
        return nice

    def turn_request(self, request: JsonView) -> Json:
        streamed = NOT_STORED | dict(request)
        if self.effort and not streamed["store"]:
            # Only models that reason take it; without it their reasoning could not be sent back.
            streamed.setdefault("include", ["reasoning.encrypted_content"])
        return streamed

    def parse_reply(self, whole: Json) -> tuple[str, FinishedTurn]:
        if whole.get("status") == "failed":
            raise ErrorReply(whole.get("error") or {"code": "server_error"})
        output = whole.get("output")
        if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
            raise ModelFailed(ERROR_TEXTS["invalid"], "invalid")
        stop = _responses_stop(whole, output)
        items = tuple(item for item in output if stop != "length" or _is_complete_item(item))
        usage = read_usage(whole.get("usage"))
        said = [part for part in _message_parts(output) if get_field(part, "type") == "output_text"]
        text = "".join(str(part.get("text") or "") for part in said)
        return text, FinishedTurn(items, usage, stop)


def _message_parts(output: list[Json]) -> list[Json]:
    messages = [item for item in output if item.get("type") == "message"]
    return [part for item in messages for part in list_at(item, "content")]


def _responses_stop(whole: Json, output: list[Json]) -> StopReason:
    if any(get_field(part, "type") == "refusal" for part in _message_parts(output)):
        return "refused"
    if whole.get("status") == "incomplete":
        if get_field(whole, "incomplete_details", "reason") == "content_filter":
            return "refused"
        return "length"
    if any(item.get("type") in CALL_TYPES for item in output):
        return "calls"
    return "end"


def _is_complete_item(item: Json) -> bool:
    """Tell whether an item may be sent back: no call cut off, no reasoning without its item."""
    kind = item.get("type")
    if kind in (*CALL_TYPES, "reasoning") and item.get("status") == "incomplete":
        return False
    return kind != "function_call" or is_json(str(item.get("arguments") or "{}"))
