"""The rungs of a researcher: a summary with its own notes, or the beginning of each entry.

A researcher notes what it found before it calls the next tool. Those words are in the
log, so they can be repeated in every summary without a model and without wearing off.
Clipping is there for comparison.
"""

from __future__ import annotations

from steno.core.draft import Draft
from steno.core.effects import Answer, Rounds
from steno.core.log import Proposal
from steno.facts.ledger import Ledger
from steno.rungs.clip import Clip
from steno.rungs.summarize import Summarize


class SummarizeNotes(Summarize, frozen=True, tag="summarize-notes"):
    """Summarize, with what the agent noted word for word, the newest first."""

    def _doubts(self, draft: Draft, ledger: Ledger) -> dict[int, list[str]]:
        doubted = super()._doubts(draft, ledger)
        messages = draft.view.messages
        for at in range(draft.tail_start - 1, -1, -1):
            if messages[at].role == "assistant" and messages[at].text.strip():
                doubted.setdefault(at, [])
        return doubted


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
