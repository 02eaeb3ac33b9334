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
from steno.models.trouble import too_long, trouble_of

if TYPE_CHECKING:
    from types import TracebackType

    from steno.session.session import Session

DEEP = 5
"""Causes looked at: frameworks wrap what an SDK raises."""
SMALLER = 0.75
"""Of what was refused is taken to fit, where nobody says what does."""
GUESSED = 4
"""Guesses stop at this part of the largest load that was refused: what goes on after that is not about length."""
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
    refusal = _refusal(failure)
    return None if refusal is None else trouble_of(refusal)


def _refusal(failure: BaseException) -> BaseException | None:
    inner: BaseException | None = failure
    for _ in range(DEEP):
        if inner is None or too_long(inner):
            return inner
        # Not its context: what somebody was handling at the time may be an older refusal.
        inner = inner.__cause__
    return None


def counted(failure: BaseException) -> int | None:
    """Tokens that the provider counted in what it refused, where it says so."""
    refusal = _refusal(failure) or failure
    body = getattr(refusal, "body", None)
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    told = inner.get("n_prompt_tokens") if isinstance(inner, Mapping) else None
    if isinstance(told, int) and not isinstance(told, bool) and told > 0:
        return told
    found = _SENT.search(str(refusal)[:READ_MOST])
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


def smaller(window: int, usable: int, load: int, told: int | None, floor: int = LEAST) -> int:
    """The window to believe in, after a request of this load was refused; a guess is not under the floor."""
    reserve = window - usable
    believed = window if told is None else min(window, told)
    share = min(reserve / window, 0.5)
    if load > believed * (1 - share):
        return max(LEAST, believed)
    # The provider counts more than we do, or did not say: what was sent did not fit, so less must.
    return max(LEAST, min(believed, max(floor, int(load * SMALLER / (1 - share)))))


@dataclass(frozen=True)
class Guard:
    """`with session.guard():` around a call that sends `session.request()`."""

    session: Session

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, failure: BaseException | None, trace: TracebackType | None) -> None:
        load = None if failure is None else shrunk(self.session, failure)
        if load is not None:
            raise refused(self.session, load) from failure


def refused(session: Session, load: int) -> TooLong:
    """What to tell after a request of this load was refused: to send again only where there is less to send."""
    again = session.load < load
    return TooLong((load, session.load) if again else (load,), session.budget.window, again=again)
