"""A set of names that grows at the cost of what is new, by the same sharing as `tape`."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, insort
from hashlib import blake2b
from threading import Lock

SHELVES = 2**12 - 1
"""Bits of a name's hash that choose its shelf."""
HASH_BYTES = 8
NUMBERS = 2**24 - 1
"""Bits on a shelf that hold the number of a name; the others hold the rest of its hash."""


class _Names:
    """What the sets of one history have in common."""

    __slots__ = ("lock", "shelves", "size")

    def __init__(self) -> None:
        self.shelves: dict[int, array[int]] = {}
        """By the first bits of a hash: the rest of it and the number of the name, in order."""
        self.size = 0
        self.lock = Lock()

    def number(self, hashed: int) -> int | None:
        """Return which name of the history has this hash, counted from 0."""
        shelf = self.shelves.get(hashed & SHELVES)
        if shelf is not None:
            rest = hashed & ~NUMBERS
            at = bisect_left(shelf, rest)
            if at < len(shelf) and shelf[at] & ~NUMBERS == rest:
                return shelf[at] & NUMBERS
        return None

    def put(self, hashed: int) -> None:
        shelf = self.shelves.setdefault(hashed & SHELVES, array("Q"))
        number = min(self.size, NUMBERS)
        # First: if an interrupt comes between the two, no other name gets the same number.
        self.size += 1
        insort(shelf, hashed & ~NUMBERS | number)

    def upto(self, size: int) -> _Names:
        """Return the first names, which begin another history."""
        names = _Names()
        for number, shelf in self.shelves.items():
            names.shelves[number] = array("Q", [each for each in shelf if each & NUMBERS < size])
        names.size = size
        return names


class GrowingSet:
    """A set of names that grows by value, by the same sharing as `Tape`.

    A session has as many names as calls, so a name is held as eight bytes: 52 bits of its hash,
    and its number. One in 9,000 sets of a million names takes a new name for an old one: such a
    call is shown under another id, as one whose id was used before.
    """

    __slots__ = ("_length", "_names")

    def __init__(self, names: _Names | None = None, length: int = 0) -> None:
        self._names = names or _Names()
        self._length = length

    def plus(self, name: str) -> GrowingSet:
        names, hashed = self._names, _hash_name(name)
        with names.lock:
            number = names.number(hashed)
            if number is not None and number < self._length:
                return self
            # Another set has grown from this one before.
            if names.size != self._length:
                names = names.upto(self._length)
            names.put(hashed)
        return GrowingSet(names, self._length + 1)

    def __contains__(self, name: str) -> bool:
        with self._names.lock:
            number = self._names.number(_hash_name(name))
        return number is not None and number < self._length

    def __len__(self) -> int:
        return self._length

    def to_bytes(self) -> bytes:
        """Return the names as `from_bytes` reads them."""
        with self._names.lock:
            names = self._names
            if names.size != self._length:
                names = names.upto(self._length)
            shelves = [names.shelves.get(number, array("Q")) for number in range(SHELVES + 1)]
            sizes = array("Q", (self._length, *map(len, shelves)))
            return b"".join(_little_endian(numbers).tobytes() for numbers in (sizes, *shelves))

    @classmethod
    def from_bytes(cls, kept: bytes) -> GrowingSet:
        entries = _little_endian(array("Q", kept))
        names = _Names()
        names.size, *sizes = entries[: SHELVES + 2]
        at = SHELVES + 2
        for number, size in enumerate(sizes):
            if size:
                names.shelves[number] = entries[at : at + size]
                at += size
        return cls(names, names.size)


def _little_endian(numbers: array[int]) -> array[int]:
    """Return numbers in the order of bytes in which they are stored, or back in the machine's."""
    if sys.byteorder == "little":
        return numbers
    swapped = numbers[:]
    swapped.byteswap()
    return swapped


def _hash_name(name: str) -> int:
    # Not Python's own hash, which is another in each process: what is kept must mean the same.
    encoded = name.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(encoded, digest_size=HASH_BYTES).digest())
