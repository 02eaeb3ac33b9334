"""What the core has to know of a provider.

Terms are what a provider insists on; a wire reads and writes its JSON. The
wires themselves live in `steno.wires`; the rules about cutting in `seam`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from steno.core.item import Item
from steno.core.message import Message

Seams = frozenset[int]
SeamRule = Callable[[Sequence[Item]], Seams]


@dataclass(frozen=True, slots=True)
class ProviderRules:
    """What a provider refuses, as far as mending and cutting must know."""

    seams: tuple[SeamRule, ...]
    refuses_blank: bool = False
    """An empty or white text block is an error."""
    refuses_void: bool = False
    """A result without any content, not even an empty text, is an error."""
    ids: re.Pattern[str] | None = None
    """What the id of a call must look like."""
    user_begins: bool = False
    combines: bool = False
    """Neighbouring messages of one role count as one."""
    binds_thinking: bool = False
    """Thinking is valid only after the very text it was written after."""


class Wire(Protocol):
    """A provider's JSON, read and written."""

    @property
    def name(self) -> str: ...
    @property
    def terms(self) -> ProviderRules: ...
    def for_model(self, model: str) -> Wire:
        """The wire as this model wants it."""
        ...

    def decode(self, plain: dict[str, Any], raw: str, where: str) -> Message:
        """Read one message; raises BadMessage with the place."""
        ...

    def encode(self, message: Message) -> tuple[str, ...]:
        """JSON texts of a message: its own where it is untouched."""
        ...

    def request(self, messages: list[Any], system: Any, tools: Any) -> dict[str, Any]:
        """Keyword arguments for the provider's client."""
        ...

    def tool(self, name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
        """The definition of a tool, as this provider wants it."""
        ...

    def signs(self, plain: dict[str, Any]) -> str | None:
        """What in this message only this wire would write; None if nothing."""
        ...
