"""The conversation in a request to the messages API."""

from __future__ import annotations

from steno.providers.shared.plain_json import get_field
from steno.providers.shared.request import (
    PAST_ELSEWHERE,
    Body,
    ConversationRequest,
    SkippedRequest,
    as_list,
    get_value,
    schema_text,
    system_text,
)

PATH = "/v1/messages"
SCHEMAS = (("output_config", "format", "schema"), ("output_format", "schema"))
"""Where a request holds the schema of its reply."""


def read_request(path: str, body: Body) -> ConversationRequest | SkippedRequest | None:
    """Return the conversation of a request to the messages API, also the beta one."""
    if path.partition("?")[0] != PATH:
        return None
    if get_field(get_value(body, "thread"), "type") == "continue":
        return SkippedRequest(PAST_ELSEWHERE.format("thread="), "messages")
    return ConversationRequest(
        wire="anthropic",
        model=str(body.get("model") or ""),
        key="messages",
        messages=as_list(get_value(body, "messages")),
        system=system_text(get_value(body, "system") or ""),
        tools=as_list(get_value(body, "tools")),
        schema=schema_text(body, *SCHEMAS),
    )
