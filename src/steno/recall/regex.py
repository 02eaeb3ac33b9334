"""Regular expressions that cannot hang or fill the memory.

Python's `re` cannot be stopped, and there are short patterns that take years. The `regex`
package stops a match when its time is up. It does not bound the compiling: it writes out
what is repeated as often as it must occur, so what that would come to is computed first.
"""

from __future__ import annotations

import math
import queue
import re
import threading
import warnings
from typing import Any

from steno.core.errors import BadInput

PATTERN_MOST = 2_000
EXPANSION_MOST = 200_000
"""Characters that a pattern may have once its repeats are written out; 60 MB when compiled."""
QUICK_SECONDS = 0.02
"""Seconds of the processor that a search may take before it is given a thread of its own."""

_REPEAT = re.compile(r"(?P<of_one>(?<=[\w\].]))?\{\s*(?P<least>\d+)\s*(?:,\s*\d*\s*)?\}")
"""A repeat of at least {n}; `of_one` if it can only repeat a single character."""


def compile_pattern(pattern: str) -> Any:
    """Compile a pattern, with `^` and `$` at every line; raise `BadInput` if it is none."""
    # Late: it takes long to import, and few sessions are searched by a regular expression.
    import regex

    if len(pattern) > PATTERN_MOST:
        raise BadInput(
            f"a regular expression has at most {PATTERN_MOST:,} characters, got {len(pattern):,}"
        )
    if _size_written_out(pattern) > EXPANSION_MOST:
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


def _size_written_out(pattern: str) -> int:
    """Return a size that the pattern cannot exceed when its repeats are written out.

    The brackets are not read, because which ones count depends on flags. Whatever repeats
    a group may stand within any other, so these are multiplied. What repeats one character
    has nothing within it, so of these the largest counts.
    """
    groups: list[int] = []
    ones = [1]
    for found in _REPEAT.finditer(pattern):
        # Ten digits are far over the limit already, and int() refuses thousands of them.
        least = max(1, int(found["least"][:10]))
        if found["of_one"] is None:
            groups.append(least)
        else:
            ones.append(least)
    return len(pattern) * math.prod(groups) * max(ones)


def find_first(pattern: Any, text: str, seconds: float) -> tuple[int, int] | None:
    """Return where the pattern first matches; raise `TimeoutError` if the time is up."""
    if seconds <= 0:
        raise TimeoutError
    try:
        match = pattern.search(text, timeout=min(seconds, QUICK_SECONDS))
    except TimeoutError:
        match = _search_by_the_clock(pattern, text, seconds - QUICK_SECONDS)
    if match is None:
        return None
    return match.start(), match.end()


def _search_by_the_clock(pattern: Any, text: str, seconds: float) -> Any:
    """Search in a thread, and wait no longer than this.

    The timeout of `regex` counts the processor's time, which on a busy machine is a part of
    the clock's. It still ends the thread that we do not wait for any more.
    """
    if seconds <= 0:
        raise TimeoutError
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def search() -> None:
        try:
            answers.put(pattern.search(text, timeout=seconds, concurrent=True))
        except (TimeoutError, MemoryError) as error:
            answers.put(error)

    threading.Thread(target=search, name="steno-regex", daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(answer, Exception):
        raise answer
    return answer
