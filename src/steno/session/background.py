"""A compaction that is drawn while the agent goes on.

Owns the thread and who waits for it: it can be waited for, and abandoned. What
is drawn, whether it still may land, and what its failure means is the desk's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from steno.core.log import Commit

Work = Callable[["BackgroundDraft"], object]


class BackgroundDraft:
    """What `compact_soon` gives back: the commit, once it has landed."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._then: list[Callable[[], object]] = []
        self._stops: list[Callable[[], object]] = []
        self.abandoned = False
        self.commit: Commit | None = None
        """What landed; None where nothing did, or not yet."""
        # A daemon: a writer that hangs must not keep the program from ending.
        self._thread = threading.Thread(target=self._run, name="steno-draft", daemon=True)

    def begin(self) -> BackgroundDraft:
        self._thread.start()
        return self

    def _run(self) -> None:
        try:
            self._work(self)
        finally:
            with self._lock:
                self._done.set()
                waiting = tuple(self._then)
            for call in waiting:
                call()

    @property
    def done(self) -> bool:
        return self._done.is_set()

    @property
    def is_current_thread(self) -> bool:
        """Whoever asks is the very thread that draws: it cannot wait for itself."""
        return threading.current_thread() is self._thread

    def wait(self, seconds: float | None = None) -> Commit | None:
        """Wait until it is over, for so long at most; what landed, if it has."""
        if not self.is_current_thread:
            self._done.wait(None if seconds is None else min(seconds, threading.TIMEOUT_MAX))
        return self.commit

    def on_done(self, call: Callable[[], object]) -> None:
        """Call this when it is over, from the thread that drew it; at once where it is over already."""
        with self._lock:
            if not self.done:
                self._then.append(call)
                return
        call()

    def on_abandon(self, stop: Callable[[], object]) -> None:
        """Say how to stop what it waits for, should it be abandoned."""
        with self._lock:
            if not self.abandoned:
                self._stops.append(stop)
                return
        stop()

    def abandon(self) -> None:
        """Nobody wants it any more: it will not land."""
        with self._lock:
            self.abandoned = True
            stops = tuple(self._stops)
        for stop in stops:
            stop()
