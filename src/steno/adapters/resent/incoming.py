"""Which message each one of a list is, at the price of reading what is new.

A caller sends a hundred thousand tokens again to add two messages. Each message
is told by a hash of its text; the canonical key behind it is computed once and
remembered. No trust is put in the identity of the caller's objects: they can be
changed in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from steno.core import message_key as chain
from steno.core.wire import Wire
from steno.wires import json_text, parse_json, to_plain

REMEMBERED_MOST = 50_000


class IncomingMessage(NamedTuple):
    """One message as it came this time."""

    given: Any
    """The caller's own object."""
    text: bytes
    key: bytes


class IncomingReader:
    """Remembers the canonical keys of texts in one wire's words, the newest of them."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._keys: dict[bytes, bytes] = {}

    def read(self, messages: Sequence[Any]) -> list[IncomingMessage]:
        """Raises BadMessage with the place where a message cannot be read."""
        known = self._keys
        said = []
        for at, message in enumerate(messages):
            text = _encode(message, at)
            digest = blake2b(text, digest_size=16).digest()
            said.append(
                IncomingMessage(
                    message, text, known.get(digest) or self._learn_key(digest, text, at)
                )
            )
        return said

    def _learn_key(self, digest: bytes, text: bytes, at: int) -> bytes:
        raw = text.decode()
        key = chain.message_key(self._wire.decode(parse_json(raw), raw, f"messages[{at}]"))
        while len(self._keys) >= REMEMBERED_MOST:
            del self._keys[next(iter(self._keys))]
        self._keys[digest] = key
        return key


def chain_keys(said: Sequence[IncomingMessage]) -> list[bytes]:
    """The chain key after each message."""
    found, last = [], chain.EMPTY_CHAIN
    for each in said:
        last = blake2b(last + each.key, digest_size=16).digest()
        found.append(last)
    return found


def _encode(message: Any, at: int) -> bytes:
    try:
        return _ENCODER.encode(message)
    except (TypeError, ValueError, OverflowError):
        # Lone surrogates, numbers past 64 bits, objects of other makes: the careful way, which says what is wrong.
        return json_text(to_plain(message, f"messages[{at}]")).encode()


def _dump_sdk_object(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json", exclude_unset=True, by_alias=True)
    raise TypeError


_ENCODER = msgspec.json.Encoder(enc_hook=_dump_sdk_object)
