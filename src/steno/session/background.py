"""A compaction that runs in a thread while the agent goes on.

Owns the thread, waiting for it and abandoning it. What is drawn, whether it may still
land and what a failure means is decided by the compactor.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from steno.core.log import Commit

Work = Callable[["BackgroundDraft"], object]


class BackgroundDraft:
    """What `compact_soon` returns: the commit, once it has landed."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._then: list[Callable[[], object]] = []
        self._stops: list[Callable[[], object]] = []
        self.abandoned = False
        self.commit: Commit | None = None
        """What landed; None if nothing did, or not yet."""
        # A daemon: a writer that hangs must not keep the program from ending.
        self._thread = threading.Thread(target=self._run, name="steno-draft", daemon=True)

    def begin(self) -> BackgroundDraft:
        """Start the thread."""
        self._thread.start()
        return self

    def _run(self) -> None:
        try:
            self._work(self)
        finally:
            with self._lock:
                self._done.set()
                # Called outside the lock: a callback may ask this draft something.
                waiting = tuple(self._then)
            for call in waiting:
                call()

    @property
    def done(self) -> bool:
        return self._done.is_set()

    @property
    def is_current_thread(self) -> bool:
        """Whether the caller is the thread that draws, which cannot wait for itself."""
        return threading.current_thread() is self._thread

    def wait(self, seconds: float | None = None) -> Commit | None:
        """Wait until it is over, for at most so many seconds; return what landed."""
        if self.is_current_thread:
            return self.commit
        if seconds is not None:
            # A lock takes no longer time than this, and raises OverflowError.
            seconds = min(seconds, threading.TIMEOUT_MAX)
        self._done.wait(seconds)
        return self.commit

    def on_done(self, call: Callable[[], object]) -> None:
        """Call this from the thread that draws when it is over; at once if it is over already."""
        with self._lock:
            if not self.done:
                self._then.append(call)
                return
        call()

    def on_abandon(self, stop: Callable[[], object]) -> None:
        """Call this when it is abandoned, to stop what it waits for."""
        with self._lock:
            if not self.abandoned:
                self._stops.append(stop)
                return
        stop()

    def abandon(self) -> None:
        """Keep it from landing."""
        with self._lock:
            self.abandoned = True
            stops = tuple(self._stops)
        for stop in stops:
            stop()
