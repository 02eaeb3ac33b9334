"""OpenAI's responses: an ask and a turn as requests, a reply and a stream as they come.

Nothing is left with the provider: the whole past is sent and reasoning comes back
encrypted, so that the log holds all of it. Pure: the call itself is the provider's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from steno.core.ask import Ask
from steno.core.error import ModelFailed
from steno.core.model import Delta, Spoken, Stop
from steno.models.chat import schema_of
from steno.models.provider import Plain, Sent, continued, openai_usage, parses
from steno.models.trouble import SAID

LEAST = 16
"""OpenAI refuses a smaller limit."""
ENDS = ("response.completed", "response.incomplete", "response.failed")
WORDS = {"response.output_text.delta": False}
THOUGHTS = {"response.reasoning_summary_text.delta": True, "response.reasoning_text.delta": True}
CALLS = ("function_call", "custom_tool_call")


@dataclass(frozen=True)
class Responses:
    room: int = 0
    effort: str | None = None
    wire = "openai-responses"

    def asked(self, ask: Ask, nicely: bool) -> Plain:
        bound = {"max_output_tokens": max(LEAST, ask.max_tokens + self.room), "store": False}
        said = {"role": "user", "content": ask.prompt}
        if ask.after is not None:
            # A schema or other instructions would stand before the shared prefix and change it.
            request = continued(ask.after, "input", said) | bound
            return request | ({"tool_choice": "none"} if request.get("tools") else {})
        request = {"input": [said]} | bound | ({} if ask.system is None else {"instructions": ask.system})
        if nicely and self.effort:
            request["reasoning"] = {"effort": self.effort}
        if nicely and ask.schema:
            request["text"] = {"format": {"type": "json_schema"} | schema_of(ask.schema)}
        return request

    def spoken_for(self, request: Mapping[str, Any], max_tokens: int | None) -> Plain:
        asked = {"store": False} | dict(request)
        if self.effort and not asked["store"]:
            # Only models that reason take it; without it their reasoning could not be sent back.
            asked.setdefault("include", ["reasoning.encrypted_content"])
        return asked if max_tokens is None else asked | {"max_output_tokens": max(LEAST, max_tokens)}

    def read(self, whole: Plain) -> tuple[str, Spoken]:
        if whole.get("status") == "failed":
            raise Sent(whole.get("error") or {"code": "server_error"})
        output = whole.get("output")
        if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
            raise ModelFailed(SAID["invalid"], "invalid")
        stop = _stop(whole, output)
        items = tuple(item for item in output if stop != "length" or _whole(item))
        usage = openai_usage(whole.get("usage"), "input_tokens", "output_tokens")
        return "".join(_words(output)), Spoken(items, usage, stop)

    def assembling(self) -> ResponseStream:
        return ResponseStream()


def _parts(output: list[Plain]) -> Iterator[Plain]:
    for item in output:
        if item.get("type") == "message":
            yield from (part for part in item.get("content") or () if isinstance(part, dict))


def _words(output: list[Plain]) -> Iterator[str]:
    return (str(part.get("text") or "") for part in _parts(output) if part.get("type") == "output_text")


def _stop(whole: Plain, output: list[Plain]) -> Stop:
    if any(part.get("type") == "refusal" for part in _parts(output)):
        return "refused"
    if whole.get("status") == "incomplete":
        reason = (whole.get("incomplete_details") or {}).get("reason")
        return "refused" if reason == "content_filter" else "length"
    return "calls" if any(item.get("type") in CALLS for item in output) else "end"


def _whole(item: Plain) -> bool:
    """What may be sent back: a call that was cut off may not, nor reasoning that led to nothing."""
    if item.get("type") == "function_call":
        return item.get("status") != "incomplete" and parses(str(item.get("arguments") or "{}"))
    return item.get("type") not in ("custom_tool_call", "reasoning") or item.get("status") != "incomplete"


class ResponseStream:
    """Events of a response; the last one holds it whole."""

    def __init__(self) -> None:
        self._whole: Plain | None = None
        self._items: list[Plain] = []

    def take(self, event: Plain) -> Iterator[Delta]:
        kind = event.get("type")
        if kind in WORDS or kind in THOUGHTS:
            yield Delta(str(event.get("delta") or ""), thinking=kind in THOUGHTS)
        elif kind == "error":
            raise Sent(event)
        elif kind == "response.output_item.done":
            self._items.append(event["item"])
        elif kind in ENDS:
            self._whole = event["response"]

    def whole(self) -> Plain | None:
        if self._whole is None:
            return None
        # Some servers leave the items out of the last event.
        return self._whole if self._whole.get("output") else self._whole | {"output": self._items}
