"""Ctrl-C at any moment of a write: it is done or undone, and the next one is durable."""

from __future__ import annotations

import dis
import os
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import steno
from steno.core import tape
from steno.summary.constraints_block import tells_constraints_apart

SAMPLE = 151
STRIDE = int(os.environ.get("STENO_INTERRUPT_STRIDE", SAMPLE))
"""Every how many bytecodes the write is interrupted; 1 for a full run."""
within_time = pytest.mark.timeout(240 * max(1, SAMPLE // STRIDE))
"""As long as for any test, for each sample of the moments."""
STUCK_SECONDS = 300
"""After which a lock counts as held for good; a first compaction on a busy machine takes long."""
PACKAGE = str(Path(steno.__file__).parent)
WRITING_ROOMS = (f"{PACKAGE}/session", f"{PACKAGE}/store")
"""A compaction has a million bytecodes; those that write are in these rooms."""
JOURNAL = (f"{PACKAGE}/session/journal.py", f"{PACKAGE}/session/records.py")


@cache
def without_signals(code: CodeType) -> frozenset[int]:
    """Return the places of a function at which CPython delivers no signal.

    It looks for signals at jumps and after calls: not at the `NOP` that begins a `try`, and not
    between the end of a `with` block and the call of `__exit__`, three constants and a call.
    """
    steps = [step for step in dis.get_instructions(code) if step.opname != "PRECALL"]
    found = {step.offset for step in steps if step.opname == "NOP"}
    for first in range(len(steps) - 3):
        *constants, call = steps[first : first + 4]
        nothing = all(step.opname == "LOAD_CONST" and step.argval is None for step in constants)
        if nothing and call.opname == "CALL":
            begin = constants[0].offset
            if first and steps[first - 1].opname == "SWAP":  # puts a value to return aside
                begin = steps[first - 1].offset
            found.update(range(begin, call.offset + 1))
    return frozenset(found)


class Interrupter:
    """Raises KeyboardInterrupt at the nth moment of what these rooms do.

    A moment is before each bytecode, and after each call of a C function while its caller's
    bytecode is not over: there a signal comes that arrived during the call.
    """

    def __init__(self, at: int, rooms: tuple[str, ...] = (PACKAGE,)) -> None:
        self.left = at
        self.rooms = rooms

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(self.rooms):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and frame.f_lasti not in without_signals(frame.f_code):
            self.count()
        return self.trace

    def profile(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "c_return" and frame.f_code.co_filename.startswith(self.rooms):
            self.count()

    def count(self) -> None:
        self.left -= 1
        if self.left == 0:
            sys.settrace(None)
            sys.setprofile(None)
            raise KeyboardInterrupt

    def interrupt(self, work: Callable[[], object]) -> bool:
        """Do some work; return whether it was interrupted."""
        before = sys.gettrace()
        sys.setprofile(self.profile)
        sys.settrace(self.trace)
        try:
            work()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
            sys.setprofile(None)
        return False


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def texts(session: steno.Session) -> list[str]:
    return [message.text for message in session.log.messages]


def assert_usable(session: steno.Session, path: Path) -> None:
    """Check that a session goes on after an interrupt, here and in other threads."""
    session.add(user("after"), user("the end"))
    with sqlite3.connect(path) as other:
        stored = [text for (text,) in other.execute("SELECT text FROM body ORDER BY id")]
    assert any("the end" in text for text in stored), "the next add must be on the disk"
    assert texts(session)[-2:] == ["after", "the end"]
    assert [message.text for message in session.view.messages] == texts(session)
    reached: list[int] = []
    thread = threading.Thread(target=lambda: reached.append(len(session.messages())), daemon=True)
    thread.start()
    thread.join(STUCK_SECONDS)
    assert reached, "no lock may be left held"


@within_time
@pytest.mark.slow
def test_an_add_that_is_interrupted_anywhere_is_done_or_undone(tmp_path: Path) -> None:
    at, interrupted = 1, True
    tried = 0
    while interrupted:
        path = tmp_path / f"{at}.db"
        with steno.Session(path, name="s", wire="openai", window=8_000, durable=False) as session:
            session.add(user("before"))
            interrupted = Interrupter(at).interrupt(lambda s=session: s.add(user("meanwhile")))
            shown = texts(session)
            assert_usable(session, path)
            kept = texts(session)
        # What is stored is seen at once: a caller who looks does not add it again.
        assert kept[:-2] == shown, at
        # Done or undone, and never twice.
        assert kept[1:-2] in ([], ["meanwhile"]), at
        with steno.Session(path, name="s") as again:
            assert texts(again) == kept, at
        at += STRIDE
        tried += 1
    print(f"{tried} interrupts")
    assert tried > 10


@within_time
@pytest.mark.slow
def test_a_compaction_that_is_interrupted_anywhere_lands_whole_or_not_at_all(
    tmp_path: Path,
) -> None:
    at, interrupted = 1, True
    tried = 0
    while interrupted:
        path = tmp_path / f"{at}.db"
        with steno.Session(path, name="s", wire="openai", window=2_000, durable=False) as session:
            for number in range(12):
                session.add(user(f"Step {number}: " + "and so on, " * 60))
            interrupted = Interrupter(at, WRITING_ROOMS).interrupt(session.compact)
            assert_usable(session, path)
            shown = session.messages()
            commits = len(session.log.commits)
        with steno.Session(path, name="s") as again:
            assert len(again.log.commits) == commits, at
            assert again.messages() == shown, at
        at += max(1, (STRIDE - 1) * 7)  # a compaction is as many times longer
        tried += 1
    print(f"{tried} interrupts")
    assert tried > 3


@within_time
@pytest.mark.slow
def test_a_commit_whose_storing_is_interrupted_anywhere_is_shown_as_it_is_stored() -> None:
    with steno.Session(wire="openai", window=2_000, constraints=["Be brief."]) as session:
        session.add(user("Never push to the main branch."))
        for number in range(6):
            session.add(user(f"Step {number}: " + "and so on, " * 60))
        before = session.log
        commit = session.compact()
    assert commit is not None
    assert tells_constraints_apart(commit), "or the block of constraints stays as it is"

    def land_and_undo(other: steno.Session) -> None:
        other._parts.journal.land(commit)
        other.undo()

    at, interrupted = 1, True
    tried = 0
    while interrupted:
        with steno.Session(wire="openai", window=2_000, log=before) as other:
            interrupted = Interrupter(at, JOURNAL).interrupt(lambda o=other: land_and_undo(o))
            with steno.Session(store=other._parts.journal.store, name=other.name) as again:
                assert other.log.commits == again.log.commits, at
                assert list(other.view.items) == list(again.view.items), at
                assert other.view.head == again.view.head, at
        at += max(1, STRIDE // 20)  # it takes no file and no draft
        tried += 1
    print(f"{tried} interrupts")
    assert len(other.log.commits) == 2


def test_a_record_is_read_once_wherever_reading_is_interrupted() -> None:
    at, interrupted = 0, True
    with steno.Session(wire="openai", window=2_000) as session:
        journal = session._parts.journal
        while interrupted:
            at += 1
            journal.records.add("mark", at)
            interrupted = Interrupter(at, JOURNAL).interrupt(journal.records.read)
            assert [value for _, value in journal.records.of("mark")] == list(range(1, at + 1))
    assert at > 10


def test_a_name_whose_adding_is_interrupted_anywhere_is_not_there() -> None:
    at, interrupted = 1, True
    while interrupted:
        names = tape.GrowingSet().plus("one")
        here = (tape.__file__,)
        interrupted = Interrupter(at, here).interrupt(lambda n=names: n.plus("lost"))
        both = names.plus("two")
        assert ("one" in both, "lost" in both, "two" in both) == (True, False, True), at
        at += 1
    assert at > 10


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C raises, also in a run that a shell put into the background and told to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
def test_ctrl_c_while_another_process_writes_loses_nothing_after_it(
    tmp_path: Path, ctrl_c: None
) -> None:
    path = tmp_path / "a.db"
    with steno.Session(path, name="s", wire="openai", window=8_000) as session:
        session.add(user("before"))
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")

        def interrupt_then_release() -> None:
            # One thread for both: on a busy machine two timers may fire in either order.
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.3)
            other.execute("ROLLBACK")

        release = threading.Timer(0.3, interrupt_then_release)
        with pytest.raises(KeyboardInterrupt):
            release.start()
            session.add(user("interrupted"))
            release.join()  # the interrupt may come right after the lock was given
        release.join()
        other.close()
        assert_usable(session, path)
        kept = texts(session)
    with steno.Session(path, name="s") as again:
        assert texts(again) == kept
