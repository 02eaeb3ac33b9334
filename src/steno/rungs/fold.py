"""Fold: neighbouring summaries become one, a level up and thinner.

What is said twice is said once; rules and open loops stay word for word, of
everything else the first lines of each. Any number of levels, and at each the
originals are one `open` away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from steno.core.cover_text import CoverText
from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.item import Item
from steno.core.log import Edit, Proposal
from steno.core.message import user_message
from steno.core.repair import encodable_text
from steno.core.rung import Rung
from steno.summary.sections import PINNED_SECTIONS, SECTIONS, Sections, SummaryLine, render_sections
from steno.summary.verify import sections_of_item


class Fold(Rung, frozen=True, tag="fold"):
    """Under pressure: each run of summaries that stand side by side becomes one."""

    least: int = 2
    """How many it takes."""
    lines: int = 6
    """Of each section that stay, but for rules and open loops."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        runs = (
            run for first, last in draft.stretches() for run in _runs(draft.view.items[first:last])
        )
        folded = (self._fold_run(draft, run) for run in runs if len(run) >= self.least)
        return tuple(Proposal((edit,), self.label) for edit in folded)

    def _fold_run(self, draft: Draft, run: Sequence[Item]) -> Edit:
        items = [
            (item, trace)
            for item in run
            if item.shows and (trace := CoverText.parse(item.shows[0].text))
        ]
        told = [trace for _, trace in items]
        sections: Sections = {}
        for item, trace in reversed(items):
            for name, lines in sections_of_item(draft.view, item, trace.more).items():
                known = {line.text for line in sections.get(name, [])}
                sections.setdefault(name, []).extend(
                    line for line in lines if line.text not in known
                )
        thin = {name: self._thin(name, sections.get(name, [])) for name in SECTIONS}
        untold = tuple(span for trace in told for span in trace.untold)
        whole = replace(CoverText.of(draft.view, run), more=render_sections(thin), untold=untold)
        level = 1 + max(item.level for item in run)
        return Edit(
            whole.span,
            (user_message(encodable_text(str(whole)), by="steno"),),
            self.label,
            level=level,
        )

    def _thin(self, name: str, lines: list[SummaryLine]) -> list[SummaryLine]:
        if name in PINNED_SECTIONS:
            return lines
        return lines[: self.lines]


def _runs(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Neighbours that stand for messages which are not shown."""
    run: list[Item] = []
    for item in items:
        if item.main is None and item.level > 0:
            run.append(item)
            continue
        if run:
            yield run
        run = []
    if run:
        yield run
