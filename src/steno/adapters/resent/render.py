"""Turns a view into the list to send: the caller's own objects wherever nothing was edited.

The caller's objects carry what it says this time, for instance a cache mark that
has moved. A message with some blocks shown otherwise is made from the
caller's newest text too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from steno.adapters.resent.incoming import IncomingMessage, ListFormat
from steno.core.item import Item
from steno.core.message import Block, Message, Patch, Result, Text
from steno.core.view import View
from steno.core.wire import Wire
from steno.providers import parse_json

Given = Mapping[int, IncomingMessage]
"""The caller's message for each position that is in its list."""

_Rendered = tuple[Message, bytes, tuple[str, ...]]
"""A message, the caller's text for it, and the JSON that was made of both."""


class ShownMessage(NamedTuple):
    """One message to send, and the positions it stands for."""

    object: Any
    start: int
    stop: int
    logged: bool
    """Whether it is the message said at `start`, as it was or with some blocks changed."""


class ListRenderer:
    """Renders views, and remembers the JSON of the last one: most of it goes out again.

    It holds no object: callers change what they get, and equal lists may be of several callers.
    """

    def __init__(self, form: ListFormat) -> None:
        self._form = form
        self._last: dict[int, _Rendered] = {}

    def render(self, wire: Wire, view: View, given: Given) -> list[ShownMessage]:
        """Return the messages that a view shows, as the caller's objects."""
        shown: list[ShownMessage] = []
        used: dict[int, _Rendered] = {}
        messages = view.messages
        head = view.head
        for item in view.items:
            start, stop = item.span.start, item.span.stop
            if head is not None and view.takes_head_before(item):
                # It stands for no position, like a message that repair adds.
                [block, *_] = self._objects(wire, head, used)
                shown.append(ShownMessage(block, start, start, logged=False))
                head = None
            empty = len(item.span) == 1 and not messages[start].blocks
            if empty and start in given and self._form.sends_empty:
                shown.append(ShownMessage(given[start].given, start, stop, logged=True))
                continue
            for at, message in enumerate(item.shows):
                logged = at == item.main
                incoming = _incoming_for(message, item, logged, messages, given)
                if not message.blocks:
                    continue
                if incoming is not None and not message.patches:
                    shown.append(ShownMessage(incoming.given, start, stop, logged))
                    continue
                for made in self._objects(wire, message, used, messages[start], incoming):
                    shown.append(ShownMessage(made, start, stop, logged))
        # Only what this view shows, so that the cache never outgrows a view.
        self._last = used
        return shown

    def _objects(
        self,
        wire: Wire,
        message: Message,
        used: dict[int, _Rendered],
        logged: Message | None = None,
        incoming: IncomingMessage | None = None,
    ) -> list[Any]:
        """Return new objects for a message that is not shown as the caller said it."""
        text, given = b"", None
        if incoming is not None:
            text, given = incoming.text, incoming.given
        last = self._last.get(id(message))
        # An id alone is not enough: it may have passed on to another message.
        if last is None or last[0] is not message or last[1] != text:
            said = message
            if logged is not None and incoming is not None:
                now = wire.decode(incoming.plain, text.decode(), "a message")
                patches = tuple(_move_patches(message.patches, logged.blocks, now.blocks))
                said = msgspec.structs.replace(now, patches=patches)
            last = (message, text, tuple(wire.encode(said)))
        used[id(message)] = last
        return [self._form.to_object(parse_json(value), given) for value in last[2]]


def _incoming_for(
    message: Message, item: Item, logged: bool, messages: Sequence[Message], given: Given
) -> IncomingMessage | None:
    """Return the caller's message that is shown here, if it is one."""
    if logged:
        incoming = given.get(item.span.start)
        if message.patches or message == messages[item.span.start]:
            return incoming
        return None
    if message.raw is None or message.patches:
        return None
    # An edit may show a message of its span again, word for word.
    for position in range(item.span.start, item.span.stop):
        if position in given and messages[position].raw == message.raw:
            return given[position]
    return None


def _move_patches(
    patches: Sequence[Patch], logged: Sequence[Block], now: Sequence[Block]
) -> list[Patch]:
    """Return the patches for the blocks that are still there; a reminder's block may be gone."""
    moved: dict[int, Patch] = {}
    for at, blocks in patches:
        # Of several blocks that say the same, each is patched once.
        free = [to for to in (at, *range(len(now))) if to < len(now) and to not in moved]
        found = [to for to in free if now[to] == logged[at]]
        found = found or [to for to in free if is_within(now[to], logged[at])]
        if found:
            moved[found[0]] = (found[0], blocks)
    return [moved[to] for to in sorted(moved)]


def is_within(block: Block, other: Block) -> bool:
    """Tell whether a block says nothing that the other does not."""
    match block, other:
        case Text(text), Text(whole):
            return bool(text.strip()) and text.strip() in whole
        case Result(call), Result(was):
            return call == was and bool(block.text.strip()) and block.text.strip() in other.text
    return block == other
