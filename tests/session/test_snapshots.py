"""A session that is opened again goes on from what was added up before, and does the same."""

from __future__ import annotations

import gc
import shutil
import sqlite3
import weakref
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from steno import Session
from steno.core.message import Message, Text
from steno.core.snapshot import adopt_states, decode_snapshot, encode_state, stored_states
from steno.core.tape import Tape, stored_as
from steno.facts import ledger
from steno.session import stored_session
from steno.store.rows import digest
from steno.store.sqlite import SQLiteStore
from steno.summary.story import WordTokens
from tests.support.golden_sessions import conversation
from tests.support.word_meter import WORDS

WINDOW = 2_500


@pytest.fixture(autouse=True)
def kept_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_session, "KEPT_LEAST", 16)


def live(path: Path, turns: int = 28) -> None:
    """Begin a session in a file, with compactions, and close it."""
    with Session(path, wire="anthropic", window=WINDOW, meter=WORDS) as session:
        for message in conversation("anthropic", 7, turns):
            session.add(message)
            session.messages()
        assert len(session.log.commits) > 1


def go_on(path: Path) -> list[bytes]:
    """Open the session again, add more and compact; return its commits and what it shows."""
    with Session(path, window=WINDOW, meter=WORDS) as session:
        session.add(*conversation("anthropic", 8, 6))
        session.compact()
        shown = msgspec.json.encode(session.messages())
        return [*map(msgspec.json.encode, session.log.commits), shown]


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(statement)
        db.commit()


def count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("SELECT count(*) FROM folded").fetchone()[0])


@pytest.mark.slow
def test_a_session_goes_on_as_if_all_had_been_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, bare = tmp_path / "kept.db", tmp_path / "bare.db"
    live(kept)
    shutil.copy(kept, bare)
    change(bare, "DELETE FROM folded")
    expected = go_on(bare)
    folded: list[int] = []
    fold = ledger._fold_artifacts

    def watched(
        touches: ledger.Artifacts | None, entries: Sequence[ledger.Entry], at: int
    ) -> ledger.Artifacts:
        folded.append(at)
        return fold(touches, entries, at)

    watched.__annotations__ = {"return": ledger.Artifacts}
    monkeypatch.setattr(ledger, "_fold_artifacts", stored_as("artifacts", 3)(watched))
    assert go_on(kept) == expected
    assert folded
    assert min(folded) > 0


@pytest.mark.slow
def test_what_does_not_hold_is_added_up_again(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    live(path)
    assert count(path) == 1
    shown = []
    old = msgspec.msgpack.encode([b"a view", b"folds"])
    for number, statement in enumerate(
        (
            "DELETE FROM folded",
            "UPDATE folded SET body = x'00'",
            "UPDATE folded SET chain = x'00'",
            # As an older version wrote it.
            f"UPDATE folded SET body = x'{old.hex()}', hash = x'{digest(old).hex()}'",
        )
    ):
        copy = tmp_path / f"{number}.db"
        shutil.copy(path, copy)
        change(copy, statement)
        shown.append(go_on(copy))
    assert shown == [shown[0]] * 4
    with closing(SQLiteStore(path)) as store:
        store.delete("session")
    assert count(path) == 0


@pytest.mark.slow
def test_what_came_after_a_snapshot_was_kept_is_folded_on_top_of_it(tmp_path: Path) -> None:
    kept, bare = tmp_path / "kept.db", tmp_path / "bare.db"
    live(kept)
    session = Session(kept, window=WINDOW, meter=WORDS)
    for message in conversation("anthropic", 9, 12):
        session.add(message)
        session.messages()
    session.undo()
    assert session.log.commits[-1].reverts is not None
    with closing(sqlite3.connect(kept)) as db, closing(sqlite3.connect(bare)) as copy:
        db.backup(copy)
    session.close()
    again = tmp_path / "again.db"
    shutil.copy(bare, again)
    change(bare, "DELETE FROM folded")
    assert count(again) == 1
    assert go_on(again) == go_on(bare)


@pytest.mark.slow
def test_a_later_snapshot_is_of_all_messages(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    live(path)
    go_on(path)
    with closing(SQLiteStore(path)) as store:
        kept = store.snapshot("session")
        assert kept is not None
        upto, body = kept
        (name,) = (name for name in decode_snapshot(body) if name.startswith("facts "))
        assert decode_snapshot(body)[name][0] == upto == store.session_info("session").messages


def test_states_that_an_earlier_version_packed_in_blocks_are_read() -> None:
    def numbers(before: Tape[int] | None, cells: Sequence[int], at: int) -> Tape[int]:
        return (before or Tape()).plus(cells)

    numbers.__annotations__["return"] = Tape[int]
    stored_as("numbers", 1)(numbers)
    blocks = [zlib.compress(msgspec.msgpack.encode(cells)) for cells in ([1, 2], [3, 4], [5])]
    packed = msgspec.msgpack.encode([blocks[:2], blocks[2], {}])
    kept = encode_state({"numbers 1": (5, packed), "view 1": (5, b"a view")})
    tape = Tape([0] * 5)
    adopt_states(tape, decode_snapshot(kept))
    assert tape.fold(numbers) == Tape([1, 2, 3, 4, 5])
    assert stored_states(tape).keys() == {"numbers 1"}


def test_states_of_folds_that_nobody_asked_for_are_passed_on() -> None:
    said = [Message("user", (), "{}") for _ in range(3)]
    first = Tape(said)
    ledger.Ledger.of(first)
    second = Tape(said)
    adopt_states(second, stored_states(first))
    third = Tape(said)
    adopt_states(third, stored_states(second))
    assert ledger.facts_so_far(third) == ledger.facts_so_far(first)
    assert len(ledger.facts_so_far(third)) == len(said)


def test_another_history_does_not_adopt_what_it_has_not_in_common() -> None:
    said = [Message("user", (Text(f"Never touch old_{n}.py."),), "{}") for n in range(10)]
    first = Tape(said)
    ledger.Ledger.of(first)
    again = Tape(said)
    adopt_states(again, stored_states(first))
    other = [Message("user", (Text(f"Never touch new_{n}.py."),), "{}") for n in range(10)]
    branch = again.upto(4).plus(other)
    constraints = ledger.Ledger.of(branch).constraints
    assert list(constraints) == list(ledger.Ledger.of(Tape(list(branch))).constraints)
    assert stored_states(again.upto(4)) == stored_states(Tape(said).upto(4))


def test_only_states_of_another_format_are_folded_again(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    live(path)

    def opened_with(format: int) -> list[int]:
        """Open a copy with a fold of this format; return where folding began."""
        copy = tmp_path / f"{format}.db"
        shutil.copy(path, copy)
        began: list[int] = []

        def fold(before: Tape[int] | None, messages: Sequence[Message], at: int) -> Tape[int]:
            began.append(at)
            return (before or Tape()).plus(range(at, at + len(messages)))

        fold.__annotations__["return"] = Tape[int]
        stored_as("probe", format)(fold)
        with Session(copy, window=WINDOW, meter=WORDS) as session:
            session.log.messages.fold(fold)
            session.add({"role": "user", "content": "Go on."})
            ledger.Ledger.of(session.log.messages)
        shutil.copy(copy, path)
        return began

    assert opened_with(1) == [0]
    # It was kept when the session closed, though the log had hardly grown.
    assert min(opened_with(1)) > 0
    assert opened_with(2) == [0]


def test_tokens_are_kept_for_a_meter_that_counts_the_same() -> None:
    said = [Message("user", (Text("Never touch old.py."), Text("Go on.")), "{}")] * 3
    first = Tape(said)
    first.fold(WordTokens(len, "own"))
    kept = stored_states(first)
    for count in (len, WORDS.count):
        again = Tape(said)
        adopt_states(again, kept)
        assert again.fold_progress(WordTokens(count, "own"))[0] == 3 * (count is len)


def test_a_state_that_grows_while_it_is_written_is_kept_as_it_was() -> None:
    state: dict[int, Tape[int]] = {}

    class Growing(Tape[int]):
        def __iter__(self) -> Iterator[int]:
            state[len(state)] = Tape([3])
            return super().__iter__()

    def remembered(
        before: dict[int, Tape[int]] | None, cells: Sequence[int], at: int
    ) -> dict[int, Tape[int]]:
        return state

    remembered.__annotations__ = {"return": dict[int, Tape[int]]}
    stored_as("remembered", 1)(remembered)
    state[0] = Growing([1, 2])
    tape = Tape([0])
    tape.fold(remembered)
    again = Tape([0])
    adopt_states(again, stored_states(tape))
    assert again.fold(remembered) == {0: Tape([1, 2])}


def test_facts_are_saved_under_the_lock() -> None:
    session = Session(wire="openai", window=WINDOW)
    journal = session._parts.journal
    free: list[bool] = []

    def look(*saved: object) -> None:
        with ThreadPoolExecutor() as other:
            free.append(other.submit(journal.lock.acquire, blocking=False).result())

    journal._facts.save = journal._snapshots.save = look  # type: ignore[method-assign]
    journal.save_facts()
    assert free == [False, False]


def test_nothing_holds_a_session_that_is_closed() -> None:
    session = Session(wire="anthropic", window=WINDOW, meter=WORDS)
    for message in conversation("anthropic", 7, 28):
        session.add(message)
        session.messages()
    folds = session.view.messages._shared.folds.values()
    held = weakref.ref(next(state for _, state in folds if hasattr(state, "__weakref__")))
    session.close()
    del session, folds
    gc.collect()
    assert held() is None
