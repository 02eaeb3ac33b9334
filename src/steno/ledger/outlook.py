"""What a log looks like to who must choose from it: its ledger, its names, its files, and their worth.

Owns putting those together; each of them has its own module. Everything here is
a function of messages and two numbers, and what the messages alone decide is
shared by all values of their history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from steno.core.message import Message
from steno.core.tape import Tape
from steno.ledger.files import Files, Reads, reads, typed
from steno.ledger.ledger import Entry, Ledger
from steno.ledger.ranked import Key, Ranked, by, far, merged
from steno.ledger.rarity import Rare
from steno.ledger.said import Mentions, mentioned, names_in
from steno.ledger.worth import Focused, Likely, Scorer

Scoring = Literal["likely", "rarity"]
"""By what worth is told: the measured rates, or how rare the words are in this session."""


@dataclass(frozen=True)
class Outlook:
    messages: Tape[Message]
    recent: int
    focus: str = ""
    scoring: Scoring = "likely"

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger.of(self.messages)

    @cached_property
    def likely(self) -> Scorer:
        if self.scoring == "rarity":
            return Focused.on(Rare.of(self.messages), self.focus)
        positions = self.ledger.entries.folded(typed).positions
        files = Files(self.ledger, self._named.reads)
        return Focused.on(Likely(self.mentions, files, positions, self.recent), self.focus)

    @property
    def mentions(self) -> Mentions:
        return self._named.mentions

    @cached_property
    def ranked(self) -> Ranked:
        """The names, the likeliest for their length first."""
        if isinstance(self.likely, Focused):
            return Ranked(by(self.likely, self.mentions))
        near = {name: self.mentions[name] for each in self.messages[self.recent :] for name, _ in names_in(each)}
        return Ranked(merged(self._named.far, near))

    @cached_property
    def _named(self) -> _Named:
        return self.ledger.entries.folded(_names)


@dataclass(frozen=True)
class _Named:
    """Every name that was said, and what telling who said it takes."""

    reads: Reads = field(default_factory=Reads)
    mentions: Mentions = field(default_factory=dict)
    far: tuple[Key, ...] = ()


def _names(before: _Named | None, entries: Sequence[Entry], at: int) -> _Named:
    old = before or _Named()
    shown = reads(old.reads, entries, at)
    mentions = mentioned(old.mentions, ((at + n, message) for n, (message, _) in enumerate(entries)), shown.positions)
    said = (name for message, _ in entries for name, _ in names_in(message))
    return _Named(shown, mentions, far(old.far, mentions, said))
