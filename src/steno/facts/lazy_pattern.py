"""Patterns that are compiled when they are first used.

The cues of all languages make long patterns. To compile them takes half a second, and most
programs that import Steno need few of them.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import cast


def lazy_pattern(source: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Return what can be used as a pattern, except as an argument of a function of `re`."""
    return cast("re.Pattern[str]", LazyPattern(source, flags))


class LazyPattern:
    """A pattern that waits for its first use."""

    def __init__(self, source: str, flags: re.RegexFlag) -> None:
        self._source, self._flags = source, flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    def __getattr__(self, name: str) -> object:
        # Called for what is not there yet; after that a method costs no more than a pattern's.
        found: object = getattr(self.compiled, name)
        setattr(self, name, found)
        return found
