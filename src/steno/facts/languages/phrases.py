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
from typing import Any

NEEDS_MOST = 3
"""Needs of one pattern that are looked for, the most telling."""
LETTERS_LEAST = 2
"""Letters of a need: a single one is in most texts."""
GRAM = 3
"""Letters of a gram."""
SHORT_MOST = 400
"""Characters of a text that is cut into grams; of a longer one the words are taken."""
TEXTS_KEPT, WORDS_KEPT = 512, 16
_COMMON = " etaonirshldcumfgpyw,.bvk'xjqz?"
"""Letters by how common they are; the last stands for all others."""

_TELLING: set[str] = set()
"""The grams of all runs that were looked for so far; it only grows."""

Need = frozenset[str]
"""Letters; a match holds one or another of them."""


class LetterRuns:
    """Runs of letters that are looked for together."""

    def __init__(self, runs: Iterable[str]) -> None:
        self._runs = tuple(dict.fromkeys(runs))

    def held_in(self, text: str) -> list[str]:
        """Return the runs that a text holds."""
        if len(text) > SHORT_MOST:
            return self._held_in_words(text)
        by_gram, short = self._by_gram
        grams = by_gram.keys() & _telling_grams(text, len(_TELLING))
        if not grams and not short:
            return []
        return [run for gram in (*short, *grams) for run in by_gram[gram] if run in text]

    def _held_in_words(self, text: str) -> list[str]:
        words = _words_once(text)
        by_word = self._by_word
        if text.isascii():
            by_word = self._by_ascii_word
        held = filter(words.__contains__, by_word)
        return [run for word in held for run in by_word[word] if run in text]

    @cached_property
    def _by_gram(self) -> tuple[dict[str, list[str]], tuple[str, ...]]:
        """The runs under their most telling gram, and those that are too short for one."""
        found: dict[str, list[str]] = {}
        for run in self._runs:
            gram = max(_grams(run), key=_rarity, default=run)
            found.setdefault(gram, []).append(run)
        _TELLING.update(found)
        return found, tuple(gram for gram in found if len(gram) < GRAM)

    @cached_property
    def _by_word(self) -> dict[str, list[str]]:
        """The runs under the longest word of each."""
        found: dict[str, list[str]] = {}
        for run in self._runs:
            word = max(run.split(), key=len, default="")
            found.setdefault(word, []).append(run)
        return found

    @cached_property
    def _by_ascii_word(self) -> dict[str, list[str]]:
        return {word: runs for word, runs in self._by_word.items() if word.isascii()}


# A long text says most words more than once, and is searched for the runs of many cues in turn.
@lru_cache(maxsize=WORDS_KEPT)
def _words_once(text: str) -> str:
    """Return each word of a text once; what a run has of a word is within one of them."""
    return " ".join(set(text.split()))


# A text is searched for the runs of many cues in turn. The second argument makes texts be
# read again after more runs became known.
@lru_cache(maxsize=TEXTS_KEPT)
def _telling_grams(text: str, known: int) -> frozenset[str]:
    """Return the grams of a text that some run needs."""
    return frozenset(_TELLING.intersection(_grams(text)))


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

    def first_in(self, text: str) -> int | None:
        """Return where the first of the alternatives begins that a text holds."""
        held = self._runs.held_in(text)
        phrases = {phrase for letters in held for phrase in self._by_letters[letters]}
        found = (phrase.pattern.search(text) for phrase in phrases)
        return min((match.start() for match in found if match is not None), default=None)

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
        held = list(filter(sentence.__contains__, self.letters))
        return bool(held) and self.found_by(held, sentence)


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
