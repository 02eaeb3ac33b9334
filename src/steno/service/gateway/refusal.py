"""What a gateway answers instead of an answer: a status, in its own words, and what a client may do about it."""

from __future__ import annotations

from typing import Any

from steno.core.ask import NoAnswer
from steno.core.error import BadInput, ModelFailed
from steno.core.model import Trouble
from steno.models.trouble import SAID, trouble_of

CODES: dict[Trouble, str] = {
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
        kind: Trouble,
        words: str,
        *,
        code: str | None = None,
        wait: float | None = None,
        window: int | None = None,
    ) -> None:
        super().__init__(words)
        self.kind, self.code, self.wait, self.window = kind, code or CODES[kind], wait, window

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
        words = failure.reason if failure.reason in SAID.values() else SAID[failure.kind]
        return Refusal(failure.kind, words, wait=failure.wait)
    if isinstance(failure, BadInput):
        return Refusal("other", "the gateway's model cannot take this request", code="INVALID_ARGUMENT")
    trouble: ModelFailed = trouble_of(failure)
    return Refusal(trouble.kind, SAID[trouble.kind], wait=trouble.wait, window=trouble.window)


def aborted(context: Any, refusal: Refusal) -> None:
    """End a call with its status; raises, as gRPC wants it."""
    import grpc

    context.set_trailing_metadata(refusal.metadata())
    context.abort(getattr(grpc.StatusCode, refusal.code), str(refusal))
