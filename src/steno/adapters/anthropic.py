"""Where the requests of the `anthropic` SDK keep a conversation.

Messages, the beta ones too, however they are called: `create`, `parse` and
`stream` all post the same body.
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
    if path.partition("?")[0] != "/v1/messages":
        return None
    said = as_list(get_value(body, "messages"))
    system = system_text(get_value(body, "system") or "")
    model = str(body.get("model") or "")
    return ConversationRequest(
        "anthropic", model, "messages", (), said, (), system, as_list(get_value(body, "tools"))
    )
