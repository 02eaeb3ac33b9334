"""What a provider's folder offers to everyone else.

A folder exports one `PROVIDER`, of a class made from `Provider`. Nobody else knows the
provider: wires, meters, models, wrapped clients, the proxy and `doctor` all ask the registry
(`steno.providers`). What a provider does not have is left as it is here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steno.core.wire import Wire
from steno.meters.family import ModelFamily
from steno.providers.shared.block_types import Treatment
from steno.providers.shared.cache_style import CacheStyle
from steno.providers.shared.client import ClientHook
from steno.providers.shared.request import ConversationRequest, SkippedRequest
from steno.providers.shared.surface import Surface


class Provider:
    """One provider, by the name of its wire."""

    wire: Wire
    title = ""
    """Its name for people."""
    block_types: Mapping[str, Treatment] | None = None
    """Every type of block that it knows, and what it is to us; others are reported once."""
    whole_responses: Sequence[tuple[str, str]] = ()
    """Where the message is in a whole response, by a key that only the response has."""
    in_files = True
    """Whether files may hold lists of its messages."""
    implied_by = ""
    """Part of a model's name that implies this provider's messages."""

    families: Sequence[ModelFamily] = ()
    """Its models by how they count tokens; the first whose names match is used."""
    usual_family: ModelFamily | None = None
    """What to count by if the model is unknown."""

    example_model = ""
    """A model as `resolve_model` takes it; empty if it has none."""
    extra = ""
    """The extra that installs its SDK."""
    sdk = ""
    """Module of the SDK."""

    cache: CacheStyle | None = None
    """How a request says what to cache."""
    refusals: Sequence[str] = ()
    """Patterns of how it says that a prompt is too long; a group `window` is its window."""
    compaction_errors: Mapping[str, str] = {}
    """Its codes for failures of its own compaction, in our words."""

    @property
    def name(self) -> str:
        return self.wire.name

    def tool_sign(self, tool: Mapping[str, Any]) -> str | None:
        """Return what shows that only this provider takes a tool so defined."""
        return None

    def bill(self, family: ModelFamily, name: str) -> ModelFamily:
        """Return how it bills a family's model, if it differs from the family's other hosts."""
        return family

    def open_model(self, name: str, window: int | None) -> Any:
        """Return a model of this provider."""
        raise NotImplementedError

    def client_hook(self) -> ClientHook | None:
        """Return how its SDK's clients are wrapped."""
        return None

    def read_request(
        self, path: str, body: Mapping[str, Any]
    ) -> ConversationRequest | SkippedRequest | None:
        """Return the conversation in a request of its SDK; None for a request without one."""
        return None

    def sdk_messages(self, messages: list[Any]) -> list[Any]:
        """Return messages as the SDK takes them."""
        return messages

    def surface(self) -> Surface | None:
        """Return the API that the proxy stands before."""
        return None
