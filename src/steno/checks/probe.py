"""Whether a view still answers what only the covered part can answer.

Pure: questions are made from the ledger, and answered from the words that will be
sent. What one search more would find is for who can search to add.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from steno.core.log import Answered, Probe
from steno.core.view import View
from steno.ledger.ledger import Ledger
from steno.ledger.question import KINDS, Phrases, Question, questions
from steno.ledger.words import text_of, untouched


@dataclass(frozen=True)
class Asked:
    """A question that only the covered part can answer, and whether the view does all the same."""

    question: Question
    visible: bool


def asked(view: View, ledger: Ledger) -> list[Asked]:
    """Questions whose answer is said in a message that is not shown as it was, and in none that is."""
    whole = Phrases.of(map(text_of, untouched(view.shown)))
    shown = Phrases.of(map(text_of, view.shown))
    found = [each for each in questions(ledger) if not whole.hold(*each.answers)]
    return [
        Asked(each, shown.hold(*each.answers)) for each in found if any(_covered(view, at) for at in each.positions)
    ]


def _covered(view: View, position: int) -> bool:
    return view.at(position).edited


def counted(asks: Iterable[Asked], recalled: Iterable[Question] = (), untried: int = 0) -> Probe:
    """The figures, kind by kind."""
    found = {id(question) for question in recalled}
    counts: dict[str, list[int]] = {kind: [0, 0, 0] for kind in KINDS}
    for each in asks:
        counts[each.question.kind][0] += 1
        counts[each.question.kind][1] += each.visible
        counts[each.question.kind][2] += id(each.question) in found
    return Probe(tuple(Answered(kind, *numbers) for kind, numbers in counts.items() if numbers[0]), untried)


def probed(view: View, ledger: Ledger) -> Probe:
    """What the view answers by itself; nobody has searched yet."""
    asks = asked(view, ledger)
    return counted(asks, untried=sum(not each.visible for each in asks))
