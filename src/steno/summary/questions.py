"""What can be asked of a session once part of it is covered, and how an answer is recognised.

Questions are made from facts: which file was changed, what an error said, what a
person demanded, why something was decided, what is still open. Each knows where
its answer stands. Who is asked, and with what before their eyes, is not decided
here. An answer is recognised by its words: their order counts, their case and what
stands between them does not.
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
"""In the order in which they are asked; those of kinds added later come last."""
EACH_MOST = 20
"""Questions of one kind, the newest."""
_TOKEN = re.compile(r"[a-z0-9_]+|[^\W\d_]")


def normalize_phrase(text: str) -> str:
    """The words of a text in their order, apart by single spaces, with one at either end."""
    return f" {' '.join(_TOKEN.findall(text.casefold()))} "


@dataclass(frozen=True)
class Phrases:
    """Texts in which answers are looked for."""

    text: str

    @classmethod
    def of(cls, texts: Iterable[str]) -> Phrases:
        # Apart by what is no word, so that no answer spans two texts.
        return cls("|".join(map(normalize_phrase, texts)))

    def contains(self, *answers: str) -> bool:
        return any(
            words in self.text for answer in answers if (words := normalize_phrase(answer)).strip()
        )


def questions_about(ledger: Ledger) -> Iterator[Question]:
    """What the facts of a session can be asked for, of each kind the newest."""
    for name in QUESTION_KINDS:
        kind = _BY_NAME[name]
        if kind.question is None:
            continue
        items = loops_to_report(ledger) if kind.name == "open" else ledger.standing(kind.name)
        made = map(kind.question, items)
        newest = {question.text: question for question in made if question is not None}
        yield from list(newest.values())[-EACH_MOST:]
