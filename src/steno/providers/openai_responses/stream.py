"""A streamed response: its last event holds it whole."""

from __future__ import annotations

from collections.abc import Iterator

from steno.core.model import Delta
from steno.providers.shared.plain_json import Json
from steno.providers.shared.stream import ErrorReply, StreamAssembler

FINAL_EVENTS = ("response.completed", "response.incomplete", "response.failed")
TEXT_EVENT = "response.output_text.delta"
REASONING_EVENTS = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")


class ResponseStream(StreamAssembler):
    def __init__(self) -> None:
        self._whole: Json = {}
        self._items: dict[int, Json] = {}

    def feed(self, event: Json) -> Iterator[Delta]:
        kind = event.get("type")
        if kind == TEXT_EVENT or kind in REASONING_EVENTS:
            yield Delta(str(event.get("delta") or ""), thinking=kind in REASONING_EVENTS)
        elif kind == "error":
            raise ErrorReply(event)
        elif kind == "response.output_item.done":
            self._items[event.get("output_index", len(self._items))] = event["item"]
        elif kind in FINAL_EVENTS:
            self._whole, self.is_over = event["response"], True

    def reply_so_far(self) -> Json:
        # Some servers leave the items out of the last event.
        if self._whole.get("output"):
            return self._whole
        return self._whole | {"output": [item for _, item in sorted(self._items.items())]}
