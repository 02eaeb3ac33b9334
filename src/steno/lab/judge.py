"""Whether something that a reply used was visible, one recall away, or lost.

It is visible if its text is in the request: anywhere in a message that was kept or
shortened, in a summary only in a line that cites a position. Bare lists of names are
cheap and say nothing, so they count only up to a small share of the window.
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
"""Share of the window that lines with nothing but names may have."""
_CITATION = re.compile(
    r"(?<!\w)\[\d+(?:\.\d+)?(?:\s*[-–]\s*\d+)?(?:\s*,\s*\d+(?:\.\d+)?(?:\s*[-–]\s*\d+)?)*\]"
)
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True)
class Tally:
    """How many things were used, and how many were visible or recallable."""

    all: int = 0
    visible: int = 0
    recallable: int = 0

    @property
    def lost(self) -> int:
        return self.all - self.visible - self.recallable

    @property
    def share(self) -> float | None:
        """Share that was visible; None if nothing was used."""
        if self.all:
            return self.visible / self.all
        return None

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.all + other.all, self.visible + other.visible, self.recallable + other.recallable
        )


class UseFinder:
    """Looks for things in the newest request; one that continues the last costs what is new."""

    def __init__(self, window: int) -> None:
        self.window = window
        self._reset()

    def _reset(self) -> None:
        self.parts: tuple[ReplayPart, ...] = ()
        self.texts: list[str] = []
        self.whole: set[int] = set()
        """Ids of the messages that are shown as they are."""
        self.pointers: Sequence[Span] = ()
        self.spare = int(self.window * CHARACTERS_PER_TOKEN * LISTS_MOST)

    def update(self, request: ReplayRequest) -> UseFinder:
        """Take the next request."""
        parts = tuple(request.parts)
        # The request does not continue the last one, so nothing that was read can be kept.
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
        """Return where something ended up; `holders` are the messages that said it."""
        # A holder that is shown as it was need not be searched.
        if any(id(holder) in self.whole for holder in holders):
            return Tally(1, 1)
        # A use has no line break, so it cannot span two messages. The newest come first:
        # most things are used soon after they were said.
        if any(use.text in text for text in reversed(self.texts)):
            return Tally(1, 1)
        for span in self.pointers:
            if any(at in span for at in use.holders):
                return Tally(1, 0, 1)
        return Tally(1)


def _citing_lines(summary: str, spare: int) -> tuple[str, int]:
    """Return the lines that cite positions, and the room that is left for bare lists."""
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
    """Tell whether a line has fewer words than names."""
    count, rest = split_names(_CITATION.sub("", line))
    return len(_WORD.findall(rest)) < count
