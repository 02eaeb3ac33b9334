"""What the parts of a summary weigh: lines that must be told, and edits that are tried."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from steno.core.draft import Draft
from steno.core.log import Edit
from steno.core.summary import SummaryLine
from steno.facts.ledger import Ledger
from steno.facts.text import flatten
from steno.summary.plan import SummaryPlan
from steno.summary.render import render_line
from steno.summary.rules_block import pinned_lines
from steno.summary.sections import LINES_MOST, fact_line, loops_to_report
from steno.summary.shorten import ViewPart
from steno.writer.replies import WriterNotes


def section_tokens(draft: Draft, ledger: Ledger, state: str) -> int:
    """Return the tokens of the rules and open loops that must be told beside the state."""
    # A loop in a message that stays is not told again.
    loops = [
        (at, fact)
        for at, fact in loops_to_report(ledger)
        if draft.may_cover(draft.view.at(at)) and flatten(fact.words) not in state
    ]
    told = [fact_line(stated) for stated in loops[-LINES_MOST["OPEN"] :]]
    return line_tokens(draft, [*pinned_lines(ledger, draft), *told])


def written_lines(draft: Draft, parts: Sequence[ViewPart], notes: WriterNotes) -> list[SummaryLine]:
    """Return a writer's lines, new ones and those of earlier summaries among the parts."""
    if not notes.read:
        return []
    old = SummaryPlan(draft, parts, None, 0).previous.written
    merged = notes.merged_with(old)
    return [line for lines in merged.values() for line in lines]


def line_tokens(draft: Draft, lines: Sequence[SummaryLine]) -> int:
    return sum(draft.view.meter.count(render_line(line)) + 1 for line in lines)


def weighed(draft: Draft, edit: Edit) -> Edit:
    """Return the edit with its tokens, so that trying it again costs nothing."""
    return msgspec.structs.replace(edit, tokens=draft.view.weigh_edit(edit))


def weight_of_parts(draft: Draft, parts: Sequence[ViewPart], edits: tuple[Edit, ...]) -> float:
    """Return the raw tokens of the parts as the edits leave them."""
    after = draft.view.with_edits(edits)
    first, last = parts[0].span.start, parts[-1].span.stop
    return sum(
        item.tokens
        for item in after.items
        if first <= item.span.start < last and draft.may_cover(item)
    )
