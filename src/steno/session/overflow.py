"""What a provider's refusal "the request is too long" says, and which window to believe in."""

from __future__ import annotations

from typing import Any

from steno.core.errors import ModelFailed
from steno.providers.shared.errors import (
    ERROR_TEXTS,
    classify_error,
    find_overflow,
    is_overflow,
)
from steno.providers.shared.plain_json import get_field

CAUSES_MOST = 5
"""Causes looked at: frameworks wrap what an SDK raises."""
SMALLER = 0.75
"""Share of a refused load that is taken to fit if the provider names no window."""
GUESS_DIVISOR = 4
"""Guesses stop at this part of the largest refused load: later refusals are not about length."""
WINDOW_LEAST = 256
"""Tokens that a window holds, whatever a refusal says."""


def overflow_of(failure: BaseException) -> ModelFailed | None:
    """Return the refusal as too long that this is or was raised from; None for other failures."""
    inner: BaseException | None = failure
    for _ in range(CAUSES_MOST):
        if inner is None:
            return None
        if is_overflow(inner):
            return classify_error(inner)
        # Not its context: what was being handled at the time may be an older refusal.
        inner = inner.__cause__
    return None


def overflow_in(reply: Any) -> ModelFailed | None:
    """Return an overflow error if a reply stopped because the context window was full."""
    for key in ("stop_reason", "stopReason"):
        stop = get_field(reply, key)
        if stop is not None and find_overflow(str(stop)):
            return ModelFailed(ERROR_TEXTS["overflow"], "overflow")
    return None


def smaller_window(
    window: int, usable: int, load: int, stated: int | None, floor: int = WINDOW_LEAST
) -> int:
    """Return the window to believe in after a refused load; a guess is not below `floor`."""
    reserve = window - usable
    believed = window
    if stated is not None:
        believed = min(window, stated)
    # The reserve shrinks with the window; kept as it was it could be all of a small one.
    share = min(reserve / window, 0.5)
    if load > believed * (1 - share):
        return max(WINDOW_LEAST, believed)
    # The provider counts more than we do, or named no window: less than this load must fit.
    guess = max(floor, int(load * SMALLER / (1 - share)))
    return max(WINDOW_LEAST, min(believed, guess))
