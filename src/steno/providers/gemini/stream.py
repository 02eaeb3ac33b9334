"""A streamed content, put together part by part."""

from __future__ import annotations

from collections.abc import Iterator

from steno.core.model import Delta
from steno.providers.shared.stream import JsonObject


class ContentStream:
    """Puts the parts of a content together."""

    def __init__(self) -> None:
        self._whole: JsonObject = {}
        self._parts: list[JsonObject] = []
        self._reason: str | None = None

    def feed(self, event: JsonObject) -> Iterator[Delta]:
        for key in ("usageMetadata", "promptFeedback"):
            if key in event:
                self._whole[key] = event[key]
        for candidate in (event.get("candidates") or ())[:1]:
            self._reason = candidate.get("finishReason") or self._reason
            for part in (candidate.get("content") or {}).get("parts") or ():
                self._add(part)
                if part.get("text"):
                    yield Delta(part["text"], thinking=bool(part.get("thought")))

    def _add(self, part: JsonObject) -> None:
        """Add a part; pieces of one text are one part until a signature ends it."""
        last = self._parts[-1] if self._parts else {}
        same = last.get("thought") == part.get("thought") and "thoughtSignature" not in last
        if "text" in part and "text" in last and same:
            self._parts[-1] = last | part | {"text": last["text"] + part["text"]}
        elif part.get("text") != "" or len(part) > 1:
            self._parts.append(part)

    def complete_reply(self) -> JsonObject | None:
        if self._reason is None and "promptFeedback" not in self._whole:
            return None
        content = {"role": "model", "parts": self._parts}
        candidate = {"content": content, "finishReason": self._reason}
        if self._reason is None:
            return self._whole
        return self._whole | {"candidates": [candidate]}
