"""A streamed chat completion, put together chunk by chunk; only its first choice is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from steno.core.model import Delta
from steno.providers.shared.plain_json import Json
from steno.providers.shared.stream import StreamAssembler

REASONING_KEYS = ("reasoning_content", "reasoning")


class ChatStream(StreamAssembler):
    def __init__(self) -> None:
        self._message: Json = {"role": "assistant"}
        self._calls: list[Json] = []
        self._at: dict[Any, int] = {}
        self._usage: Any = None
        self._finish: Any = None

    def feed(self, event: Json) -> Iterator[Delta]:
        # The usage comes in a last chunk of its own, which has no choices.
        self._usage = event.get("usage") or self._usage
        for choice in event.get("choices") or ():
            if choice.get("index", 0) != 0:
                continue
            self._finish = choice.get("finish_reason") or self._finish
            self.is_over = self._finish is not None
            yield from self._apply_delta(choice.get("delta") or {})

    def _apply_delta(self, delta: Json) -> Iterator[Delta]:
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

    def _add_call_piece(self, piece: Json) -> None:
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

    def reply_so_far(self) -> Json:
        message = dict(self._message)
        if self._calls:
            message["tool_calls"] = self._calls
        choice = {"message": message, "finish_reason": self._finish}
        return {"choices": [choice], "usage": self._usage}
