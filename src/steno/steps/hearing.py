"""What came of asking a writer: which of its words are believed, and why it counts as no answer where it does.

Owns the judgement of one reply and what a commit says of it; what a line is
held to is `ledger/prose`'s business, whom to ask next is `asking`'s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from steno.core.ask import NoAnswer, Reply
from steno.core.log import Finding
from steno.ledger.language import Language, language_of
from steno.ledger.prose import CITES, NAMES, ORDERS, Sources, checked
from steno.ledger.sections import Line, Sections
from steno.steps.prompt import ASKED
from steno.steps.reply import BARE, LONG, OTHER, Read, read

REASON_MOST = 160
ANSWERS = "the_writer_answers"
REMOVED = {
    CITES: "cited what is not covered",
    NAMES: "named what no source has",
    ORDERS: "gave orders, or plans that only a tool had",
}


@dataclass(frozen=True)
class Leaf:
    """Lines that were told of some messages."""

    sections: Sections

    @property
    def lines(self) -> list[tuple[str, Line]]:
        return [(name, line) for _, name, _ in ASKED for line in self.sections.get(name, [])]


@dataclass(frozen=True)
class Heard:
    """What came of the rounds so far."""

    leaves: tuple[Leaf, ...] = ()
    told: frozenset[int] = frozenset()
    """Positions of which a writer's answer holds."""
    gone: frozenset[Line] = frozenset()
    trouble: Counter[str] = field(default_factory=Counter)
    """Why there was no answer, each with how often."""
    removed: Counter[str] = field(default_factory=Counter)

    @property
    def sections(self) -> Sections:
        """All lines, those of the newest part first."""
        joined: Sections = {}
        for leaf in reversed(self.leaves):
            for name, lines in leaf.sections.items():
                joined.setdefault(name, []).extend(lines)
        return joined

    def findings(self, by: str) -> Iterator[Finding]:
        """What a commit should say of it; nothing is quoted."""
        for why, times in self.trouble.items():
            yield Finding(ANSWERS, f"no answer, {times} times: {why}", by)
        for check, lines in self.removed.items():
            yield Finding(check, f"{lines} of the writer's lines {REMOVED[check]}", by)


@dataclass(frozen=True)
class Judge:
    """Who reads a reply."""

    speech: Language
    """The language it should be in."""
    prose: int
    """Tokens of lines that one answer may hold."""
    count: Callable[[str], int]

    def read(self, reply: Reply, sources: Sources, replaced: int, removed: Counter[str]) -> Read | str:
        """What of a reply holds, or why it is no answer; `replaced` are the tokens of what it was asked about."""
        if isinstance(reply, NoAnswer):
            return reply.reason[:REASON_MOST]
        found = read(reply.text)
        if isinstance(found, str):
            return found
        if self.count(found.text) >= replaced:
            return LONG
        if self.speech.differs(language_of(found.text)):
            return OTHER
        sections, failed = checked(found.sections, sources, self.speech)
        removed.update(failed)
        return Read(sections, found.gone) if sections or found.gone else BARE

    def bounded(self, sections: Sections) -> Sections:
        """As many lines as one answer may hold, in turn from each section."""
        left = self.prose
        kept: Sections = {}
        for row in range(max(map(len, sections.values()), default=0)):
            for _, name, _ in ASKED:
                lines = sections.get(name, [])
                if row < len(lines) and (cost := self.count(str(lines[row])) + 1) <= left:
                    kept.setdefault(name, []).append(lines[row])
                    left -= cost
        return kept
