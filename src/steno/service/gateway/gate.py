"""How many calls run at once, how many may wait, and who is sent away.

A gate is bounded: what is over its width waits in a queue that is bounded too,
and no longer than its own deadline; what is over the queue is refused at once,
with the time after which to come back. What a call does is not its business.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from steno.service.gateway.refusal import Refusal

LOOK = 0.25
"""Seconds after which who waits looks whether its client is still there."""
SMOOTH = 0.2
"""Weight of the newest call in how long a call takes."""
WAIT_LEAST, WAIT_MOST = 0.1, 30.0


class Gate:
    def __init__(self, width: int, queue: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.width, self.queue, self._clock = width, queue, clock
        self.running = self.waiting = 0
        self._takes = 1.0
        self._free = threading.Condition()

    @contextmanager
    def admitted(self, seconds: float | None, there: Callable[[], bool]) -> Iterator[None]:
        """A place for one call; waits for it as long as the call may, and as its client is there."""
        self._enter(seconds, there)
        began = self._clock()
        try:
            yield
        finally:
            with self._free:
                self.running -= 1
                self._takes += SMOOTH * (self._clock() - began - self._takes)
                self._free.notify()

    def _enter(self, seconds: float | None, there: Callable[[], bool]) -> None:
        with self._free:
            if self.running < self.width and not self.waiting:
                self.running += 1
                return
            if self.waiting >= self.queue:
                raise Refusal("busy", "the gateway has all the calls it can hold", wait=self.comes_free())
            self.waiting += 1
            try:
                self._wait(None if seconds is None else self._clock() + seconds, there)
                self.running += 1
            finally:
                self.waiting -= 1

    def _wait(self, until: float | None, there: Callable[[], bool]) -> None:
        while self.running >= self.width:
            left = LOOK if until is None else min(LOOK, until - self._clock())
            if left <= 0:
                raise Refusal("timeout", "no place came free before the call's deadline")
            if not there():
                raise Refusal("reset", "the client is gone")
            self._free.wait(left)

    def comes_free(self) -> float:
        """Seconds after which there should be a place again, as calls go."""
        ahead = (self.running + self.waiting) / max(1, self.width)
        return min(WAIT_MOST, max(WAIT_LEAST, self._takes * ahead))
