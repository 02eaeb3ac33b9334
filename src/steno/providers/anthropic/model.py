"""Anthropic's models, by its SDK: the key, and the codec of its messages.

Thinking is kept with its signature. A schema goes as the output's format. Tokens read
from the cache and written to it count as sent.
"""

from __future__ import annotations

from typing import Any, Unpack

import msgspec

from steno.core.errors import BadInput, ModelFailed
from steno.core.model import FinishedTurn
from steno.providers.anthropic.stream import STOP_REASONS, MessageStream
from steno.providers.shared.errors import ERROR_TEXTS
from steno.providers.shared.model import Codec, ModelOptions, SdkModel, import_sdk
from steno.providers.shared.plain_json import Json, JsonView, text_at
from steno.providers.shared.provider_report import compaction_rounds, read_usage

DEFAULT_MAX_TOKENS = 8_192
"""Tokens of a turn if the caller sets no limit; Anthropic wants one."""


class Anthropic(SdkModel):
    """A Claude model.

    client: an SDK client of your own, for instance Bedrock's or Vertex'; see `ModelOptions`.
    """

    def __init__(self, model: str, **how: Unpack[ModelOptions]) -> None:
        super().__init__(model, MessagesCodec(), _open_client, **how)


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


class MessagesCodec(Codec):
    wire = "anthropic"
    create = "messages.create"
    named = ("max_tokens",)
    limit_key = "max_tokens"
    new_stream = MessageStream

    def niceties(self, schema: str | None) -> Json:
        if not schema:
            return {}
        form = {"type": "json_schema", "schema": msgspec.json.decode(schema)}
        return {"output_config": {"format": form}}

    def turn_request(self, request: JsonView) -> Json:
        return {"max_tokens": DEFAULT_MAX_TOKENS} | dict(request)

    def parse_reply(self, whole: Json) -> tuple[str, FinishedTurn]:
        content = whole.get("content")
        if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
            raise ModelFailed(ERROR_TEXTS["invalid"], "invalid")
        stop = STOP_REASONS.get(str(whole.get("stop_reason")), "end")
        texts = [text_at(block, "text") or "" for block in content if block.get("type") == "text"]
        messages: tuple[Json, ...] = ()
        if content:
            messages = ({"role": "assistant", "content": content},)
        # What the provider's own compaction read and wrote for it is billed too.
        usage = whole.get("usage")
        used = sum(map(read_usage, compaction_rounds(usage)), read_usage(usage))
        return "".join(texts), FinishedTurn(messages, used, stop)
