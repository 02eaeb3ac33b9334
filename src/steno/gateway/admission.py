"""Which calls a gateway admits, and the status that a refused call gets.

The gate runs at most `width` calls at once. Others wait in a bounded queue, no longer
than their own deadline; a call that finds the queue full is refused at once, with the
time after which to come back. What a call does is in `calls`.
"""

from __future__ import annotations

import threading
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


def wrong_request(reason: str) -> Refusal:
    """Return the refusal of a request that no retry can help."""
    return Refusal("other", reason, code="INVALID_ARGUMENT")


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
        return wrong_request("the gateway's model cannot take this request")
    error: ModelFailed = classify_error(failure)
    return Refusal(error.kind, ERROR_TEXTS[error.kind], wait=error.wait, window=error.window)


def abort_call(context: Any, refusal: Refusal) -> None:
    """End a call with its status; gRPC's `abort` raises."""
    import grpc

    context.set_trailing_metadata(refusal.metadata())
    context.abort(getattr(grpc.StatusCode, refusal.code), str(refusal))


COME_BACK_SECONDS = 1.0
"""When a call that is refused for want of a place should come back."""


class Gate:
    """Places for calls: so many run, so many wait, the rest are refused."""

    def __init__(self, width: int, queue: int) -> None:
        self.width, self.queue = width, queue
        self.running = self.waiting = 0
        self._free = threading.Condition()

    @contextmanager
    def admit(self, seconds: float, there: Callable[[], bool]) -> Iterator[None]:
        """Hold a place for one call; wait for it at most until its deadline."""
        with self._free:
            if self.running + self.waiting >= self.width + self.queue:
                reason = "the gateway has all the calls it can hold"
                raise Refusal("busy", reason, wait=COME_BACK_SECONDS)
            self.waiting += 1
            try:
                free = self._free.wait_for(lambda: self.running < self.width, seconds)
            finally:
                self.waiting -= 1
            if not free:
                raise Refusal("timeout", "no place came free before the call's deadline")
            self.running += 1
        try:
            if not there():
                raise Refusal("reset", "the client is gone")
            yield
        finally:
            with self._free:
                self.running -= 1
                self._free.notify()
