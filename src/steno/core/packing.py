"""Values in few bytes: encoded, and compressed together with their neighbours."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import msgspec

from steno.core.item import Item
from steno.core.message import Message, Span
from steno.core.tape import Tape

T = TypeVar("T")

HELD_READY = 8_192
"""Newest messages that are not packed: a compaction looks through most of them."""
FASTEST = 1
"""Level of compression; the next ones save little and take twice as long."""


class ValuePacking(Generic[T]):
    """Packs values of one type, each by itself."""

    def __init__(self, kind: Any) -> None:
        """Take the type of one value, as an annotation writes it."""
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder: msgspec.msgpack.Decoder[list[T]] = msgspec.msgpack.Decoder(list[kind])

    def pack(self, cells: Sequence[T], start: int) -> bytes | None:
        try:
            return zlib.compress(self._encoder.encode(cells), FASTEST)
        # A lone surrogate in a broken text, a number of more than 64 bits, a type of the caller's.
        except (TypeError, ValueError, OverflowError):
            return None

    def unpack(self, packed: bytes, start: int) -> list[T]:
        return self._decoder.decode(zlib.decompress(packed))


MESSAGES: ValuePacking[Message] = ValuePacking(Message)
WEIGHTS: ValuePacking[tuple[int, ...]] = ValuePacking(tuple[int, ...])


class ArrivalPacking:
    """Packs items that show one message as it came as their tokens alone."""

    _items: ValuePacking[int | Item] = ValuePacking(int | Item)

    def __init__(self, messages: Tape[Message]) -> None:
        self._messages = messages

    def pack(self, cells: Sequence[Item], start: int) -> bytes | None:
        short = [
            item.tokens if item == self._plain(at, item.tokens) else item
            for at, item in enumerate(cells, start)
        ]
        return self._items.pack(short, start)

    def unpack(self, packed: bytes, start: int) -> list[Item]:
        return [
            self._plain(at, short) if isinstance(short, int) else short
            for at, short in enumerate(self._items.unpack(packed, start), start)
        ]

    def _plain(self, at: int, tokens: int) -> Item:
        return Item(Span(at, at + 1), (self._messages[at],), tokens, 0)
