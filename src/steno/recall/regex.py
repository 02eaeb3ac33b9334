"""Regular expressions that cannot hang: matched in a process of their own, which is killed when the time is up.

Python's `re` cannot be stopped, and there are short patterns that take years. What
was found before the time was up counts; what was not looked at is said.
"""

from __future__ import annotations

import marshal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from steno.core.errors import BadInput

MEMORY_MOST = 1 << 30
PATTERN_MOST = 2_000

# Written out, not imported: the process needs nothing of ours, and starts in a few milliseconds.
_WORKER = f"""
import marshal, re, sys, warnings
warnings.simplefilter("ignore")
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({MEMORY_MOST}, {MEMORY_MOST}))
except (ImportError, ValueError, OSError):
    pass
read, write = sys.stdin.buffer, sys.stdout.buffer
while True:
    try:
        pattern, texts = marshal.load(read)
    except (EOFError, ValueError, TypeError):
        break
    try:
        compiled = re.compile(pattern, re.M)
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        marshal.dump(("bad", str(error)), write); write.flush()
        continue
    for at, text in enumerate(texts):
        found = compiled.search(text)
        if found:
            marshal.dump((at, found.start(), found.end()), write); write.flush()
    marshal.dump(("done", len(texts)), write); write.flush()
"""


@dataclass(frozen=True)
class RegexMatch:
    at: int
    """Which of the texts."""
    start: int
    stop: int


class RegexMatcher:
    """One process, kept for the next pattern as long as it answers in time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def matches(
        self, pattern: str, texts: Sequence[str], seconds: float
    ) -> tuple[list[RegexMatch], bool]:
        """The first match in each text, and whether all texts were looked at."""
        if len(pattern) > PATTERN_MOST:
            raise BadInput(
                f"a regular expression has at most {PATTERN_MOST:,} characters, got {len(pattern):,}"
            )
        with self._lock:
            process = self._ensure_process()
            timer = threading.Timer(max(seconds, 0.001), process.kill)
            timer.daemon = True
            timer.start()
            try:
                return self._ask_process(process, pattern, texts)
            finally:
                timer.cancel()

    def close(self) -> None:
        with self._lock:
            self._stop()

    def __del__(self) -> None:
        """Who forgets to close a session leaves no process behind."""
        self._stop()

    def _ask_process(
        self, process: subprocess.Popen[bytes], pattern: str, texts: Sequence[str]
    ) -> tuple[list[RegexMatch], bool]:
        assert process.stdin is not None and process.stdout is not None
        found: list[RegexMatch] = []
        try:
            process.stdin.write(marshal.dumps((pattern, list(texts))))
            process.stdin.flush()
            while True:
                match marshal.load(process.stdout):
                    case ("bad", str(why)):
                        raise BadInput(f"{pattern!r} is no regular expression: {why}")
                    case ("done", _):
                        return found, True
                    case (int(at), int(start), int(stop)):
                        found.append(RegexMatch(at, start, stop))
        except (EOFError, OSError, ValueError, TypeError) as gone:
            if isinstance(gone, BadInput):
                raise
            self._stop()
            return found, False

    def _ensure_process(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._stop()
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _WORKER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was still to be written goes nowhere
                    pipe.close()
        process.wait()
