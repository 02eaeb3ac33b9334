"""Immutable sequences that grow at the cost of what is new.

Tapes of one history share their cells, and each knows its own length. Extending a
tape that was already extended elsewhere (a fork) copies the cells once. The state
of a left fold over the cells is shared in the same way, so a longer tape reads
only its new cells. Old cells may be packed into few bytes; a reader of one gets an
equal value. Tapes may be extended, folded, packed and read in several threads at once.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from threading import Lock
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast, overload, runtime_checkable

T = TypeVar("T")
S = TypeVar("S")
U = TypeVar("U")

FoldFunction = Callable[[S | None, Sequence[T], int], S]
"""Takes a state or None, more cells and the index of the first; returns a state, a value."""
BLOCK = 32
"""Cells that are packed together, and unpacked together if one of them is asked for."""
UNPACKED_MOST = 128
"""Blocks of one history that are held unpacked."""
SHELVES = 2**12 - 1
"""Bits of a name's hash that choose its shelf."""
HASH_BYTES = 8
NUMBERS = 2**24 - 1
"""Bits on a shelf that hold the number of a name; the others hold the rest of its hash."""
FOLDED_AT_ONCE = 4_096
"""Cells that a fold is given at once; more of them would all be unpacked at the same time."""


class Packing(Protocol[T]):
    """Turns cells into few bytes, and these into equal cells."""

    def pack(self, cells: Sequence[T], start: int) -> bytes | None:
        """Return the bytes, or None if bytes cannot hold one of these cells."""
        ...

    def unpack(self, packed: bytes, start: int) -> Sequence[T]: ...


@runtime_checkable
class Packs(Protocol):
    """A state of a fold that holds something for each cell, and can pack the old of it."""

    def pack_before(self, upto: int) -> None: ...


class Unread(Protocol):
    """States of folds that were kept by another process, to be read when they are asked for."""

    unread: dict[str, tuple[int, bytes]]

    def read(
        self, fold: FoldFunction[Any, Any], into: dict[FoldFunction[Any, Any], tuple[int, Any]]
    ) -> None: ...

    def copy(self, upto: int) -> Unread: ...


class _PackedBlock(Generic[T]):
    """Cells that stand together, packed if they can be."""

    __slots__ = ("_cells", "_packed", "_packing", "_start")

    def __init__(self, cells: Sequence[T], start: int, packing: Packing[T]) -> None:
        self._packing, self._start = packing, start
        self._packed = packing.pack(cells, start)
        self._cells = cells if self._packed is None else ()

    @classmethod
    def of(cls, packed: bytes, start: int, packing: Packing[T]) -> _PackedBlock[T]:
        block = cls.__new__(cls)
        block._packing, block._start, block._packed, block._cells = packing, start, packed, ()
        return block

    def packed_by(self, kind: type[Packing[Any]]) -> bytes | None:
        """Return the bytes, if a packing of this kind made them."""
        return self._packed if isinstance(self._packing, kind) else None

    def unpack(self) -> Sequence[T]:
        if self._packed is None:
            return self._cells
        return self._packing.unpack(self._packed, self._start)


class _Held(NamedTuple):
    """The cells of one history: blocks of old ones, then those that are held as they are."""

    blocks: list[_PackedBlock[Any]]
    first: int
    """Index of the first that is not in a block."""
    cells: list[Any]


class _Shared:
    """What the tapes of one history have in common."""

    __slots__ = ("folds", "held", "lock", "unpack", "unread")

    def __init__(
        self,
        held: _Held,
        folds: dict[FoldFunction[Any, Any], tuple[int, Any]],
        unread: Unread | None = None,
    ) -> None:
        self.held = held
        """Replaced as a whole when cells are packed: a reader sees it before that or after."""
        self.folds = folds
        self.unread = unread
        """What another process folded of the same cells."""
        # Two tapes of one history must not both extend the cells.
        self.lock = Lock()
        # Not one for the whole process, which would hold histories that nobody else holds.
        self.unpack = lru_cache(UNPACKED_MOST)(_PackedBlock[Any].unpack)


class Tape(Sequence[T]):
    __slots__ = ("_length", "_shared")

    def __init__(self, cells: Iterable[T] = ()) -> None:
        held = list(cells)
        self._shared = _Shared(_Held([], 0, held), {})
        self._length = len(held)

    def __reduce__(self) -> tuple[type[Tape[T]], tuple[list[T]]]:
        # A lock goes to no other process; what was folded is folded there again.
        return (Tape, (list(self),))

    def plus(self, more: Iterable[T]) -> Tape[T]:
        """Return a tape with more cells."""
        # Before the lock: making the cells may take long, or raise.
        new = list(more)
        longer = Tape.__new__(Tape)
        with self._shared.lock:
            _, first, cells = self._shared.held
            longer._shared = self._shared
            # The longest tape of its history extends the shared list in place: the others, in
            # another thread too, never look past their own length.
            if first + len(cells) != self._length:
                # `list` first: another thread may remember a fold while this one copies.
                folds = {
                    fold: made
                    for fold, made in list(self._shared.folds.items())
                    if made[0] <= self._length
                }
                unread = self._shared.unread
                copied = None if unread is None else unread.copy(self._length)
                longer._shared = _Shared(self._copy_held(self._length), folds, copied)
            longer._shared.held.cells.extend(new)
            longer._length = self._length + len(new)
        return longer

    def with_cells(self, changed: Mapping[int, T]) -> Tape[T]:
        """Return a tape with other cells at these indexes; it begins another history."""
        held = self._copy_held(min(changed, default=self._length))
        for at, cell in changed.items():
            held.cells[at - held.first] = cell
        other = Tape.__new__(Tape)
        other._shared, other._length = _Shared(held, {}), self._length
        return other

    def _copy_held(self, upto: int) -> _Held:
        """Return cells that can be changed from `upto` on; blocks before it stay packed."""
        blocks, first, _ = self._shared.held
        whole = min(first, upto) // BLOCK
        return _Held(blocks[:whole], whole * BLOCK, self[whole * BLOCK :])

    def upto(self, length: int) -> Tape[T]:
        """Return a tape of the first cells."""
        shorter = Tape.__new__(Tape)
        shorter._shared = self._shared
        shorter._length = min(length, self._length)
        return shorter

    def pack(self, upto: int, packing: Packing[T]) -> None:
        """Hold the cells before `upto` in few bytes, in whole blocks; the tape stays as it is."""
        _, first, cells = self._shared.held
        stop = min(upto, self._length) // BLOCK * BLOCK
        # Before the lock: a packing may read a store, whose lock another thread may hold.
        new = [
            _PackedBlock(cells[at - first : at - first + BLOCK], at, packing)
            for at in range(first, stop, BLOCK)
        ]
        with self._shared.lock:
            blocks, packed, cells = self._shared.held
            # Another thread may have packed the same meanwhile.
            if new and packed == first:
                self._shared.held = _Held([*blocks, *new], stop, cells[stop - first :])

    def packed_blocks(self, kind: type[Packing[T]]) -> tuple[list[bytes], list[T]]:
        """Return the blocks that this kind of packing packed, and the cells after them."""
        blocks: list[bytes] = []
        for block in self._shared.held.blocks[: self._length // BLOCK]:
            packed = block.packed_by(kind)
            if packed is None:
                break
            blocks.append(packed)
        return blocks, self[len(blocks) * BLOCK :]

    @classmethod
    def of_blocks(cls, blocks: Sequence[bytes], packing: Packing[T], cells: Iterable[T]) -> Tape[T]:
        """Return the tape that `packed_blocks` told, still packed."""
        tape = cls(cells)
        packed = [_PackedBlock.of(block, n * BLOCK, packing) for n, block in enumerate(blocks)]
        first = len(packed) * BLOCK
        tape._shared.held = _Held(packed, first, tape._shared.held.cells)
        tape._length += first
        return tape

    def folds_so_far(
        self,
    ) -> tuple[dict[FoldFunction[Any, T], tuple[int, Any]], dict[str, tuple[int, bytes]]]:
        """Return the states of folds that this tape can go on from, and those not read yet."""
        known = {
            fold: made for fold, made in list(self._shared.folds.items()) if made[0] <= self._length
        }
        unread = self._shared.unread
        if unread is None:
            return known, {}
        return known, dict(unread.copy(self._length).unread)

    def adopt_folds(self, unread: Unread) -> None:
        """Go on from what another process folded of the same cells, if nothing is known here."""
        self._shared.unread = unread

    def pack_folds(self, upto: int) -> None:
        """Let the states of folds pack what they hold for the cells before `upto`."""
        for _, state in list(self._shared.folds.values()):
            if isinstance(state, Packs):
                state.pack_before(upto)

    def fold(self, fold: FoldFunction[S, T]) -> S:
        """Return the fold of all cells; go on from what a tape of the same history has read."""
        return self._fold(fold, self.__getitem__)

    def fold_beside(self, other: Tape[U], fold: FoldFunction[S, tuple[U, T]]) -> S:
        """Return the fold of all cells, each after its neighbour of another tape."""
        return self._fold(fold, lambda at: list(zip(other[at], self[at], strict=True)))

    def _fold(self, fold: FoldFunction[S, Any], cells: Callable[[slice], Sequence[Any]]) -> S:
        at, state = self.fold_progress(fold)
        # A tape without cells is folded too: the fold knows its first state.
        for start in range(at, max(self._length, 1), FOLDED_AT_ONCE):
            state = fold(state, cells(slice(start, start + FOLDED_AT_ONCE)), start)
        result = cast("S", state)
        self.remember_fold(fold, self._length, result)
        return result

    def fold_progress(self, fold: FoldFunction[S, Any]) -> tuple[int, S | None]:
        """Return how many of the cells a fold has read, and its state then."""
        if self._shared.unread is not None and fold not in self._shared.folds:
            self._shared.unread.read(fold, self._shared.folds)
        at, state = self._shared.folds.get(fold, (0, None))
        # A longer tape's state is of no use to a shorter one.
        if at <= self._length:
            return (at, state)
        return (0, None)

    def remember_fold(self, fold: FoldFunction[S, Any], at: int, state: S) -> None:
        """Keep `state` as the fold of the first `at` cells; it must be exactly that."""
        # Never backwards: a longer tape of this history may have got further.
        if self._shared.folds.get(fold, (0, None))[0] <= at <= self._length:
            self._shared.folds[fold] = (at, state)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        if isinstance(at, slice):
            # Rare, and copies every cell; the usual slice copies only what it returns.
            if at.step:
                return list(self)[at]
            start, stop, _ = at.indices(self._length)
            return self._slice(start, stop)
        if not -self._length <= at < self._length:
            raise IndexError(at)
        if at < 0:
            # The shared cells may be longer than this tape.
            at += self._length
        blocks, first, cells = self._shared.held
        if at >= first:
            return cells[at - first]  # type: ignore[no-any-return]
        return self._shared.unpack(blocks[at // BLOCK])[at % BLOCK]  # type: ignore[no-any-return]

    def _slice(self, start: int, stop: int) -> list[T]:
        blocks, first, cells = self._shared.held
        if start >= first:
            return cells[start - first : max(0, stop - first)]
        found: list[T] = []
        for number in range(start // BLOCK, -(-min(stop, first) // BLOCK)):
            before = number * BLOCK
            found += blocks[number].unpack()[max(0, start - before) : stop - before]
        return found + cells[: max(0, stop - first)]

    def __iter__(self) -> Iterator[T]:
        blocks, first, cells = self._shared.held
        if not first:
            return islice(cells, self._length)
        return self._iterate(blocks, first, cells)

    def _iterate(self, blocks: list[_PackedBlock[T]], first: int, cells: list[T]) -> Iterator[T]:
        whole = (cell for block in blocks for cell in block.unpack())
        yield from islice(whole, self._length)
        yield from islice(cells, max(0, self._length - first))

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tape) and list(self) == list(other)

    def __hash__(self) -> int:
        raise TypeError("a tape is compared by its cells and has no hash")

    def __repr__(self) -> str:
        return f"Tape({list(self)!r})"


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
            return b"".join(numbers.tobytes() for numbers in (sizes, *shelves))

    @classmethod
    def from_bytes(cls, kept: bytes) -> GrowingSet:
        entries = array("Q", kept)
        names = _Names()
        names.size, *sizes = entries[: SHELVES + 2]
        at = SHELVES + 2
        for number, size in enumerate(sizes):
            if size:
                names.shelves[number] = entries[at : at + size]
                at += size
        return cls(names, names.size)


def _hash_name(name: str) -> int:
    # Not Python's own hash, which is another in each process: what is kept must mean the same.
    encoded = name.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(encoded, digest_size=HASH_BYTES).digest())
