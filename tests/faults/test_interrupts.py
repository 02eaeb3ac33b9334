"""Ctrl-C at any moment of a write: it is done or undone, and the next one is durable."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import steno

STRIDE = int(os.environ.get("STENO_INTERRUPT_STRIDE", "151"))
"""Every how many bytecodes the write is interrupted; 1 for a full run."""
PACKAGE = str(Path(steno.__file__).parent)


class Interrupter:
    """Raises KeyboardInterrupt before the nth bytecode that the package executes."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.left -= 1
            if self.left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self

    def interrupt(self, work: Callable[[], object]) -> bool:
        """Do some work; return whether it was interrupted."""
        before = sys.gettrace()
        sys.settrace(self)
        try:
            work()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
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
    thread = threading.Thread(target=lambda: reached.append(len(session.messages())))
    thread.start()
    thread.join(10)
    assert reached, "no lock may be left held"


@pytest.mark.slow
def test_an_add_that_is_interrupted_anywhere_is_done_or_undone(tmp_path: Path) -> None:
    at, interrupted = 1, True
    tried = 0
    while interrupted:
        path = tmp_path / f"{at}.db"
        with steno.Session(path, name="s", wire="openai", window=8_000, durable=False) as session:
            session.add(user("before"))
            interrupted = Interrupter(at).interrupt(lambda s=session: s.add(user("meanwhile")))
            assert_usable(session, path)
            kept = texts(session)
        # Done or undone, and never twice.
        assert kept[1:-2] in ([], ["meanwhile"]), at
        with steno.Session(path, name="s") as again:
            assert texts(again) == kept, at
        at += STRIDE
        tried += 1
    assert tried > 10


@pytest.mark.slow
def test_a_compaction_that_is_interrupted_anywhere_lands_whole_or_not_at_all(
    tmp_path: Path,
) -> None:
    at, interrupted = 1, True
    while interrupted:
        path = tmp_path / f"{at}.db"
        with steno.Session(path, name="s", wire="openai", window=2_000, durable=False) as session:
            for number in range(12):
                session.add(user(f"Step {number}: " + "and so on, " * 60))
            interrupted = Interrupter(at).interrupt(session.compact)
            assert_usable(session, path)
            shown = session.messages()
            commits = len(session.log.commits)
        with steno.Session(path, name="s") as again:
            assert len(again.log.commits) == commits, at
            assert again.messages() == shown, at
        at += STRIDE * 1_999  # a compaction is as many times longer


def test_ctrl_c_while_another_process_writes_loses_nothing_after_it(tmp_path: Path) -> None:
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
