"""What goes out for a view: the caller's own objects wherever nothing was edited.

They carry what the caller says this time, a cache mark that has moved for one;
what is encoded from the log would bring old marks back, more than a provider
allows. A message of which some blocks are shown otherwise is told from the
caller's own text too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from steno.adapters.caller.heard import Said
from steno.core.message import Block, Message, Patch, Result, Text
from steno.core.view import View
from steno.core.wire import Wire
from steno.session.session import Session
from steno.wire import value_of

MARK = "cache_control"


class Painter:
    """Remembers what the last request was made of: most of it goes out again."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[Message, bytes, list[Any]]] = {}

    def painted(self, session: Session, view: View, given: Mapping[int, Said]) -> list[Any]:
        """A message that says nothing goes out as it came: what is wrong with it is between caller and provider."""
        shown: list[Any] = []
        used: dict[int, tuple[Message, bytes, list[Any]]] = {}
        messages = list(view.messages)
        for item in view.items:
            position = item.span.start
            if position in given and len(item.span) == 1 and not messages[position].blocks:
                shown.append(given[position].given)
                continue
            for at, message in enumerate(item.shows):
                said = given.get(position) if at == item.main else None
                if said is not None and message is messages[position]:
                    shown.append(said.given)
                elif message.blocks:
                    text = said.text if said is not None and message.patches else b""
                    last = self._last.get(id(message))
                    if last is None or last[0] is not message or last[1] != text:
                        last = (message, text, _encoded(session.setup.wire, message, messages[position], text))
                    used[id(message)] = last
                    shown += last[2]
        self._last = used
        return shown


def _encoded(wire: Wire, message: Message, said: Message, text: bytes) -> list[Any]:
    """A message that is not shown as it was said; told from the text it has now, where it has one."""
    if not text:
        return [unmarked(value_of(part)) for part in wire.encode(message)]
    raw = text.decode()
    now = wire.decode(value_of(raw), raw, "a message")
    patches = tuple(sorted(_moved(message.patches, said.blocks, now.blocks)))
    return [value_of(part) for part in wire.encode(msgspec.structs.replace(now, patches=patches))]


def _moved(patches: Sequence[Patch], said: Sequence[Block], now: Sequence[Block]) -> Iterator[Patch]:
    """The patches for the blocks that are still there: what lived only on the newest message is gone."""
    for at, blocks in patches:
        to = next((to for to, block in enumerate(now) if block == said[at]), None)
        to = next((to for to, block in enumerate(now) if within(block, said[at])), None) if to is None else to
        if to is not None:
            yield to, blocks


def within(block: Block, other: Block) -> bool:
    """A block that says nothing beyond the other."""
    match block, other:
        case Text(text), Text(whole):
            return bool(text.strip()) and text.strip() in whole
        case Result(call), Result(was):
            return call == was and bool(block.text.strip()) and block.text.strip() in other.text
    return block == other


def unmarked(value: Any) -> Any:
    """A message without the cache marks of an earlier call, its blocks' too."""
    if not isinstance(value, dict):
        return value
    kept = {key: each for key, each in value.items() if key != MARK}
    if isinstance(kept.get("content"), list):
        kept["content"] = [unmarked(each) for each in kept["content"]]
    return kept
