"""OpenAI's models, and those of any server that speaks its protocol, by its SDK.

Owns the address and the key: a key from the environment goes to OpenAI alone, never to
another address. Both of OpenAI's APIs are called from here.
"""

from __future__ import annotations

import os
import re
from typing import Any, Unpack
from urllib.parse import urlsplit

from steno.core.errors import BadInput
from steno.providers.openai_chat.codec import ChatCodec
from steno.providers.openai_responses.codec import ResponsesCodec
from steno.providers.shared.model import Codec, ModelOptions, SdkModel, import_sdk

REASONING_MODELS = re.compile(r"^(?:o\d|gpt-(?:[5-9]|\d\d))(?!.*-chat)")
"""Names of models that think before they answer."""
THINKING_ROOM = 4_000
"""Tokens such a model gets for its thoughts, besides those of the answer."""


class OpenAI(SdkModel):
    """A model of OpenAI's, or at `url` one of vLLM, llama.cpp, Ollama, LiteLLM …

    responses: use that API instead of chat completions.
    client: an SDK client of your own, for instance Azure's; see `ModelOptions`.
    """

    def __init__(self, model: str, *, responses: bool = False, **how: Unpack[ModelOptions]) -> None:
        self.url = how.get("url")
        if self.url is not None:
            self.url = how["url"] = _validate_url(self.url)
        effort, room = None, 0
        # At another address a model's name says nothing about what the server takes.
        if self.url is None and REASONING_MODELS.match(model):
            effort, room = "low", THINKING_ROOM
        codec: Codec = ResponsesCodec(room, effort)
        if not responses:
            # Other servers know the older name; OpenAI's newer models refuse it.
            limit = "max_tokens"
            if self.url is None:
                limit = "max_completion_tokens"
            codec = ChatCodec(limit, room, effort)
        super().__init__(model, codec, _open_client, **how)


def _validate_url(url: str) -> str:
    parts = urlsplit(url)
    # The error shows only the first characters: what was passed by mistake may be a key.
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(
            f"a model's address is http://host:port/v1, got one that begins with {url[:8]!r}"
        )
    if parts.username or parts.password or parts.query:
        raise BadInput("a model's address holds no key: pass key= to steno.models.OpenAI")
    return url.rstrip("/")


def _open_client(key: str | None, url: str | None) -> Any:
    sdk = import_sdk("openai")
    if url is not None:
        # Left out, key and headers come from the environment, and those are for OpenAI alone.
        foreign = {"OpenAI-Organization": sdk.Omit(), "OpenAI-Project": sdk.Omit()}
        return sdk.OpenAI(
            api_key=key or "none", base_url=url, max_retries=0, default_headers=foreign
        )
    if not key and not os.environ.get("OPENAI_API_KEY"):
        raise BadInput(
            "there is no key for OpenAI: set OPENAI_API_KEY, "
            "or in Python pass key= to steno.models.OpenAI"
        )
    return sdk.OpenAI(api_key=key, max_retries=0)
