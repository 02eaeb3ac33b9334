"""What a person stated that must be known later: a value, a wish, a limit, where a task stands.

Most of what people type in a long talk passes; some sentences hold until the end. A rule is
one of them and has a reader of its own (`rules`). The others are told by what they hold: a
label that the person set before them, a word for a wish, a limit or a state, a value that
cannot be guessed (a date, a sum, a code, a version, an address, a name). Nothing here gains
authority by it: it decides which words of people stay longer when room is short.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from steno.core.message import Message
from steno.facts.authorship import own_words
from steno.facts.languages import LANGUAGES
from steno.facts.languages.phrases import Phrases
from steno.facts.sentences import sentences

SENTENCES_MOST = 40
"""Sentences of a message that are read; a longer one was pasted."""
SENTENCE_MOST = 600
"""Characters of a sentence; one that runs on for longer was pasted."""
WORDS_MOST = 320
"""Characters that are told of one message."""
MESSAGES_MOST = 8_192
LABELLED, CUED, VALUED = 4, 2, 1
"""What a label, a cue and a value add to the weight of a sentence."""

_LABEL = re.compile(r"\W{0,4}[A-Z][A-Z0-9]{2,}(?:[ _/-][A-Z0-9]+){0,3}\s?[:：]\s?\S")
"""A label in capitals (`RULE:`, `DO NOT FORGET:`), whatever it says."""
_HEADED = re.compile(r"\W{0,4}[^\W\d_][\w/-]{2,24}(?: [\w/-]+){0,2}\s?[:：]\s?[^\s/]")
"""A word or three and a colon, as in `Reminder: …` or `Deadline: …`."""
_VALUE = re.compile(
    r"[$€£¥]\s?\d|\d[\d.,:-]*\d|\b\d+\s?(?:%|[a-zA-Z]{1,3}\b)|https?://\S"
    r"|\b[\w-]+(?:[./_@][\w-]+)+|\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{3,}|\b[a-z]+[A-Z]\w+"
    r"|\b[A-Z]+[a-z]+[A-Z]\w*|\b[A-Z]{4,}\b|(?<=[\w,] )[A-Z][a-zà-ÿ]+ [A-Z][a-zà-ÿ]+"
    r"|`[^`\n]{2,60}`"
)
_VALUE_MARK = re.compile(r"[\d`]|(?<!^)[A-Z/_@]|\.[\w-]")
"""What every value holds: a quick look at sentences without one."""
_CUES = Phrases(*(cue for language in LANGUAGES for cue in language.statements.sources))
_QUESTION = ("?", "？")


@dataclass(frozen=True, slots=True)
class Statement:
    """What a person stated in one message."""

    words: str
    """The sentences that state something, word for word; all of a short message."""
    weight: int
    """The weight of the heaviest of them; at least 1."""


@lru_cache(maxsize=MESSAGES_MOST)
def stated_in(message: Message) -> Statement | None:
    """Return what a person stated in a message; None if nothing of it must be known later."""
    text = own_words(message)
    found: list[tuple[int, int, str]] = []
    for number, (start, stop) in enumerate(islice(sentences(text), SENTENCES_MOST)):
        if stop - start > SENTENCE_MOST:
            continue
        sentence = text[start:stop]
        weight = _weight(sentence)
        if weight:
            found.append((weight, number, sentence))
    if not found:
        return None
    heaviest = max(weight for weight, _, _ in found)
    # The sentences of a short message lean on each other: "The cap is 500. Never exceed it."
    if len(text) <= WORDS_MOST:
        return Statement(" ".join(text.split()), heaviest)
    return Statement(_heaviest(found), heaviest)


def _weight(sentence: str) -> int:
    if sentence.rstrip(" )\"'”*_").endswith(_QUESTION):
        return 0
    weight = 0
    if _LABEL.match(sentence):
        weight += LABELLED
    elif _HEADED.match(sentence):
        weight += CUED
    if _CUES.found_in(sentence.lower()):
        weight += CUED
    if _VALUE_MARK.search(sentence) and _VALUE.search(sentence):
        weight += VALUED
    return weight


def _heaviest(found: list[tuple[int, int, str]]) -> str:
    """Return the heaviest sentences that fit, in the order in which they were said."""
    room = WORDS_MOST
    kept: dict[int, str] = {}
    for _, number, sentence in sorted(found, key=lambda each: (-each[0], each[1])):
        if len(sentence) <= room or not kept:
            kept[number] = " ".join(sentence.split())
            room -= len(sentence)
    return " ".join(kept[number] for number in sorted(kept))
