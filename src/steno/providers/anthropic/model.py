"""Anthropic's models, by its SDK: the key, and the codec of its messages.

Thinking is kept with its signature. A schema goes as the output's format. Tokens read
from the cache and written to it count as sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Unpack

import msgspec

from steno.core.effects import Ask
from steno.core.errors import BadInput, ModelFailed
from steno.core.model import FinishedTurn, Usage
from steno.providers.anthropic.stream import STOP_REASONS, MessageStream
from steno.providers.shared.errors import ERROR_TEXTS
from steno.providers.shared.model import ModelOptions, SdkModel, import_sdk, request_with_message
from steno.providers.shared.provider_report import compaction_rounds, read_usage
from steno.providers.shared.stream import JsonObject

DEFAULT_MAX_TOKENS = 8_192
"""Tokens of a turn if the caller sets no limit; Anthropic wants one."""


class Anthropic(SdkModel):
    """A Claude model.

    client: an SDK client of your own, for instance Bedrock's or Vertex'; see `ModelOptions`.
    """

    def __init__(self, model: str, **how: Unpack[ModelOptions]) -> None:
        super().__init__(model, MessagesCodec(), _open_client, **how)

    def _call(self, request: JsonObject, stream: bool, seconds: float | None) -> Any:
        # The SDK's `create` demands `max_tokens` by name; all else may go in the body.
        rest = {key: value for key, value in request.items() if key != "max_tokens"}
        create = partial(self._client.messages.create, max_tokens=request["max_tokens"])
        return self._create(create, "messages", rest, stream, seconds)


def _open_client(key: str | None, url: str | None) -> Any:
    sdk = import_sdk("anthropic")
    client = sdk.Anthropic(api_key=key, base_url=url, max_retries=0)
    # The SDK opens a client without a key; the first call would fail, deep in a session.
    if client.api_key is None and client.auth_token is None and client.credentials is None:
        client.close()
        raise BadInput(
            "there is no key for Anthropic: set ANTHROPIC_API_KEY, "
            "or in Python pass key= to steno.models.Anthropic"
        )
    return client


class MessagesCodec:
    wire = "anthropic"
    new_stream = MessageStream

    def ask_request(self, ask: Ask, nicely: bool) -> JsonObject:
        bound = {"max_tokens": ask.max_tokens}
        prompt = {"role": "user", "content": ask.prompt}
        if ask.after is not None:
            # A format or another system prompt would stand before the shared prefix and change it.
            return request_with_message(ask.after, "messages", prompt) | bound
        request: JsonObject = {"messages": [prompt]} | bound
        if ask.system is not None:
            request["system"] = ask.system
        if nicely and ask.schema:
            schema = msgspec.json.decode(ask.schema)
            request["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return request

    def turn_request(self, request: Mapping[str, Any], max_tokens: int | None) -> JsonObject:
        streamed = {"max_tokens": DEFAULT_MAX_TOKENS} | dict(request)
        if max_tokens is not None:
            streamed["max_tokens"] = max_tokens
        return streamed

    def parse_reply(self, whole: JsonObject) -> tuple[str, FinishedTurn]:
        content = whole.get("content")
        if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
            raise ModelFailed(ERROR_TEXTS["invalid"], "invalid")
        stop = STOP_REASONS.get(str(whole.get("stop_reason")), "end")
        texts = [str(block.get("text") or "") for block in content if block.get("type") == "text"]
        messages: tuple[JsonObject, ...] = ()
        if content:
            messages = ({"role": "assistant", "content": content},)
        return "".join(texts), FinishedTurn(messages, _usage(whole.get("usage")), stop)


def _usage(usage: Any) -> Usage:
    """Return what a reply cost, with what the provider's own compaction read and wrote for it."""
    return sum(map(read_usage, compaction_rounds(usage)), read_usage(usage))
