"""Threads that are the first of a process to read stored sessions, all at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import steno

READ_AT_ONCE = """
import sys, threading
import steno

sys.setswitchinterval(1e-6)
together = threading.Barrier(4)


def read(name):
    together.wait()
    with steno.Session(sys.argv[1], name=name, wire="openai", window=4_000) as session:
        assert session.messages() and session.log.commits


threads = [threading.Thread(target=read, args=(f"s{n}",)) for n in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.mark.slow
def test_the_first_threads_may_read_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    for n in range(4):
        options = {"wire": "openai", "window": 4_000, "durable": False}
        with steno.Session(path, name=f"s{n}", **options) as session:
            for turn in range(15):
                session.add({"role": "user", "content": f"word {turn} " * 160})
                session.messages()
    # It crashed in six of ten processes.
    for _ in range(3):
        subprocess.run([sys.executable, "-c", READ_AT_ONCE, path], check=True)
