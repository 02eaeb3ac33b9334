"""Many alternatives of a cue, searched only where they can be found.

Trying a hundred patterns on every sentence is slow; looking for plain letters is quick. Every
match of a pattern holds certain letters (`always`, or one of `must`, `should`, `shall`), and
these are read from the pattern itself, so a table of cues need not say them. A pattern is
searched only in a text that has the letters it needs, and is compiled only then.
"""

from __future__ import annotations

import re

# Python's own parser of patterns; there is no public one.
import re._constants as opcodes  # type: ignore[import-not-found, unused-ignore]
import re._parser as parser  # type: ignore[import-not-found, unused-ignore]
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import repeat
from typing import Any

NEEDS_MOST = 3
"""Needs of one pattern that are looked for, the most telling."""
LETTERS_LEAST = 2
"""Letters of a need: a single one is in most texts."""
GRAM = 3
"""Letters of a gram."""
TEXTS_KEPT, WORDS_KEPT, WORD_MOST = 64, 16_384, 40
"""Texts and words whose runs are remembered, and letters of a word that is."""
_COMMON = " etaonirshldcumfgpyw,.bvk'xjqz?"
"""Letters by how common they are; the last stands for all others."""

_KNOWN_WORDS: set[str] = set()
"""The words of all runs that were looked for so far; it only grows."""
_BY_GRAM: dict[str, list[str]] = {}
"""The same words, each under its most telling gram."""

Need = frozenset[str]
"""Letters; a match holds one or another of them."""


class LetterRuns:
    """Runs of letters that are looked for together."""

    def __init__(self, runs: Iterable[str]) -> None:
        self._runs = tuple(dict.fromkeys(runs))

    def held_in(self, text: str) -> list[str]:
        """Return the runs that a text holds."""
        by_word, long, short = self._by_word
        words = (*short, *(long & _run_words_in(text, len(_KNOWN_WORDS))))
        return [run for word in words for run in by_word[word] if run in text]

    @cached_property
    def _by_word(self) -> tuple[dict[str, list[str]], frozenset[str], tuple[str, ...]]:
        """The runs under the longest word of each, the words, and those that are no gram."""
        found: dict[str, list[str]] = {}
        for run in self._runs:
            word = max(run.split(), key=len, default="")
            found.setdefault(word, []).append(run)
        long = frozenset(word for word in found if len(word) >= GRAM)
        for word in long - _KNOWN_WORDS:
            _BY_GRAM.setdefault(max(_grams(word), key=_rarity), []).append(word)
        _KNOWN_WORDS.update(long)
        return found, long, tuple(found.keys() - long)


# A text is searched for the runs of many cues in turn. The second argument makes texts and words
# be read again after more runs became known.
@lru_cache(maxsize=TEXTS_KEPT)
def _run_words_in(text: str, known: int) -> frozenset[str]:
    """Return the words of runs that are within the words of a text."""
    words = set(text.split())
    long = [word for word in words if len(word) > WORD_MOST]
    words.difference_update(long)
    kept = map(_run_words_within, words, repeat(known))
    return frozenset().union(*kept, *map(_find_run_words, long))


# Texts say the same words again and again.
@lru_cache(maxsize=WORDS_KEPT)
def _run_words_within(word: str, known: int) -> tuple[str, ...]:
    return _find_run_words(word)


def _find_run_words(word: str) -> tuple[str, ...]:
    """Return the words of runs that are within a word of a text."""
    grams = filter(_BY_GRAM.__contains__, set(_grams(word)))
    return tuple(known for gram in grams for known in _BY_GRAM[gram] if known in word)


def _grams(text: str) -> Iterator[str]:
    return map("".join, zip(text, text[1:], text[2:], strict=False))


def _rarity(gram: str) -> int:
    """Tell how rare a gram is in prose, roughly; the rarer, the fewer texts are searched."""
    return sum(_COMMON.find(letter) % len(_COMMON) for letter in gram)


class Phrases:
    """Alternatives of a cue."""

    def __init__(self, *alternatives: str) -> None:
        self.sources = alternatives

    @cached_property
    def _by_letters(self) -> dict[str, list[Phrase]]:
        """The alternatives under each possibility of their most telling need."""
        found: dict[str, list[Phrase]] = {}
        for phrase in map(_phrase_of, self.sources):
            # No letters are in every text.
            for letters in phrase.needs[0] if phrase.needs else ("",):
                found.setdefault(letters, []).append(phrase)
        return found

    @cached_property
    def _runs(self) -> LetterRuns:
        return LetterRuns(self._by_letters)

    def found_in(self, text: str) -> bool:
        """Tell whether a text holds one of the alternatives."""
        return self._found_by(self._runs.held_in(text), text)

    def likely_in(self, text: str) -> LikelyPhrases:
        """Return the alternatives that the sentences of a text may hold."""
        return LikelyPhrases(self._runs.held_in(text), self._found_by)

    def _found_by(self, held: Iterable[str], text: str) -> bool:
        """Tell whether a text that holds these letters holds one of the alternatives."""
        tried: set[Phrase] = set()
        for letters in held:
            for phrase in self._by_letters[letters]:
                # A text may hold several possibilities of one need.
                if phrase not in tried and phrase.goes_on_in(text):
                    return True
                tried.add(phrase)
        return False

    def blanked_in(self, text: str) -> str:
        """Return a text with a mark in place of each of the alternatives."""
        if self.found_in(text):
            return self._join.sub(" … ", text)
        return text

    @cached_property
    def _join(self) -> re.Pattern[str]:
        return re.compile("|".join(self.sources))


@dataclass(frozen=True)
class LikelyPhrases:
    """Alternatives of a cue for the sentences of one text."""

    letters: Sequence[str]
    """Letters of alternatives that the whole text holds."""
    found_by: Callable[[Iterable[str], str], bool]

    def found_in(self, sentence: str) -> bool:
        """Tell whether a sentence of the text holds one of the alternatives."""
        return self.found_by(filter(sentence.__contains__, self.letters), sentence)


class Phrase:
    """One alternative, and what its matches hold."""

    def __init__(self, source: str) -> None:
        self.source = source
        needs = sorted(set(_needs_of(parser.parse(source))), key=_by_telling, reverse=True)
        self.needs = tuple(tuple(sorted(need)) for need in needs[:NEEDS_MOST])

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.source)

    def goes_on_in(self, text: str) -> bool:
        """Tell whether a text that holds the first need holds this alternative."""
        for need in self.needs[1:]:
            if not any(map(text.__contains__, need)):
                return False
        return self.pattern.search(text) is not None


@cache
def _phrase_of(source: str) -> Phrase:
    """Return one phrase for all cues that share it: parsing a pattern takes long."""
    return Phrase(source)


def _needs_of(parsed: Iterable[tuple[Any, Any]]) -> Iterator[Need]:
    """Yield what every match of a sequence holds."""
    letters = ""
    for code, value in parsed:
        if code is opcodes.LITERAL:
            letters += chr(value)
            continue
        if len(letters) >= LETTERS_LEAST:
            yield frozenset((letters,))
        letters = ""
        if code is opcodes.BRANCH:
            yield from _need_of_branches(value[1])
        elif code is opcodes.SUBPATTERN and not value[1]:  # flags may let other letters match
            yield from _needs_of(value[3])
        elif code in (opcodes.MAX_REPEAT, opcodes.MIN_REPEAT) and value[0] > 0:
            yield from _needs_of(value[2])
    if len(letters) >= LETTERS_LEAST:
        yield frozenset((letters,))


def _need_of_branches(branches: Iterable[Iterable[tuple[Any, Any]]]) -> Iterator[Need]:
    """Yield what one branch or another holds, if there is something in each."""
    found: set[str] = set()
    for branch in branches:
        best = max(_needs_of(branch), key=_by_telling, default=None)
        if best is None:
            return
        found |= best
    yield frozenset(found)


def _by_telling(need: Need) -> tuple[int, int, list[str]]:
    """Order needs: many letters tell more than few, one possibility more than several."""
    return min(map(len, need)), -len(need), sorted(need)
