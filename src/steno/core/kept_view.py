"""A view as bytes can hold it, so that a later process opens a long session without reading it.

It has everything but the messages, which are in the store. Tokens and repaired forms are right
only for the rules and the meter that made them, so those are told too.
"""

from __future__ import annotations

from dataclasses import fields, replace

import msgspec

from steno.core.item import Item
from steno.core.message import Message
from steno.core.meter import probe_counts
from steno.core.packing import ArrivalPacking
from steno.core.repair import RepairState
from steno.core.state import CarriedState
from steno.core.tape import BLOCK, Tape
from steno.core.view import View


class KeptView(msgspec.Struct, frozen=True, array_like=True):
    made_by: str
    """The rules and the meter."""
    heavier: dict[int, float]
    commits: int
    """How many commits it is the view under."""
    left: int
    """How many messages before all that is shown as it arrived; they are left to the store."""
    arrivals: list[bytes]
    weights: Tape[tuple[int, ...]]
    items: list[int | Item]
    """A number stands for the arrival at that position."""
    raw: int
    mending: RepairState
    carried: CarriedState
    turn: int
    unbilled: tuple[int, ...]
    seen: int

    @classmethod
    def of(cls, view: View, commits: int) -> KeptView:
        """Return the view in this form; raise `ValueError` if bytes cannot hold an arrival."""
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
            _told_makers(view),
            dict(view.heavier),
            commits,
            left,
            blocks,
            view.weights,
            items,
            view.raw,
            view.mending,
            view.carried,
            view.turn,
            view.unbilled,
            view.seen,
        )

    def is_made_by(self, view: View) -> bool:
        """Tell whether another view would count and repair as this one was."""
        return self.made_by == _told_makers(view) and self.heavier == dict(view.heavier)

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
                items.append(arrivals[item])
            else:
                items.append(item)
        return replace(
            empty,
            messages=messages,
            arrivals=arrivals,
            weights=self.weights,
            items=Tape(items),
            raw=self.raw,
            mending=self.mending,
            carried=self.carried,
            turn=self.turn,
            unbilled=self.unbilled,
            seen=self.seen,
        )


def _told_makers(view: View) -> str:
    rules = [_told(getattr(view.terms, field.name)) for field in fields(view.terms)]
    meter = replace(view.meter, ratio=1.0)
    counts = [getattr(meter, field.name) for field in fields(meter)]
    return " ".join((*rules, *map(_told, counts), _told(probe_counts(meter.count))))


def _told(value: object) -> str:
    """Return what means the same in another process: a function is told by its name."""
    if isinstance(value, tuple):
        return ",".join(map(_told, value))
    if callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__)
    return repr(value)
