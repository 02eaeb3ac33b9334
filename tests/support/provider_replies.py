"""How providers say a reply, whole and in events, and how each says that something is wrong.

Owns the JSON of OpenAI's chat completions and responses, of Anthropic's messages and of
Gemini's contents, as their servers send it. Who says what, and how it goes wrong, is in `loopback`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Event = tuple[str | None, Any]
"""A server-sent event: its name, where the dialect has names, and its data."""
CHAT_STOPS = {"end": "stop", "calls": "tool_calls", "length": "length", "refused": "stop"}
ANTHROPIC_STOPS = {
    "end": "end_turn",
    "calls": "tool_use",
    "length": "max_tokens",
    "refused": "refusal",
    "window": "model_context_window_exceeded",
}
GEMINI_STOPS = {"end": "STOP", "calls": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}


@dataclass(frozen=True)
class Say:
    """A good reply: words, calls `(name, arguments)`, a thought.

    How it stops and what it counts.
    """

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    thinking: str = ""
    stop: str = ""
    """end, calls, length, refused or window (Anthropic); told from what is said where empty."""
    sent: int = 20
    cached: int = 0
    written: int = 0
    said: int = 10
    number: int = 1
    """Of the items of a response, which no two replies share."""
    pause: float = 0.0
    """Seconds between two events."""

    @property
    def ends(self) -> str:
        return self.stop or ("calls" if self.calls else "end")


def pieces(text: str) -> Iterator[str]:
    """A text as a model says it: a few characters at a time."""
    return (text[at : at + 7] for at in range(0, len(text), 7))


class Chat:
    path = "/v1/chat/completions"

    def whole(self, say: Say, model: str) -> dict[str, Any]:
        message: dict[str, Any] = {
            "role": "assistant",
            "content": say.text or None,
            "refusal": None,
        }
        if say.ends == "refused":
            message |= {"content": None, "refusal": say.text or "I cannot help with that."}
        if say.thinking:
            message["reasoning_content"] = say.thinking
        if say.calls:
            message["tool_calls"] = [
                self._call(say, at, *call) for at, call in enumerate(say.calls)
            ]
        choice = {
            "index": 0,
            "message": message,
            "finish_reason": CHAT_STOPS[say.ends],
            "logprobs": None,
        }
        return self._frame(model, "chat.completion") | {
            "choices": [choice],
            "usage": self._usage(say),
        }

    def events(self, say: Say, model: str) -> Iterator[Event]:
        frame = self._frame(model, "chat.completion.chunk")

        def chunk(delta: dict[str, Any], finish: str | None = None) -> Event:
            return None, frame | {
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
                "usage": None,
            }

        yield chunk({"role": "assistant", "content": ""})
        for piece in pieces(say.thinking):
            yield chunk({"reasoning_content": piece})
        for piece in pieces(say.text):
            yield chunk({"refusal" if say.ends == "refused" else "content": piece})
        for at, (name, arguments) in enumerate(say.calls):
            begun = self._call(say, at, name, {})
            begun["function"]["arguments"] = ""
            yield chunk({"tool_calls": [{"index": at} | begun]})
            for piece in pieces(json.dumps(arguments)):
                yield chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})
        yield chunk({}, CHAT_STOPS[say.ends])
        yield None, frame | {"choices": [], "usage": self._usage(say)}
        yield None, "[DONE]"

    def wrong(self, status: int, message: str, code: str | None, more: dict[str, Any]) -> Any:
        kind = "invalid_request_error" if status < 500 else "server_error"
        return {"error": {"message": message, "type": kind, "param": None, "code": code} | more}

    def _frame(self, model: str, kind: str) -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": model}

    def _call(self, say: Say, at: int, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": f"call_{say.number}_{at}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }

    def _usage(self, say: Say) -> dict[str, Any]:
        details = {"cached_tokens": say.cached, "cache_write_tokens": say.written}
        total = say.sent + say.said
        return {
            "prompt_tokens": say.sent,
            "completion_tokens": say.said,
            "total_tokens": total,
            "prompt_tokens_details": details,
        }


class Responses:
    path = "/v1/responses"

    def whole(self, say: Say, model: str) -> dict[str, Any]:
        status = "incomplete" if say.ends == "length" else "completed"
        details = {"cached_tokens": say.cached, "cache_write_tokens": say.written}
        usage = {
            "input_tokens": say.sent,
            "input_tokens_details": details,
            "output_tokens": say.said,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": say.sent + say.said,
        }
        return {
            "id": f"resp_{say.number}",
            "object": "response",
            "created_at": 1_700_000_000,
            "model": model,
            "status": status,
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"}
            if status == "incomplete"
            else None,
            "output": list(self._items(say)),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": usage,
        }

    def events(self, say: Say, model: str) -> Iterator[Event]:
        whole = self.whole(say, model)
        number = iter(range(1_000_000))

        def event(kind: str, **data: Any) -> Event:
            return kind, {"type": kind, "sequence_number": next(number)} | data

        yield event(
            "response.created",
            response=whole | {"status": "in_progress", "output": [], "usage": None},
        )
        for at, item in enumerate(whole["output"]):
            yield event("response.output_item.added", output_index=at, item=item)
            kind = "reasoning_summary_text" if item["type"] == "reasoning" else "output_text"
            words = {"reasoning": say.thinking, "message": say.text}.get(item["type"], "")
            place = {
                "output_index": at,
                "item_id": item["id"],
                "content_index": 0,
                "summary_index": 0,
            }
            for piece in pieces(words):
                yield event(f"response.{kind}.delta", delta=piece, logprobs=[], **place)
            yield event("response.output_item.done", output_index=at, item=item)
        yield event(f"response.{whole['status']}", response=whole)

    def _items(self, say: Say) -> Iterator[dict[str, Any]]:
        if say.thinking:
            summary = [{"type": "summary_text", "text": say.thinking}]
            yield {
                "id": f"rs_{say.number}",
                "type": "reasoning",
                "summary": summary,
                "encrypted_content": "c2VhbGVk",
            }
        if say.text or say.ends == "refused":
            words: dict[str, Any] = {"type": "output_text", "text": say.text, "annotations": []}
            if say.ends == "refused":
                words = {"type": "refusal", "refusal": say.text or "I cannot help with that."}
            yield {
                "id": f"msg_{say.number}",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [words],
            }
        for at, (name, arguments) in enumerate(say.calls):
            called = {"call_id": f"call_{say.number}_{at}", "name": name}
            called["arguments"] = json.dumps(arguments)
            yield {
                "id": f"fc_{say.number}_{at}",
                "type": "function_call",
                "status": "completed",
            } | called

    wrong = Chat.wrong


class Anthropic:
    path = "/v1/messages"

    def whole(self, say: Say, model: str) -> dict[str, Any]:
        return {
            "id": f"msg_{say.number}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": list(self._blocks(say)),
            "stop_reason": ANTHROPIC_STOPS[say.ends],
            "stop_sequence": None,
            "usage": {
                "input_tokens": say.sent - say.cached - say.written,
                "cache_read_input_tokens": say.cached,
                "cache_creation_input_tokens": say.written,
                "output_tokens": say.said,
            },
        }

    def events(self, say: Say, model: str) -> Iterator[Event]:
        whole = self.whole(say, model)
        begun = whole | {
            "content": [],
            "stop_reason": None,
            "usage": whole["usage"] | {"output_tokens": 1},
        }
        yield "message_start", {"type": "message_start", "message": begun}
        for at, block in enumerate(whole["content"]):
            yield from self._block(at, block)
        delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        usage = {"output_tokens": say.said}
        yield "message_delta", {"type": "message_delta", "delta": delta, "usage": usage}
        yield "message_stop", {"type": "message_stop"}

    def _block(self, at: int, block: dict[str, Any]) -> Iterator[Event]:
        empty = {
            "text": {"text": ""},
            "thinking": {"thinking": "", "signature": ""},
            "tool_use": {"input": {}},
        }
        begun = block | empty[block["type"]]
        yield (
            "content_block_start",
            {"type": "content_block_start", "index": at, "content_block": begun},
        )
        for delta in self._deltas(block):
            yield (
                "content_block_delta",
                {"type": "content_block_delta", "index": at, "delta": delta},
            )
        yield "content_block_stop", {"type": "content_block_stop", "index": at}

    def _deltas(self, block: dict[str, Any]) -> Iterator[dict[str, Any]]:
        match block["type"]:
            case "text":
                yield from (
                    {"type": "text_delta", "text": piece} for piece in pieces(block["text"])
                )
            case "thinking":
                yield from (
                    {"type": "thinking_delta", "thinking": piece}
                    for piece in pieces(block["thinking"])
                )
                yield {"type": "signature_delta", "signature": block["signature"]}
            case "tool_use":
                said = json.dumps(block["input"])
                yield from (
                    {"type": "input_json_delta", "partial_json": piece} for piece in pieces(said)
                )

    def _blocks(self, say: Say) -> Iterator[dict[str, Any]]:
        if say.thinking:
            yield {"type": "thinking", "thinking": say.thinking, "signature": "c2lnbmVk"}
        if say.text:
            yield {"type": "text", "text": say.text}
        for at, (name, arguments) in enumerate(say.calls):
            yield {
                "type": "tool_use",
                "id": f"toolu_{say.number}_{at}",
                "name": name,
                "input": arguments,
            }

    def wrong(self, status: int, message: str, code: str | None, more: dict[str, Any]) -> Any:
        named = {
            401: "authentication_error",
            429: "rate_limit_error",
            529: "overloaded_error",
            500: "api_error",
        }
        kind = code or named.get(status, "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": message} | more}


class Gemini:
    path = "/v1beta/models/gemini-2.5-pro:generateContent"
    stream_path = "/v1beta/models/gemini-2.5-pro:streamGenerateContent"

    def whole(self, say: Say, model: str) -> dict[str, Any]:
        return self._body(say, list(self._parts(say)), GEMINI_STOPS[say.ends])

    def events(self, say: Say, model: str) -> Iterator[Event]:
        for part in self._parts(say):
            if "text" not in part:
                yield None, self._body(say, [part], None)
            for piece in pieces(part.get("text", "")):
                yield None, self._body(say, [part | {"text": piece}], None)
        yield None, self._body(say, [{"text": ""}], GEMINI_STOPS[say.ends])

    def _body(self, say: Say, parts: list[dict[str, Any]], stop: str | None) -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
        if stop:
            candidate["finishReason"] = stop
        usage = {
            "promptTokenCount": say.sent,
            "cachedContentTokenCount": say.cached,
            "candidatesTokenCount": say.said,
            "totalTokenCount": say.sent + say.said,
        }
        return {"candidates": [candidate], "usageMetadata": usage, "responseId": f"r{say.number}"}

    def _parts(self, say: Say) -> Iterator[dict[str, Any]]:
        if say.thinking:
            yield {"text": say.thinking, "thought": True}
        if say.text:
            yield {"text": say.text}
        for name, arguments in say.calls:
            call = {"name": name, "args": arguments}
            yield {"functionCall": call, "thoughtSignature": "c2lnbmVk"}

    def wrong(self, status: int, message: str, code: str | None, more: dict[str, Any]) -> Any:
        said = {"code": status, "message": message, "status": code or "INVALID_ARGUMENT"}
        return {"error": said | more}


DIALECTS = {dialect.path: dialect for dialect in (Chat(), Responses(), Anthropic(), Gemini())}
DIALECTS[Gemini.stream_path] = DIALECTS[Gemini.path]
