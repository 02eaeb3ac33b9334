"""A streamed reply of Converse, put together block by block."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from steno.core.errors import ModelFailed
from steno.core.model import Delta
from steno.providers.shared.errors import ERROR_TEXTS
from steno.providers.shared.stream import JsonObject, is_json


class ConverseStream:
    """Puts the blocks of a message together."""

    def __init__(self) -> None:
        self._blocks: dict[int, JsonObject] = {}
        self._inputs: dict[int, str] = {}
        self._stop: str | None = None
        self._usage: JsonObject = {}

    def feed(self, event: JsonObject) -> Iterator[Delta]:
        for kind, value in event.items():
            match kind:
                case "contentBlockStart":
                    self._blocks[value["contentBlockIndex"]] = dict(value.get("start") or {})
                case "contentBlockDelta":
                    yield from self._apply(value["contentBlockIndex"], value["delta"])
                case "messageStop":
                    self._stop = str(value.get("stopReason"))
                case "metadata":
                    self._usage = value.get("usage") or {}

    def _apply(self, index: int, delta: JsonObject) -> Iterator[Delta]:
        block = self._blocks.setdefault(index, {})
        if "text" in delta:
            block["text"] = block.get("text", "") + delta["text"]
            yield Delta(delta["text"])
        elif "toolUse" in delta:
            piece = str(delta["toolUse"].get("input") or "")
            self._inputs[index] = self._inputs.get(index, "") + piece
        elif "reasoningContent" in delta:
            yield from self._think(block, delta["reasoningContent"])

    def _think(self, block: JsonObject, thought: JsonObject) -> Iterator[Delta]:
        reasoning = block.setdefault("reasoningContent", {})
        if "redactedContent" in thought:
            reasoning["redactedContent"] = thought["redactedContent"]
            return
        text = reasoning.setdefault("reasoningText", {"text": ""})
        text["text"] += thought.get("text") or ""
        if "signature" in thought:
            text["signature"] = text.get("signature", "") + thought["signature"]
        if thought.get("text"):
            yield Delta(thought["text"], thinking=True)

    def complete_reply(self) -> JsonObject | None:
        if self._stop is None:
            return None
        content = []
        for index, block in sorted(self._blocks.items()):
            arguments = self._inputs.get(index, "")
            if "toolUse" not in block:
                content.append(block)
            elif not arguments or is_json(arguments):
                input = msgspec.json.decode(arguments or "{}")
                content.append({"toolUse": block["toolUse"] | {"input": input}})
            elif self._stop != "max_tokens":  # of a reply that was cut off, it is left out
                raise ModelFailed(ERROR_TEXTS["invalid"], "invalid")
        message = {"role": "assistant", "content": content}
        whole = {"output": {"message": message}, "stopReason": self._stop}
        return whole | {"usage": self._usage}
