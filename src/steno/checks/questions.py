"""Questions that one fact answers.

A question names enough of a fact to be understood, and holds the words that answer
it. Which facts are asked about, and who is asked, is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from steno.core.message import Value
from steno.facts.artifacts import Artifact
from steno.facts.fact import FactAt
from steno.facts.failures import Failure
from steno.facts.vocabulary import CHANGES

CUES_MOST = 3
"""Words of an answer that its question may use."""
CUE_LEAST = 5
CUE_MOST = 40
"""Characters of a telling word."""
QUOTE_MOST = 200
"""Characters of a command or a choice that a question quotes."""
_NOT_A_FILE = ("$ ", "? ", "@ ", "http://", "https://")
_WORD = re.compile(rf"[^\W\d_]{{{CUE_LEAST},}}")


class Question(Value, frozen=True):
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


def rule_question(stated: FactAt) -> Question | None:
    """Ask for a rule by a few of its words."""
    return word_question("ruled", "What was demanded or forbidden", stated)


def loop_question(stated: FactAt) -> Question | None:
    """Ask for an open loop by a few of its words."""
    return word_question("open", "What is still open", stated)


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
    "constraint": ("ruled", rule_question),
    "decision": ("decided", decision_question),
    "open": ("open", loop_question),
}
"""By the kind of a fact: what its questions are called, and how one is made of an item of
`Ledger.standing(kind)`; in the order in which they are asked.
"""
