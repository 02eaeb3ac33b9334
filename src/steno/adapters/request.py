"""What of a request is a conversation, and what stands around it.

An SDK's own file says where its requests keep these; what is done with them is
the same for all. System messages at the head and at the end of a list are no
part of the conversation: they change from call to call and go out as they came.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any

Body = Mapping[str, Any]
SYSTEM_ROLES = ("system", "developer")


@dataclass(frozen=True)
class ConversationRequest:
    """One request with a whole conversation in it."""

    wire: str
    model: str
    key: str
    """Under which the body has its list."""
    head: Sequence[Any]
    said: Sequence[Any]
    trail: Sequence[Any]
    system: str
    """Every word that stands around the conversation, for counting."""
    tools: Sequence[Any]

    def with_messages(self, body: Body, shown: Sequence[Any]) -> Body:
        """The body with this in place of what was said; the very body where nothing is otherwise."""
        same = len(shown) == len(self.said) and all(map(is_, shown, self.said))
        if same and not isinstance(body[self.key], str):
            return body
        return {**body, self.key: self.full_list(shown)}

    def full_list(self, shown: Sequence[Any]) -> list[Any]:
        return [*self.head, *shown, *self.trail]


@dataclass(frozen=True)
class SkippedRequest:
    """A request that is left alone, and why."""

    reason: str
    key: str
    """Under which the body has what was said."""


RequestReader = Callable[[str, Body], ConversationRequest | SkippedRequest | None]
"""Reads one SDK's requests by path; None for one that carries no conversation."""


def split_system(messages: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
    """System messages at the head, what was said, system messages at the end."""
    start, stop = 0, len(messages)
    while start < stop and _role(messages[start]) in SYSTEM_ROLES:
        start += 1
    while stop > start and _role(messages[stop - 1]) in SYSTEM_ROLES:
        stop -= 1
    return messages[:start], messages[start:stop], messages[stop:]


def system_text(*said: Any) -> str:
    """The text of system prompts, given as strings, text blocks or whole messages."""
    return "\n".join(filter(None, map(_text, said)))


def get_value(body: Body, key: str) -> Any:
    """What was said under a key; SDKs mark what was not by objects of their own."""
    value = body.get(key)
    if type(value).__name__ in ("Omit", "NotGiven"):
        return None
    return value


def as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value)


def _text(said: Any) -> str:
    if isinstance(said, str):
        return said
    if isinstance(said, list | tuple):
        return "\n".join(map(_text, said))
    inner = [_get(said, key) for key in ("content", "text")]
    return "\n".join(_text(each) for each in inner if each)


def _role(message: Any) -> Any:
    return _get(message, "role")


def _get(value: Any, key: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(key)
    return getattr(value, key, None)
