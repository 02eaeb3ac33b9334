"""Immutable sequences that grow at the cost of what is new.

Tapes of one history share their cells, and each knows its own length. Extending a
tape that was already extended elsewhere (a fork) copies the cells once. The state
of a left fold over the cells is shared in the same way, so a longer tape reads
only its new cells. Tapes may be extended and folded in several threads at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
S = TypeVar("S")

FoldFunction = Callable[[S | None, Sequence[T], int], S]
"""Takes a state or None, more cells and the index of the first; returns a state, a value."""


class Tape(Sequence[T]):
    __slots__ = ("_cells", "_folds", "_length", "_lock")

    def __init__(self, cells: Iterable[T] = ()) -> None:
        self._cells = list(cells)
        self._length = len(self._cells)
        # Shared, like the cells: two tapes of one history must not both extend them.
        self._lock = Lock()
        self._folds: dict[FoldFunction[Any, T], tuple[int, Any]] = {}

    def __reduce__(self) -> tuple[type[Tape[T]], tuple[list[T]]]:
        # A lock goes to no other process; what was folded is folded there again.
        return (Tape, (list(self),))

    def plus(self, more: Iterable[T]) -> Tape[T]:
        """Return a tape with more cells."""
        # Before the lock: making the cells may take long, or raise.
        new = list(more)
        longer = Tape.__new__(Tape)
        with self._lock:
            # The longest tape of its history extends the shared list in place: the others, in
            # another thread too, never look past their own length.
            if len(self._cells) == self._length:
                longer._cells, longer._folds = self._cells, self._folds
                longer._lock = self._lock
            else:
                longer._cells = self._cells[: self._length]
                # `list` first: another thread may remember a fold while this one copies.
                longer._folds = {
                    fold: made
                    for fold, made in list(self._folds.items())
                    if made[0] <= self._length
                }
                longer._lock = Lock()
            longer._cells.extend(new)
            longer._length = self._length + len(new)
        return longer

    def upto(self, length: int) -> Tape[T]:
        """Return a tape of the first cells."""
        shorter = Tape.__new__(Tape)
        shorter._cells, shorter._folds, shorter._lock = self._cells, self._folds, self._lock
        shorter._length = min(length, self._length)
        return shorter

    def fold(self, fold: FoldFunction[S, T]) -> S:
        """Return the fold of all cells; go on from what a tape of the same history has read."""
        at, state = self.fold_progress(fold)
        if state is None or at < self._length:
            state = fold(state, self[at:], at)
            self.remember_fold(fold, self._length, state)
        return state

    def fold_progress(self, fold: FoldFunction[S, T]) -> tuple[int, S | None]:
        """Return how many of the cells a fold has read, and its state then."""
        at, state = self._folds.get(fold, (0, None))
        # A longer tape's state is of no use to a shorter one.
        if at <= self._length:
            return (at, state)
        return (0, None)

    def remember_fold(self, fold: FoldFunction[S, T], at: int, state: S) -> None:
        """Keep `state` as the fold of the first `at` cells; it must be exactly that."""
        # Never backwards: a longer tape of this history may have got further.
        if self._folds.get(fold, (0, None))[0] <= at <= self._length:
            self._folds[fold] = (at, state)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        if isinstance(at, slice):
            # Rare, and copies every cell; the usual slice copies only what it returns.
            if at.step:
                return self._cells[: self._length][at]
            return self._slice(at)
        if not -self._length <= at < self._length:
            raise IndexError(at)
        if at < 0:
            # The shared cells may be longer than this tape.
            at += self._length
        return self._cells[at]

    def _slice(self, at: slice) -> list[T]:
        start, stop, _ = at.indices(self._length)
        return self._cells[start:stop]

    def __iter__(self) -> Iterator[T]:
        return islice(self._cells, self._length)

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tape) and list(self) == list(other)

    def __hash__(self) -> int:
        raise TypeError("a tape is compared by its cells and has no hash")

    def __repr__(self) -> str:
        return f"Tape({list(self)!r})"


class GrowingSet(Generic[T]):
    """A set that grows by value, by the same sharing as `Tape`."""

    __slots__ = ("_length", "_lock", "_order")

    def __init__(self) -> None:
        self._order: dict[T, int] = {}
        self._length = 0
        self._lock = Lock()

    def plus(self, name: T) -> GrowingSet[T]:
        if name in self:
            return self
        more: GrowingSet[T] = GrowingSet()
        with self._lock:
            # A dict keeps its order, so an older set is the beginning of a newer one.
            if len(self._order) == self._length:
                more._order, more._lock = self._order, self._lock
            else:
                more._order = dict(islice(self._order.items(), self._length))
            more._order[name] = self._length
        more._length = self._length + 1
        return more

    def __contains__(self, name: T) -> bool:
        return self._order.get(name, self._length) < self._length

    def __len__(self) -> int:
        return self._length
