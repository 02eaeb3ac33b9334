"""Reads a list of messages into texts and keys; what was read before costs one hash.

A caller sends a hundred thousand tokens again to add two messages. Each message is
looked up by a hash of its text; its canonical key is computed once and remembered.
The identity of the caller's objects is not trusted: they can be changed in place.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

import msgspec

from steno.core import message_key
from steno.core.errors import BadMessage
from steno.core.fence import Fence
from steno.core.message import Message
from steno.core.wire import Wire
from steno.providers import json_text, parse_json, to_plain
from steno.providers.cache_marks import cache_mark_keys
from steno.summary.reimport import split_joined

REMEMBERED_MOST = 50_000


class ListFormat(Protocol):
    """How a caller writes its messages: from its objects to JSON text, and back."""

    sends_empty: bool
    """Whether a message that says nothing is sent, for the provider to judge, or left out."""

    @property
    def wire(self) -> Wire: ...

    def to_text(self, message: Any, where: str) -> bytes:
        """Return the JSON text of one message; raise BadMessage with `where` if it has none."""
        ...

    def key(self, message: Message) -> bytes:
        """Return a key that is the same each time this message is sent."""
        ...

    def to_object(self, value: Any, original: Any | None) -> Any:
        """Return the caller's kind of object for JSON; `original` is the message it changes."""
        ...

    def usage(self, message: Any) -> Any:
        """Return the usage that a reply carries with it, or None."""
        ...


class SdkFormat:
    """The messages of the providers' SDKs: dicts, or objects with `model_dump`."""

    sends_empty = True

    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    def to_text(self, message: Any, where: str) -> bytes:
        try:
            return _ENCODER.encode(message)
        except (TypeError, ValueError, OverflowError):
            # Lone surrogates, numbers past 64 bits, unknown objects: the slow way says what is
            # wrong with them.
            return json_text(to_plain(message, where)).encode()

    def key(self, message: Message) -> bytes:
        return message_key.message_key(message)

    def to_object(self, value: Any, original: Any | None) -> Any:
        # Text from the log carries the cache marks of an earlier call, and a provider allows four.
        if original is None:
            return without_cache_marks(value)
        return value

    def usage(self, message: Any) -> None:
        """Return nothing: the SDKs report usage with the response, not on the message."""


def without_cache_marks(value: Any) -> Any:
    """Return a message without cache marks, on itself, on its blocks, or as blocks."""
    if not isinstance(value, dict):
        return value
    marks = cache_mark_keys()
    kept = {key: inner for key, inner in value.items() if key not in marks}
    if isinstance(kept.get("content"), list):
        blocks = [without_cache_marks(block) for block in kept["content"]]
        kept["content"] = [block for block in blocks if block != {}]
    return kept


class IncomingMessage(NamedTuple):
    """One message as it came this time."""

    given: Any
    """The caller's own object."""
    text: bytes
    key: bytes

    @property
    def plain(self) -> Any:
        return parse_json(self.text.decode())


IncomingList = Sequence[IncomingMessage]


class IncomingReader:
    """Reads the lists of one format, and remembers the keys of the newest texts."""

    def __init__(self, form: ListFormat) -> None:
        self.form = form
        self._keys: dict[bytes, bytes] = {}
        self._lock = threading.Lock()
        """Held to forget and remember; looking up needs no lock."""

    def read(self, messages: Sequence[Any]) -> list[IncomingMessage]:
        """Read a list; raise BadMessage with the place of a message that cannot be read."""
        incoming = []
        for at, message in enumerate(messages):
            where = f"messages[{at}]"
            text = self.form.to_text(message, where)
            digest = blake2b(text, digest_size=16).digest()
            key = self._keys.get(digest)
            if key is not None:
                incoming.append(IncomingMessage(message, text, key))
            else:
                incoming += self._read_new(message, text, where)
        return incoming

    def remember_key(self, text: bytes, key: bytes) -> None:
        """Know a text by this key, though it may be another now: a secret was taken out of it."""
        digest = blake2b(text, digest_size=16).digest()
        with self._lock:
            # A dict keeps its order: the first key is the one learned longest ago.
            while len(self._keys) >= REMEMBERED_MOST:
                del self._keys[next(iter(self._keys))]
            self._keys[digest] = key

    def _read_new(self, given: Any, text: bytes, where: str) -> Iterator[IncomingMessage]:
        """Yield a message that was not read before, or those that were joined into it."""
        raw = text.decode()
        plain = parse_json(raw)
        if not isinstance(plain, dict):
            raise BadMessage(where, f"a message is an object, got {type(plain).__name__}")
        whole = self.form.wire.decode(plain, raw, where)
        original = given
        for message in split_joined(whole, self.form.wire):
            key = self.form.key(message)
            if message is whole:
                self.remember_key(text, key)
                yield IncomingMessage(given, text, key)
                continue
            said, source = message.raw or "", None
            # One of them keeps the caller's id.
            if Fence.parse(message.text) is None:
                source, original = original, None
            alone = self.form.to_object(parse_json(said), source)
            yield IncomingMessage(alone, said.encode(), key)


def chain_keys(incoming: IncomingList) -> list[bytes]:
    """Return the chain key after each message: it stands for the whole list up to there."""
    chain = []
    last = message_key.EMPTY_CHAIN
    for message in incoming:
        last = blake2b(last + message.key, digest_size=message_key.KEY_SIZE).digest()
        chain.append(last)
    return chain


def _dump_sdk_object(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        # Only what was set: the defaults that an SDK fills in were never sent.
        return dump(mode="json", exclude_unset=True, by_alias=True)
    raise TypeError


_ENCODER = msgspec.json.Encoder(enc_hook=_dump_sdk_object)
