"""Tapes keep what they hold apart, in several threads too."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence

import pytest

from steno.core import tape as tapes
from steno.core.growing_set import GrowingSet
from steno.core.message import Message, Text
from steno.core.packing import MESSAGES, ValuePacking
from steno.core.tape import BLOCK, Tape


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Switch threads as often as Python can, so that a race shows itself."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def run_together(*works: object) -> None:
    barrier = threading.Barrier(len(works))

    def run(work: object) -> None:
        barrier.wait()
        assert callable(work)
        work()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.usefixtures("hasty_threads")
def test_two_threads_that_extend_one_tape_get_two_tapes() -> None:
    for _ in range(300):
        tape = Tape(range(5))
        longer: dict[str, Tape[int]] = {}

        def extend(name: str, start: int, tape: Tape[int] = tape) -> None:
            longer[name] = tape.plus(at for at in range(start, start + 20))

        run_together(lambda: extend("a", 100), lambda: extend("b", 200))
        assert list(longer["a"]) == [*range(5), *range(100, 120)]
        assert list(longer["b"]) == [*range(5), *range(200, 220)]


def _fold_cells(before: Tape[int] | None, cells: Sequence[int], at: int) -> Tape[int]:
    return (before or Tape()).plus(cell * 10 for cell in cells)


@pytest.mark.usefixtures("hasty_threads")
def test_two_threads_that_fold_one_tape_read_the_same() -> None:
    for _ in range(300):
        tape = Tape(range(10))
        tape.fold(_fold_cells)
        longer = tape.plus(range(10, 40))
        run_together(lambda: longer.fold(_fold_cells), lambda: longer.fold(_fold_cells))
        assert list(longer.fold(_fold_cells)) == [cell * 10 for cell in range(40)]


@pytest.mark.usefixtures("hasty_threads")
def test_two_threads_that_extend_one_set_get_two_sets() -> None:
    for _ in range(300):
        names: GrowingSet = GrowingSet().plus("first")
        more: dict[str, GrowingSet] = {}

        def extend(name: str, names: GrowingSet = names) -> None:
            more[name] = names.plus(name)

        run_together(lambda: extend("a"), lambda: extend("b"))
        assert "a" in more["a"] and "b" not in more["a"]
        assert "b" in more["b"] and "a" not in more["b"]


def test_cells_that_cannot_be_made_leave_the_tape_as_it_was() -> None:
    tape = Tape([1, 2])

    def broken() -> Iterator[int]:
        yield 3
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        tape.plus(broken())
    assert list(tape.plus([4])) == [1, 2, 4]
    assert tape._shared.held.cells == [1, 2, 4], "they must not hold half of what failed"


NUMBERS: ValuePacking[int] = ValuePacking(int)


def test_packed_cells_are_read_as_before() -> None:
    said = list(range(5 * BLOCK + 7))
    tape = Tape(said)
    shorter = tape.upto(BLOCK + 3)
    tape.pack(3 * BLOCK + 9, NUMBERS)
    assert len(tape._shared.held.cells) == 2 * BLOCK + 7, "three blocks are packed"
    assert list(tape) == said and tape == Tape(said) and tape[-1] == said[-1]
    assert [tape[at] for at in said] == said
    assert list(shorter) == said[: BLOCK + 3] and shorter[-1] == BLOCK + 2
    edges = [0, 1, BLOCK - 1, BLOCK, 2 * BLOCK + 5, 3 * BLOCK, 4 * BLOCK, len(said)]
    for start in edges:
        for stop in edges:
            assert tape[start:stop] == said[start:stop]
            assert shorter[start:stop] == said[: BLOCK + 3][start:stop]
    assert tape.fold(_fold_cells)[:] == [cell * 10 for cell in said]


def test_what_goes_on_from_packed_cells_stays_apart() -> None:
    said = list(range(4 * BLOCK))
    tape = Tape(said)
    tape.pack(3 * BLOCK, NUMBERS)
    longer, other = tape.plus([1]), tape.plus([2])
    early = tape.upto(BLOCK + 1).plus([3])
    changed = tape.with_cells({2 * BLOCK + 1: -1})
    assert list(longer) == [*said, 1] and list(other) == [*said, 2] and list(tape) == said
    assert list(early) == [*said[: BLOCK + 1], 3]
    assert changed[2 * BLOCK + 1] == -1 and tape[2 * BLOCK + 1] == 2 * BLOCK + 1
    assert list(changed.with_cells({2 * BLOCK + 1: 2 * BLOCK + 1})) == said


def test_cells_that_no_bytes_can_hold_stay_as_they_are() -> None:
    broken = Message("user", (Text("half a pair: \ud800"),))
    tape = Tape([broken] * BLOCK)
    tape.pack(BLOCK, MESSAGES)
    assert tape[3] is broken and list(tape) == [broken] * BLOCK


@pytest.mark.usefixtures("hasty_threads")
def test_cells_are_packed_while_others_read_and_extend() -> None:
    for _ in range(50):
        said = list(range(3 * BLOCK))
        tape = Tape(said)
        longer: list[Tape[int]] = []

        def read(tape: Tape[int] = tape, said: list[int] = said) -> None:
            assert [tape[at] for at in said] == said and list(tape) == said

        run_together(
            read,
            lambda: tape.pack(2 * BLOCK, NUMBERS),
            lambda: longer.append(tape.plus([1])),
            read,
        )
        assert list(tape) == said and list(longer[0]) == [*said, 1]


def test_a_fold_is_given_so_many_cells_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tapes, "FOLDED_AT_ONCE", 10)
    given: list[tuple[int, int]] = []

    def count(before: int | None, cells: Sequence[int], at: int) -> int:
        given.append((at, len(cells)))
        return (before or 0) + sum(cells)

    assert Tape(range(25)).fold(count) == sum(range(25))
    assert given == [(0, 10), (10, 10), (20, 5)]


def test_a_fold_may_have_no_state() -> None:
    given: list[int] = []

    def look(before: None, cells: Sequence[int], at: int) -> None:
        given.append(len(cells))

    tape = Tape(range(3))
    tape.fold(look)
    tape.fold(look)
    tape.plus([4]).fold(look)
    assert given == [3, 1]
    assert Tape[int]().fold(_fold_cells) == Tape(), "a tape without cells has a state too"


@pytest.mark.parametrize("cell", [2**70, object(), "\ud800"])
def test_values_that_no_bytes_can_hold_are_not_packed(cell: object) -> None:
    assert ValuePacking[object](object).pack([cell], 0) is None


def test_so_many_blocks_are_held_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tapes, "UNPACKED_MOST", 2)
    read: list[int] = []

    class Counting(ValuePacking[int]):
        def unpack(self, packed: bytes, start: int) -> list[int]:
            read.append(start)
            return super().unpack(packed, start)

    tape = Tape(range(4 * BLOCK))
    tape.pack(2 * BLOCK, Counting(int))
    tape.pack(4 * BLOCK, Counting(int))
    for at in (0, 1, BLOCK, 1, 2 * BLOCK, BLOCK):
        assert tape[at] == at
    assert read == [0, BLOCK, 2 * BLOCK, BLOCK]


def test_a_set_of_many_names_holds_them_and_no_others() -> None:
    names, sets = [f"call_{number}" for number in range(600)], [GrowingSet()]
    for name in names:
        sets.append(sets[-1].plus(name))
    assert all(name in sets[-1] for name in names) and "call_600" not in sets[-1]
    half = sets[300]
    assert [name in half for name in names] == [True] * 300 + [False] * 300
    other = half.plus("another")
    assert names[300] not in other and "another" in other and "another" not in sets[-1]
    assert len(other) == 301 and other.plus(names[3]) is other
    kept = GrowingSet.from_bytes(half.to_bytes())
    assert [name in kept for name in names] == [name in half for name in names]
    assert len(kept) == 300 and names[300] in kept.plus(names[300])
