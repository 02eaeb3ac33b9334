"""How a caller says where: 17, "17", "17-42", "17.2" or a span."""

from __future__ import annotations

import re
from dataclasses import dataclass

from steno.core.errors import BadInput
from steno.core.message import Span

_PLACE = re.compile(r"\s*([0-9]{1,9})\s*(?:-\s*([0-9]{1,9})|\.([0-9]{1,6}))?\s*")


@dataclass(frozen=True)
class Place:
    span: Span
    block: int | None = None
    single: bool = False
    """One position was named, not a range."""


def parse_place(where: int | str | Span) -> Place:
    if isinstance(where, Span):
        return Place(where)
    found = _PLACE.fullmatch(str(where))
    if found is None:
        raise BadInput(
            f"{where!r} is no place: say 17, 17-42 (both ends included) or 17.2 (a block)"
        )
    start = int(found[1])
    stop = int(found[2]) + 1 if found[2] else start + 1
    return Place(Span(start, stop), int(found[3]) if found[3] else None, single=found[2] is None)
