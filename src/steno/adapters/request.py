"""The conversation in a request of an SDK, and what stands around it.

`create`, `parse` and `stream` of an SDK all post the same body, which one reader a
provider turns into these values. System messages at the head and the end of a list
are no part of the conversation: they change from call to call, and go out as they came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any

from steno.core.errors import BadInput, BadMessage
from steno.providers.shared.plain_json import get_field, json_text, to_plain

Body = Mapping[str, Any]
SYSTEM_ROLES = ("system", "developer")
OPENAI_SCHEMAS = (("response_format", "json_schema", "schema"), ("text", "format", "schema"))
ANTHROPIC_SCHEMAS = (("output_config", "format", "schema"), ("output_format", "schema"))
BEDROCK_SCHEMA = ("outputConfig", "textFormat", "structure", "jsonSchema", "schema")
"""Where a request holds the schema of its reply. Gemini bills none."""
PROVIDER_COMPACTS = (
    "the request has the provider compact: it goes out as it is. Leave that out and name "
    "ProviderCompact in the policy to have both"
)


@dataclass(frozen=True)
class ConversationRequest:
    """One request with a whole conversation in it."""

    wire: str
    model: str
    key: str
    """Key of the body that holds the list."""
    head: Sequence[Any]
    """System messages before the conversation."""
    messages: Sequence[Any]
    trail: Sequence[Any]
    """System messages after it."""
    system: str
    """All system text, to count its tokens."""
    tools: Sequence[Any]
    schema: str = ""
    """Schema of the reply as JSON, to count its tokens."""

    def with_messages(self, body: Body, shown: Sequence[Any]) -> Body:
        """Return the body with these messages; the same body if they are the same objects."""
        same = len(shown) == len(self.messages) and all(map(is_, shown, self.messages))
        if same and not isinstance(body[self.key], str):
            return body
        return {**body, self.key: self.full_list(shown)}

    def full_list(self, shown: Sequence[Any]) -> list[Any]:
        return [*self.head, *shown, *self.trail]


@dataclass(frozen=True)
class SkippedRequest:
    """A request that goes out as it is, and why."""

    reason: str
    key: str
    """Key of the body that holds the messages."""


RequestReader = Callable[[str, Body], ConversationRequest | SkippedRequest | None]
"""Reads one SDK's requests by path; returns None for one without a conversation."""


def read_openai_request(path: str, body: Body) -> ConversationRequest | SkippedRequest | None:
    """Return the conversation of a chat completion or a response, or None for another path.

    A response that continues one kept by the provider is skipped: its past is not here.
    """
    match path.partition("?")[0]:
        case "/chat/completions":
            messages = _as_list(_get_value(body, "messages"))
            return _conversation(body, "openai", "messages", messages)
        case "/responses":
            return _read_response(body)
    return None


def _read_response(body: Body) -> ConversationRequest | SkippedRequest:
    for key in ("previous_response_id", "conversation"):
        if _get_value(body, key):
            reason = f"{key} leaves the past with the provider: the request goes out as it is"
            return SkippedRequest(reason, "input")
    items = _get_value(body, "input")
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    system = _system_text(_get_value(body, "instructions") or "")
    return _conversation(body, "openai-responses", "input", _as_list(items), system)


def asks_provider_to_compact(body: Body) -> bool:
    """Tell whether a request has the provider compact: two at once would undo each other."""
    if _get_value(body, "compaction"):
        return True
    edits = _get_value(body, "context_management")
    if isinstance(edits, Mapping):
        edits = edits.get("edits")
    return any(str(get_field(edit, "type")).startswith("compact") for edit in _as_list(edits))


def _conversation(
    body: Body, wire: str, key: str, messages: list[object], system: str = ""
) -> ConversationRequest:
    head, conversation, trail = _split_system(messages)
    return ConversationRequest(
        wire=wire,
        model=str(body.get("model") or ""),
        key=key,
        head=head,
        messages=conversation,
        trail=trail,
        system=_system_text(system, *head, *trail),
        # `functions` is what tools were called first; it is still taken.
        tools=[*_as_list(_get_value(body, "tools")), *_as_list(_get_value(body, "functions"))],
        schema=_schema_text(body, *OPENAI_SCHEMAS),
    )


def _schema_text(body: Body, *paths: tuple[str, ...]) -> str:
    """Return the schema of the reply as JSON, from the first of these paths that has one.

    Empty for one that is not plain JSON: it is only counted, and must not fail a call.
    """
    for path in paths:
        value = _get_value(body, path[0])
        for key in path[1:]:
            value = get_field(value, key)
        if isinstance(value, str):
            return value
        if value is not None:
            try:
                return json_text(to_plain(value, "schema"))
            except BadMessage:
                return ""
    return ""


def read_anthropic_request(path: str, body: Body) -> ConversationRequest | SkippedRequest | None:
    """Return the conversation of a request to the messages API, also the beta one."""
    if path.partition("?")[0] != "/v1/messages":
        return None
    thread = _get_value(body, "thread")
    if isinstance(thread, Mapping) and thread.get("type") == "continue":
        reason = "thread= leaves the past with the provider: the request goes out as it is"
        return SkippedRequest(reason, "messages")
    return ConversationRequest(
        wire="anthropic",
        model=str(body.get("model") or ""),
        key="messages",
        head=(),
        messages=_as_list(_get_value(body, "messages")),
        trail=(),
        system=_system_text(_get_value(body, "system") or ""),
        tools=_as_list(_get_value(body, "tools")),
        schema=_schema_text(body, *ANTHROPIC_SCHEMAS),
    )


def read_gemini_request(path: str, body: Body) -> ConversationRequest | SkippedRequest | None:
    """Return the conversation of a request to Gemini's API or to Vertex AI."""
    place, _, method = path.partition("?")[0].rpartition(":")
    if method not in ("generateContent", "streamGenerateContent"):
        return None
    if _either(body, "cachedContent", "cached_content"):
        reason = "cachedContent leaves the past with the provider: the request goes out as it is"
        return SkippedRequest(reason, "contents")
    instruction = _either(body, "systemInstruction", "system_instruction")
    return ConversationRequest(
        wire="gemini",
        model=_gemini_model(place),
        key="contents",
        head=(),
        messages=_one_or_many(body.get("contents")),
        trail=(),
        system=_system_text(*_one_or_many((instruction or {}).get("parts"))),
        tools=_one_or_many(body.get("tools")),
    )


def _gemini_model(place: str) -> str:
    """Return the model of a path; with its publisher on Vertex AI, which bills differently."""
    _, publishers, name = place.rpartition("publishers/")
    if publishers:
        return publishers + name
    return place.rpartition("/")[2]


def _either(body: Body, *keys: str) -> Any:
    """Return the value of the first of these keys that there is: Google takes both spellings."""
    return next((body[key] for key in keys if body.get(key)), None)


def _one_or_many(value: Any) -> list[Any]:
    """Return a list, also of a lone object: Google takes one for a list of one."""
    if isinstance(value, Mapping):
        return [value]
    return _as_list(value)


def read_bedrock_request(path: str, body: Body) -> ConversationRequest | SkippedRequest | None:
    """Return the conversation of a call of `converse` or `converse_stream`."""
    if path not in ("Converse", "ConverseStream") or not body.get("messages"):
        return None
    return ConversationRequest(
        wire="bedrock",
        model=str(body.get("modelId") or ""),
        key="messages",
        head=(),
        messages=_as_list(body["messages"]),
        trail=(),
        system=_system_text(body.get("system") or ""),
        tools=_as_list((body.get("toolConfig") or {}).get("tools")),
        schema=_schema_text(body, BEDROCK_SCHEMA),
    )


def _split_system(messages: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
    """Return the system messages at the head, the conversation, and those at the end."""
    start, stop = 0, len(messages)
    while start < stop and _role(messages[start]) in SYSTEM_ROLES:
        start += 1
    while stop > start and _role(messages[stop - 1]) in SYSTEM_ROLES:
        stop -= 1
    return messages[:start], messages[start:stop], messages[stop:]


def _system_text(*prompts: Any) -> str:
    """Return the text of system prompts: strings, text blocks or whole messages."""
    return "\n".join(filter(None, map(_text, prompts)))


def _get_value(body: Body, key: str) -> Any:
    """Return the value of a key; the SDKs mark a missing one by an object of their own."""
    value = body.get(key)
    if type(value).__name__ in ("Omit", "NotGiven"):
        return None
    return value


def _as_list(value: Any) -> list[Any]:
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


def _role(message: Any) -> Any:
    return get_field(message, "role")
