"""Immutable sequences that grow at the cost of what is new.

Tapes of one history share their cells, and each knows its own length. Extending a
tape that was already extended elsewhere (a fork) copies the cells once. The state
of a left fold over the cells is shared in the same way, so a longer tape reads
only its new cells. Old cells may be packed into few bytes; a reader of one gets an
equal value. Tapes may be extended, folded, packed and read in several threads at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from threading import Lock
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast, overload, runtime_checkable

T = TypeVar("T")
S = TypeVar("S")
U = TypeVar("U")
F = TypeVar("F", bound=Callable[..., Any])

FoldFunction = Callable[[S | None, Sequence[T], int], S]
"""Takes a state or None, more cells and the index of the first; returns a state, a value."""
BLOCK = 32
"""Cells that are packed together, and unpacked together if one of them is asked for."""
UNPACKED_MOST = 128
"""Blocks of one history that are held unpacked."""
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


def stored_as(name: str, format: int) -> Callable[[F], F]:
    """Let a snapshot hold the state of a fold, under this name and the number of its format.

    Raise the number whenever the fold makes another state of the same cells: what an older
    version folded is then folded again.
    """

    def mark(fold: F) -> F:
        fold.stored_as = f"{name} {format}"  # type: ignore[attr-defined]
        return fold

    return mark


def stored_name(fold: FoldFunction[Any, Any]) -> str:
    """Return the name and format under which a snapshot holds a fold; empty if none does."""
    return getattr(fold, "stored_as", "")


StoredStates = dict[str, tuple[int, bytes]]
"""By the name and format of a fold: how many cells it has read, and its state then."""
DecodeState = Callable[[FoldFunction[Any, Any], bytes], Any]
"""Returns the state of a fold; None if these bytes hold none."""


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

    __slots__ = ("decode", "folds", "held", "lock", "stored", "unpack")

    def __init__(self, held: _Held, before: _Shared | None = None, upto: int = 0) -> None:
        """Take what was folded of the first `upto` cells of another history over."""
        self.held = held
        """Replaced as a whole when cells are packed: a reader sees it before that or after."""
        self.folds: dict[FoldFunction[Any, Any], tuple[int, Any]] = {}
        self.stored: StoredStates = {}
        """What another process folded of the same cells; each is decoded when it is asked for."""
        self.decode: DecodeState | None = None
        if before is not None:
            self.folds, self.stored = before.folds_upto(upto)
            self.decode = before.decode
        # Two tapes of one history must not both extend the cells.
        self.lock = Lock()
        # Not one for the whole process, which would hold histories that nobody else holds.
        self.unpack = lru_cache(UNPACKED_MOST)(_PackedBlock[Any].unpack)

    def folds_upto(
        self, length: int
    ) -> tuple[dict[FoldFunction[Any, Any], tuple[int, Any]], StoredStates]:
        """Return the states that were made of no more cells, and those not decoded yet."""
        # `list` first: another thread may remember a fold while this one copies.
        known = {fold: made for fold, made in list(self.folds.items()) if made[0] <= length}
        stored = {name: kept for name, kept in list(self.stored.items()) if kept[0] <= length}
        return known, stored

    def read_stored(self, fold: FoldFunction[Any, Any]) -> None:
        """Put the state of a fold among those that are known, if it was stored."""
        # Another thread waits, rather than fold everything again.
        with self.lock:
            name = stored_name(fold)
            if self.decode is not None and name in self.stored:
                at, kept = self.stored.pop(name)
                state = self.decode(fold, kept)
                # What cannot be read is folded again.
                if state is not None:
                    self.folds.setdefault(fold, (at, state))


class Tape(Sequence[T]):
    __slots__ = ("_length", "_shared")

    def __init__(self, cells: Iterable[T] = ()) -> None:
        held = list(cells)
        self._shared = _Shared(_Held([], 0, held))
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
                held = self._copy_held(self._length)
                longer._shared = _Shared(held, self._shared, self._length)
            longer._shared.held.cells.extend(new)
            longer._length = self._length + len(new)
        return longer

    def with_cells(self, changed: Mapping[int, T]) -> Tape[T]:
        """Return a tape with other cells at these indexes; it begins another history."""
        held = self._copy_held(min(changed, default=self._length))
        for at, cell in changed.items():
            held.cells[at - held.first] = cell
        other = Tape.__new__(Tape)
        other._shared, other._length = _Shared(held), self._length
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
        """Return a tape of what `packed_blocks` returned, still packed."""
        tape = cls(cells)
        packed = [_PackedBlock.of(block, n * BLOCK, packing) for n, block in enumerate(blocks)]
        first = len(packed) * BLOCK
        tape._shared.held = _Held(packed, first, tape._shared.held.cells)
        tape._length += first
        return tape

    def folds_so_far(self) -> tuple[dict[FoldFunction[Any, T], tuple[int, Any]], StoredStates]:
        """Return the states of folds that this tape can go on from, and those not decoded yet."""
        return self._shared.folds_upto(self._length)

    def adopt_folds(self, stored: StoredStates, decode: DecodeState) -> None:
        """Go on from what another process folded of the same cells, if nothing is known here."""
        self._shared.stored, self._shared.decode = dict(stored), decode

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
        if fold not in self._shared.folds:
            self._shared.read_stored(fold)
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
