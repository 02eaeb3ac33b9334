"""Whether a view still answers what only the covered part can answer.

Pure: questions are made from the facts, and answered from the words that will be sent. What a
search would find as well is added by those who can search.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from steno.core.log import AnswerCounts, Probe
from steno.core.view import View
from steno.facts.ledger import Ledger
from steno.facts.question import Question
from steno.facts.text import in_own_words, message_text
from steno.summary.questions import QUESTION_KINDS, Phrases, questions_about


@dataclass(frozen=True)
class ProbeQuestion:
    """A question about the covered part, and whether the view still answers it."""

    question: Question
    visible: bool


def questions_on_covered_part(view: View, ledger: Ledger) -> list[ProbeQuestion]:
    """Return questions whose answer is in a covered message, and in none that is shown whole."""
    whole = Phrases.of(map(message_text, in_own_words(view.visible_messages)))
    shown = Phrases.of(map(message_text, view.visible_messages))
    found: list[ProbeQuestion] = []
    for question in questions_about(ledger):
        if whole.contains(*question.answers):
            continue
        if any(_is_covered(view, at) for at in question.positions):
            found.append(ProbeQuestion(question, shown.contains(*question.answers)))
    return found


def _is_covered(view: View, position: int) -> bool:
    return view.at(position).is_edited


def count_answers(
    asks: Iterable[ProbeQuestion], recalled: Iterable[Question] = (), untried: int = 0
) -> Probe:
    """Return the figures, kind by kind."""
    found = {id(question) for question in recalled}
    counts: dict[str, list[int]] = {kind: [0, 0, 0] for kind in QUESTION_KINDS}
    for ask in asks:
        numbers = counts[ask.question.kind]
        numbers[0] += 1
        numbers[1] += ask.visible
        numbers[2] += id(ask.question) in found
    kinds = [AnswerCounts(kind, *numbers) for kind, numbers in counts.items() if numbers[0]]
    return Probe(tuple(kinds), untried)


def probe_view(view: View, ledger: Ledger) -> Probe:
    """Return what the view answers by itself, before any search."""
    asks = questions_on_covered_part(view, ledger)
    return count_answers(asks, untried=sum(not ask.visible for ask in asks))
