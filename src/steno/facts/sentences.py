"""Where sentences begin and end in chat, and which of them hold a cue.

A line break ends a sentence unless the line was only wrapped, a list item is a sentence
of its own, and a small letter may begin one.

`Cues` finds sentences by phrases. Searching for many phrases of five languages is slow,
and finding that a line has none of their stems is quick, so only lines with a stem are
searched. A cue inside quotation marks or inline code is quoted, and is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from steno.facts.languages import LanguageCues, in_every_language
from steno.facts.languages.cues import StemmedCue
from steno.facts.languages.phrases import LetterRuns
from steno.facts.lazy_pattern import lazy_pattern

SentenceSpan = tuple[int, int]
"""Start and stop of a sentence within the text, without the blanks around it."""

TEXTS_KEPT, KEPT_LEAST, KEPT_LENGTH = 64, 200, 20_000
"""Texts whose sentences are remembered, and their characters: single lines would push out all
others.
"""
INDENT_MOST = 9
BROKEN_MOST = 16
"""Characters of a line that holds one word or two of a sentence."""
WRAPPED_FROM = 60
"""A line shorter than this was ended, not wrapped."""

_STOP = lazy_pattern(
    # A pattern that begins with a set of characters is searched quickly. A run of stops is tried
    # once, from where it begins: it may be as long as the text.
    r"[.!?…。！？](?:(?<=[。！？])[。！？]*[”’」』）)]*"
    r"|(?<![.!?…][.!?…])[.!?…]*+[\"'”’»)\]*_]*(?=\s|$))"
)
_ABBREVIATED = lazy_pattern(
    r"(?:^|[\s(\"])"
    rf"(?:{in_every_language(lambda cues: cues.text.abbreviations)}|[A-Z])\.$",
    re.I,
)
_MAY_END = lazy_pattern(r"\W?(?:etc|usw|inc|al|[a-z])\.")
"""Abbreviations and names of one letter that may be the last word of a sentence."""
_INITIAL = lazy_pattern(r"\s*\w\.")
SHOUTED = lazy_pattern(
    rf"(?<!\w)(?i:{in_every_language(lambda cues: cues.text.shouted)})(!+)(?= [^\W\dA-ZÀ-Þ_])"
)
"""A word that is shouted within a sentence, and the marks behind it."""
_ORDERS_ALONE = lazy_pattern(rf"[ \t]*+(?i:{in_every_language(lambda cues: cues.text.shouted)})\s*")
"""A word of rules alone on its line."""
_MARKER = lazy_pattern(
    r"[ \t]*+(?:[-*+•–·◦‣]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\(?[A-Z](?:\)|\.(?!\s+[a-z]))"
    r"|[（(]?[一二三四五六七八九十\d]+[、）)])\s+"
)
_SAID = lazy_pattern(r"\S(?:.*\S)?", re.S)
"""All but the blanks around it."""
_CHINESE_MARKER = lazy_pattern(r"[ \t]*+\d{1,2}[、．]")


def sentences(text: str) -> Iterable[SentenceSpan]:
    """Return the places of a text's sentences, in order, without list markers."""
    if KEPT_LEAST <= len(text) <= KEPT_LENGTH:
        return _kept_sentences(text)
    return _find_sentences(text)


# Several readers go through the same text.
@lru_cache(maxsize=TEXTS_KEPT)
def _kept_sentences(text: str) -> tuple[SentenceSpan, ...]:
    return tuple(_find_sentences(text))


def _find_sentences(text: str) -> Iterator[SentenceSpan]:
    may_be_chinese = not text.isascii()
    # Of the whole text: most lines hold none, and a search of each would find that out.
    stops = _STOP.finditer(text)
    found = next(stops, None)
    for start, stop in _lines(text):
        marker = _MARKER.match(text, start, stop)
        if marker is None and may_be_chinese:
            marker = _CHINESE_MARKER.match(text, start, stop)
        begin = marker.end() if marker else start
        while found is not None and found.start() < stop:
            at, end = found.span()
            found = next(stops, None)
            # The stop of a marker ends no sentence.
            if at < begin or _ends_no_sentence(text, begin, at):
                continue
            if said := _SAID.search(text, begin, end):
                yield said.span()
            begin = end
        if begin < stop and (said := _SAID.search(text, begin, stop)):
            yield said.span()


def _ends_no_sentence(text: str, begin: int, stop: int) -> bool:
    """Tell whether the mark at a place stands within a sentence."""
    if text[stop] == ".":
        return _is_abbreviation(text, begin, stop)
    return text[stop] == "!" and _is_shouted(text, begin, stop)


def _is_abbreviation(text: str, begin: int, stop: int) -> bool:
    """Tell whether the full stop at a place ends a word and no sentence."""
    word = _ABBREVIATED.search(text[max(begin, stop - 8) : stop + 1])
    if word is None:
        return False
    follows = text[stop + 1 : stop + 4]
    if word[0].strip().lower() == "no.":
        return follows.lstrip()[:1].isdigit()
    # "if c > d. Never …", but "z. B."
    ends = _MAY_END.fullmatch(word[0]) is not None and follows.lstrip()[:1].isupper()
    return not ends or _INITIAL.match(follows) is not None


def _is_shouted(text: str, begin: int, stop: int) -> bool:
    """Tell whether the marks at a place only shout the word before them."""
    begin = max(begin, stop - 12)
    return any(found.start(1) == stop for found in SHOUTED.finditer(text, begin, stop + 12))


def _lines(text: str) -> Iterator[SentenceSpan]:
    """Yield lines, with those put together that were only wrapped."""
    start = at = 0
    broken = False
    for line in text.splitlines(keepends=True):
        at += len(line)
        # "never", "touch" and "prod", each on its line, are one sentence.
        if len(line) <= BROKEN_MOST:
            opens = broken or _ORDERS_ALONE.fullmatch(line) is not None
            broken = opens and line.rstrip()[-1:].isalnum() and text[at : at + 1].islower()
            if broken:
                continue
        # The length first: most lines are too short, and looking on costs more.
        if len(line) >= WRAPPED_FROM and _continues(
            line, text[at : at + INDENT_MOST].lstrip(" ")[:1]
        ):
            continue
        yield start, at
        start = at
    if start < at:
        yield start, at


def _continues(line: str, following: str) -> bool:
    said = line.rstrip()
    return len(said) >= WRAPPED_FROM and following.islower() and said[-1] not in ".!?:;。！？：…"


SENTENCE_MOST = 400
"""Characters of a sentence that are kept; a longer one ends at a word."""
NEAR = 1_000
"""Characters on either side in which a sentence begins and ends."""

_QUOTES = lazy_pattern(r"`[^`\n]*`|\"[^\"\n]*\"|“[^“”\n]*”|«[^«»\n]*»|„[^„“\n]*“|「[^「」\n]*」")


@dataclass(frozen=True)
class Cues:
    """Patterns, and stems in small letters; each match holds at least one."""

    pattern: re.Pattern[str]
    stems: tuple[str, ...]

    @cached_property
    def _runs(self) -> LetterRuns:
        return LetterRuns(self.stems)

    @classmethod
    def of(cls, stems: str, *patterns: str) -> Cues:
        """Return the stems parted by bars."""
        return cls(lazy_pattern("|".join(patterns), re.I | re.M), tuple(stems.split("|")))

    @classmethod
    def joined(cls, cue: Callable[[LanguageCues], StemmedCue]) -> Cues:
        """Join one cue of all languages."""
        return cls.of(
            in_every_language(lambda language: cue(language).stems),
            in_every_language(lambda language: cue(language).phrases),
        )

    def stems_in(self, low: str) -> list[str]:
        """Return the stems that a text in small letters holds."""
        return self._runs.held_in(low)

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """Yield each match in a line that holds a stem, in order."""
        for start, end in self._lines(text):
            yield from self.pattern.finditer(text, start, end)

    def sentences(self, text: str) -> Iterator[tuple[str, re.Match[str]]]:
        """Yield each sentence that holds a cue, once, with its first."""
        after = 0
        for found in self.matches(text):
            if found.start() < after or is_quoted(text, found.start()):
                continue
            start, after = sentence_at(text, found.start())
            yield clip_sentence(text[start:after]), found

    def _lines(self, text: str) -> list[tuple[int, int]]:
        low = text.lower()
        if len(low) != len(text):  # a few letters change their length
            low = text
        places: set[tuple[int, int]] = set()
        for stem in self.stems_in(low):
            at = low.find(stem)
            while at >= 0:
                line = line_at(text, at)
                places.add(line)
                at = low.find(stem, line[1])
        return sorted(places)


def sentence_at(text: str, at: int) -> tuple[int, int]:
    """Return where the sentence around this place starts and stops, within its line."""
    begin, end = _nearby_line(text, at)
    for start, stop in sentences(text[begin:end]):
        if begin + stop > at:
            return begin + start, begin + stop
    return begin, end


def line_at(text: str, at: int) -> tuple[int, int]:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def is_quoted(text: str, at: int) -> bool:
    """Tell whether a place stands between quotation marks or in inline code, as its line shows."""
    begin, end = _nearby_line(text, at)
    return any(
        found.start() < at - begin < found.end()
        for found in _QUOTES.finditer(text[begin:end])
        # Quotation marks around a whole line are emphasis by the one who speaks.
        if found.end() - found.start() < end - begin
    )


def _nearby_line(text: str, at: int) -> tuple[int, int]:
    """Return the line around a place, as far as it is near: a line may be a whole long text."""
    begin, end = line_at(text, at)
    return max(begin, at - NEAR), min(end, at + NEAR)


def clip_sentence(sentence: str) -> str:
    """Return the sentence, or as much of its beginning as is kept."""
    if len(sentence) <= SENTENCE_MOST:
        return sentence
    cut = sentence[:SENTENCE_MOST]
    if " " in cut:
        return cut[: cut.rfind(" ")]
    return cut
