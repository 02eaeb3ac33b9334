"""Immutable sequences, and sets of names, that grow at the cost of what is new.

Tapes of one history share their cells, and each knows its own length. The state of a left fold
over the cells is shared in the same way, so a longer tape reads only its new cells. Tapes may be
extended, folded and read in several threads at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from threading import Lock
from typing import Any, TypeVar, cast, overload

T = TypeVar("T")
S = TypeVar("S")
U = TypeVar("U")
F = TypeVar("F", bound=Callable[..., Any])

FoldFunction = Callable[[S | None, Sequence[T], int], S]
"""Takes a state or None, more cells and the index of the first; returns a state, a value."""
FoldedStates = dict[FoldFunction[Any, Any], tuple[int, Any]]
"""By fold: how many cells it has read, and its state then."""


def stored_as(name: str, format: int) -> Callable[[F], F]:
    """Let a snapshot hold the state of a fold, under this name and the number of its format.

    Raise the number whenever the fold makes another state of the same cells.
    """

    def mark(fold: F) -> F:
        fold.stored_as = f"{name} {format}"  # type: ignore[attr-defined]
        return fold

    return mark


def stored_name(fold: FoldFunction[Any, Any]) -> str:
    """Return the name and format under which a snapshot holds a fold; empty if none does."""
    return getattr(fold, "stored_as", "")


StoredStates = dict[str, tuple[int, bytes]]
"""The same in bytes, by the name and format of a fold."""
DecodeState = Callable[[FoldFunction[Any, Any], bytes], Any]
"""Returns the state of a fold; None if these bytes hold none."""


class _Shared:
    """What the tapes of one history have in common."""

    __slots__ = ("cells", "decode", "folds", "lock", "stored")

    def __init__(self, cells: list[Any], before: _Shared | None = None, upto: int = 0) -> None:
        """Take what was folded of the first `upto` cells of another history over."""
        self.cells = cells
        self.folds: FoldedStates = {}
        self.stored: StoredStates = {}
        """What another process folded of the same cells; each is decoded when it is asked for."""
        self.decode: DecodeState | None = None
        if before is not None:
            self.folds, self.stored = before.folds_upto(upto)
            self.decode = before.decode
        # Two tapes of one history must not both extend the cells.
        self.lock = Lock()

    def folds_upto(self, length: int) -> tuple[FoldedStates, StoredStates]:
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
        self._shared = _Shared(held)
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
            longer._shared = self._shared
            # The longest tape of its history extends the shared list in place: the others, in
            # another thread too, never look past their own length.
            if len(self._shared.cells) != self._length:
                longer._shared = _Shared(self[:], self._shared, self._length)
            longer._shared.cells.extend(new)
            longer._length = self._length + len(new)
        return longer

    def with_cells(self, changed: Mapping[int, T]) -> Tape[T]:
        """Return a tape with other cells at these indexes; it begins another history."""
        cells = self[:]
        for at, cell in changed.items():
            cells[at] = cell
        return Tape(cells)

    def upto(self, length: int) -> Tape[T]:
        """Return a tape of the first cells."""
        shorter = Tape.__new__(Tape)
        shorter._shared = self._shared
        shorter._length = min(length, self._length)
        return shorter

    def folds_so_far(self) -> tuple[FoldedStates, StoredStates]:
        """Return the states of folds that this tape can go on from, and those not decoded yet."""
        return self._shared.folds_upto(self._length)

    def adopt_folds(self, stored: StoredStates, decode: DecodeState) -> None:
        """Go on from what another process folded of the same cells, if nothing is known here."""
        self._shared.stored, self._shared.decode = dict(stored), decode

    def fold(self, fold: FoldFunction[S, T]) -> S:
        """Return the fold of all cells; go on from what a tape of the same history has read."""
        return self._fold(fold, self.__getitem__)

    def fold_beside(self, other: Tape[U], fold: FoldFunction[S, tuple[U, T]]) -> S:
        """Return the fold of all cells, each after its neighbour of another tape."""
        return self._fold(fold, lambda at: list(zip(other[at], self[at], strict=True)))

    def _fold(self, fold: FoldFunction[S, Any], cells: Callable[[slice], Sequence[Any]]) -> S:
        at, state = self.fold_progress(fold)
        # A tape without cells is folded too: the fold knows its first state.
        if at < self._length or not self._length:
            state = fold(state, cells(slice(at, self._length)), at)
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
        cells: list[T] = self._shared.cells
        # The shared cells may be longer than this tape.
        if isinstance(at, slice):
            start, stop, step = at.indices(self._length)
            if step < 0:
                return cells[: self._length][at]
            return cells[start:stop:step]
        if at < 0:
            at += self._length
        if 0 <= at < self._length:
            return cells[at]
        raise IndexError(at)

    def __iter__(self) -> Iterator[T]:
        return islice(self._shared.cells, self._length)

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tape) and list(self) == list(other)

    def __repr__(self) -> str:
        return f"Tape({list(self)!r})"


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
