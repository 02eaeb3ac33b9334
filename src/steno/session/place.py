"""Places in a log as callers write them: 17, "17", "17-42", "17.2" or a span."""

from __future__ import annotations

import re

from steno.core.errors import BadInput, NotHere
from steno.core.message import Block, Message, Span, Value

_PLACE = re.compile(r"\s*([0-9]{1,9})\s*(?:-\s*([0-9]{1,9})|\.([0-9]{1,6}))?\s*")


class Place(Value):
    """Positions in a log, or one block of one message."""

    span: Span
    block: int | None = None
    single: bool = False
    """Whether one position was named, not a range."""

    def block_of(self, message: Message) -> Block:
        """Return the block that is named of the message at this place."""
        assert self.block is not None
        if self.block >= len(message.blocks):
            raise NotHere(
                f"[{self.span.start}.{self.block}] is not there: the message has "
                f"{len(message.blocks)} blocks, from 0 on"
            )
        return message.blocks[self.block]


def is_place(text: str) -> bool:
    """Tell whether a text reads as a place."""
    return _PLACE.fullmatch(text) is not None


def parse_place(where: int | str | Span) -> Place:
    """Read a place; a range includes both ends."""
    if isinstance(where, Span):
        return Place(where)
    found = _PLACE.fullmatch(str(where))
    if found is None:
        raise BadInput(
            f"{where!r} is no place: say 17, 17-42 (both ends included) or 17.2 (a block)"
        )
    first, last, block = found.groups()
    start = int(first)
    if last is not None and int(last) < start:
        raise BadInput(f"the range {where} is reversed: say {last}-{start}")
    if last is not None:
        return Place(Span(start, int(last) + 1))
    if block is not None:
        return Place(Span(start, start + 1), int(block), single=True)
    return Place(Span(start, start + 1), single=True)
