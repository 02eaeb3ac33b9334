"""Regular expressions that cannot hang or fill the memory.

Python's `re` cannot be stopped, and there are short patterns that take years. The `regex`
package stops a match when its time is up. It does not bound the compiling: it writes out a
repeated group as often as it must occur, so such patterns are refused first.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import regex

from steno.core.errors import BadInput

PATTERN_MOST = 2_000
EXPANSION_MOST = 200_000
"""Length of a pattern times the repeats of its groups; about 40 MB once compiled."""

# A repeat of at least {n} of anything but a single character. Nesting is not looked at,
# so the repeats of all groups are multiplied as if each stood within the one before.
_GROUP_REPEAT = re.compile(r"(?<![\w\].])\{\s*(\d+)\s*(?:,\s*\d*\s*)?\}")


def compile_pattern(pattern: str) -> Any:
    """Compile a pattern, with `^` and `$` at every line; raise `BadInput` if it is none."""
    if len(pattern) > PATTERN_MOST:
        raise BadInput(
            f"a regular expression has at most {PATTERN_MOST:,} characters, got {len(pattern):,}"
        )
    size = len(pattern)
    for least in _GROUP_REPEAT.findall(pattern):
        # Ten digits are far over the limit already.
        size *= max(1, int(least[:10]))
    if size > EXPANSION_MOST:
        raise BadInput(
            f"{pattern!r} is no regular expression that can be searched for: it repeats its "
            "groups too often; use smaller numbers in {…}"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return regex.compile(pattern, regex.MULTILINE, cache_pattern=False)
    except (regex.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
        raise BadInput(f"{pattern!r} is no regular expression: {error}") from None


def find_first(pattern: Any, text: str, seconds: float) -> tuple[int, int] | None:
    """Return where the pattern first matches; raise `TimeoutError` if the time is up.

    The time is that of the processor, so on a busy machine it takes longer by the clock.
    """
    if seconds <= 0:
        raise TimeoutError
    match = pattern.search(text, timeout=seconds)
    if match is None:
        return None
    return match.start(), match.end()
