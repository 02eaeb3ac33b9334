"""Values in few bytes: encoded, and compressed together with their neighbours.

The states of folds too, for a later process that goes on with the same history: each is decoded
by the type that its fold returns, so no fold has code of its own for this. A fold is known by its
name; one without a name, or of somebody else's code, is folded again.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from threading import Lock
from types import FunctionType
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from steno.core.item import Item
from steno.core.message import Message, Span
from steno.core.tape import FoldFunction, GrowingSet, Tape

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


OURS = "steno."
"""Modules whose folds are kept: who keeps the bytes compares the version of this code alone."""

Kept = Mapping[str, tuple[int, bytes]]
"""By the name of a fold: how many cells it has read, and its state then."""
_packing_of: Callable[[Any], ValuePacking[Any]] = cache(ValuePacking)


class _TapeForm(msgspec.Struct, array_like=True):
    blocks: list[bytes]
    cells: bytes
    """Those after the blocks, packed together."""
    folds: dict[str, tuple[int, bytes]]


def encode_folds(tape: Tape[Any]) -> bytes:
    """Return what was folded of a tape; raise `ValueError` if bytes cannot hold it."""
    return encode_state(_folds_of(tape))


def encode_state(state: object) -> bytes:
    """Return a state that may hold tapes as bytes; raise `ValueError` if they cannot hold it."""
    try:
        return msgspec.msgpack.encode(state, enc_hook=_encode)
    # A lone surrogate in a broken text, a number of more than 64 bits, a type of the caller's.
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from error


def decode_state(kept: bytes, kind: type[T]) -> T | None:
    """Return the state that was encoded; None if these bytes hold none of this kind."""
    try:
        return _decode(kept, kind)  # type: ignore[no-any-return]
    except (msgspec.MsgspecError, zlib.error):
        return None


def adopt_folds(tape: Tape[Any], kept: bytes) -> None:
    """Let a tape go on from what was folded of the same cells before."""
    tape.adopt_folds(KeptFolds(msgspec.msgpack.decode(kept, type=dict[str, tuple[int, bytes]])))


class KeptFolds:
    """States that were kept, each decoded when its fold is first asked for."""

    def __init__(self, kept: Kept) -> None:
        self.unread = dict(kept)
        self._lock = Lock()

    def read(
        self, fold: FoldFunction[Any, Any], into: dict[FoldFunction[Any, Any], tuple[int, Any]]
    ) -> None:
        """Put the state of a fold among those that are known, if it was kept."""
        name = _name_of(fold)
        # Another thread waits, rather than fold everything again.
        with self._lock:
            if name in self.unread:
                at, kept = self.unread.pop(name)
                state = decode_state(kept, _type_of(fold))
                # What cannot be read is folded again.
                if state is not None:
                    into.setdefault(fold, (at, state))

    def copy(self, upto: int) -> KeptFolds:
        """Return those that were made of no more cells than the first `upto`."""
        with self._lock:
            return KeptFolds({name: kept for name, kept in self.unread.items() if kept[0] <= upto})


def _folds_of(tape: Tape[Any]) -> Kept:
    known, unread = tape.folds_so_far()
    kept = dict(unread)
    for fold, (at, state) in known.items():
        name = _name_of(fold)
        if name:
            if isinstance(state, dict):
                # Another thread, which drafts, may add to it while this one writes it.
                state = state.copy()
            kept[name] = (at, encode_state(state))
    return kept


def _name_of(fold: FoldFunction[Any, Any]) -> str:
    """Return the name of a fold; empty if it has none that means the same in another process."""
    if isinstance(fold, FunctionType):
        name = f"{fold.__module__}.{fold.__qualname__}"
    else:
        name = f"{type(fold).__module__}.{getattr(fold, 'kept_as', '<locals>')}"
    return name if name.startswith(OURS) and "<locals>" not in name else ""


def _type_of(fold: FoldFunction[Any, Any]) -> Any:
    function = fold if isinstance(fold, FunctionType) else type(fold).__call__
    return get_type_hints(function)["return"]


def _encode(value: object) -> object:
    if isinstance(value, Tape):
        blocks, cells = value.packed_blocks(ValuePacking)
        packed = _packing_of(Any).pack(cells, 0)
        if packed is None:
            raise TypeError("bytes cannot hold one of these cells")
        return _TapeForm(blocks, packed, dict(_folds_of(value)))
    if isinstance(value, GrowingSet):
        return value.to_bytes()
    raise TypeError(f"{type(value).__name__} cannot be kept")


def _decode(kept: bytes, kind: Any) -> Any:
    return msgspec.msgpack.decode(kept, type=kind, dec_hook=_from_plain)


def _from_plain(kind: Any, plain: Any) -> Any:
    if get_origin(kind) is Tape:
        (cell,) = get_args(kind)
        form = msgspec.convert(plain, _TapeForm)
        packing = _packing_of(cell)
        tape = Tape.of_blocks(form.blocks, packing, packing.unpack(form.cells, 0))
        tape.adopt_folds(KeptFolds(form.folds))
        return tape
    if kind is GrowingSet:
        return GrowingSet.from_bytes(plain)
    if get_origin(kind) is Counter:
        (key,) = get_args(kind)
        return Counter(msgspec.convert(plain, dict[key, int]))  # type: ignore[valid-type]
    raise NotImplementedError(f"{kind} cannot be read back")
