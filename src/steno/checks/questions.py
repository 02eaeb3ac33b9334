"""Ask a view what only its covered part can answer.

Questions are made from facts: which file was changed, what an error said, what a
person demanded, why something was decided, what is still open. Each knows its answer
and where it stands. An answer is recognised by its words, in their order; case and
punctuation do not count.

Pure. `lab/probe.py` judges round trips.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from steno.core.message import Value
from steno.core.view import View
from steno.facts.artifacts import Artifact
from steno.facts.fact import FactAt
from steno.facts.failures import Failure
from steno.facts.ledger import Ledger
from steno.facts.text import in_own_words, message_text
from steno.facts.vocabulary import CHANGES
from steno.summary.sections import loops_to_report

CUES_MOST = 3
"""Words of an answer that its question may use."""
CUE_LEAST = 5
CUE_MOST = 40
"""Characters of a telling word."""
QUOTE_MOST = 200
"""Characters of a command or a choice that a question quotes."""
_NOT_A_FILE = ("$ ", "? ", "@ ", "http://", "https://")
_WORD = re.compile(rf"[^\W\d_]{{{CUE_LEAST},}}")


class Question(Value):
    """Something to ask, and the words that answer it."""

    kind: str
    text: str
    answers: tuple[str, ...]
    """Each of them is a right answer."""
    positions: tuple[int, ...] = ()
    """Positions of the messages that say the answer."""
    quotes: tuple[str, ...] = ()
    """Words of those messages that show it, if the author of the question named them."""


def file_question(artifact: Artifact) -> Question | None:
    """Ask which file was changed, by its name without the directory."""
    changed_at = tuple(position for action, position in artifact.actions if action in CHANGES)
    if not changed_at or artifact.key.startswith(_NOT_A_FILE):
        return None
    name = artifact.words.rstrip("/").rpartition("/")[2]
    which = "Which file"
    if name != artifact.words:
        which = f"Which {name}"
    answers = tuple(dict.fromkeys((artifact.words, artifact.key)))
    return Question("changed", f"{which} was changed?", answers, changed_at)


def error_question(failure: Failure) -> Question | None:
    """Ask what a call said when it failed."""
    if failure.call is None or not _WORD.search(failure.fact.words):
        return None
    command = " ".join((failure.call.words or failure.call.tool)[:QUOTE_MOST].split())
    text = f"What did this say when it failed: {command}"
    return Question("failed", text, (failure.fact.words,), (failure.position,))


def decision_question(stated: FactAt) -> Question | None:
    """Ask for the reason of a decision that gives one."""
    position, fact = stated
    if not fact.note:
        return None
    before, reason, _ = fact.words.partition(fact.note)
    choice = " ".join(before.split()).strip(" ,;:–—-")
    if not reason or not _WORD.search(choice):
        return None
    text = f"Why was this decided: {choice[-QUOTE_MOST:]}?"
    return Question("decided", text, (fact.note,), (position,))


def word_question(kind: str, asks: str, stated: FactAt) -> Question | None:
    """Ask for a fact by its first long words."""
    position, fact = stated
    words = dict.fromkeys(word[:CUE_MOST] for word in _WORD.findall(fact.words))
    cues = list(words)[:CUES_MOST]
    if not cues:
        return None
    return Question(kind, f"{asks} about {', '.join(cues)}?", (fact.words,), (position,))


QUESTIONS: dict[str, tuple[str, Callable[[Any], Question | None]]] = {
    "artifact": ("changed", file_question),
    "error": ("failed", error_question),
    "constraint": ("ruled", partial(word_question, "ruled", "What was demanded or forbidden")),
    "decision": ("decided", decision_question),
    "open": ("open", partial(word_question, "open", "What is still open")),
}
"""By the kind of a fact: what its questions are called, and how one is made of an item that
stands; in the order in which they are asked.
"""
QUESTION_KINDS = tuple(name for name, _ in QUESTIONS.values())
"""In the order in which they are asked."""
EACH_MOST = 20
"""Questions of one kind, the newest."""
_TOKEN = re.compile(r"[a-z0-9_]+|[^\W\d_]")


def normalize_phrase(text: str) -> str:
    """Return the words of a text separated by single spaces, with one at either end."""
    return f" {' '.join(_TOKEN.findall(text.casefold()))} "


class AnswerTexts(Value):
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
    standing: dict[str, Sequence[Any]] = {
        "constraint": ledger.constraints,
        "decision": ledger.decisions,
        "open": loops_to_report(ledger),
        "artifact": ledger.artifacts,
        "error": ledger.errors,
    }
    for kind, (_, make_question) in QUESTIONS.items():
        newest: dict[str, Question] = {}
        for item in standing[kind]:
            question = make_question(item)
            if question is not None:
                newest[question.text] = question
        yield from list(newest.values())[-EACH_MOST:]


def hidden_questions(view: View, ledger: Ledger) -> list[Question]:
    """Return the questions whose answer no message says that is shown as it was."""
    original = AnswerTexts.of(map(message_text, in_own_words(view.visible_messages)))
    return [
        question
        for question in questions_about(ledger)
        if not original.contains(*question.answers)
        and any(view.at(position).is_edited for position in question.positions)
    ]
