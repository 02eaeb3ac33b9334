"""Reads the conversation from requests of the `anthropic` SDK.

Messages, the beta ones too: `create`, `parse` and `stream` all post the same body.
"""

from __future__ import annotations

from steno.adapters.request import (
    Body,
    ConversationRequest,
    SkippedRequest,
    as_list,
    get_value,
    system_text,
)


def read_request(path: str, body: Body) -> ConversationRequest | SkippedRequest | None:
    """Return the conversation of a request to the messages API, or None for another."""
    if path.partition("?")[0] != "/v1/messages":
        return None
    return ConversationRequest(
        wire="anthropic",
        model=str(body.get("model") or ""),
        key="messages",
        head=(),
        messages=as_list(get_value(body, "messages")),
        trail=(),
        system=system_text(get_value(body, "system") or ""),
        tools=as_list(get_value(body, "tools")),
    )
