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

from steno.core.message import Value
from steno.facts.artifacts import Artifact
from steno.facts.errors import Failure
from steno.facts.ledger import FactAt, Ledger
from steno.summary.sections import loops_to_report

QUESTION_KINDS = ("changed", "failed", "ruled", "decided", "open")
EACH_MOST = 20
"""Questions of one kind, the newest."""
CUES_MOST, CUE_LEAST, CUE_MOST = 3, 5, 40
"""Words of an answer that its question may use, and how long they are."""
SAID_MOST = 200
CHANGES = frozenset({"edited", "created", "written", "deleted", "moved"})
_NOT_A_FILE = ("$ ", "? ", "@ ", "http://", "https://")
_TOKEN = re.compile(r"[a-z0-9_]+|[^\W\d_]")
_WORD = re.compile(rf"[^\W\d_]{{{CUE_LEAST},}}")


class Question(Value, frozen=True):
    """Something to ask, and the words that answer it."""

    kind: str
    text: str
    answers: tuple[str, ...]
    """Any of them will do."""
    positions: tuple[int, ...] = ()
    """Where the answer was said, if that is known."""


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
    made: dict[str, Iterable[Question | None]] = {
        "changed": map(_file_question, ledger.artifacts),
        "failed": map(_error_question, ledger.errors),
        "ruled": (
            _fact_question("ruled", "What was demanded or forbidden", each) for each in ledger.rules
        ),
        "decided": map(_decision_question, ledger.decisions),
        "open": (
            _fact_question("open", "What is still open", each) for each in loops_to_report(ledger)
        ),
    }
    for kind in QUESTION_KINDS:
        newest = {question.text: question for question in made[kind] if question is not None}
        yield from list(newest.values())[-EACH_MOST:]


def _file_question(thing: Artifact) -> Question | None:
    at = tuple(position for action, position in thing.actions if action in CHANGES)
    if not at or thing.key.startswith(_NOT_A_FILE):
        return None
    name = thing.words.rstrip("/").rpartition("/")[2]
    which = f"Which {name}" if name != thing.words else "Which file"
    return Question(
        "changed", f"{which} was changed?", tuple(dict.fromkeys((thing.words, thing.key))), at
    )


def _error_question(failed: Failure) -> Question | None:
    if failed.call is None or not _WORD.search(failed.fact.words):
        return None
    what = " ".join((failed.call.words or failed.call.tool)[:SAID_MOST].split())
    return Question(
        "failed",
        f"What did this say when it failed: {what}",
        (failed.fact.words,),
        (failed.position,),
    )


def _decision_question(stated: FactAt) -> Question | None:
    at, fact = stated
    chosen, found, _ = fact.words.partition(fact.note) if fact.note else ("", "", "")
    chosen = " ".join(chosen.split()).strip(" ,;:–—-")
    if not found or not _WORD.search(chosen):
        return None
    return Question("decided", f"Why was this decided: {chosen[-SAID_MOST:]}?", (fact.note,), (at,))


def _fact_question(kind: str, asks: str, stated: FactAt) -> Question | None:
    at, fact = stated
    cues = list(dict.fromkeys(word[:CUE_MOST] for word in _WORD.findall(fact.words)))[:CUES_MOST]
    if cues:
        return Question(kind, f"{asks} about {', '.join(cues)}?", (fact.words,), (at,))
    return None
