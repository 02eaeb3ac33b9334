"""A view as bytes can hold it, so that a later process opens a long session without reading it.

It has everything but the messages, which are in the store. Tokens and repaired forms are right
only for the rules and the meter that made them, so those are told too.
"""

from __future__ import annotations

from dataclasses import fields, replace

import msgspec

from steno.core.item import Item
from steno.core.message import Message
from steno.core.meter import BLOCK_PROBES, probe_counts
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
        """Return the view in this form; raise `ValueError` if bytes cannot hold it."""
        made_by = _told_makers(view)
        if made_by is None:
            raise ValueError("no other process could tell who made the view")
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


def _told_makers(view: View) -> str | None:
    """Tell the rules and the meter so that they mean the same in another process.

    Names of a meter or of a function do not tell how it counts, so counts of probes do. None if a
    function has no name by which another process could know it.
    """
    rules = [getattr(view.terms, field.name) for field in fields(view.terms)]
    meter = view.meter
    counts = (*probe_counts(meter.count), *map(meter.block, BLOCK_PROBES))
    told = [*map(_told, rules), _told(meter.signatures), _told(meter.lapses)]
    if None in told:
        return None
    return f"{told} {meter.name!r} {meter.overheads} {counts}"


def _told(value: object) -> str | None:
    if isinstance(value, tuple):
        told = [_told(each) for each in value]
        return None if None in told else str(told)
    if not callable(value):
        return repr(value)
    name = getattr(value, "__qualname__", "<")
    if "<" in name:
        return None
    return f"{value.__module__}.{name}"
