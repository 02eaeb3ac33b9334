"""How likely something is to be needed again: names and lines, each by what is known of it.

The rates were counted on real sessions: which of the names and lines that had
left the newest quarter of a window came back in a call later. They are shares,
so that a name and a line can be weighed against each other and against what
they cost. A scorer is anything with `name` and `line`; which one is asked is the
policy's business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from steno.ledger.said import Mention, Mentions

NAMES = (0.12, 0.06, 0.035, 0.024, 0.006)
"""By who used it: a person, a call, the assistant's words, a file that was read, another result."""
OFTEN = 1.8
"""Held by more than one message."""
FAR = 0.35
"""Last said more than a window and a quarter ago."""
WINDOWS_FAR = 1.25
ADDRESS, RELATIVE = 0.2, 0.6
LINE_READ, LINE_TYPED, LINE_OTHER = 0.02, 0.03, 0.003
REMARK = 0.5
"""A comment is quoted half as often as code."""
SOUGHT, SOUGHT_LINE, FOCUS_LEAST = 4.0, 0.1, 3
"""What somebody asked to keep: so many times its worth, and for a line so much more; words that count."""
COUNTS = 24
"""Characters from which on a line says something by itself."""
EDITED = (1.0, 0.4, 0.25, 0.2)
"""A file that was edited since it was read will be read again before the next edit."""
READ_AGAIN, IN_PART, NAMED, BUSY = 0.1, 0.5, 3.0, 0.5
Place = tuple[int, int]
"""A position, and the index of a block."""
_WORD = re.compile(r"[\w./-]+")
_REMARKS = ("//", "#", "*", "/*", '"""', "--", "<!--")


class Scorer(Protocol):
    """Says how likely something is to be needed again."""

    def name(self, name: str) -> float: ...

    def line(self, place: Place, line: str) -> float: ...


@dataclass(frozen=True)
class Shown:
    """A result that showed a file, and what was done to the file since."""

    edits: int
    read_again: bool
    in_part: bool
    named: bool
    """A person named the file."""
    busy: bool
    """Other files beside it were edited."""


class Files(Protocol):
    """Knows what became of the files that results showed."""

    def get(self, place: Place, /) -> Shown | None: ...


def worth_of(name: str, mention: Mention, *, near: bool) -> float:
    """What a name is worth by the measured rates; `near` if it was said less than a window and a quarter ago."""
    worth = NAMES[mention.rank] * (OFTEN if mention.times > 1 else 1.0)
    worth *= 1.0 if near else FAR
    if "://" in name:
        return worth * ADDRESS
    return worth * RELATIVE if "/" in name and not name.startswith("/") else worth


@dataclass(frozen=True)
class Likely:
    """The measured rates."""

    mentions: Mentions
    files: Files
    typed: frozenset[int]
    """Positions of what users said."""
    recent: int
    """The position from which on nothing is far."""

    def name(self, name: str) -> float:
        mention = self.mentions.get(name)
        return 0.0 if mention is None else worth_of(name, mention, near=mention.last >= self.recent)

    def line(self, place: Place, line: str) -> float:
        bare = line.strip()
        if len(bare) < COUNTS:
            return 0.0
        return self._block(place) * (REMARK if bare.startswith(_REMARKS) else 1.0)

    def _block(self, place: Place) -> float:
        far = 1.0 if place[0] >= self.recent else FAR
        file = self.files.get(place)
        if file is None:
            return far * (LINE_TYPED if place[0] in self.typed else LINE_OTHER)
        worth = LINE_READ * EDITED[min(file.edits, len(EDITED) - 1)] * far
        worth *= READ_AGAIN if file.read_again else 1.0
        worth *= IN_PART if file.in_part else 1.0
        worth *= NAMED if file.named else 1.0
        return worth * (BUSY if file.busy else 1.0)


@dataclass(frozen=True)
class Focused:
    """Another scorer's word, and much more for what somebody asked to keep."""

    scorer: Scorer
    words: frozenset[str]

    @classmethod
    def on(cls, scorer: Scorer, focus: str) -> Scorer:
        words = frozenset(word for word in _WORD.findall(focus.lower()) if len(word) >= FOCUS_LEAST)
        return cls(scorer, words) if words else scorer

    def name(self, name: str) -> float:
        return self.scorer.name(name) * (SOUGHT if self._sought(name) else 1.0)

    def line(self, place: Place, line: str) -> float:
        worth = self.scorer.line(place, line)
        return worth * SOUGHT + SOUGHT_LINE if self._sought(line) else worth

    def _sought(self, text: str) -> bool:
        lower = text.lower()
        return any(word in lower for word in self.words)
