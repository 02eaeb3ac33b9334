"""Decisions of a person or the assistant, the reasons given for them, and causes that were found.

"We'll use SQLite because …", "decided to …", "going with X instead of Y since …". What an
agent is about to do ("I'll use grep") counts only with a reason or an alternative beside
it. A question, a condition or a report of another's wish decides nothing.

A person may choose by number ("option 3", "2"): `chosen_option` finds the item that is meant in
what the assistant offered. A sentence that states why something failed ("the root cause was …")
is kept like a decision, with the key `CAUSE`; a guess is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from steno.core.message import Message
from steno.facts.authorship import split_by_author
from steno.facts.fact import Fact, Trust
from steno.facts.languages import LANGUAGES, in_every_language
from steno.facts.sentences import Cues, clip_sentence

CAUSES_MOST = 4
DECISIONS_MOST = 16
"""Kept of one message."""
LEAD_MOST = 20
"""Characters before a choice in a sentence that is about it."""

CAUSE = "cause"
"""Key of a decision that states why something happened."""
CHOICE_MOST = 120
"""Characters of a message that chooses by number; a longer one says what it means."""
OPTION_MOST = 240
"""Characters of the item that it means."""

_CAUSES = Cues.joined(lambda language: language.decisions.causes)
_GUESSED = re.compile(in_every_language(lambda cues: cues.doubts.hedge.phrases), re.I)
_OPTION_WORDS = in_every_language(lambda cues: cues.decisions.options)
_CHOICE = re.compile(
    r"^\W{0,3}(?P<bare>\d{1,2}|[a-d])(?![\w:/%])"
    rf"|(?:{_OPTION_WORDS})\s?[#(]?(?P<named>\d{{1,2}}|[a-d])(?!\w)",
    re.I,
)
_ITEM = re.compile(
    rf"^\W{{0,8}}(?P<label>(?:{_OPTION_WORDS})\s?)?(?P<mark>\d{{1,2}}|[a-d])[.):、–—-]+\W*"
    r"(?P<words>\w.*)$",
    re.M | re.I,
)
_FIRM = Cues.joined(lambda language: language.decisions.firm)
_OF_A_PERSON = Cues.joined(lambda language: language.decisions.of_a_person)
_WITH_REASON = Cues.joined(lambda language: language.decisions.with_reason)
_REASON = re.compile(rf"(?:{in_every_language(lambda cues: cues.decisions.reason)}).*", re.I | re.S)
_INSTEAD = re.compile(in_every_language(lambda cues: cues.decisions.instead), re.I)
_NOT_DECIDED = re.compile(
    r"[?？]\W*$"
    rf"|^\W*(?:{in_every_language(lambda cues: cues.decisions.undecided_after)})\b"
    rf"|{in_every_language(lambda cues: cues.decisions.undecided)}",
    re.I,
)
_CONCLUDES = tuple(word for language in LANGUAGES for word in language.decisions.concludes)


def read_decisions(message: Message) -> Iterator[Fact]:
    """Yield the decisions that a person or the assistant states in a message."""
    kept = 0
    for piece in split_by_author(message):
        if piece.trust not in ("person", "assistant") or not piece.prose:
            continue
        for sentence, reason in _decision_sentences(piece.text, piece.trust):
            yield Fact("decision", sentence, piece.trust, piece.block, "", reason)
            kept += 1
            if kept == DECISIONS_MOST:
                return
        for sentence in _cause_sentences(piece.text):
            yield Fact("decision", sentence, piece.trust, piece.block, CAUSE)


def _cause_sentences(text: str) -> Iterator[str]:
    """Yield each sentence that says for certain why something happened."""
    found = (sentence for sentence, _ in _CAUSES.sentences(text))
    certain = (
        sentence
        for sentence in found
        if not _GUESSED.search(sentence) and not _NOT_DECIDED.search(sentence)
    )
    return islice(certain, CAUSES_MOST)


def chosen_number(answer: str) -> str:
    """Return the number or letter by which an answer chooses; nothing if it names none."""
    found = _CHOICE.search(answer)
    if found is None:
        return ""
    return (found["bare"] or found["named"]).lower()


def chosen_option(answer: str, offer: str) -> str:
    """Return the item of an offer that a short answer chooses by its number or letter."""
    text = answer.strip()
    wanted = chosen_number(text[:CHOICE_MOST])
    if not wanted or len(text) > CHOICE_MOST:
        return ""
    items = [item for item in _ITEM.finditer(offer) if item["mark"].lower() == wanted]
    # What is called an option itself, rather than the third step of something.
    items = [item for item in items if item["label"]] or items
    if not items:
        return ""
    return clip_sentence(items[-1]["words"].replace("**", ""))[:OPTION_MOST]


def _decision_sentences(text: str, trust: Trust) -> Iterator[tuple[str, str]]:
    """Yield each sentence that decides, and the reason it gives."""
    seen: set[str] = set()
    second = _WITH_REASON
    if trust == "person":
        second = _OF_A_PERSON
    for cues in (_FIRM, second):
        for sentence, found in cues.sentences(text):
            if sentence in seen or _NOT_DECIDED.search(sentence):
                continue
            reason = _REASON.search(sentence)
            if cues is _WITH_REASON:
                argued = reason or _INSTEAD.search(sentence)
                if not argued or not _states_choice(sentence, found[0]):
                    continue
            seen.add(sentence)
            # The pattern runs to the end: a reason that comes first would swallow the choice.
            if reason and reason.start():
                yield sentence, reason[0].strip()
            else:
                yield sentence, ""


def _states_choice(sentence: str, cue: str) -> bool:
    """Return whether a sentence states a choice, rather than mention one in passing."""
    before = sentence[: sentence.lower().find(cue.lower())].lower()
    return len(before) <= LEAD_MOST or before.rstrip().endswith(_CONCLUDES)
