"""The providers' paths that carry a conversation.

Each is told by the end of its path, so that a prefix (a provider's name, an API version)
may stand before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from steno.adapters.request import (
    ConversationRequest,
    SkippedRequest,
    read_anthropic_request,
    read_openai_request,
)
from steno.proxy.replies import Assembler, ChatAssembler, MessagesAssembler, ResponseAssembler
from steno.proxy.stages import ChatForm, MessagesForm, ReplyForm, ResponsesForm


@dataclass(frozen=True)
class Surface:
    """One API that carries a conversation."""

    path: str
    """End of its path."""
    provider: str
    sdk_path: str
    """The path by which its SDK's request reader knows it."""
    read: Callable[[str, Mapping[str, Any]], ConversationRequest | SkippedRequest | None]
    assembler: type[Assembler]
    form: ReplyForm

    def read_request(self, body: Mapping[str, Any]) -> ConversationRequest | SkippedRequest | None:
        return self.read(self.sdk_path, body)


SURFACES = (
    Surface(
        "/chat/completions",
        "openai",
        "/chat/completions",
        read_openai_request,
        ChatAssembler,
        ChatForm(),
    ),
    Surface(
        "/responses",
        "openai",
        "/responses",
        read_openai_request,
        ResponseAssembler,
        ResponsesForm(),
    ),
    Surface(
        "/messages",
        "anthropic",
        "/v1/messages",
        read_anthropic_request,
        MessagesAssembler,
        MessagesForm(),
    ),
)


def find_surface(method: str, path: str) -> Surface | None:
    """Return the API of a request, or None if it carries no conversation."""
    if method != "POST":
        return None
    for surface in SURFACES:
        if path.rstrip("/").endswith(surface.path):
            return surface
    return None
