"""Was it still there? Visible, one recall away, or lost.

A hit is text in what is shown: anywhere in a message that was kept or
shrunk, in a summary only in a line that cites a position. Bare lists of names
are cheap and tell nothing, so they count for a small share of the window at most.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from steno.core.span import Span
from steno.replay.request import Request
from steno.replay.tale import Use
from steno.replay.words import CHARACTERS, names

LISTS_MOST = 0.04
"""Of the window, for lines that only list names."""
BARE = 0.7
"""The share of a line's letters that are in names, from which on it only lists them."""
BARE_NAMES = 3
_CITED = re.compile(r"\[\d+(?:\.\d+)?(?:\s*[-–]\s*\d+)?(?:\s*,\s*\d+(?:\.\d+)?(?:\s*[-–]\s*\d+)?)*\]")
_LETTER = re.compile(r"\w")


@dataclass(frozen=True)
class Tally:
    """How many there were, and where they ended up."""

    all: int = 0
    visible: int = 0
    recallable: int = 0

    @property
    def lost(self) -> int:
        return self.all - self.visible - self.recallable

    @property
    def share(self) -> float | None:
        """Of all, what was visible; None where nothing was wanted."""
        return self.visible / self.all if self.all else None

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.all + other.all, self.visible + other.visible, self.recallable + other.recallable)


@dataclass(frozen=True)
class Seen:
    """What counts of a request."""

    words: str
    pointers: Sequence[Span]

    @classmethod
    def of(cls, request: Request, window: int) -> Seen:
        spare = int(window * CHARACTERS * LISTS_MOST)
        counted = []
        for part in request.parts:
            if part.summary:
                text, spare = _cited(part.text, spare)
                counted.append(text)
            else:
                counted.append(part.text)
        return cls("\n".join(counted), request.pointers)

    def tally(self, use: Use) -> Tally:
        if use.text in self.words:
            return Tally(1, 1)
        return Tally(1, 0, int(any(at in span for at in use.holders for span in self.pointers)))


def _cited(summary: str, spare: int) -> tuple[str, int]:
    """The lines that cite, as far as lists of names are not too many; and what is left for more of them."""
    kept = []
    for line in summary.split("\n"):
        if not _CITED.search(line):
            continue
        if is_bare(line):
            if len(line) > spare:
                continue
            spare -= len(line)
        kept.append(line)
    return "\n".join(kept), spare


def is_bare(line: str) -> bool:
    """It lists names and says nothing of them."""
    told = _CITED.sub("", line)
    found = names(told)
    if len(found) < BARE_NAMES:
        return False
    letters = len(_LETTER.findall(told))
    inside = sum(len(_LETTER.findall(name)) * told.count(name) for name in found)
    return inside >= BARE * letters
