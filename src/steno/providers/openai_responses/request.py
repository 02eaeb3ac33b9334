"""The conversation in a request for a response."""

from __future__ import annotations

from steno.providers.openai_chat.request import read_conversation
from steno.providers.shared.request import (
    PAST_ELSEWHERE,
    Body,
    ConversationRequest,
    SkippedRequest,
    as_list,
    get_value,
    system_text,
)

PATH = "/responses"


def read_request(path: str, body: Body) -> ConversationRequest | SkippedRequest | None:
    """Return the conversation of a response, or None for another path.

    A response that continues one kept by the provider is skipped: its past is not here.
    """
    if path.partition("?")[0] != PATH:
        return None
    for key in ("previous_response_id", "conversation"):
        if get_value(body, key):
            return SkippedRequest(PAST_ELSEWHERE.format(key), "input")
    items = get_value(body, "input")
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    system = system_text(get_value(body, "instructions") or "")
    return read_conversation(body, "openai-responses", "input", as_list(items), system)
