"""What earlier summaries say that no ledger can say again: a writer's lines, and lines whose words are elsewhere.

Owns reading them off the items that are about to be hidden, and putting a
writer's old and new lines together. A line is carried on word for word or not
at all: nothing is told again from its own prose.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from steno.core.cover_text import CoverText
from steno.core.draft import Draft
from steno.core.item import Item
from steno.core.message import Span
from steno.summary.sections import Sections, SummaryLine, parse_sections
from steno.summary.verify import mark_unverified

WRITTEN_MOST = {
    "NARRATIVE": 3,
    "PROGRESS": 8,
    "DECISIONS": 12,
    "FACTS": 16,
    "DOUBTS": 6,
    "ERRORS": 8,
    "NEXT": 4,
}
"""A writer's lines in each section, the newest first."""
REPLACED_SECTIONS = ("NEXT",)
"""Where new lines take the place of all old ones."""


@dataclass(frozen=True)
class PreviousSummaries:
    """What some items that stand for others say."""

    carried: Sections = field(default_factory=dict)
    """Computed lines whose words are not in the log."""
    written: Sections = field(default_factory=dict)
    """A writer's lines."""
    told: frozenset[int] = frozenset()
    """The positions that a writer has read."""
    words: str = ""
    """All that they say of words that are not in the log."""

    @classmethod
    def of(cls, draft: Draft, items: Iterable[Item]) -> PreviousSummaries:
        carried: Sections = {}
        written: Sections = {}
        covered: set[int] = set()
        untold: set[int] = set()
        words: list[str] = []
        hidden: set[int] = set()
        for item in items:
            span = range(item.span.start, item.span.stop)
            hidden.update(span)
            if item.main is None and item.level > 0:
                covered.update(span)
            trace = (
                CoverText.parse(item.shows[0].text)
                if item.main is None and len(item.shows) == 1
                else None
            )
            if trace is None or not trace.more:
                continue
            untold.update(at for each in trace.untold for at in range(each.start, each.stop))
            absent = draft.view.messages[item.span.start].role == "absent"
            words += [trace.more] if absent else []
            sections = parse_sections(trace.more)
            for name, lines in (
                mark_unverified(sections, draft.view.messages) if absent else sections
            ).items():
                if absent:  # what is in the log is read from the log
                    carried.setdefault(name, []).extend(line for line in lines if line.hearsay)
                written.setdefault(name, []).extend(line for line in lines if line.written)
        written = {
            name: kept
            for name, lines in written.items()
            if (kept := list(_lines_about(lines, hidden)))
        }
        told = frozenset(covered - untold) if written else frozenset()
        return cls(carried, written, told, "\n".join(words))


def _lines_about(lines: Iterable[SummaryLine], hidden: Collection[int]) -> Iterator[SummaryLine]:
    """The lines that rest on something hidden, without their other citations."""
    for line in lines:
        cites = tuple(at for at in line.cites if at in hidden)
        if cites:
            yield SummaryLine(line.text, cites, written=True)


def merge_written(old: Sections, new: Sections, gone: Collection[SummaryLine] = ()) -> Sections:
    """A writer's lines, section by section: the new ones, then those of old that still hold."""
    both: Sections = {}
    for name, most in WRITTEN_MOST.items():
        kept = [] if name in REPLACED_SECTIONS and new.get(name) else old.get(name, [])
        lines = {line.text: line for line in (*new.get(name, []), *kept) if line not in gone}
        if lines:
            both[name] = list(lines.values())[:most]
    return both


def unread_spans(hidden: Collection[int], told: Collection[int]) -> tuple[Span, ...]:
    """The hidden positions that no writer has read, as spans with nothing told inside."""
    spans: list[Span] = []
    apart = True
    for at in sorted(hidden):
        if at in told:
            apart = True
            continue
        if apart:
            spans.append(Span(at, at + 1))
        else:
            spans[-1] = Span(spans[-1].start, at + 1)
        apart = False
    return tuple(spans)
