"""A provider refuses the agent's own request as too long: what is learned, and what is done.

The window was not what we thought, or we count less than the provider does. Both
are learned from the refusal, kept with the session, and the session is compacted
until it fits. Telling such a refusal from others is `steno.models.errors`'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from steno.core.errors import ModelFailed, TooLong
from steno.models.errors import classify_error, is_overflow

if TYPE_CHECKING:
    from types import TracebackType

    from steno.session.session import Session

CAUSES_MOST = 5
"""Causes looked at: frameworks wrap what an SDK raises."""
SMALLER = 0.75
"""Of what was refused is taken to fit, where nobody says what does."""
GUESS_DIVISOR = 4
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
    if refusal is None:
        return None
    return classify_error(refusal)


def _refusal(failure: BaseException) -> BaseException | None:
    inner: BaseException | None = failure
    for _ in range(CAUSES_MOST):
        if inner is None or is_overflow(inner):
            return inner
        # Not its context: what somebody was handling at the time may be an older refusal.
        inner = inner.__cause__
    return None


def counted_tokens(failure: BaseException) -> int | None:
    """Tokens that the provider counted in what it refused, where it says so."""
    refusal = _refusal(failure) or failure
    body = getattr(refusal, "body", None)
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    told = inner.get("n_prompt_tokens") if isinstance(inner, Mapping) else None
    if isinstance(told, int) and not isinstance(told, bool) and told > 0:
        return told
    found = _SENT.search(str(refusal)[:READ_MOST])
    if found:
        return next((int(number.replace(",", "")) for number in found.groups() if number), None)
    return None


def learn_from(session: Session, failure: BaseException) -> int | None:
    """Learn from a refusal: the load that was refused; None where it was no refusal as too long."""
    trouble = overflow_of(failure)
    if trouble is None:
        return None
    return session.learn_window(trouble.window, counted_tokens(failure))


def shrink_after(session: Session, failure: BaseException) -> int | None:
    """Learn from a refusal and compact; the load that was refused, if it was."""
    load = learn_from(session, failure)
    if load is not None:
        session.messages()
    return load


def smaller_window(
    window: int, usable: int, load: int, told: int | None, floor: int = LEAST
) -> int:
    """The window to believe in, after a request of this load was refused; a guess is not under the floor."""
    reserve = window - usable
    believed = window if told is None else min(window, told)
    share = min(reserve / window, 0.5)
    if load > believed * (1 - share):
        return max(LEAST, believed)
    # The provider counts more than we do, or did not say: what was sent did not fit, so less must.
    return max(LEAST, min(believed, max(floor, int(load * SMALLER / (1 - share)))))


@dataclass(frozen=True)
class OverflowGuard:
    """`with session.guard():` around a call that sends `session.request()`."""

    session: Session

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: object, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        load = None if failure is None else shrink_after(self.session, failure)
        if load is not None:
            raise too_long_error(self.session, load) from failure


def too_long_error(session: Session, load: int) -> TooLong:
    """What to tell after a request of this load was refused: to send again only where there is less to send."""
    again = session.load < load
    return TooLong((load, session.load) if again else (load,), session.budget.window, again=again)
