"""A program at a pseudo-terminal: what is typed, and what stands there.

Owns the terminal and waiting for words on it; control sequences are taken out of
what was written, so that a test reads words.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

PATIENCE = 60.0
"""Seconds that a loaded machine may take for anything."""
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07|\r")
CTRL_C, CTRL_D = "\x03", "\x04"


class Terminal:
    """Runs `steno` with these words."""

    def __init__(self, *words: str, home: Path, columns: int = 80) -> None:
        environment = os.environ | {
            "TERM": "xterm-256color",
            "XDG_DATA_HOME": str(home),
            "HOME": str(home),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "COLUMNS": str(columns),
        }
        self.pid, self._end = pty.fork()
        if self.pid == 0:
            os.execve(sys.executable, [sys.executable, "-m", "steno", *words], environment)
        fcntl.ioctl(self._end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.raw = ""
        self._seen = 0
        self.code: int | None = None

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *gone: object) -> None:
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._end)

    @property
    def words(self) -> str:
        """Everything that was written, without control sequences."""
        return _CONTROL.sub("", self.raw)

    def type(self, text: str) -> None:
        os.write(self._end, text.encode())

    def say(self, text: str) -> None:
        self.type(f"{text}\r")

    def wait(self, *parts: str) -> str:
        """Until each of these was written, one after the other, since the last time.

        What stood there till then.
        """
        start = self._seen
        for part in parts:
            until = time.monotonic() + PATIENCE
            while (at := self.words.find(part, self._seen)) < 0:
                assert time.monotonic() < until, (
                    f"{part!r} did not come; there was:\n{self.words[start:]}"
                )
                assert self._more(), f"it ended before {part!r}; there was:\n{self.words[start:]}"
            self._seen = at + len(part)
        return self.words[start : self._seen]

    def ready(self) -> None:
        """Until the prompt stands there."""
        self.wait("›")

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self.ended()

    def ended(self) -> int:
        """Until it has ended; its exit code."""
        until = time.monotonic() + PATIENCE
        while self._more():
            assert time.monotonic() < until, (
                f"it did not end; there was:\n{self.words[self._seen :]}"
            )
        self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.code

    def _more(self) -> bool:
        """Read what there is; False where it has ended."""
        if not select.select([self._end], [], [], 1.0)[0]:
            return True
        try:
            data = os.read(self._end, 65_536)
        except OSError:  # how Linux says that the other side is closed
            return False
        for _ in range(
            data.count(b"\x1b[6n")
        ):  # where is the cursor? At the top, a terminal would say
            os.write(self._end, b"\x1b[1;1R")
        self.raw += data.decode("utf-8", "replace")
        return bool(data)
