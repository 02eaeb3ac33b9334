"""LangChain's message objects, to the JSON that its wire reads and back.

A message with some blocks changed is a copy of the caller's object with that
changed; a message of Steno's is a new object with a mark and an id of its own text.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec
from langchain_core.messages import AIMessage, BaseMessage, messages_from_dict

from steno.core.errors import BadInput, BadMessage
from steno.core.message import Message
from steno.core.message_key import message_key
from steno.core.model import Usage
from steno.providers import json_text, parse_json, to_plain
from steno.providers.langchain.wire import LangChainWire
from steno.providers.shared.plain_json import Json, count_at, get_field
from steno.redact import Redactor

MESSAGE_TYPES = ("ai", "human", "system", "tool", "function", "chat")
PLAIN_KEYS = ("id", "name", "tool_calls", "invalid_tool_calls", "tool_call_id", "status", "role")
EDITABLE_KEYS = ("content", "tool_calls", "invalid_tool_calls", "tool_call_id", "additional_kwargs")
"""Fields of a message that an edit may change."""


def to_plain_message(message: object, where: str) -> Json:
    """Return a message as the plain JSON that the wire reads."""
    # A chunk is kept as the message that it becomes.
    kind = str(getattr(message, "type", "")).removesuffix("MessageChunk").lower()
    if kind not in MESSAGE_TYPES or not isinstance(message, BaseMessage):
        raise BadMessage(where, f"a {type(message).__name__} is no message that can be kept")
    plain: Json = {"type": kind}
    for key in ("content", *PLAIN_KEYS):
        value = getattr(message, key, None)
        if key == "content" or value:
            plain[key] = to_plain(value, f"{where}.{key}")
    extra = {}
    for key, value in getattr(message, "additional_kwargs", {}).items():
        # What is no JSON is for programs, and stays on the object.
        with suppress(BadMessage):
            extra[key] = to_plain(value, where)
    if extra:
        plain["additional_kwargs"] = extra
    return plain


def plain_messages(messages: Sequence[BaseMessage]) -> list[Json]:
    """Return messages as plain JSON, with their ids."""
    if isinstance(messages, str | bytes | dict) or not isinstance(messages, Sequence):
        raise BadInput(
            f"messages must be a list of LangChain messages, got {type(messages).__name__}"
        )
    return [to_plain_message(message, f"messages[{at}]") for at, message in enumerate(messages)]


class LangChainFormat:
    """LangChain's messages, as lists that are sent again hold them."""

    sends_empty = False

    def __init__(self, model: str | None = None) -> None:
        self.wire = LangChainWire().for_model(model or "")

    def to_text(self, message: Any, where: str) -> bytes:
        return json_text(to_plain_message(message, where)).encode()

    def key(self, message: Message) -> bytes:
        """Return a key that leaves the id out: without a checkpointer each call makes new ones."""
        if message.raw is None:
            return message_key(message)
        said = parse_json(message.raw)
        said.pop("id", None)
        return message_key(msgspec.structs.replace(message, raw=json_text(said)))

    def to_object(self, value: Any, original: Any | None) -> BaseMessage:
        if original is not None:
            return _changed_copy(original, value)
        [message] = messages_from_dict([{"type": value.get("type", "chat"), "data": value}])
        return message

    def usage(self, message: Any) -> int | None:
        """Return the prompt tokens that the provider counted for the request this answers."""
        if not isinstance(message, AIMessage) or message.usage_metadata is None:
            return None
        return message.usage_metadata["input_tokens"]


def reported_usage(message: Any) -> Usage:
    """Return what the provider counted for the request that this reply answers."""
    counted = get_field(message, "usage_metadata")
    cached = count_at(counted, "input_token_details", "cache_read")
    written = count_at(counted, "input_token_details", "cache_creation")
    said = count_at(counted, "output_tokens")
    return Usage(count_at(counted, "input_tokens"), cached, written, said)


def without_secrets(messages: Sequence[Any], redactor: Redactor | None) -> list[Any]:
    """Return the messages as they came, without what the redactor takes out."""
    if redactor is None:
        return list(messages)
    clean = []
    for message in messages:
        said = {
            key: getattr(message, key)
            for key in ("content", "tool_calls", "additional_kwargs")
            if hasattr(message, key)
        }
        clean.append(message.model_copy(update=redactor.plain(said)))
    return clean


def _changed_copy(original: BaseMessage, value: Json) -> BaseMessage:
    """Return a copy of the message that says this, and keeps whatever else it carried."""
    before = to_plain_message(original, "")
    changed = {key: value.get(key) for key in EDITABLE_KEYS if value.get(key) != before.get(key)}
    if "tool_calls" in changed:
        calls = value.get("tool_calls") or ()
        changed["tool_calls"] = [call | {"type": "tool_call"} for call in calls]
    if "additional_kwargs" in changed:
        now = value.get("additional_kwargs") or {}
        gone = before.get("additional_kwargs", {}).keys() - now.keys()
        # What is no JSON never was in the text that changed: it stays on the copy.
        extra = {key: each for key, each in original.additional_kwargs.items() if key not in gone}
        changed["additional_kwargs"] = extra | now
    return original.model_copy(update=changed)
