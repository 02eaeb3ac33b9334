"""Decisions of a person or the assistant, the reasons given for them, and causes that were found.

"We'll use SQLite because …", "decided to …". A question decides nothing, and what only the
assistant is about to do counts with a reason. A person may choose by number ("option 3", "2"):
`chosen_option` finds the item that is meant in what the assistant offered. A sentence that states
why something failed is kept like a decision, with the key `CAUSE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from steno.core.message import Message
from steno.core.word_tables import word_tuple
from steno.facts.authorship import split_by_author
from steno.facts.fact import Fact
from steno.facts.languages import cue, rows_pattern
from steno.facts.sentences import clip_sentence, cued_sentences

DECISIONS_MOST, CAUSES_MOST = 16, 4
"""Kept of one message."""
CAUSE = "cause"
"""Key of a decision that states why something happened."""
CHOICE_MOST = 120
"""Characters of a message that chooses by number; a longer one says what it means."""
OPTION_MOST = 240
"""Characters of the item that it means."""
_QUESTION = re.compile(r"[?？]\W*$")
_REASONED = re.compile(r"\b(?:i['’]ll|i will|let['’]?s)\b", re.I)
"""What the assistant is about to do: a decision only with its reason."""


@cache
def _choice() -> re.Pattern[str]:
    return re.compile(
        r"^\W{0,3}(?P<bare>\d{1,2}|[a-d])(?![\w:/%])"
        rf"|(?:{rows_pattern('options')})\s?[#(]?(?P<named>\d{{1,2}}|[a-d])(?!\w)"
    )


@cache
def _item() -> re.Pattern[str]:
    return re.compile(
        rf"^\W{{0,8}}(?P<label>(?:{rows_pattern('options')})\s?)?(?P<mark>\d{{1,2}}|[a-d])"
        r"[.):、–—-]+\W*(?P<words>\w.*)$",
        re.M | re.I,
    )


def read_decisions(message: Message) -> Iterator[Fact]:
    """Yield the decisions that a person or the assistant states in a message."""
    for piece in split_by_author(message):
        if piece.trust not in ("person", "assistant") or not piece.prose:
            continue
        for sentence, found in islice(cued_sentences(piece.text, "decides"), DECISIONS_MOST):
            reason = cue("reasons").search(sentence.lower())
            about_to = piece.trust == "assistant" and _REASONED.search(found[0])
            if _QUESTION.search(sentence) or (about_to and reason is None):
                continue
            note = ""
            # A reason that comes first would swallow the choice.
            if reason is not None and reason.start():
                note = sentence[reason.start() :].strip()
            yield Fact("decision", sentence, piece.trust, piece.block, "", note)
        for sentence, _ in islice(cued_sentences(piece.text, "causes"), CAUSES_MOST):
            if not cue("hedge").holds(sentence.lower()) and not _QUESTION.search(sentence):
                yield Fact("decision", sentence, piece.trust, piece.block, CAUSE)


def chosen_number(answer: str) -> str:
    """Return the number or letter by which an answer chooses; nothing if it names none."""
    found = _choice().search(answer.lower())
    if found is None:
        return ""
    return found["bare"] or found["named"]


def chosen_option(answer: str, offer: str) -> str:
    """Return the item of an offer that a short answer chooses by its number or letter."""
    text = answer.strip()
    wanted = chosen_number(text) if len(text) <= CHOICE_MOST else ""
    if not wanted:
        return ""
    items = [item for item in _item().finditer(offer) if item["mark"].lower() == wanted]
    # What is called an option itself, rather than the third step of something.
    items = [item for item in items if item["label"]] or items
    if not items:
        return ""
    return clip_sentence(items[-1]["words"].replace("**", ""))[:OPTION_MOST]


DOUBTS_MOST = 32
"""Kept of one message."""

KINDS = word_tuple("correction reconsideration uncertainty self-verification hedge")
"""Kinds by their cues, in this order: what fills the limit is corrections before hedges."""


def read_doubts(message: Message) -> Iterator[Fact]:
    """Return the doubts of an assistant's message, one per kind and sentence."""
    return islice(_find_doubts(message), DOUBTS_MOST)


def _find_doubts(message: Message) -> Iterator[Fact]:
    for piece in split_by_author(message):
        if piece.trust != "assistant" or not piece.prose:
            continue
        for kind in KINDS:
            for sentence, found in cued_sentences(piece.text, kind.removeprefix("self-")):
                cue_words = found[0].strip().lower()
                yield Fact("marker", sentence, "assistant", piece.block, cue_words, kind)
