"""What a researcher's history is told in: a summary with its own notes; or, plainest of all, how each entry began.

A researcher notes what it found before it calls the next tool. Those words are in
the log, so they can be told again and again without a model and without wearing
off, whether somebody wrote a summary or not. The other way is there for comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from steno.core.draft import Draft
from steno.core.effects import Answer, Rounds
from steno.core.log import Edit, Proposal
from steno.core.message import Message
from steno.core.summary import SummaryLine
from steno.facts.text import flatten
from steno.rungs.clip import Clip
from steno.rungs.summarize import Summarize
from steno.summary.render import render_line, summary_edit
from steno.summary.sections import make_sections

NOTES_TOKENS = 300
"""Tokens of notes, where the rung does not say how many a summary has."""
NOTE_MOST = 400
NOTES_SECTION = "PROGRESS"


class SummarizeNotes(Summarize, frozen=True, tag="summarize-notes"):
    """A summary, a writer's or computed, and beside it what the agent noted, word for word."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        return tuple(self._add_notes(draft, proposal) for proposal in super().edit(draft, rounds))

    def _add_notes(self, draft: Draft, proposal: Proposal) -> Proposal:
        covered = sorted(
            {at for edit in proposal.edits for at in range(edit.span.start, edit.span.stop)}
        )
        lines = assistant_notes(draft, covered, self.max_tokens or NOTES_TOKENS)
        edits = list(proposal.edits)
        for at in range(len(edits) - 1, -1, -1):
            told = _with_lines(edits[at], lines)
            if told is not None and lines:
                edits[at] = told
                break
        return msgspec.structs.replace(proposal, edits=tuple(edits))


class SummarizeOrClip(Summarize, frozen=True, tag="summarize-or-clip"):
    """A writer's summary; where nobody answered, the first characters of each entry."""

    each: int = 200

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        if has_answer(rounds):
            return super().edit(draft, rounds)
        return Clip(each=self.each).edit(draft, rounds)


def has_answer(rounds: Rounds) -> bool:
    return any(isinstance(reply, Answer) for replies in rounds for reply in replies)


def assistant_notes(draft: Draft, positions: Iterable[int], room: int) -> list[SummaryLine]:
    """What the assistant said before its calls, the newest first as far as there is room, then in order."""
    taken: list[SummaryLine] = []
    said: Sequence[Message] = draft.view.messages
    for at in sorted(positions, reverse=True):
        message = said[at]
        words = flatten(message.text)[:NOTE_MOST] if message.role == "assistant" else ""
        if not words:
            continue
        line = SummaryLine(words, (at,))
        room -= draft.view.meter.count(render_line(line)) + 1
        if room < 0:
            break
        taken.append(line)
    return taken[::-1]


def _with_lines(edit: Edit, lines: list[SummaryLine]) -> Edit | None:
    """The edit with these lines in the summary it shows; None where it shows none."""
    if edit.summary is None:
        return None
    sections = edit.summary.lines()
    known = {line.text for lines in sections.values() for line in lines}
    new = [line for line in lines if line.text not in known]
    sections[NOTES_SECTION] = [*sections.get(NOTES_SECTION, []), *new]
    summary = msgspec.structs.replace(edit.summary, sections=make_sections(sections))
    return summary_edit(summary, edit.by, edit.level, edit.span)
