"""Many alternatives of a cue, searched only where they can be found.

Trying a hundred patterns on every sentence is slow; looking for plain letters is quick. Every
match of a pattern holds certain letters (`always`, or one of `must`, `should`, `shall`), and
these are read from the pattern itself, so a table of cues need not say them. A pattern is
searched only in a text that has the letters it needs, and is compiled only then.
"""

from __future__ import annotations

import re

# Python's own parser of patterns; there is no public one.
import re._constants as opcodes  # type: ignore[import-not-found, unused-ignore]
import re._parser as parser  # type: ignore[import-not-found, unused-ignore]
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

NEEDS_MOST = 3
"""Needs of one pattern that are looked for, the most telling."""
LETTERS_LEAST = 2
"""Letters of a need: a single one is in most texts."""

Need = frozenset[str]
"""Letters of which a match holds one or another."""


class Phrases:
    """Alternatives of a cue."""

    def __init__(self, *alternatives: str) -> None:
        self.sources = alternatives

    @cached_property
    def _by_letters(self) -> dict[str, list[Phrase]]:
        """The alternatives under each possibility of their most telling need."""
        found: dict[str, list[Phrase]] = {}
        for phrase in map(Phrase, self.sources):
            # No letters are in every text.
            for letters in phrase.needs[0] if phrase.needs else ("",):
                found.setdefault(letters, []).append(phrase)
        return found

    def found_in(self, text: str) -> bool:
        """Tell whether a text holds one of the alternatives."""
        # `filter` keeps the loop over hundreds of letters out of Python's own code.
        for letters in filter(text.__contains__, self._by_letters):
            if any(phrase.found_in(text) for phrase in self._by_letters[letters]):
                return True
        return False


class Phrase:
    """One alternative, and what its matches hold."""

    def __init__(self, source: str) -> None:
        self.source = source
        needs = sorted(set(_needs_of(parser.parse(source))), key=_by_telling, reverse=True)
        self.needs = tuple(tuple(sorted(need)) for need in needs[:NEEDS_MOST])

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.source)

    def found_in(self, text: str) -> bool:
        """Tell whether a text holds this alternative."""
        held = (any(letters in text for letters in need) for need in self.needs)
        return all(held) and self.pattern.search(text) is not None


def _needs_of(parsed: Iterable[tuple[Any, Any]]) -> Iterator[Need]:
    """Yield what every match of a sequence holds."""
    letters = ""
    for code, value in parsed:
        if code is opcodes.LITERAL:
            letters += chr(value)
            continue
        if len(letters) >= LETTERS_LEAST:
            yield frozenset((letters,))
        letters = ""
        if code is opcodes.BRANCH:
            yield from _need_of_branches(value[1])
        elif code is opcodes.SUBPATTERN and not value[1]:  # flags may let other letters match
            yield from _needs_of(value[3])
        elif code in (opcodes.MAX_REPEAT, opcodes.MIN_REPEAT) and value[0] > 0:
            yield from _needs_of(value[2])
    if len(letters) >= LETTERS_LEAST:
        yield frozenset((letters,))


def _need_of_branches(branches: Iterable[Iterable[tuple[Any, Any]]]) -> Iterator[Need]:
    """Yield what one branch or another holds, if there is something in each."""
    found: set[str] = set()
    for branch in branches:
        best = max(_needs_of(branch), key=_by_telling, default=None)
        if best is None:
            return
        found |= best
    yield frozenset(found)


def _by_telling(need: Need) -> tuple[int, int, list[str]]:
    """Order needs: many letters tell more than few, one possibility more than several."""
    return min(map(len, need)), -len(need), sorted(need)
