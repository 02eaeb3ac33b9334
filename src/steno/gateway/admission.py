"""What a gateway answers instead of an answer: a status, in its own words, and what a client may do about it.

How many calls run at once, how many may wait, and who is sent away.

A gate is bounded: what is over its width waits in a queue that is bounded too,
and no longer than its own deadline; what is over the queue is refused at once,
with the time after which to come back. What a call does is not its business.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from steno.core.effects import NoAnswer
from steno.core.errors import BadInput, ModelFailed
from steno.core.model import FailureKind
from steno.models.errors import ERROR_TEXTS, classify_error

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
        words: str,
        *,
        code: str | None = None,
        wait: float | None = None,
        window: int | None = None,
    ) -> None:
        super().__init__(words)
        self.kind, self.code, self.wait, self.window = (
            kind,
            code or STATUS_CODES[kind],
            wait,
            window,
        )

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What goes with the status, for clients that can read it."""
        told: list[tuple[str, str]] = [("steno-trouble", self.kind)]
        if self.wait is not None:
            told.append(("retry-after-ms", str(max(1, round(self.wait * 1_000)))))
        if self.window is not None:
            told.append(("steno-window", str(self.window)))
        return tuple(told)


def refusal_of(failure: Exception | NoAnswer) -> Refusal:
    """Why a model did not answer; in our own words, because a provider's may quote the prompt or a key."""
    if isinstance(failure, Refusal):
        return failure
    if isinstance(failure, NoAnswer):
        words = (
            failure.reason if failure.reason in ERROR_TEXTS.values() else ERROR_TEXTS[failure.kind]
        )
        return Refusal(failure.kind, words, wait=failure.wait)
    if isinstance(failure, BadInput):
        return Refusal(
            "other", "the gateway's model cannot take this request", code="INVALID_ARGUMENT"
        )
    trouble: ModelFailed = classify_error(failure)
    return Refusal(
        trouble.kind, ERROR_TEXTS[trouble.kind], wait=trouble.wait, window=trouble.window
    )


def abort_call(context: Any, refusal: Refusal) -> None:
    """End a call with its status; raises, as gRPC wants it."""
    import grpc

    context.set_trailing_metadata(refusal.metadata())
    context.abort(getattr(grpc.StatusCode, refusal.code), str(refusal))


POLL_SECONDS = 0.25
"""Seconds after which who waits looks whether its client is still there."""
SMOOTHING = 0.2
"""Weight of the newest call in how long a call takes."""
WAIT_LEAST, WAIT_MOST = 0.1, 30.0


class Gate:
    def __init__(self, width: int, queue: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.width, self.queue, self._clock = width, queue, clock
        self.running = self.waiting = 0
        self._takes = 1.0
        self._free = threading.Condition()

    @contextmanager
    def admit(self, seconds: float | None, there: Callable[[], bool]) -> Iterator[None]:
        """A place for one call; waits for it as long as the call may, and as its client is there."""
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
                self._wait(None if seconds is None else self._clock() + seconds, there)
                self.running += 1
            finally:
                self.waiting -= 1

    def _wait(self, until: float | None, there: Callable[[], bool]) -> None:
        while self.running >= self.width:
            left = POLL_SECONDS if until is None else min(POLL_SECONDS, until - self._clock())
            if left <= 0:
                raise Refusal("timeout", "no place came free before the call's deadline")
            if not there():
                raise Refusal("reset", "the client is gone")
            self._free.wait(left)

    def seconds_until_free(self) -> float:
        """Seconds after which there should be a place again, as calls go."""
        ahead = (self.running + self.waiting) / max(1, self.width)
        return min(WAIT_MOST, max(WAIT_LEAST, self._takes * ahead))
