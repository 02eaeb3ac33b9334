"""OpenAI's chat completions: an ask and a turn as requests, a reply and a stream as they come.

Spoken by OpenAI and by vLLM, llama.cpp, Ollama, LiteLLM and many others, each with
small liberties; what is not agreed on is taken as it comes. Pure: the call itself
is the provider's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from steno.core.ask import Ask
from steno.core.error import ModelFailed
from steno.core.model import Delta, Spoken, Stop
from steno.models.provider import Plain, continued, openai_usage, parses
from steno.models.trouble import SAID

THOUGHTS = ("reasoning_content", "reasoning")
STOPS: dict[str, Stop] = {"length": "length", "content_filter": "refused"}


@dataclass(frozen=True)
class Chat:
    """`limit`: how this server names the most tokens of a reply; `room`: how many more it needs to think."""

    limit: str = "max_completion_tokens"
    room: int = 0
    effort: str | None = None
    wire = "openai"

    def asked(self, ask: Ask, nicely: bool) -> Plain:
        bound = {self.limit: ask.max_tokens + self.room}
        said = {"role": "user", "content": ask.prompt}
        if ask.after is not None:
            # A schema or another system prompt would stand before the shared prefix and change it.
            request = continued(ask.after, "messages", said) | bound
            return request | ({"tool_choice": "none"} if request.get("tools") else {})
        head = [] if ask.system is None else [{"role": "system", "content": ask.system}]
        request = {"messages": [*head, said]} | bound
        if nicely and self.effort:
            request["reasoning_effort"] = self.effort
        if nicely and ask.schema:
            request["response_format"] = {"type": "json_schema", "json_schema": schema_of(ask.schema)}
        return request

    def spoken_for(self, request: Mapping[str, Any], max_tokens: int | None) -> Plain:
        asked = dict(request) | {"stream_options": {"include_usage": True}}
        return asked if max_tokens is None else asked | {self.limit: max_tokens}

    def read(self, whole: Plain) -> tuple[str, Spoken]:
        choices = whole.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise ModelFailed(SAID["invalid"], "invalid")
        said = _sayable(message, choice.get("finish_reason"))
        usage = openai_usage(whole.get("usage"), "prompt_tokens", "completion_tokens")
        stop = _stop(said, choice.get("finish_reason"))
        messages = (said,) if said.get("content") or said.get("tool_calls") or said.get("refusal") else ()
        return _words(message.get("content")), Spoken(messages, usage, stop)

    def assembling(self) -> ChatStream:
        return ChatStream()


def schema_of(schema: str) -> Plain:
    """A schema as OpenAI wants it named; strict where it is closed enough for that."""
    value = msgspec.json.decode(schema)
    return {"name": "answer", "schema": value, "strict": _closed(value)}


def _closed(schema: Any) -> bool:
    """Every object in it names all its keys, and requires them."""
    if isinstance(schema, list):
        return all(map(_closed, schema))
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False
        or set(schema.get("required", ())) != set(schema.get("properties", {}))
    ):
        return False
    return all(map(_closed, schema.values()))


def _sayable(message: Plain, finish: Any) -> Plain:
    """The message as it may be sent back: no nulls, and no call that was cut off."""
    said = {"role": "assistant"} | {key: value for key, value in message.items() if value is not None}
    calls = [call for call in said.pop("tool_calls", None) or () if finish != "length" or _whole(call)]
    if not calls:
        return said
    return {"content": None} | said | {"tool_calls": calls}


def _whole(call: Any) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    return not isinstance(function, dict) or parses(str(function.get("arguments") or "{}"))


def _stop(said: Plain, finish: Any) -> Stop:
    if said.get("refusal"):
        return "refused"
    named = STOPS.get(str(finish))
    return named or ("calls" if said.get("tool_calls") or said.get("function_call") else "end")


def _words(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


class ChatStream:
    """Chunks of a completion, put together."""

    def __init__(self) -> None:
        self._message: Plain = {"role": "assistant"}
        self._calls: list[Plain] = []
        self._at: dict[Any, int] = {}
        self._usage: Any = None
        self._finish: Any = None

    def take(self, event: Plain) -> Iterator[Delta]:
        self._usage = event.get("usage") or self._usage
        for choice in event.get("choices") or ():
            if choice.get("index", 0) != 0:
                continue
            self._finish = choice.get("finish_reason") or self._finish
            yield from self._added(choice.get("delta") or {})

    def _added(self, delta: Plain) -> Iterator[Delta]:
        for key, value in delta.items():
            if key == "tool_calls":
                for call in value or ():
                    self._called(dict(call))
            elif isinstance(value, str) and key != "role":
                self._message[key] = self._message.get(key, "") + value
                if value and (key == "content" or key in THOUGHTS):
                    yield Delta(value, thinking=key in THOUGHTS)
            elif value is not None and key != "role":
                self._message[key] = value

    def _called(self, piece: Plain) -> None:
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

    def whole(self) -> Plain | None:
        if self._finish is None:
            return None
        message = self._message | ({"tool_calls": self._calls} if self._calls else {})
        return {"choices": [{"message": message, "finish_reason": self._finish}], "usage": self._usage}
