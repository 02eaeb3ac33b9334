"""Whether a view still answers what only the covered part can answer.

Pure: questions are made from the ledger, and answered from the words that will be
sent. What one search more would find is for who can search to add.
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
    """A question that only the covered part can answer, and whether the view does all the same."""

    question: Question
    visible: bool


def questions_on_covered_part(view: View, ledger: Ledger) -> list[ProbeQuestion]:
    """Questions whose answer is said in a message that is not shown as it was, and in none that is."""
    whole = Phrases.of(map(message_text, in_own_words(view.visible_messages)))
    shown = Phrases.of(map(message_text, view.visible_messages))
    found = [each for each in questions_about(ledger) if not whole.contains(*each.answers)]
    return [
        ProbeQuestion(each, shown.contains(*each.answers))
        for each in found
        if any(_is_covered(view, at) for at in each.positions)
    ]


def _is_covered(view: View, position: int) -> bool:
    return view.at(position).is_edited


def count_answers(
    asks: Iterable[ProbeQuestion], recalled: Iterable[Question] = (), untried: int = 0
) -> Probe:
    """The figures, kind by kind."""
    found = {id(question) for question in recalled}
    counts: dict[str, list[int]] = {kind: [0, 0, 0] for kind in QUESTION_KINDS}
    for each in asks:
        counts[each.question.kind][0] += 1
        counts[each.question.kind][1] += each.visible
        counts[each.question.kind][2] += id(each.question) in found
    return Probe(
        tuple(AnswerCounts(kind, *numbers) for kind, numbers in counts.items() if numbers[0]),
        untried,
    )


def probe_view(view: View, ledger: Ledger) -> Probe:
    """What the view answers by itself; nobody has searched yet."""
    asks = questions_on_covered_part(view, ledger)
    return count_answers(asks, untried=sum(not each.visible for each in asks))
