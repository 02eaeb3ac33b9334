"""Threads that change one session of a store in memory."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from steno.core.message import user_message
from steno.core.store import Record
from steno.store import in_process


def test_messages_that_come_while_a_line_is_recorded_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began = threading.Event()

    def slow_record(*args: Any) -> Record:
        began.set()
        time.sleep(0.05)  # between reading the session and replacing it
        return Record(*args)

    monkeypatch.setattr(in_process, "Record", slow_record)
    store = in_process.MemoryStore()
    store.create("a", "openai")
    recording = threading.Thread(target=store.record, args=("a", "reply", "{}"))
    recording.start()
    began.wait(5)
    store.append("a", [user_message("one")])
    recording.join()
    assert store.session_info("a").messages == 1
    assert len(store.records("a")) == 1
