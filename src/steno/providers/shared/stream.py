"""What puts a streamed reply together; each provider's folder has its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import msgspec

from steno.core.model import Delta
from steno.providers.shared.plain_json import Json, count_at


class StreamAssembler(Protocol):
    """Puts the events of one reply together, for a model and for the proxy."""

    is_over: bool = False
    """Whether the reply came to its end."""

    def feed(self, event: Json) -> Iterable[Delta]: ...

    def reply_so_far(self) -> Json:
        """Return what would have come without streaming, as far as it has come."""

    def complete_reply(self) -> Json | None:
        """Return what would have come without streaming; None if the stream broke off."""
        if self.is_over:
            return self.reply_so_far()
        return None


class ErrorReply(Exception):
    """An error object in place of a reply; `classify_error` reads it as an SDK's exception."""

    def __init__(self, body: Any) -> None:
        super().__init__()
        if not isinstance(body, Mapping):
            body = {"message": str(body)}
        self.body = body
        self.status_code = count_at(body, "code") or None


def is_json(text: str) -> bool:
    """Tell whether a text is complete JSON, as the arguments of a call must be."""
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
