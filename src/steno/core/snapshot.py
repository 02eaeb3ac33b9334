"""A view and what was folded of its messages, in bytes: a later process goes on from there.

A snapshot is states by name. Each name ends with the number of a format, which a person raises
when the code makes another state of the same messages; a state of another number is not used,
and the rest is. So an upgrade makes only those states again that it changed.

The view has everything but the messages, which are in the store. Its tokens and repaired forms
are right only for the rules and the meter that made them, so it names both. The state of a fold
is decoded by the type that the fold returns; a fold without `stored_as` is folded again.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from types import FunctionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from steno.core.growing_set import GrowingSet
from steno.core.item import Item
from steno.core.message import Message
from steno.core.meter import BLOCK_PROBES, probe_counts
from steno.core.packing import ArrivalPacking, ValuePacking
from steno.core.repair import RepairState
from steno.core.state import CarriedState
from steno.core.tape import BLOCK, FoldFunction, StoredStates, Tape, stored_name
from steno.core.view import View

T = TypeVar("T")

VIEW_STORED_AS = "view 1"
"""Raise the number if the same messages and commits make another view."""

AS_THEY_ARE = ("weights", "raw", "mending", "carried", "turn", "unbilled", "seen")
"""Fields of a view that are stored as they are."""

_packing_of: Callable[[Any], ValuePacking[Any]] = cache(ValuePacking)


class StoredView(msgspec.Struct, frozen=True, array_like=True):
    made_by: str
    """The rules and the meter."""
    heavier: dict[int, float]
    commits: int
    """How many commits it is the view under."""
    left: int
    """How many messages before all that is shown as it arrived; they are left to the store."""
    arrivals: list[bytes]
    items: list[int | Item]
    """A number stands for the arrival at that position."""
    weights: Tape[tuple[int, ...]]
    raw: int
    mending: RepairState
    carried: CarriedState
    turn: int
    unbilled: tuple[int, ...]
    seen: int

    @classmethod
    def of(cls, view: View, commits: int) -> StoredView:
        """Return the view in this form; raise `ValueError` if bytes cannot hold it."""
        made_by = _makers_of(view)
        if made_by is None:
            raise ValueError("no other process could know the rules and the meter of the view")
        blocks, rest = view.arrivals.packed_blocks(ArrivalPacking)
        first = len(blocks) * BLOCK
        left = max(first, view.boundary // BLOCK * BLOCK)
        packing = ArrivalPacking(view.messages)
        for at in range(0, len(rest), BLOCK):
            packed = packing.pack(rest[at : at + BLOCK], first + at)
            if packed is None:
                raise ValueError(f"what arrived from {first + at} on cannot be kept")
            blocks.append(packed)
        items: list[int | Item] = []
        for item in view.items:
            # An older one is not compared: its arrival would be read from the store.
            if item.span.start >= left and view.is_arrival(item):
                items.append(item.span.start)
            else:
                items.append(item)
        return cls(
            made_by,
            dict(view.heavier),
            commits,
            left,
            blocks,
            items,
            *(getattr(view, name) for name in AS_THEY_ARE),
        )

    def is_made_by(self, view: View) -> bool:
        """Tell whether another view would count and repair as this one was."""
        return self.made_by == _makers_of(view) and self.heavier == dict(view.heavier)

    def restore(self, empty: View, messages: Tape[Message]) -> View:
        """Return the view; `messages` are those that it is of, and `empty` has its makers."""
        packing = ArrivalPacking(messages)
        whole = self.left // BLOCK
        cells: list[Item] = []
        for at, block in enumerate(self.arrivals[whole:], whole):
            cells += packing.unpack(block, at * BLOCK)
        arrivals = Tape.of_blocks(self.arrivals[:whole], packing, cells)
        items: list[Item] = []
        for item in self.items:
            if isinstance(item, int):
                item = arrivals[item]
            items.append(item)
        return replace(
            empty,
            messages=messages,
            arrivals=arrivals,
            items=Tape(items),
            **{name: getattr(self, name) for name in AS_THEY_ARE},
        )


def _makers_of(view: View) -> str | None:
    """Describe the rules and the meter so that they mean the same in another process.

    Names of a meter or of a function do not say how it counts, so counts of probes do. None if a
    function has no name by which another process could know it.
    """
    meter = view.meter
    made_by = [getattr(view.terms, field.name) for field in fields(view.terms)]
    names = [_name_maker(each) for each in (*made_by, meter.signatures, meter.lapses)]
    if None in names:
        return None
    counts = (*probe_counts(meter.count), *map(meter.block, BLOCK_PROBES))
    return f"{names} {meter.name!r} {meter.overheads} {counts}"


def _name_maker(value: object) -> str | None:
    if isinstance(value, tuple):
        names = [_name_maker(each) for each in value]
        if None in names:
            return None
        return str(names)
    if not callable(value):
        return repr(value)
    # Without its module, which an upgrade may rename: a session stays with its provider.
    name: str = getattr(value, "__qualname__", "<")
    if "<" in name:
        return None
    return name


def encode_snapshot(view: View, commits: int) -> bytes:
    """Return a view under so many commits, and what was folded of its messages.

    Raise `ValueError` if bytes cannot hold it.
    """
    seen = encode_state(StoredView.of(view, commits))
    return encode_state({VIEW_STORED_AS: (len(view.messages), seen)} | stored_states(view.messages))


def decode_snapshot(kept: bytes) -> StoredStates:
    """Return the states of a snapshot, not decoded yet; none of one in an older form."""
    return decode_state(kept, StoredStates) or {}


def take_view(states: StoredStates) -> StoredView | None:
    """Take the view out of the states of a snapshot; None if this version cannot read it."""
    _, kept = states.pop(VIEW_STORED_AS, (0, b""))
    view: StoredView | None = decode_state(kept, StoredView)
    return view


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
    replaced = set(map(_without_format, folded))
    states = {name: kept for name, kept in unread.items() if _without_format(name) not in replaced}
    for name, (at, state) in folded.items():
        if isinstance(state, dict):
            # Another thread, which drafts, may add to it while this one writes it.
            state = state.copy()
        states[name] = (at, encode_state(state))
    return states


def _without_format(name: str) -> str:
    return name.rpartition(" ")[0]


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
        return msgspec.msgpack.decode(kept, type=kind, dec_hook=_from_plain)
    except (msgspec.MsgspecError, zlib.error):
        return None


def _decode_fold(fold: FoldFunction[Any, Any], kept: bytes) -> Any:
    function = fold if isinstance(fold, FunctionType) else type(fold).__call__
    return decode_state(kept, get_type_hints(function)["return"])


class _TapeForm(msgspec.Struct, array_like=True):
    blocks: list[bytes]
    cells: bytes
    """Those after the blocks, packed together."""
    folds: StoredStates


def _to_plain(value: object) -> object:
    if isinstance(value, Tape):
        blocks, cells = value.packed_blocks(ValuePacking)
        packed = _packing_of(Any).pack(cells, 0)
        if packed is None:
            raise TypeError("bytes cannot hold one of these cells")
        return _TapeForm(blocks, packed, stored_states(value))
    if isinstance(value, GrowingSet):
        return value.to_bytes()
    raise TypeError(f"{type(value).__name__} cannot be kept")


def _from_plain(kind: Any, plain: Any) -> Any:
    if get_origin(kind) is Tape:
        form = msgspec.convert(plain, _TapeForm)
        packing = _packing_of(*get_args(kind))
        tape = Tape.of_blocks(form.blocks, packing, packing.unpack(form.cells, 0))
        adopt_states(tape, form.folds)
        return tape
    if kind is GrowingSet:
        return GrowingSet.from_bytes(plain)
    if get_origin(kind) is Counter:
        (key,) = get_args(kind)
        return Counter(msgspec.convert(plain, dict[key, int]))  # type: ignore[valid-type]
    raise NotImplementedError(f"{kind} cannot be read back")
