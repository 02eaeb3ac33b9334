"""A compaction that runs in a thread while the agent goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future

from steno.core.log import Commit

Work = Callable[["BackgroundDraft"], object]


class BackgroundDraft:
    """What `compact_soon` returns: the commit, once it has landed."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self.ended: Future[Commit | None] = Future()
        """Its end, to wait for; nothing can cancel it."""
        self.ended.set_running_or_notify_cancel()
        self._stopped: Future[None] = Future()
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
            self.ended.set_result(self.commit)

    @property
    def done(self) -> bool:
        return self.ended.done()

    @property
    def abandoned(self) -> bool:
        return self._stopped.cancelled()

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
        futures.wait([self.ended], seconds)
        return self.commit

    def on_abandon(self, stop: Callable[[], object]) -> None:
        """Call this when it is abandoned, to stop what it waits for."""
        self._stopped.add_done_callback(lambda _: stop())

    def abandon(self) -> None:
        """Keep it from landing."""
        self._stopped.cancel()
