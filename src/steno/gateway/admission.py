"""Which calls a gateway admits, and the status that a refused call gets.

The gate runs at most `width` calls at once. Others wait in a bounded queue, no longer
than their own deadline; a call that finds the queue full is refused at once, with the
time after which to come back. What a call does is in `calls`.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from steno.core.effects import NoAnswer
from steno.core.errors import BadInput, ModelFailed
from steno.core.model import FailureKind
from steno.providers.shared.errors import ERROR_TEXTS, classify_error

STATUS_CODES: dict[FailureKind, str] = {
    "timeout": "DEADLINE_EXCEEDED",
    "busy": "RESOURCE_EXHAUSTED",
    "server": "UNAVAILABLE",
    "reset": "UNAVAILABLE",
    "invalid": "INTERNAL",
    "refused": "FAILED_PRECONDITION",
    "overflow": "INVALID_ARGUMENT",
    "cut": "OUT_OF_RANGE",
    "empty": "INTERNAL",
    "auth": "FAILED_PRECONDITION",  # the gateway's own key, not its client's
    "spent": "RESOURCE_EXHAUSTED",
    "other": "UNKNOWN",
}


class Refusal(Exception):
    """A call that gets a status and no answer."""

    def __init__(
        self,
        kind: FailureKind,
        reason: str,
        *,
        code: str | None = None,
        wait: float | None = None,
        window: int | None = None,
    ) -> None:
        super().__init__(reason)
        self.kind = kind
        self.code = code or STATUS_CODES[kind]
        self.wait = wait
        self.window = window

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Return what goes with the status, for clients that can read it."""
        metadata: list[tuple[str, str]] = [("steno-trouble", self.kind)]
        if self.wait is not None:
            metadata.append(("retry-after-ms", str(max(1, round(self.wait * 1_000)))))
        if self.window is not None:
            metadata.append(("steno-window", str(self.window)))
        return tuple(metadata)


def refusal_of(failure: Exception | NoAnswer) -> Refusal:
    """Return why a model did not answer, in our own words: its own may quote the prompt."""
    if isinstance(failure, Refusal):
        return failure
    if isinstance(failure, NoAnswer):
        reason = ERROR_TEXTS[failure.kind]
        if failure.reason in ERROR_TEXTS.values():
            reason = failure.reason
        return Refusal(failure.kind, reason, wait=failure.wait)
    if isinstance(failure, BadInput):
        return Refusal(
            "other", "the gateway's model cannot take this request", code="INVALID_ARGUMENT"
        )
    error: ModelFailed = classify_error(failure)
    return Refusal(error.kind, ERROR_TEXTS[error.kind], wait=error.wait, window=error.window)


def abort_call(context: Any, refusal: Refusal) -> None:
    """End a call with its status; gRPC's `abort` raises."""
    import grpc

    context.set_trailing_metadata(refusal.metadata())
    context.abort(getattr(grpc.StatusCode, refusal.code), str(refusal))


class SendWatch:
    """Ends a stream whose client does not read, or takes longer than a call may in all.

    A send cannot be given a time: the thread that sends sleeps within gRPC until the client
    reads. So another one looks after it.
    """

    def __init__(
        self, end: Callable[[], object], send: float, whole: float, clock: Callable[[], float]
    ) -> None:
        self.sends: float | None = None
        """When the send under way began."""
        self._end, self._send, self._clock = end, send, clock
        self._until = clock() + whole
        self._timer: threading.Timer | None = None

    def __enter__(self) -> SendWatch:
        self._look_again(min(self._send, self._until - self._clock()))
        return self

    def __exit__(self, *error: object) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()

    def _look_again(self, seconds: float) -> None:
        self._timer = threading.Timer(max(seconds, POLL_SECONDS), self._look)
        self._timer.daemon = True
        self._timer.start()

    def _look(self) -> None:
        now, sends = self._clock(), self.sends
        until = self._until
        if sends is not None:
            until = min(until, sends + self._send)
        if now >= until:
            self._end()
        elif self._timer is not None:
            self._look_again(min(until - now, self._send))


POLL_SECONDS = 0.25
"""Seconds after which a waiting call checks that its client is still there."""
SMOOTHING = 0.2
"""Weight of the newest call in the average duration of a call."""
WAIT_LEAST, WAIT_MOST = 0.1, 30.0


class Gate:
    """Places for calls: so many run, so many wait, the rest are refused."""

    def __init__(self, width: int, queue: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.width, self.queue, self._clock = width, queue, clock
        self.running = self.waiting = 0
        self._takes = 1.0
        self._free = threading.Condition()

    @contextmanager
    def admit(self, seconds: float | None, there: Callable[[], bool]) -> Iterator[None]:
        """Hold a place for one call; wait for it until its deadline or its client is gone."""
        self._enter(seconds, there)
        began = self._clock()
        try:
            yield
        finally:
            with self._free:
                self.running -= 1
                self._takes += SMOOTHING * (self._clock() - began - self._takes)
                self._free.notify()

    def _enter(self, seconds: float | None, there: Callable[[], bool]) -> None:
        with self._free:
            # A call that has just come does not overtake those that wait.
            if self.running < self.width and not self.waiting:
                self.running += 1
                return
            if self.waiting >= self.queue:
                raise Refusal(
                    "busy",
                    "the gateway has all the calls it can hold",
                    wait=self.seconds_until_free(),
                )
            self.waiting += 1
            try:
                until = math.inf
                if seconds is not None:
                    until = self._clock() + seconds
                self._wait(until, there)
                self.running += 1
            finally:
                self.waiting -= 1

    def _wait(self, until: float, there: Callable[[], bool]) -> None:
        while self.running >= self.width:
            # Nothing wakes this wait when a client goes away, so it looks again and again.
            left = min(POLL_SECONDS, until - self._clock())
            if left <= 0:
                raise Refusal("timeout", "no place came free before the call's deadline")
            if not there():
                raise Refusal("reset", "the client is gone")
            self._free.wait(left)

    def seconds_until_free(self) -> float:
        """Estimate the seconds until a place is free, by how long calls take."""
        ahead = (self.running + self.waiting) / max(1, self.width)
        return min(WAIT_MOST, max(WAIT_LEAST, self._takes * ahead))
