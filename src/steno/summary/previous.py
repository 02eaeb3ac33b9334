"""What earlier summaries say that the log cannot say again.

That is a writer's lines, and lines about messages that are not in the log. Owns taking them from
the items that are about to be hidden. A line is carried on word for word or not at all;
nothing is rephrased.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import groupby

from steno.core.item import Item
from steno.core.message import Span
from steno.core.summary import Sections, SummaryLine
from steno.core.view import View
from steno.summary.read_back import stated_lines
from steno.summary.render import render_sections


@dataclass(frozen=True)
class PreviousSummaries:
    """What the summaries among some items say."""

    carried: Sections = field(default_factory=dict)
    """Computed lines about messages that are not in the log."""
    written: Sections = field(default_factory=dict)
    """A writer's lines."""
    read: frozenset[int] = frozenset()
    """Positions that a writer has read."""
    unlogged_text: str = ""
    """Everything they say about messages that are not in the log."""

    @classmethod
    def of(
        cls, view: View, items: Iterable[Item], beside: Collection[int] = ()
    ) -> PreviousSummaries:
        """Return what the summaries among items that are hidden say.

        Positions `beside` them stay hidden by covers of earlier commits: a line may rest on those.
        """
        carried: Sections = {}
        written: Sections = {}
        covered: set[int] = set(beside)
        unread: set[int] = set()
        texts: list[str] = []
        hidden: set[int] = set(beside)
        for item in items:
            positions = range(item.span.start, item.span.stop)
            hidden.update(positions)
            if item.main is None and item.level > 0:
                covered.update(positions)
            summary = item.summary
            if summary is None or not summary.sections:
                continue
            for span in summary.untold:
                unread.update(range(span.start, span.stop))
            # A caller's list came back with our summary in it; there is nothing else to read.
            if view.is_absent(item.span.start):
                texts.append(render_sections(summary.sections))
            for name, lines in stated_lines(view, item).items():
                # Everything else can be read from the log again.
                carried.setdefault(name, []).extend(line for line in lines if line.hearsay)
                written.setdefault(name, []).extend(line for line in lines if line.written)
        held = _lines_about(written, hidden)
        read = frozenset(covered - unread) if held else frozenset()
        return cls(carried, held, read, "\n".join(texts))


def _lines_about(sections: Sections, hidden: Collection[int]) -> Sections:
    """Return the lines that rest on hidden positions, without their other citations."""
    kept: Sections = {}
    for name, lines in sections.items():
        for line in lines:
            # Of a message that is shown again, the message itself speaks.
            cites = tuple(at for at in line.cites if at in hidden)
            if cites:
                kept.setdefault(name, []).append(SummaryLine(line.text, cites, written=True))
    return kept


def unread_spans(hidden: Collection[int], read: Collection[int]) -> tuple[Span, ...]:
    """Return the hidden positions that no writer has read, as spans with no read one inside."""
    runs = [list(run) for is_read, run in groupby(sorted(hidden), read.__contains__) if not is_read]
    return tuple(Span(run[0], run[-1] + 1) for run in runs)
