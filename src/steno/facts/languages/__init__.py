"""The languages whose cues are known: one file each, with every cue of the language.

To add one, write its file and name it in `LANGUAGES`.
"""

from collections.abc import Callable

from steno.facts.languages.cues import LanguageCues, any_of
from steno.facts.languages.de import GERMAN
from steno.facts.languages.en import ENGLISH
from steno.facts.languages.es import SPANISH
from steno.facts.languages.fr import FRENCH
from steno.facts.languages.zh import CHINESE

__all__ = ["ENGLISH", "LANGUAGES", "LanguageCues", "in_every_language", "words_in_every_language"]

LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE)


def in_every_language(cue: Callable[[LanguageCues], str]) -> str:
    """Join one cue of all languages; those that lack it are passed over."""
    return any_of(*filter(None, map(cue, LANGUAGES)))


def words_in_every_language(words: Callable[[LanguageCues], frozenset[str]]) -> frozenset[str]:
    """Return the words of one kind of all languages."""
    return frozenset().union(*map(words, LANGUAGES))
