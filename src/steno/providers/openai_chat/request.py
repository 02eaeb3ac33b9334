"""The conversation in a request for a chat completion."""

from __future__ import annotations

from steno.providers.shared.openai_request import read_conversation
from steno.providers.shared.request import Body, ConversationRequest, as_list, get_value

PATH = "/chat/completions"


def read_request(path: str, body: Body) -> ConversationRequest | None:
    """Return the conversation of a chat completion, or None for another path."""
    if path.partition("?")[0] != PATH:
        return None
    return read_conversation(body, "openai", "messages", as_list(get_value(body, "messages")))
