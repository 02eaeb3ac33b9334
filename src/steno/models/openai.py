"""OpenAI, and whatever speaks its protocol, by its SDK: chat completions or responses.

Owns whom to call and with which key; a key of the environment goes to OpenAI alone,
never to another address.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from steno.core.error import BadInput
from steno.models.chat import Chat
from steno.models.provider import Form, Plain, Provider
from steno.models.responses import Responses
from steno.models.sdk import sdk_of

REASONS = re.compile(r"^(?:o\d|gpt-(?:[5-9]|\d\d))(?!.*-chat)")
"""Names of models that think before they answer."""
ROOM = 4_000
"""Tokens such a model gets for its thoughts, besides those of the answer."""


class OpenAI(Provider):
    """A model of OpenAI's, or at `url` one of vLLM, llama.cpp, Ollama, LiteLLM …

    `responses` speaks that API instead of chat completions; `client` takes an SDK client of your own (Azure);
    `room` is what a model that thinks may use besides its answer; `options` go with every request.
    """

    def __init__(
        self,
        model: str,
        *,
        key: str | None = None,
        url: str | None = None,
        responses: bool = False,
        client: Any = None,
        window: int | None = None,
        room: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.url = None if url is None else _address(url)
        thinks = self.url is None and REASONS.match(model) is not None
        space = (ROOM if thinks else 0) if room is None else room
        form = _form(responses, "low" if thinks else None, space, ours=self.url is not None)
        self._responses = responses
        owned = client is None
        made = _client(key, self.url) if owned else client
        super().__init__(model, form, made, owned=owned, window=window, options=options)

    def __repr__(self) -> str:
        where = "" if self.url is None else f", url={self.url!r}"
        return f"{type(self).__name__}({self.name!r}{where}{', responses=True' if self._responses else ''})"

    def _call(self, request: Plain, stream: bool, seconds: float | None) -> Any:
        calls = self._client.responses if self._responses else self._client.chat.completions
        return self._created(calls.create, "input" if self._responses else "messages", request, stream, seconds)


def _form(responses: bool, effort: str | None, room: int, ours: bool) -> Form:
    if responses:
        return Responses(room, effort)
    # Other servers know the older name; OpenAI's newer models refuse it.
    return Chat("max_tokens" if ours else "max_completion_tokens", room, effort)


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"a model's address is http://host:port/v1, got one that begins with {url[:8]!r}")
    if parts.username or parts.password or parts.query:
        raise BadInput("a model's address holds no key: pass key= to steno.models.OpenAI")
    return url.rstrip("/")


def _client(key: str | None, url: str | None) -> Any:
    sdk = sdk_of("openai")
    if url is not None:
        foreign = {"OpenAI-Organization": sdk.Omit(), "OpenAI-Project": sdk.Omit()}
        return sdk.OpenAI(api_key=key or "none", base_url=url, max_retries=0, default_headers=foreign)
    if not key and not os.environ.get("OPENAI_API_KEY"):
        raise BadInput("there is no key for OpenAI: set OPENAI_API_KEY, or pass key= to steno.models.OpenAI")
    return sdk.OpenAI(api_key=key, max_retries=0)
