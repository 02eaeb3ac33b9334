"""Positions and spans of them: how everything in Steno says where."""

from __future__ import annotations

from steno.core.message import Value


class Span(Value, frozen=True, order=True, gc=False):
    """A half-open range of positions."""

    start: int
    stop: int

    def __contains__(self, position: object) -> bool:
        return isinstance(position, int) and self.start <= position < self.stop

    def __len__(self) -> int:
        return max(0, self.stop - self.start)

    def __str__(self) -> str:
        """As people and models read it: both ends named."""
        return str(self.start) if len(self) == 1 else f"{self.start}-{self.stop - 1}"
