"""Fold: make one summary of neighbouring ones, a level up and thinner.

A line that several summaries have is kept once; constraints and open loops stay word for word, of
every other section the first lines. What they tell of the past stays with the beginning of each
entry; where the work stands is what the newest of them says. Levels are not limited, and at each
level the originals can be opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.item import Item
from steno.core.log import Edit, Proposal
from steno.core.rung import Rung
from steno.core.summary import Sections
from steno.summary.plan import cover_of, run_level
from steno.summary.read_back import stated_lines
from steno.summary.render import summary_edit
from steno.summary.sections import PINNED_SECTIONS, make_sections
from steno.summary.words import first_words

ENTRY_CHARACTERS = 160
"""Characters that stay of what was said or done."""


class Fold(Rung, tag="fold"):
    """Under pressure: make one summary of each run of summaries that stand side by side."""

    least: int = 2
    """Summaries that a run must have."""
    lines: int = 6
    """Lines that stay of each section other than constraints and open loops."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        proposals: list[Proposal] = []
        for first, last in draft.stretches():
            for run in _runs(draft.view.items[first:last]):
                if len(run) >= self.least:
                    proposals.append(Proposal((self.fold_run(draft, run),), self.label))
        return tuple(proposals)

    def fold_run(self, draft: Draft, run: Sequence[Item]) -> Edit:
        sections: Sections = {}
        # Newest first: of a line that several have, the newest wording and citation stays.
        for item in reversed(run):
            for name, lines in stated_lines(draft.view, item).items():
                known = {line.text for line in sections.get(name, [])}
                new = [line for line in lines if line.text not in known]
                sections.setdefault(name, []).extend(new)
        for name in sections:
            # A constraint that is thinned away would no longer bind, so none is cut, and no loop.
            if name not in PINNED_SECTIONS:
                sections[name] = sections[name][: self.lines]
        told = [item.summary for item in run if item.summary is not None]
        summary = msgspec.structs.replace(
            cover_of(draft.view, run),
            sections=make_sections(sections),
            untold=tuple(span for summary in told for span in summary.untold),
            note=next((summary.note for summary in told if summary.note), ""),
            story="\n".join(row for summary in told for row in _entries(summary.story)),
            state=next((summary.state for summary in reversed(told) if summary.state), ""),
        )
        return summary_edit(summary, self.label, run_level(run))


def _entries(story: str) -> Iterator[str]:
    """Yield the beginning of each entry of a story: its citation and its first words."""
    for row in story.split("\n"):
        if row.startswith("["):
            yield first_words(row, ENTRY_CHARACTERS)


def _runs(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Yield neighbours that stand for messages which are not shown."""
    run: list[Item] = []
    for item in items:
        # An item with a message of its own is shown in short; it ends a run of hidden ones.
        if item.main is None and item.level > 0:
            run.append(item)
            continue
        if run:
            yield run
        run = []
    if run:
        yield run
