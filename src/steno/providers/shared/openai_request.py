"""What requests of both of OpenAI's APIs have in common."""

from __future__ import annotations

from steno.providers.shared.request import (
    Body,
    ConversationRequest,
    as_list,
    get_value,
    schema_text,
    split_system,
    system_text,
)

SCHEMAS = (("response_format", "json_schema", "schema"), ("text", "format", "schema"))
"""Where a request holds the schema of its reply."""


def read_conversation(
    body: Body, wire: str, key: str, messages: list[object], system: str = ""
) -> ConversationRequest:
    """Return the conversation of a request; system messages around it stay as they are."""
    head, conversation, trail = split_system(messages)
    return ConversationRequest(
        wire=wire,
        model=str(body.get("model") or ""),
        key=key,
        head=head,
        messages=conversation,
        trail=trail,
        system=system_text(system, *head, *trail),
        # `functions` is what tools were called first; it is still taken.
        tools=[*as_list(get_value(body, "tools")), *as_list(get_value(body, "functions"))],
        schema=schema_text(body, *SCHEMAS),
    )
