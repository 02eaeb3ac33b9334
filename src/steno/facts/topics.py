"""What a rule is about, in a form that can be compared.

A topic is the set of a sentence's telling words, cut to stems so that "commit" and
"committing" meet. Rules that exclude each other (the language of answers, their
length) have a topic of their own.
"""

from __future__ import annotations

import re

from steno.facts.languages import ENGLISH, LANGUAGES, LanguageCues, in_every_language
from steno.facts.languages.cues import han_pairs

ONE_ALONE = ("language code", "language answers", "output length")
"""Topics whose newest rule alone is in force."""
WORDS_MOST = 16
STEM = 5

_WORD = re.compile(r"[^\W_]{2,}(?:[./_-][^\W_]+)*")
_LATIN_WORD = re.compile(r"[a-z][a-z0-9_-]{2,}")
_CODE = re.compile(in_every_language(lambda cues: cues.topics.code), re.I)
_LENGTH = re.compile(in_every_language(lambda cues: cues.topics.length), re.I)
_ANSWERS = re.compile(in_every_language(lambda cues: cues.topics.answers), re.I)


def topic_key(words: str, note: str, language: LanguageCues) -> str:
    """Return the topic of a rule or a release, as a key."""
    if note == "language":
        if _CODE.search(words):
            return "language code"
        return "language answers"
    if note == "output" and _ANSWERS.search(words) and _LENGTH.search(words):
        return "output length"
    return " ".join(_telling_words(words, language)[:WORDS_MOST])


def topic_language(text: str) -> LanguageCues:
    """Return the language whose way of cutting words fits a text."""
    for language in LANGUAGES:
        if language.unspaced and language.words.search(text):
            return language
    return ENGLISH


def topic_overlap(one: str, other: str, *, both: bool = False) -> float:
    """Return the share of the smaller topic that the larger holds; `both` asks it of the larger."""
    mine, theirs = set(one.split()), set(other.split())
    if not mine or not theirs:
        return 0.0
    shared = sum(any(_matches(word, held) for held in theirs) for word in mine)
    if both:
        return shared / max(len(mine), len(theirs))
    return shared / min(len(mine), len(theirs))


def _matches(word: str, held: str) -> bool:
    return word == held or (
        min(len(word), len(held)) >= STEM - 1 and (word.startswith(held) or held.startswith(word))
    )


def _telling_words(words: str, language: LanguageCues) -> list[str]:
    text = words.lower()
    if language.unspaced:
        pairs = {pair for pair in han_pairs(text) if pair not in language.empty}
        return sorted(pairs | {word[:STEM] for word in _LATIN_WORD.findall(text)})
    # Sorted, so that the same words give the same key in any order.
    return sorted({word[:STEM] for word in _WORD.findall(text) if word not in language.empty})
