"""The languages whose cues are known: one folder each, with every cue of the language.

To add one, write its folder and name it in `LANGUAGES`.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from steno.facts.languages.cues import LanguageCues, any_of
from steno.facts.languages.de import GERMAN
from steno.facts.languages.en import ENGLISH
from steno.facts.languages.es import SPANISH
from steno.facts.languages.fr import FRENCH
from steno.facts.languages.phrases import Phrases
from steno.facts.languages.zh import CHINESE

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "LanguageCues",
    "closest_languages",
    "in_every_language",
    "spelled_out",
    "words_in_every_language",
]

LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE)


def in_every_language(cue: Callable[[LanguageCues], str]) -> str:
    """Join one cue of all languages; those that lack it are passed over."""
    return any_of(*filter(None, map(cue, LANGUAGES)))


def words_in_every_language(words: Callable[[LanguageCues], frozenset[str]]) -> frozenset[str]:
    """Return the words of one kind of all languages."""
    return frozenset().union(*map(words, LANGUAGES))


_SPELLINGS = tuple(pair for language in LANGUAGES for pair in language.text.chat)
_CHAT = re.compile(rf"\b(?:{any_of(*(f'({chat})' for chat, _ in _SPELLINGS))})\b")
_ANY_CHAT = Phrases(*(rf"\b(?:{chat})\b" for chat, _ in _SPELLINGS))


def spelled_out(text: str) -> str:
    """Return a text in lower case with the spellings of chats written out, as cues know them."""
    if not _ANY_CHAT.found_in(text):
        return text
    return _CHAT.sub(lambda found: _SPELLINGS[(found.lastindex or 0) - 1][1], text)


GUESSES_KEPT = 4_096
_SMALL_WORDS = {
    language.name: language.small_words | language.changes.wide for language in LANGUAGES
}
_LETTERS = re.compile(r"[^\W\d_]+")
_OWN_LETTERS = {
    "German": re.compile(r"[äöüß]"),
    "French": re.compile(r"[çèêœîûôàù]|(?<!\w)(?:[ldnjmtsc]|qu)[’'](?=[aeéêiouyhàâ])"),
    "Spanish": re.compile(r"[ñ¿¡áíóú]"),
}
"""Letters that a language of Latin script has and the others lack."""


@lru_cache(maxsize=GUESSES_KEPT)
def closest_languages(text: str) -> tuple[LanguageCues, ...]:
    """Return the languages that a text may be in: those that share most of its small words.

    Every text has one, however short it is: `detect` says which language is certain.
    """
    for language in LANGUAGES:
        if language.unspaced and language.words.search(text):
            return (language,)
    lowered = text.lower()
    words = set(_LETTERS.findall(lowered))
    scores: dict[str, float] = {}
    for language in LANGUAGES:
        scores[language.name] = len(words & _SMALL_WORDS[language.name])
        letters = _OWN_LETTERS.get(language.name)
        if letters is not None and letters.search(lowered):
            scores[language.name] += 1.5
    best = max(scores.values())
    return tuple(language for language in LANGUAGES if scores[language.name] == best)
