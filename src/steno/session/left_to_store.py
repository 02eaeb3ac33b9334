"""Old messages of a session and their facts, left in its store and read back by position.

A log holds 18 bytes for a block of them: how many they are, and a hash. What the store gives
back is compared with the hash, so a reader gets the very values that were held, or an error:
a session that was deleted stays deleted, though another was begun under its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b

import msgspec

from steno.core.errors import NotHere
from steno.core.message import Message, Span
from steno.core.store import FindsFacts, MessageReader, Store
from steno.core.tape import Tape
from steno.facts.fact import FACTS_VERSION, decode_facts
from steno.facts.ledger import Facts, facts_of

COUNT_BYTES, HASH_BYTES = 2, 16


class MessagesInStore:
    """Packs messages as where they are kept; a packing for `Tape.pack`."""

    def __init__(self, store: Store, name: str, read: MessageReader) -> None:
        self._store, self._name, self._read_message = store, name, read
        # A session keeps its parent, which cannot be deleted before it.
        self._origin = cache(self._find_origin)

    def pack(self, cells: Sequence[Message], start: int) -> bytes | None:
        packed = _count_and_hash(cells)
        # A message that the store gives back as another one stays in memory.
        if _count_and_hash(self._read(self._name, start, start + len(cells))) != packed:
            return None
        return packed

    def unpack(self, packed: bytes, start: int) -> list[Message]:
        stop = start + _count(packed)
        found = self._read(self._name, start, stop)
        if _count_and_hash(found) != packed:
            raise NotHere(
                f"{Span(start, stop)} of {self._name!r} is no longer in its store: the session "
                "was deleted there or replaced"
            )
        return found

    def _read(self, name: str, start: int, stop: int) -> list[Message]:
        """Read messages of a session, those of its parent that it begins with included."""
        found: list[Message] = []
        parent, fork = self._origin(name)
        if parent is not None and start < fork:
            found = self._read(parent, start, min(stop, fork))
        own = max(start, fork)
        if own < stop:
            kept = self._store.messages_from(name, self._read_message, own, stop - own)
            found += [each.message for each in kept]
        return found

    def _find_origin(self, name: str) -> tuple[str | None, int]:
        info = self._store.session_info(name)
        return info.parent, info.fork or 0


class FactsInStore:
    """Packs facts as where they are kept; those that the store lacks are read again."""

    def __init__(self, store: FindsFacts, name: str, messages: Tape[Message]) -> None:
        self._store, self._name, self._messages = store, name, messages

    def pack(self, cells: Sequence[Facts], start: int) -> bytes | None:
        packed = _count_and_hash(cells)
        if _count_and_hash(self._find(start, start + len(cells))) != packed:
            return None
        return packed

    def unpack(self, packed: bytes, start: int) -> list[Facts]:
        stop = start + _count(packed)
        found = self._find(start, stop)
        if _count_and_hash(found) != packed:
            # Facts of another session that has the name now; the messages of this one say so.
            return [facts_of(message) for message in self._messages[start:stop]]
        return found

    def _find(self, start: int, stop: int) -> list[Facts]:
        kept = self._store.facts_between(self._name, FACTS_VERSION, start, stop)
        found: list[Facts] = []
        for at in range(start, stop):
            facts = decode_facts(kept[at]) if at in kept else None
            if facts is None:
                facts = facts_of(self._messages[at])
            found.append(facts)
        return found


def _count(packed: bytes) -> int:
    return int.from_bytes(packed[:COUNT_BYTES])


def _count_and_hash(values: Sequence[object]) -> bytes | None:
    """Return how many values these are and a hash of them; None if one cannot be encoded."""
    try:
        encoded = msgspec.msgpack.encode(values)
    # A lone surrogate in a broken text, a number of more than 64 bits, a type of the caller's.
    except (TypeError, ValueError, OverflowError):
        return None
    hashed = blake2b(encoded, digest_size=HASH_BYTES).digest()
    return len(values).to_bytes(COUNT_BYTES) + hashed
