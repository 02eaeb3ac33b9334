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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from threading import Lock
from typing import Any

NEEDS_MOST = 3
"""Needs of one pattern that are looked for, the most telling."""
LETTERS_LEAST = 2
"""Plain letters of a need: a single one is in most texts."""
GRAM = 3
"""Letters of a gram."""
WORD_MOST, WORDS_KEPT = 40, 8_192
"""Characters of a word that is remembered, and how many words are."""
TEXTS_KEPT = 1_024
"""Texts whose pieces are remembered."""
_COMMON = " etaonirshldcumfgpyw,.bvk'xjqz?"
"""Letters by how common they are; the last stands for all others."""

_WORDS = re.compile(r"[^\W\d_]+")
_BLANKED = "".join(chr(code) if chr(code).isalpha() else " " for code in range(128))
"""What stands for each plain sign so that only words are left."""

Need = frozenset[str]
"""Letters; a match holds one or another of them."""


class LetterRuns:
    """Runs of letters that are looked for together."""

    def __init__(self, runs: Iterable[str]) -> None:
        self._runs = tuple(dict.fromkeys(runs))

    def held_in(self, text: str) -> list[str]:
        """Return the runs that a text holds."""
        pieces, by_piece = self._by_piece
        likely = pieces & _PIECES.held_in(text)
        return [run for piece in likely for run in by_piece[piece] if run in text]

    @cached_property
    def _by_piece(self) -> tuple[frozenset[str], dict[str, list[str]]]:
        """The runs under the longest word of each; a text that has a run has it in a word."""
        found: dict[str, list[str]] = {}
        for run in self._runs:
            piece = max(_WORDS.findall(run), key=len, default="")
            if len(piece) < GRAM and piece.isascii():  # most texts have it
                piece = ""
            found.setdefault(piece, []).append(run)
        _PIECES.add(found)
        return frozenset(found), found


class _Pieces:
    """The pieces of words that all runs together need.

    A text is searched for the runs of many cues in turn, and most of its words were in other
    texts. So a word is searched once for the pieces of all runs.
    """

    def __init__(self) -> None:
        self._adding = Lock()
        self._by_gram: dict[str, tuple[str, ...]] = {}
        self._words = _Words(self._by_gram)

    def add(self, pieces: Iterable[str]) -> None:
        with self._adding:
            for piece in pieces:
                gram = max(_grams(piece), key=_rarity, default=piece)
                self._by_gram[gram] = (*self._by_gram.get(gram, ()), piece)
            # Words are read again after more pieces became known.
            self._words = _Words(self._by_gram)

    def held_in(self, text: str) -> frozenset[str]:
        """Return the pieces that the words of a text hold, and the empty one."""
        words = self._words
        if len(words) > WORDS_KEPT:
            words = self._words = _Words(self._by_gram)
        return words.pieces_in(text)


class _Words(dict[str, tuple[str, ...]]):
    """The pieces of each word, of those that were known when it was begun."""

    def __init__(self, by_gram: Mapping[str, tuple[str, ...]]) -> None:
        self._by_gram = by_gram
        self._texts: dict[tuple[int, int], frozenset[str]] = {}
        """The pieces of texts, by the hash and the length of each: texts may be long."""

    def pieces_in(self, text: str) -> frozenset[str]:
        # A text is searched for the runs of many cues in turn.
        known = self._texts.get((hash(text), len(text)))
        if known is not None:
            return known
        if text.isascii():
            words = set(text.translate(_BLANKED).split())
        else:
            words = set(_WORDS.findall(text))
        pieces = frozenset(("",)).union(*filter(None, map(self.__getitem__, words)))
        if len(self._texts) >= TEXTS_KEPT:
            self._texts = {}
        self._texts[hash(text), len(text)] = pieces
        return pieces

    def __missing__(self, word: str) -> tuple[str, ...]:
        grams = set(_grams(word))
        if not word.isascii():
            grams.update(word, map("".join, pairwise(word)))
        likely = [self._by_gram[gram] for gram in grams if gram in self._by_gram]
        pieces = tuple({piece for pieces in likely for piece in pieces if piece in word})
        if len(word) <= WORD_MOST:
            self[word] = pieces
        return pieces


_PIECES = _Pieces()


def _grams(text: str) -> Iterator[str]:
    return map("".join, zip(text, text[1:], text[2:], strict=False))


def _rarity(gram: str) -> int:
    """Tell how rare a gram is in prose, roughly; the rarer, the fewer words are searched."""
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

    def found_in_any_case(self, text: str) -> bool:
        """Tell whether a text holds one of the alternatives in small or capital letters.

        An alternative may ask for capitals where they matter: `(?-i:[A-Z])`.
        """
        low = text.lower()
        likely = self._likely(self._runs.held_in(low), low)
        return any(phrase.pattern_of_any_case.search(text) for phrase in likely)

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
        return any(phrase.pattern.search(text) for phrase in self._likely(held, text))

    def _likely(self, held: Iterable[str], text: str) -> Iterator[Phrase]:
        """Yield each alternative that has what it needs in a text that holds these letters."""
        tried: set[Phrase] = set()
        for letters in held:
            for phrase in self._by_letters[letters]:
                # A text may hold several possibilities of one need.
                if phrase not in tried and phrase.may_go_on_in(text):
                    yield phrase
                tried.add(phrase)

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

    @cached_property
    def pattern_of_any_case(self) -> re.Pattern[str]:
        return re.compile(self.source, re.IGNORECASE)

    def may_go_on_in(self, text: str) -> bool:
        """Tell whether a text that holds the first need holds the others."""
        return all(any(map(text.__contains__, need)) for need in self.needs[1:])


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
        if _tell_something(letters):
            yield frozenset((letters,))
        letters = ""
        if code is opcodes.BRANCH:
            yield from _need_of_branches(value[1])
        elif code is opcodes.SUBPATTERN and not value[1]:  # flags may let other letters match
            yield from _needs_of(value[3])
        elif code in (opcodes.MAX_REPEAT, opcodes.MIN_REPEAT) and value[0] > 0:
            yield from _needs_of(value[2])
    if _tell_something(letters):
        yield frozenset((letters,))


def _tell_something(letters: str) -> bool:
    return len(letters) >= LETTERS_LEAST or not letters.isascii()


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
