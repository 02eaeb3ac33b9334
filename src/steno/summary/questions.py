"""Questions about a session once part of it is covered, and how an answer is recognised.

Questions are made from facts: which file was changed, what an error said, what a person demanded,
why something was decided, what is still open. Each knows where its answer was said. An answer is
recognised by its words in their order; case and punctuation do not count. Who is asked, and what
they are shown, is decided by `checks.answerable`, the session and the lab.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from steno.facts.kinds import KINDS
from steno.facts.ledger import Ledger
from steno.facts.question import Question
from steno.summary.sections import loops_to_report

_BY_NAME = {kind.asked_as: kind for kind in KINDS if kind.asked_as}
QUESTION_KINDS = tuple(dict.fromkeys(("changed", "failed", "ruled", "decided", "open", *_BY_NAME)))
"""Names of the kinds of questions, in the order they are asked; new kinds come last."""
EACH_MOST = 20
"""Questions of one kind at most, the newest."""
_TOKEN = re.compile(r"[a-z0-9_]+|[^\W\d_]")


def normalize_phrase(text: str) -> str:
    """Return the words of a text, each with one space before and after it."""
    return f" {' '.join(_TOKEN.findall(text.casefold()))} "


@dataclass(frozen=True)
class Phrases:
    """Texts to look for answers in."""

    text: str

    @classmethod
    def of(cls, texts: Iterable[str]) -> Phrases:
        # The bar is part of no word, so that no answer spans two texts.
        return cls("|".join(map(normalize_phrase, texts)))

    def contains(self, *answers: str) -> bool:
        """Tell whether one of the answers is in the texts."""
        phrases = map(normalize_phrase, answers)
        return any(phrase.strip() and phrase in self.text for phrase in phrases)


def questions_about(ledger: Ledger) -> Iterator[Question]:
    """Yield questions about the facts of a session, of each kind the newest."""
    for name in QUESTION_KINDS:
        kind = _BY_NAME[name]
        if kind.question is None:
            continue
        items = ledger.standing(kind.name)
        if kind.name == "open":
            items = loops_to_report(ledger)
        made = map(kind.question, items)
        newest = {question.text: question for question in made if question is not None}
        yield from list(newest.values())[-EACH_MOST:]
