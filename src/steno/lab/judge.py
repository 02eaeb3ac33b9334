"""Was it still there? Visible, one recall away, or lost.

A hit is text in what is shown: anywhere in a message that was kept or
shrunk, in a summary only in a line that cites a position. Bare lists of names
are cheap and tell nothing, so they count for a small share of the window at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from steno.core.message import Message, Span
from steno.lab.recorded import RecordedUse
from steno.lab.request import ReplayPart, ReplayRequest
from steno.lab.text import CHARACTERS_PER_TOKEN, split_names

LISTS_MOST = 0.04
"""Of the window, for lines that only list names."""
_CITATION = re.compile(
    r"(?<!\w)\[\d+(?:\.\d+)?(?:\s*[-–]\s*\d+)?(?:\s*,\s*\d+(?:\.\d+)?(?:\s*[-–]\s*\d+)?)*\]"
)
_WORD = re.compile(r"[^\W\d_]{3,}")


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
        if self.all:
            return self.visible / self.all
        return None

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.all + other.all, self.visible + other.visible, self.recallable + other.recallable
        )


class UseFinder:
    """What counts of the newest request; one that goes on where the last ended costs what is new in it."""

    def __init__(self, window: int) -> None:
        self.window = window
        self._reset()

    def _reset(self) -> None:
        self.parts: tuple[ReplayPart, ...] = ()
        self.texts: list[str] = []
        self.whole: set[int] = set()
        """The messages shown as they are, by identity."""
        self.pointers: Sequence[Span] = ()
        self.spare = int(self.window * CHARACTERS_PER_TOKEN * LISTS_MOST)

    def update(self, request: ReplayRequest) -> UseFinder:
        parts = tuple(request.parts)
        if parts[: len(self.parts)] != self.parts:
            self._reset()
        for part in parts[len(self.parts) :]:
            if part.summary:
                text, self.spare = _citing_lines(part.text, self.spare)
                self.texts.append(text)
            else:
                self.texts.append(part.text)
                self.whole.add(id(part.message))
        self.parts, self.pointers = parts, request.pointers
        return self

    def find(self, use: RecordedUse, holders: Iterable[Message] = ()) -> Tally:
        """Where it ended up; a holder that is shown as it was need not be searched."""
        # Message by message: nothing that is used has a line break in it, so nothing can stand across two.
        # The newest first: what is used again was mostly said not long before.
        if any(id(each) in self.whole for each in holders) or any(
            use.text in text for text in reversed(self.texts)
        ):
            return Tally(1, 1)
        return Tally(1, 0, int(any(at in span for at in use.holders for span in self.pointers)))


def _citing_lines(summary: str, spare: int) -> tuple[str, int]:
    """The lines that cite, as far as lists of names are not too many; and what is left for more of them."""
    kept = []
    for line in summary.split("\n"):
        if not _CITATION.search(line):
            continue
        if is_bare_list(line):
            if len(line) > spare:
                continue
            spare -= len(line)
        kept.append(line)
    return "\n".join(kept), spare


def is_bare_list(line: str) -> bool:
    """It has fewer words than names: it lists them and says nothing of them."""
    count, rest = split_names(_CITATION.sub("", line))
    return len(_WORD.findall(rest)) < count
