"""Prompt tokens that a provider reports, in each provider's shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steno.core.errors import BadInput
from steno.core.model import Usage

MOST = 1 << 40
"""More than any window; a larger number is no count of tokens."""
_ANTHROPIC = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def prompt_tokens(usage: Any) -> int:
    """Return the reported size of a whole prompt."""
    if isinstance(usage, Usage):
        return min(usage.sent, MOST)
    if isinstance(usage, int) and not isinstance(usage, bool):
        return min(usage, MOST)
    prompt = _count_at(usage, "prompt_tokens")
    if prompt is not None:
        return min(prompt, MOST)
    if _count_at(usage, "input_tokens") is None:
        raise BadInput(
            "usage= takes a number of prompt tokens, or the usage object a provider reported"
        )
    # Anthropic leaves the cached part out of `input_tokens`.
    return min(sum(_count_at(usage, key) or 0 for key in _ANTHROPIC), MOST)


def _count_at(usage: Any, key: str) -> int | None:
    if isinstance(usage, Mapping):
        value = usage.get(key)
    else:
        value = getattr(usage, key, None)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return None
