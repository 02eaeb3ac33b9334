"""A set of names that grows at the cost of what is new, by the same sharing as `tape`."""

from __future__ import annotations

from threading import Lock

_GROWING = Lock()
"""Two sets of one history must not both add to its names."""


class GrowingSet:
    """A set of names that grows by value: sets of one history share their names."""

    __slots__ = ("_length", "_numbers")

    def __init__(self, numbers: dict[str, int] | None = None, length: int = 0) -> None:
        """Take the names of a history, each with its number, and how many of them are ours."""
        if numbers is None:
            numbers = {}
        self._numbers = numbers
        self._length = length

    def plus(self, name: str) -> GrowingSet:
        if name in self:
            return self
        with _GROWING:
            numbers = self._numbers
            # Another set has grown from this one before.
            if len(numbers) != self._length:
                numbers = {each: at for each, at in numbers.items() if at < self._length}
            numbers[name] = self._length
        return GrowingSet(numbers, self._length + 1)

    def __contains__(self, name: str) -> bool:
        return self._numbers.get(name, self._length) < self._length

    def __len__(self) -> int:
        return self._length
