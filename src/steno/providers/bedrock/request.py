"""The conversation in a call of `converse` or `converse_stream`."""

from __future__ import annotations

from steno.providers.shared.request import (
    Body,
    ConversationRequest,
    as_list,
    schema_text,
    system_text,
)

SCHEMA = ("outputConfig", "textFormat", "structure", "jsonSchema", "schema")
"""Where a request holds the schema of its reply."""


def read_request(path: str, body: Body) -> ConversationRequest | None:
    if path not in ("Converse", "ConverseStream") or not body.get("messages"):
        return None
    return ConversationRequest(
        wire="bedrock",
        model=str(body.get("modelId") or ""),
        key="messages",
        messages=as_list(body["messages"]),
        system=system_text(body.get("system") or ""),
        tools=as_list((body.get("toolConfig") or {}).get("tools")),
        schema=schema_text(body, SCHEMA),
    )
