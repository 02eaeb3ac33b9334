"""A streamed reply of Gemini, put together chunk by chunk; only its first candidate is read."""

from __future__ import annotations

from collections.abc import Iterator

from steno.core.model import Delta
from steno.providers.shared.plain_json import Json, count_at
from steno.providers.shared.stream import StreamAssembler


class ContentStream(StreamAssembler):
    def __init__(self) -> None:
        self._parts: list[Json] = []
        self._usage: Json = {}
        self._finish: str | None = None

    def feed(self, event: Json) -> Iterator[Delta]:
        # Each chunk counts the whole reply so far.
        self._usage = event.get("usageMetadata") or self._usage
        for candidate in event.get("candidates") or ():
            if candidate.get("index", 0) != 0:
                continue
            self._finish = candidate.get("finishReason") or self._finish
            self.is_over = self._finish is not None
            for part in (candidate.get("content") or {}).get("parts") or ():
                self._add_part(part)
                if part.get("text"):
                    yield Delta(part["text"], thinking=bool(part.get("thought")))

    def _add_part(self, part: Json) -> None:
        """Join a text to the one before it; a signature belongs to the part that it came with."""
        if self._parts and _is_plain_text(part) and _is_plain_text(self._parts[-1]):
            before = self._parts[-1]
            if part.get("thought") == before.get("thought"):
                self._parts[-1] = before | {"text": before["text"] + part["text"]}
                return
        self._parts.append(part)

    def reply_so_far(self) -> Json:
        content = {"role": "model", "parts": self._parts}
        candidate = {"content": content, "finishReason": self._finish}
        return {"candidates": [candidate], "usageMetadata": self._usage}


def read_counts(usage: Json) -> Json:
    """Return what was counted, by the names of chat completions."""
    if not usage:
        return {}
    return {
        "prompt_tokens": count_at(usage, "promptTokenCount"),
        "prompt_tokens_details": {"cached_tokens": count_at(usage, "cachedContentTokenCount")},
        "completion_tokens": count_at(usage, "candidatesTokenCount")
        + count_at(usage, "thoughtsTokenCount"),
    }


def _is_plain_text(part: Json) -> bool:
    return part.keys() <= {"text", "thought"} and isinstance(part.get("text"), str)
