"""What a provider's folder offers to everyone else.

A folder exports one `PROVIDER`, of a class made from `Provider`. What a provider does not
have is left as it is here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import msgspec

from steno.core.message import Value
from steno.core.wire import Wire
from steno.meters.family import ModelFamily
from steno.providers.shared import post_client
from steno.providers.shared.client import ClientHook
from steno.providers.shared.plain_json import JsonView, get_field
from steno.providers.shared.request import ConversationRequest, RequestForm, SkippedRequest
from steno.providers.shared.surface import Surface


class CacheStyle(Value):
    """How a request says what to cache: by a key, or by marks behind what is to be cached."""

    key: str = ""
    """Field of the request that names the conversation's cache; empty where marks are used."""
    mark: str = ""
    new: JsonView = msgspec.field(default_factory=dict)
    apart: bool = False
    """Whether a mark is a block of its own, behind the block that it marks."""
    models: tuple[str, ...] = ()
    """Parts of the names of models that take marks, if not all do."""


KEYED = CacheStyle(key="prompt_cache_key")
ANTHROPIC_BLOCKS = {"tool_use": "anthropic", "tool_result": "anthropic"}


class Provider:
    """One provider, by the name of its wire."""

    wire: Wire
    title = ""
    whole_responses: Sequence[tuple[str, str]] = ()
    """Where the message is in a whole response, by a key that only the response has."""
    in_files = True
    """Whether files may hold lists of its messages."""
    tool_signs: Sequence[tuple[str, str]] = ()
    """Keys that only its definitions of tools have, and what to say of them."""
    foreign_blocks: Mapping[str, str] = {}
    """Types of blocks that it would take for unknown ones, and whose they are."""
    like = ""
    """Wire that it shares signs with, as many do with OpenAI's chat: its own signs win."""
    implied_by = ""
    """Part of a model's name that implies this provider's messages."""

    families: Sequence[ModelFamily] = ()
    """Its models by how they count tokens; the first whose names match is used."""
    usual_family: ModelFamily | None = None
    """What to count by if the model is unknown."""

    model_class = ""
    example_model = ""
    """A model as `resolve_model` takes it; empty if it has none."""
    extra = ""
    """The extra that installs its SDK."""
    sdk = ""

    request: RequestForm | None = None
    """Where requests of its SDK hold a conversation."""
    cache = CacheStyle()
    refusals: Sequence[str] = ()
    """Patterns of how it says that a prompt is too long; a group `window` is its window."""

    @property
    def name(self) -> str:
        return self.wire.name

    def part_of_response(self, value: JsonView) -> str | None:
        """Return where the message is in a whole response; None if it is none of this provider."""
        return next((part for key, part in self.whole_responses if key in value), None)

    def bill(self, family: ModelFamily, name: str) -> ModelFamily:
        """Return how it bills a family's model, if it differs from the family's other hosts."""
        return family

    def open_model(self, name: str, window: int | None) -> Any:
        return getattr(self.file("model"), self.model_class)(name, window=window)

    def read_request(
        self, path: str, body: JsonView
    ) -> ConversationRequest | SkippedRequest | None:
        """Return the conversation in a request of its SDK; None for a request without one."""
        if self.request is None or not self.request.is_at(path):
            return None
        return self.request.read(path, body)

    def client_hook(self) -> ClientHook | None:
        """Return how its SDK's clients are wrapped: most SDKs are made by the same generator."""
        if not self.sdk:
            return None
        return self.file("client") or post_client

    def surface(self) -> Surface | None:
        """Return the API that the proxy stands before."""
        surface: Surface | None = get_field(self.file("surface"), "SURFACE")
        return surface

    def sdk_messages(self, messages: list[Any]) -> list[Any]:
        return messages

    def file(self, name: str) -> Any:
        """Import a file of the provider's folder when it is needed; None if there is none."""
        return _file(type(self).__module__, name)


@cache
def _file(folder: str, name: str) -> Any:
    try:
        found = find_spec(f"{folder}.{name}")
    except ModuleNotFoundError:
        return None  # the provider is in one file, and has no folder
    if found is None:
        return None
    return import_module(found.name)
