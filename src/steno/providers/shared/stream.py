"""What puts a streamed reply together; each provider's folder has its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import msgspec

from steno.core.model import Delta

JsonObject = dict[str, Any]


class StreamAssembler(Protocol):
    """Puts the events of one reply together, for a model and for the proxy."""

    is_over: bool = False
    """Whether the reply came to its end."""

    def feed(self, event: JsonObject) -> Iterable[Delta]: ...

    def reply_so_far(self) -> JsonObject:
        """Return what would have come without streaming, as far as it has come."""
        ...

    def complete_reply(self) -> JsonObject | None:
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
        self.status_code = None
        if isinstance(body.get("code"), int):
            self.status_code = body["code"]


def is_json(text: str) -> bool:
    """Tell whether a text is complete JSON, as the arguments of a call must be."""
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
