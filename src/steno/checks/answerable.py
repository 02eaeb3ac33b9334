"""Ask a view what only its covered part can answer.

Questions are made from facts: which file was changed, what an error said, what a
person demanded, why something was decided, what is still open. Each knows its answer
and where it stands. An answer is recognised by its words, in their order; case and
punctuation do not count.

Pure. `lab/probe.py` judges round trips.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from steno.checks.questions import QUESTIONS, Question
from steno.core.message import Value
from steno.core.view import View
from steno.facts.ledger import Ledger
from steno.facts.text import in_own_words, message_text
from steno.summary.sections import loops_to_report

QUESTION_KINDS = tuple(name for name, _ in QUESTIONS.values())
"""In the order in which they are asked."""
EACH_MOST = 20
"""Questions of one kind, the newest."""
_TOKEN = re.compile(r"[a-z0-9_]+|[^\W\d_]")


def normalize_phrase(text: str) -> str:
    """Return the words of a text separated by single spaces, with one at either end."""
    return f" {' '.join(_TOKEN.findall(text.casefold()))} "


class AnswerTexts(Value, frozen=True):
    """Texts in which answers are looked for."""

    text: str

    @classmethod
    def of(cls, texts: Iterable[str]) -> AnswerTexts:
        # The bar is no word, so no answer spans two texts.
        return cls("|".join(map(normalize_phrase, texts)))

    def contains(self, *answers: str) -> bool:
        """Tell whether one of the answers stands in a text."""
        for answer in answers:
            words = normalize_phrase(answer)
            if words.strip() and words in self.text:
                return True
        return False


def questions_about(ledger: Ledger) -> Iterator[Question]:
    """Yield the questions that the facts of a session answer, the newest of each kind."""
    for kind, (_, make_question) in QUESTIONS.items():
        items = ledger.standing(kind)
        if kind == "open":
            items = loops_to_report(ledger)
        newest: dict[str, Question] = {}
        for item in items:
            question = make_question(item)
            if question is not None:
                newest[question.text] = question
        yield from list(newest.values())[-EACH_MOST:]


def questions_on_covered_part(view: View, ledger: Ledger) -> list[Question]:
    """Return the questions whose answer no message says that is shown as it was."""
    original = AnswerTexts.of(map(message_text, in_own_words(view.visible_messages)))
    return [
        question
        for question in questions_about(ledger)
        if not original.contains(*question.answers)
        and any(view.at(position).is_edited for position in question.positions)
    ]
