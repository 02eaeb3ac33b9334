"""Old messages of a session, left in its store and read back by their positions.

A log holds 18 bytes for a block of them: how many they are, and a hash. What the store gives
back is compared with the hash, so a reader gets the very messages that were held, or an error:
a session that was deleted stays deleted, though another was begun under its name. Of those that
were never held, because the session was opened without them, only the number is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b

import msgspec

from steno.core.errors import NotHere
from steno.core.message import Message, Span
from steno.core.store import MessageReader, Store
from steno.core.tape import BLOCK, Tape

COUNT_BYTES, HASH_BYTES = 2, 16


class StoredMessages:
    """Packs messages as where they are kept; a packing for `Tape.pack`."""

    def __init__(self, store: Store, name: str, read: MessageReader) -> None:
        self._store, self._name, self._read_message = store, name, read
        # A session keeps its parent, which cannot be deleted before it.
        self._origin = cache(self._find_origin)

    def pack(self, cells: Sequence[Message], start: int) -> bytes | None:
        hashed = _hash_messages(cells)
        # A message that the store gives back as another one stays in memory.
        if hashed is None or _hash_messages(self._read(start, start + len(cells))) != hashed:
            return None
        return len(cells).to_bytes(COUNT_BYTES) + hashed

    def unpack(self, packed: bytes, start: int) -> list[Message]:
        count, hashed = int.from_bytes(packed[:COUNT_BYTES]), packed[COUNT_BYTES:]
        stop = start + count
        found = self._read(start, stop)
        if len(found) != count or (hashed and _hash_messages(found) != hashed):
            raise NotHere(
                f"{Span(start, stop)} of {self._name!r} is no longer in its store: the session "
                "was deleted there or replaced"
            )
        return found

    def unread(self, count: int, rest: Sequence[Message]) -> Tape[Message]:
        """Return a tape of messages in the store, in whole blocks, and the rest."""
        return Tape.of_blocks([BLOCK.to_bytes(COUNT_BYTES)] * (count // BLOCK), self, rest)

    def _read(self, start: int, stop: int) -> list[Message]:
        return self._read_of(self._name, start, stop)

    def _read_of(self, name: str, start: int, stop: int) -> list[Message]:
        """Read messages of a session, those of its parent that it begins with included."""
        found: list[Message] = []
        parent, fork = self._origin(name)
        if parent is not None and start < fork:
            found = self._read_of(parent, start, min(stop, fork))
        own = max(start, fork)
        if own < stop:
            kept = self._store.messages_from(name, self._read_message, own, stop - own)
            found += [each.message for each in kept]
        return found

    def _find_origin(self, name: str) -> tuple[str | None, int]:
        info = self._store.session_info(name)
        return info.parent, info.fork or 0


def _hash_messages(messages: Sequence[Message]) -> bytes | None:
    """Return a hash of messages; None if they hold what cannot be encoded."""
    try:
        encoded = msgspec.msgpack.encode(messages)
    # A lone surrogate in a broken text, a number of more than 64 bits, a type of the caller's.
    except (TypeError, ValueError, OverflowError):
        return None
    return blake2b(encoded, digest_size=HASH_BYTES).digest()
