"""The conversation in a request of an SDK, and what stands around it.

`create`, `parse` and `stream` of an SDK all post the same body. Each provider has a
`RequestForm` that says where the parts are. System messages at the head and the end of a list
are no part of the conversation: they change from call to call, and go out as they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any

from steno.core.errors import BadInput, BadMessage
from steno.core.message import Value
from steno.providers.shared.plain_json import get_field, json_text, to_plain

Body = Mapping[str, Any]
SYSTEM_ROLES = ("system", "developer")
PAST_ELSEWHERE = "{} leaves the past with the provider: the request goes out as it is"
PROVIDER_COMPACTS = "the request has the provider compact: it goes out as it is. Leave that out"


@dataclass(frozen=True)
class ConversationRequest:
    """One request with a whole conversation in it."""

    wire: str
    model: str
    key: str
    """Key of the body that holds the list."""
    messages: Sequence[Any]
    system: str
    """All system text, to count its tokens."""
    tools: Sequence[Any]
    schema: str = ""
    """Schema of the reply as JSON, to count its tokens."""
    head: Sequence[Any] = ()
    """System messages before the conversation."""
    trail: Sequence[Any] = ()
    """System messages after it."""

    def with_messages(self, body: Body, shown: Sequence[Any]) -> Body:
        """Return the body with these messages; the same body if they are the same objects."""
        same = len(shown) == len(self.messages) and all(map(is_, shown, self.messages))
        if same and not isinstance(body[self.key], str):
            return body
        return {**body, self.key: self.full_list(shown)}

    def full_list(self, shown: Sequence[Any]) -> list[Any]:
        return [*self.head, *shown, *self.trail]


class SkippedRequest(Value):
    """A request that goes out as it is, and why."""

    reason: str
    key: str
    """Key of the body that holds the messages."""


@dataclass(frozen=True)
class RequestForm:
    """Where the requests of one API hold the parts of a conversation."""

    wire: str
    ends: tuple[str, ...]
    """Ends of its paths."""
    key: str = "messages"
    model: str = "model"
    system: str = "system"
    tools: Sequence[tuple[str, ...]] = (("tools",),)
    schemas: Sequence[tuple[str, ...]] = ()
    """Where the schema of the reply may be."""
    elsewhere: Sequence[tuple[str, str]] = ()
    """Fields that leave the past with the provider; those of a type, if only that one does."""
    system_roles: Sequence[str] = ()
    """Roles of messages that stand around the conversation, in the same list."""

    def is_at(self, path: str) -> bool:
        """Tell whether requests to a path are of this form; a prefix may stand before its end."""
        return path.partition("?")[0].rstrip("/").endswith(self.ends)

    def read(self, path: str, body: Body) -> ConversationRequest | SkippedRequest:
        """Return the conversation of a request."""
        for field, kind in self.elsewhere:
            value = get_value(body, field)
            if value and kind in ("", get_field(value, "type")):
                return SkippedRequest(PAST_ELSEWHERE.format(field), self.key)
        given = get_value(body, self.key)
        if isinstance(given, str):
            given = [{"role": "user", "content": given}]
        head, messages, trail = self._split(as_list(given))
        tools = [get_value(body, *path) for path in self.tools]
        # Codex gives its tools in an item of their own, before its instructions.
        tools += [get_field(item, "tools") for item in head]
        return ConversationRequest(
            wire=self.wire,
            model=str(body.get(self.model) or ""),
            key=self.key,
            head=head,
            messages=messages,
            trail=trail,
            system=system_text(get_value(body, self.system) or "", *head, *trail),
            tools=[tool for each in tools for tool in as_list(each)],
            schema=schema_text(body, *self.schemas),
        )

    def _split(self, messages: list[Any]) -> tuple[list[Any], ...]:
        """Return the system messages at the head, the conversation, and those at the end."""
        start, stop = 0, len(messages)
        while start < stop and get_field(messages[start], "role") in self.system_roles:
            start += 1
        while stop > start and get_field(messages[stop - 1], "role") in self.system_roles:
            stop -= 1
        return messages[:start], messages[start:stop], messages[stop:]


def asks_provider_to_compact(body: Body) -> bool:
    """Tell whether a request has the provider compact: two at once would undo each other."""
    if get_value(body, "compaction"):
        return True
    edits = get_value(body, "context_management")
    if isinstance(edits, Mapping):
        edits = edits.get("edits")
    return any(str(get_field(edit, "type")).startswith("compact") for edit in as_list(edits))


def schema_text(body: Body, *paths: tuple[str, ...]) -> str:
    """Return the schema of the reply as JSON, from the first of these paths that has one.

    Empty for one that is not plain JSON: it is only counted, and must not fail a call.
    """
    for path in paths:
        value = get_value(body, *path)
        if isinstance(value, str):
            return value
        if value is not None:
            try:
                return json_text(to_plain(value, "schema"))
            except BadMessage:
                return ""
    return ""


def system_text(*prompts: Any) -> str:
    """Return the text of system prompts: strings, text blocks or whole messages."""
    return "\n".join(filter(None, map(_text, prompts)))


def get_value(body: Body, *keys: str) -> Any:
    """Return the value that keys lead to; the SDKs have an object of their own for none."""
    value = get_field(body, *keys)
    if type(value).__name__ in ("Omit", "NotGiven"):
        return None
    return value


def as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise BadInput(f"a list was looked for, but the request has {type(value).__name__} there")
    return list(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "\n".join(map(_text, value))
    inner = [get_field(value, key) for key in ("content", "text")]
    return "\n".join(_text(part) for part in inner if part)
