"""The rungs of a researcher: a summary with its own notes, or the beginning of each entry.

A researcher notes what it found before it calls the next tool. Those words are in the
log, so they can be repeated in every summary without a model and without wearing off.
Clipping is there for comparison.
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
"""Tokens of notes if the rung has no `max_tokens`."""
NOTE_MOST = 400
NOTES_SECTION = "PROGRESS"


class SummarizeNotes(Summarize, frozen=True, tag="summarize-notes"):
    """Summarize, and add what the agent noted word for word."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        return tuple(self._add_notes(draft, proposal) for proposal in super().edit(draft, rounds))

    def _add_notes(self, draft: Draft, proposal: Proposal) -> Proposal:
        covered: set[int] = set()
        for edit in proposal.edits:
            covered.update(range(edit.span.start, edit.span.stop))
        lines = assistant_notes(draft, covered, self.max_tokens or NOTES_TOKENS)
        edits = list(proposal.edits)
        for at in range(len(edits) - 1, -1, -1):
            noted = _with_lines(edits[at], lines)
            if noted is not None and lines:
                edits[at] = noted
                break
        return msgspec.structs.replace(proposal, edits=tuple(edits))


class SummarizeOrClip(Summarize, frozen=True, tag="summarize-or-clip"):
    """Summarize if the writer answered; otherwise keep the first characters of each entry."""

    each: int = 200

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        if has_answer(rounds):
            return super().edit(draft, rounds)
        return Clip(each=self.each).edit(draft, rounds)


def has_answer(rounds: Rounds) -> bool:
    """Tell whether the writer answered anything."""
    return any(isinstance(reply, Answer) for replies in rounds for reply in replies)


def assistant_notes(draft: Draft, positions: Iterable[int], room: int) -> list[SummaryLine]:
    """Return the assistant's notes at these positions in order, the newest that fit `room`."""
    taken: list[SummaryLine] = []
    messages: Sequence[Message] = draft.view.messages
    for at in sorted(positions, reverse=True):
        if messages[at].role != "assistant":
            continue
        words = flatten(messages[at].text)[:NOTE_MOST]
        if not words:
            continue
        line = SummaryLine(words, (at,))
        room -= draft.view.meter.count(render_line(line)) + 1
        if room < 0:
            break
        taken.append(line)
    return taken[::-1]


def _with_lines(edit: Edit, lines: list[SummaryLine]) -> Edit | None:
    """Return the edit with these lines in its summary; None if it shows no summary."""
    if edit.summary is None:
        return None
    sections = edit.summary.lines()
    known = {line.text for lines in sections.values() for line in lines}
    story = flatten(edit.summary.story)
    new = [line for line in lines if line.text not in known and line.text not in story]
    if not new:
        return edit
    sections[NOTES_SECTION] = [*sections.get(NOTES_SECTION, []), *new]
    summary = msgspec.structs.replace(edit.summary, sections=make_sections(sections))
    return summary_edit(summary, edit.by, edit.level, edit.span)
