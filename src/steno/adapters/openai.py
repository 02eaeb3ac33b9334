"""Reads the conversation from requests of the `openai` SDK.

Chat completions and responses: `create`, `parse` and `stream` all post the same body.
A response that continues one kept by the provider is skipped: its past is not here.
"""

from __future__ import annotations

from steno.adapters.request import (
    Body,
    ConversationRequest,
    SkippedRequest,
    as_list,
    get_value,
    split_system,
    system_text,
)


def read_request(path: str, body: Body) -> ConversationRequest | SkippedRequest | None:
    """Return the conversation of a request to either API, or None for another."""
    match path.partition("?")[0]:
        case "/chat/completions":
            messages = as_list(get_value(body, "messages"))
            return _conversation(body, "openai", "messages", messages)
        case "/responses":
            return _read_response(body)
    return None


def _read_response(body: Body) -> ConversationRequest | SkippedRequest:
    for key in ("previous_response_id", "conversation"):
        if get_value(body, key):
            reason = f"{key} leaves the past with the provider: the request goes out as it is"
            return SkippedRequest(reason, "input")
    items = get_value(body, "input")
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    system = system_text(get_value(body, "instructions") or "")
    return _conversation(body, "openai-responses", "input", as_list(items), system)


def _conversation(
    body: Body, wire: str, key: str, messages: list[object], system: str = ""
) -> ConversationRequest:
    head, conversation, trail = split_system(messages)
    return ConversationRequest(
        wire=wire,
        model=str(body.get("model") or ""),
        key=key,
        head=head,
        messages=conversation,
        trail=trail,
        system=system_text(system, *head, *trail),
        tools=as_list(get_value(body, "tools")),
    )
