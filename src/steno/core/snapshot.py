"""What was folded of messages, in bytes: a later process goes on from there.

A snapshot is states by name. A state of another format than the code's is not used, and the rest
is. A state is decoded by the type that its fold returns; a fold without `stored_as` is folded
again.
"""

from __future__ import annotations

import zlib
from collections import Counter
from functools import cache
from types import FunctionType
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from steno.core.decoders import convert, first_use
from steno.core.tape import FoldFunction, StoredStates, Tape, stored_name

FASTEST = 1
"""Level of compression; the next ones save little and take twice as long."""
VIEW_BEFORE = "view 1"
"""A state of versions that also kept the view; it is not passed on."""


def encode_snapshot(messages: Tape[Any]) -> bytes:
    """Return what was folded of messages; raise `ValueError` if bytes cannot hold it."""
    return encode_state(stored_states(messages))


def decode_snapshot(kept: bytes) -> StoredStates:
    """Return the states of a snapshot, not decoded yet; none of one in an older form."""
    states: StoredStates = decode_state(kept, StoredStates) or {}
    states.pop(VIEW_BEFORE, None)
    return states


def adopt_states(tape: Tape[Any], states: StoredStates) -> None:
    """Let a tape go on from what was folded of the same cells before."""
    tape.adopt_folds(states, _decode_fold)


def fold_names(tape: Tape[Any]) -> set[str]:
    """Return the names of the folds of a tape that a snapshot holds."""
    known, _ = tape.folds_so_far()
    return set(filter(None, map(stored_name, known)))


def stored_states(tape: Tape[Any]) -> StoredStates:
    """Return what was folded of a tape; raise `ValueError` if bytes cannot hold it."""
    known, unread = tape.folds_so_far()
    folded = {stored_name(fold): made for fold, made in known.items() if stored_name(fold)}
    # What nobody asked for is passed on, but not in a format that has been replaced.
    replaced = {name.rpartition(" ")[0] for name in folded}
    states = {
        name: kept for name, kept in unread.items() if name.rpartition(" ")[0] not in replaced
    }
    for name, (at, state) in folded.items():
        if isinstance(state, dict):
            # Another thread, which drafts, may add to it while this one writes it.
            state = state.copy()
        states[name] = (at, encode_state(state))
    return states


def encode_state(state: object) -> bytes:
    """Return a state that may hold tapes as bytes; raise `ValueError` if they cannot hold it."""
    try:
        return msgspec.msgpack.encode(state, enc_hook=_to_plain)
    # A lone surrogate in a broken text, a number of more than 64 bits, a type of the caller's.
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from error


def decode_state(kept: bytes, kind: Any) -> Any:
    """Return the state that was encoded; None if these bytes hold none of this kind."""
    try:
        return _decoder(kind).decode(kept)
    except (msgspec.MsgspecError, zlib.error):
        return None


@cache
def _decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    with first_use:
        return msgspec.msgpack.Decoder(kind, dec_hook=_from_plain)


def _decode_fold(fold: FoldFunction[Any, Any], kept: bytes) -> Any:
    function: Any = fold
    if not isinstance(fold, FunctionType):
        function = type(fold).__call__
    return decode_state(kept, get_type_hints(function)["return"])


class _TapeForm(msgspec.Struct, array_like=True):
    blocks: list[bytes]
    """Cells before the others; earlier versions packed them in blocks."""
    cells: bytes
    folds: StoredStates


def _to_plain(value: object) -> object:
    if isinstance(value, Tape):
        packed = zlib.compress(msgspec.msgpack.encode(list(value)), FASTEST)
        return _TapeForm([], packed, stored_states(value))
    raise TypeError(f"{type(value).__name__} cannot be kept")


def _from_plain(kind: Any, plain: Any) -> Any:
    if get_origin(kind) is Tape:
        form = convert(plain, _TapeForm)
        (cell,) = get_args(kind)
        with first_use:
            cells = msgspec.msgpack.Decoder(list[cell])  # type: ignore[valid-type]
        packed = map(zlib.decompress, (*form.blocks, form.cells))
        tape = Tape(each for block in packed for each in cells.decode(block))
        adopt_states(tape, form.folds)
        return tape
    if get_origin(kind) is Counter:
        (key,) = get_args(kind)
        return Counter(msgspec.convert(plain, dict[key, int]))  # type: ignore[valid-type]
    raise NotImplementedError(f"{kind} cannot be read back")
