"""LangChain's message objects, to the JSON that its wire reads and back.

What a view shows as it was said comes back as that very object. What is shown
otherwise is a copy of it with that changed; what Steno says is a new message
with a mark and an id of its own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from steno.core.errors import BadInput, BadMessage
from steno.core.message import Message
from steno.core.wire import Wire
from steno.wires import json_text, parse_json, to_plain

MESSAGE_TYPES: dict[type[BaseMessage], str] = {
    AIMessage: "ai",
    HumanMessage: "human",
    SystemMessage: "system",
    ToolMessage: "tool",
    FunctionMessage: "function",
    ChatMessage: "chat",
}
"""Chunks are among them: each is a subclass of the message it adds up to."""
PLAIN_KEYS = ("id", "name", "tool_calls", "invalid_tool_calls", "tool_call_id", "status", "role")
EDITABLE_KEYS = ("content", "tool_calls", "invalid_tool_calls", "tool_call_id", "additional_kwargs")
"""What of a message an edit may change."""

Originals = dict[str, BaseMessage]


def to_plain_message(message: object, where: str) -> dict[str, Any]:
    """What a message says, as the plain JSON that the wire reads."""
    kind = next((name for kind, name in MESSAGE_TYPES.items() if isinstance(message, kind)), None)
    if kind is None:
        raise BadMessage(where, f"a {type(message).__name__} is no message that can be kept")
    said = {key: getattr(message, key, None) for key in ("content", *PLAIN_KEYS)}
    kept = {
        key: to_plain(value, f"{where}.{key}")
        for key, value in said.items()
        if key == "content" or value
    }
    extra = _json_extras(getattr(message, "additional_kwargs", {}), where)
    return {"type": kind} | kept | ({"additional_kwargs": extra} if extra else {})


def _json_extras(extra: dict[str, Any], where: str) -> dict[str, Any]:
    """What of a provider's extras is JSON; the rest is for programs, and stays with the object."""
    kept = {}
    for key, value in extra.items():
        try:
            kept[key] = to_plain(value, where)
        except BadMessage:
            continue
    return kept


def to_json_texts(messages: Sequence[BaseMessage]) -> list[str]:
    """The JSON text of each message, its id with it."""
    if isinstance(messages, str | bytes | dict) or not isinstance(messages, Sequence):
        raise BadInput(
            f"messages must be a list of LangChain messages, got {type(messages).__name__}"
        )
    return [
        json_text(to_plain_message(message, f"messages[{at}]"))
        for at, message in enumerate(messages)
    ]


def same_words(one: str, other: str) -> bool:
    """The same words, whatever their ids: a caller without a checkpointer gets new ones with every call."""
    return one == other or _without_id(one) == _without_id(other)


def _without_id(text: str) -> dict[str, Any]:
    return {key: value for key, value in parse_json(text).items() if key != "id"}


def to_objects(wire: Wire, shown: Iterable[Message], originals: Originals) -> list[BaseMessage]:
    """What is shown, as message objects."""
    return [made for message in shown for made in _message_objects(wire, message, originals)]


def _message_objects(wire: Wire, message: Message, originals: Originals) -> list[BaseMessage]:
    original = None if message.raw is None else originals.get(message.raw)
    if original is not None and not message.patches:
        return [original]
    values = [parse_json(text) for text in wire.encode(message)]
    if original is None:
        return [build_message(value) for value in values]
    return [_changed_copy(original, value) for value in values]


def _changed_copy(original: BaseMessage, value: dict[str, Any]) -> BaseMessage:
    """A copy of the message that says this, and keeps whatever else it carried."""
    before = to_plain_message(original, "")
    changed = {key: value.get(key) for key in EDITABLE_KEYS if value.get(key) != before.get(key)}
    if "tool_calls" in changed:
        changed["tool_calls"] = [
            call | {"type": "tool_call"} for call in value.get("tool_calls") or ()
        ]
    if "additional_kwargs" in changed:
        gone = (
            before.get("additional_kwargs", {}).keys() - (changed["additional_kwargs"] or {}).keys()
        )
        extra = {key: each for key, each in original.additional_kwargs.items() if key not in gone}
        changed["additional_kwargs"] = extra | (changed["additional_kwargs"] or {})
    return original.model_copy(update=changed)


def build_message(value: dict[str, Any]) -> BaseMessage:
    """A message object that says what plain JSON says."""
    kind = next(kind for kind, name in MESSAGE_TYPES.items() if name == value.get("type", "chat"))
    fields = {key: each for key, each in value.items() if key != "type"}
    return kind(**fields)
