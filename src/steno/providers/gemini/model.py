"""Google's Gemini models, by its SDK: the key, and the codec of its contents.

Functions are never run by the SDK itself: the loop above does that. Thoughts keep their
signatures. A schema goes as the response's schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from steno.core.effects import Ask
from steno.core.errors import BadInput, ModelFailed
from steno.core.model import FinishedTurn, StopReason, Usage
from steno.providers.gemini.stream import ContentStream
from steno.providers.shared.errors import ERROR_TEXTS
from steno.providers.shared.model import SdkModel, import_sdk, request_with_message
from steno.providers.shared.plain_json import count_at
from steno.providers.shared.stream import JsonObject

STOP_REASONS: dict[str, StopReason] = {
    "STOP": "end",
    "MAX_TOKENS": "length",
    "FINISH_REASON_UNSPECIFIED": "end",
    "MALFORMED_FUNCTION_CALL": "end",
    "UNEXPECTED_TOOL_CALL": "calls",
}
"""Every other reason is a filter's."""


class Gemini(SdkModel):
    """A Gemini model.

    client: a `genai.Client` of your own, for instance for Vertex AI.
    options: added to the config of every request.
    """

    def __init__(
        self,
        model: str,
        *,
        key: str | None = None,
        client: Any = None,
        window: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        form = ContentsCodec(dict(options or {}))
        opens = partial(_open_client, key)
        super().__init__(model, form, client, opens, window=window, options=None)

    def _plain_reply(self, reply: Any) -> JsonObject:
        plain: JsonObject = reply.model_dump(mode="json", exclude_none=True, by_alias=True)
        return plain

    def _call(self, request: JsonObject, stream: bool, seconds: float | None) -> Any:
        config = dict(request.get("config") or {})
        if seconds is not None:
            config["http_options"] = {"timeout": max(1, int(seconds * 1_000))}
        config["automatic_function_calling"] = {"disable": True}
        models = self._client.models
        create = models.generate_content_stream if stream else models.generate_content
        return create(model=self.name, contents=request["contents"], config=config)


def _open_client(key: str | None) -> Any:
    sdk = import_sdk("google.genai", "gemini")
    try:
        return sdk.Client(api_key=key)
    except ValueError:
        raise BadInput(
            "there is no key for Gemini: set GEMINI_API_KEY, "
            "or in Python pass key= to steno.models.Gemini"
        ) from None


@dataclass(frozen=True)
class ContentsCodec:
    """Requests and replies of Gemini's contents."""

    options: JsonObject
    wire = "gemini"
    new_stream = ContentStream

    def ask_request(self, ask: Ask, nicely: bool) -> JsonObject:
        config: JsonObject = {"max_output_tokens": ask.max_tokens}
        prompt = {"role": "user", "parts": [{"text": ask.prompt}]}
        if ask.after is not None:
            request = request_with_message(ask.after, "contents", prompt)
            return self._with_config(request, config)
        if ask.system is not None:
            config["system_instruction"] = ask.system
        if nicely and ask.schema:
            config["response_mime_type"] = "application/json"
            config["response_json_schema"] = msgspec.json.decode(ask.schema)
        return self._with_config({"contents": [prompt]}, config)

    def turn_request(self, request: Mapping[str, Any], max_tokens: int | None) -> JsonObject:
        config: JsonObject = {}
        if max_tokens is not None:
            config["max_output_tokens"] = max_tokens
        return self._with_config(request, config)

    def _with_config(self, request: Mapping[str, Any], more: JsonObject) -> JsonObject:
        config = {**(request.get("config") or {}), **more, **self.options}
        return {**request, "config": config}

    def parse_reply(self, whole: JsonObject) -> tuple[str, FinishedTurn]:
        usage = _usage(whole.get("usageMetadata"))
        candidates = whole.get("candidates")
        if not candidates:
            # Only a prompt that was blocked comes without a candidate.
            if (whole.get("promptFeedback") or {}).get("blockReason"):
                return "", FinishedTurn((), usage, "refused")
            raise ModelFailed(ERROR_TEXTS["invalid"], "invalid")
        content = candidates[0].get("content") or {}
        parts = content.get("parts") or []
        stop = STOP_REASONS.get(str(candidates[0].get("finishReason") or "STOP"), "refused")
        if stop == "end" and any("functionCall" in part for part in parts):
            stop = "calls"
        text = "".join(part.get("text") or "" for part in parts if not part.get("thought"))
        messages: tuple[JsonObject, ...] = ()
        if parts:
            messages = ({"role": "model", "parts": parts},)
        return text, FinishedTurn(messages, usage, stop)


def _usage(usage: Any) -> Usage:
    # What the model thought is billed as output, and counted beside it.
    said = count_at(usage, "candidatesTokenCount") + count_at(usage, "thoughtsTokenCount")
    cached = count_at(usage, "cachedContentTokenCount")
    return Usage(count_at(usage, "promptTokenCount"), cached, 0, said)
