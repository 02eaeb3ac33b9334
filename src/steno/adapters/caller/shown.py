"""What goes out for a view: the caller's own objects wherever nothing was edited.

They carry what the caller says this time, a cache mark that has moved for one;
what is encoded from the log would bring old marks back, more than a provider
allows. A message of which some blocks are shown otherwise is told from the
caller's own text too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from steno.adapters.caller.heard import Said
from steno.core import chain
from steno.core.message import Message
from steno.core.view import View
from steno.session.session import Session
from steno.wire import value_of

MARK = "cache_control"


class Painter:
    """Remembers what the last request was made of: most of it goes out again."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[Message, bytes, list[Any]]] = {}

    def painted(self, session: Session, view: View, given: Mapping[int, Said]) -> list[Any]:
        shown: list[Any] = []
        used: dict[int, tuple[Message, bytes, list[Any]]] = {}
        for item in view.items:
            for at, message in enumerate(item.shows):
                said = given.get(item.span.start) if at == item.main else None
                if not message.blocks:
                    continue
                if said is not None and message is view.messages[item.span.start]:
                    shown.append(said.given)
                    continue
                text = said.text if said is not None and message.patches else b""
                last = self._last.get(id(message))
                if last is None or last[0] is not message or last[1] != text:
                    last = (message, text, _encoded(session, message, text))
                used[id(message)] = last
                shown += last[2]
        self._last = used
        return shown


def _encoded(session: Session, message: Message, text: bytes) -> list[Any]:
    """A message that is not as it was said; from the text it has now, where that is the same message."""
    wire = session.setup.wire
    raw = text.decode() if text else None
    if raw is not None and message.raw is not None and chain.canonical(raw) == chain.canonical(message.raw):
        return [value_of(part) for part in wire.encode(msgspec.structs.replace(message, raw=raw))]
    return [unmarked(value_of(part)) for part in wire.encode(message)]


def unmarked(value: Any) -> Any:
    """A message without the cache marks of an earlier call, its blocks' too."""
    if not isinstance(value, dict):
        return value
    kept = {key: each for key, each in value.items() if key != MARK}
    if isinstance(kept.get("content"), list):
        kept["content"] = [unmarked(each) for each in kept["content"]]
    return kept
