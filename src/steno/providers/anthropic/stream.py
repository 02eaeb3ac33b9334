"""A streamed message, put together block by block."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from steno.core.errors import ModelFailed
from steno.core.model import Delta, StopReason
from steno.providers.shared.errors import ERROR_TEXTS
from steno.providers.shared.plain_json import Json
from steno.providers.shared.stream import StreamAssembler, is_json

STOP_REASONS: dict[str, StopReason] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
    "tool_use": "calls",
    "pause_turn": "calls",  # its own tools want another turn
}
DELTA_KEYS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


class MessageStream(StreamAssembler):
    def __init__(self) -> None:
        self._message: Json = {}
        self._blocks: dict[int, Json] = {}
        self._inputs: dict[int, str] = {}

    def feed(self, event: Json) -> Iterator[Delta]:
        match event.get("type"):
            case "message_start":
                self._message = dict(event["message"])
            case "content_block_start":
                self._blocks[event["index"]] = dict(event["content_block"])
            case "content_block_delta":
                yield from self._apply_delta(event["index"], event["delta"])
            case "message_delta":
                self._message |= event["delta"]
                # Counts that did not change since the start come as null.
                usage = event.get("usage") or {}
                reported = {key: value for key, value in usage.items() if value is not None}
                self._message["usage"] = (self._message.get("usage") or {}) | reported
            case "message_stop":
                self.is_over = True

    def _apply_delta(self, index: int, delta: Json) -> Iterator[Delta]:
        block, kind = self._blocks[index], str(delta.get("type"))
        # A piece of the arguments is no JSON by itself; all are decoded when the reply is whole.
        if kind == "input_json_delta":
            self._inputs[index] = self._inputs.get(index, "") + str(delta.get("partial_json") or "")
        elif kind == "compaction_delta":
            block |= {key: value for key, value in delta.items() if key != "type"}
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
        elif kind in DELTA_KEYS:
            key = DELTA_KEYS[kind]
            piece = str(delta.get(key) or "")
            block[key] = (block.get(key) or "") + piece
            if piece and key != "signature":
                yield Delta(piece, thinking=key == "thinking")

    def complete_reply(self) -> Json | None:
        # Blocks can look whole when a connection breaks: only `message_stop` tells a true end.
        if not self.is_over:
            return None
        cut = STOP_REASONS.get(str(self._message.get("stop_reason"))) == "length"
        if not cut and not all(map(is_json, self._inputs.values())):
            raise ModelFailed(ERROR_TEXTS["invalid"], "invalid")
        return self.reply_so_far()

    def reply_so_far(self) -> Json:
        content = []
        for index, block in sorted(self._blocks.items()):
            arguments = self._inputs.get(index, "")
            if not arguments:
                content.append(block)
            elif is_json(arguments):  # an unfinished call is left out
                content.append(block | {"input": msgspec.json.decode(arguments)})
        return self._message | {"content": content}
