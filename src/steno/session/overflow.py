"""What a provider's refusal "the request is too long" says.

Owns reading the refusal: whether it is one, what the provider counted, and which
window to believe in afterwards. Acting on it is the compactor's; telling a refusal
from other errors is `steno.providers.shared.errors`'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from steno.core.errors import ModelFailed
from steno.providers.shared.errors import ERROR_TEXTS, classify_error, is_overflow

WINDOW_EXCEEDED = "model_context_window_exceeded"
"""Why Anthropic and Bedrock stop a reply for which the window has no more room."""
CAUSES_MOST = 5
"""Causes looked at: frameworks wrap what an SDK raises."""
SMALLER = 0.75
"""Share of a refused load that is taken to fit if the provider names no window."""
GUESS_DIVISOR = 4
"""Guesses stop at this part of the largest refused load: later refusals are not about length."""
WINDOW_LEAST = 256
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
"""How providers state what they counted."""


def overflow_of(failure: BaseException) -> ModelFailed | None:
    """Return the refusal as too long that this is or was raised from; None for other failures."""
    refusal = _refusal(failure)
    if refusal is None:
        return None
    return classify_error(refusal)


def overflow_in(reply: Any) -> ModelFailed | None:
    """Return the refusal that a reply with a good status is: it ended because the window did."""
    for key in ("stop_reason", "stopReason"):
        stop = getattr(reply, key, None)
        if isinstance(reply, Mapping):
            stop = reply.get(key)
        if stop == WINDOW_EXCEEDED:
            return ModelFailed(ERROR_TEXTS["overflow"], "overflow")
    return None


def _refusal(failure: BaseException) -> BaseException | None:
    inner: BaseException | None = failure
    for _ in range(CAUSES_MOST):
        if inner is None or is_overflow(inner):
            return inner
        # Not its context: what was being handled at the time may be an older refusal.
        inner = inner.__cause__
    return None


def counted_tokens(failure: BaseException) -> int | None:
    """Return the tokens that the provider counted in what it refused, if it says so."""
    refusal = _refusal(failure) or failure
    stated = _stated_count(getattr(refusal, "body", None))
    if stated is not None:
        return stated
    match = _SENT.search(str(refusal)[:READ_MOST])
    if match is None:
        return None
    # One alternative of the pattern matched, so one group holds the number.
    for number in match.groups():
        if number:
            return int(number.replace(",", ""))
    return None


def _stated_count(body: object) -> int | None:
    """Return the count that llama.cpp's server puts into the body of its error."""
    if not isinstance(body, Mapping):
        return None
    error = body.get("error", body)
    if not isinstance(error, Mapping):
        return None
    count = error.get("n_prompt_tokens")
    if isinstance(count, int) and not isinstance(count, bool) and count > 0:
        return count
    return None


def smaller_window(
    window: int, usable: int, load: int, stated: int | None, floor: int = WINDOW_LEAST
) -> int:
    """Return the window to believe in after a request of this load was refused.

    A guess, made if the provider states no window, is not below `floor`.
    """
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
