"""A provider refuses the agent's own request as too long: what is learned, and what is done.

The window was not what we thought, or we count less than the provider does. Both
are learned from the refusal, kept with the session, and the session is compacted
until it fits. Telling such a refusal from others is `steno.models.trouble`'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from steno.core.error import ModelFailed, TooLong
from steno.models.trouble import trouble_of

if TYPE_CHECKING:
    from types import TracebackType

    from steno.session.session import Session

DEEP = 5
"""Causes looked at: frameworks wrap what an SDK raises."""
SMALLER = 0.75
"""Of what was refused is taken to fit, where nobody says what does."""
LEAST = 256
"""Tokens that a window holds, whatever a refusal says."""
READ_MOST = 4_000
_SENT = re.compile(
    r"too long: ([\d,]+) tokens >"
    r"|resulted in ([\d,]+) tokens"
    r"|\(([\d,]+) in (?:the|your) (?:messages|prompt)"
    r"|input token count \(([\d,]+)\)"
    r"|request \(([\d,]+) tokens\) exceeds"
    r"|request contains ([\d,]+) tokens",
    re.I,
)
"""How providers say what they counted."""


def overflow_of(failure: BaseException) -> ModelFailed | None:
    """The refusal as too long that this is, or was raised from; None for every other failure."""
    inner: BaseException | None = failure
    for _ in range(DEEP):
        if inner is None:
            return None
        trouble = trouble_of(inner) if isinstance(inner, Exception) else None
        if trouble is not None and trouble.kind == "overflow":
            return trouble
        # Not its context: what somebody was handling at the time may be an older refusal.
        inner = inner.__cause__
    return None


def counted(failure: BaseException) -> int | None:
    """Tokens that the provider counted in what it refused, where it says so."""
    body = getattr(failure, "body", None)
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    told = inner.get("n_prompt_tokens") if isinstance(inner, Mapping) else None
    if isinstance(told, int) and not isinstance(told, bool) and told > 0:
        return told
    found = _SENT.search(str(failure)[:READ_MOST])
    return next((int(number.replace(",", "")) for number in found.groups() if number), None) if found else None


def learned(session: Session, failure: BaseException) -> int | None:
    """Learn from a refusal: the load that was refused; None where it was no refusal as too long."""
    trouble = overflow_of(failure)
    return None if trouble is None else session.learn(trouble.window, counted(failure))


def shrunk(session: Session, failure: BaseException) -> int | None:
    """Learn from a refusal and compact; the load that was refused, if it was."""
    load = learned(session, failure)
    if load is not None:
        session.messages()
    return load


def smaller(window: int, usable: int, load: int, told: int | None) -> int:
    """The window to believe in, after a request of this load was refused."""
    reserve = window - usable
    believed = window if told is None else min(window, told)
    share = min(reserve / window, 0.5)
    if load > believed * (1 - share):
        return max(LEAST, believed)
    # The provider counts more than we do, or did not say: what was sent did not fit, so less must.
    return max(LEAST, min(believed, int(load * SMALLER / (1 - share))))


@dataclass(frozen=True)
class Guard:
    """`with session.guard():` around a call that sends `session.request()`."""

    session: Session

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, failure: BaseException | None, trace: TracebackType | None) -> None:
        load = None if failure is None else shrunk(self.session, failure)
        if load is not None:
            raise TooLong((load, self.session.load), self.session.budget.window, again=True) from failure
