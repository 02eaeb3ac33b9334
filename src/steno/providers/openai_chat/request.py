"""The conversation in a request for a chat completion."""

from __future__ import annotations

from steno.providers.shared.plain_json import get_field
from steno.providers.shared.request import (
    Body,
    ConversationRequest,
    as_list,
    get_value,
    schema_text,
    split_system,
    system_text,
)

PATH = "/chat/completions"
SCHEMAS = (("response_format", "json_schema", "schema"), ("text", "format", "schema"))
"""Where a request holds the schema of its reply."""


def read_request(path: str, body: Body) -> ConversationRequest | None:
    """Return the conversation of a chat completion, or None for another path."""
    if path.partition("?")[0] != PATH:
        return None
    return read_conversation(body, "openai", "messages", as_list(get_value(body, "messages")))


def read_conversation(
    body: Body, wire: str, key: str, messages: list[object], system: str = ""
) -> ConversationRequest:
    """Return the conversation of a request of OpenAI's, without the system messages around it."""
    head, conversation, trail = split_system(messages)
    # Codex gives its tools in an item of their own, before its instructions.
    added = [tool for item in head for tool in as_list(get_field(item, "tools"))]
    return ConversationRequest(
        wire=wire,
        model=str(body.get("model") or ""),
        key=key,
        head=head,
        messages=conversation,
        trail=trail,
        system=system_text(system, *head, *trail),
        # `functions` is what tools were called first; it is still taken.
        tools=[*as_list(get_value(body, "tools")), *as_list(get_value(body, "functions")), *added],
        schema=schema_text(body, *SCHEMAS),
    )
