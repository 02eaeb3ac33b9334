"""What the core has to know of a provider: what it refuses, and how its JSON is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from steno.core.item import Item
from steno.core.message import Message
from steno.core.state import StateReader, reads_no_state

Seams = frozenset[int]
Joiner = Callable[[dict[str, Any], dict[str, Any]], dict[str, Any] | None]
SeamRule = Callable[[Sequence[Item]], Seams]


@dataclass(frozen=True, slots=True)
class ProviderRules:
    """What a provider refuses, as far as repairing and cutting must know."""

    seams: tuple[SeamRule, ...]
    refuses_blank: bool = False
    """An empty or blank text block is an error."""
    takes_spaces: bool = False
    """Of blank text, only what is empty is refused."""
    refuses_void: bool = False
    """A result without any content, not even an empty text, is an error."""
    ids: re.Pattern[str] | None = None
    """What the id of a call must look like."""
    user_begins: bool = False
    """The first message after the system prompt must be a user's."""
    system_before_reply: bool = False
    """A system message is legal only right before a reply, so nothing may come between."""
    combines: bool = False
    """Neighbouring messages of one role count as one."""
    binds_thinking: bool = False
    """Thinking is valid only after the exact text that it followed."""
    reuses_ids: bool = False
    """An id may come again once the call that had it is answered."""
    repeats_ids: bool = False
    """An id may even come twice in one batch: results are paired in their order."""
    joins: Joiner | None = None
    """Joins neighbours of one role, where user and assistant must take turns, or a batch must be
    one message; returns None for two that may stand side by side."""
    state: StateReader = reads_no_state
    """Says what a block sets for later messages."""


class Wire(Protocol):
    """Reads and writes a provider's JSON."""

    @property
    def name(self) -> str: ...
    @property
    def terms(self) -> ProviderRules: ...
    def for_model(self, model: str) -> Wire:
        """Return the wire that follows this model's rules."""

    def decode(self, plain: dict[str, Any], raw: str, where: str) -> Message:
        """Read one message; raise BadMessage with the place if it cannot be read."""

    def encode(self, message: Message) -> tuple[str, ...]:
        """Return the JSON texts of a message: its own text if it is untouched."""

    def request(self, messages: list[Any], system: Any, tools: Any) -> dict[str, Any]:
        """Return the keyword arguments for the provider's client."""

    def tool(self, name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the definition of a tool in this provider's form."""

    def signs(self, plain: dict[str, Any]) -> str | None:
        """Say what in this message only this wire writes; None if nothing."""
