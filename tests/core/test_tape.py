"""Tapes keep what they hold apart, in several threads too."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence

import pytest

from steno.core.tape import GrowingSet, Tape


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
    assert tape._shared.cells == [1, 2, 4], "they must not hold half of what failed"


def test_shorter_and_changed_tapes_are_read_as_lists_are() -> None:
    said = list(range(12))
    tape = Tape(said)
    shorter = tape.upto(7)
    longer, other = tape.plus([1]), tape.plus([2])
    early = shorter.plus([3])
    changed = tape.with_cells({5: -1})
    assert list(longer) == [*said, 1] and list(other) == [*said, 2] and list(tape) == said
    assert list(early) == [*said[:7], 3] and shorter[-1] == 6
    assert changed[5] == -1 and tape[5] == 5 and list(changed.with_cells({5: 5})) == said
    edges = [None, -20, -3, 0, 1, 6, 7, 8, 20]
    for start in edges:
        for stop in edges:
            for step in (None, 2, -1):
                assert shorter[start:stop:step] == said[:7][start:stop:step]


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
