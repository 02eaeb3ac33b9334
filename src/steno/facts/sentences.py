"""Where sentences begin and end in chat, and which of them hold a cue.

A line break ends a sentence unless the line was only wrapped, a list item is a sentence
of its own, and a small letter may begin one. A cue inside quotation marks or inline code is
quoted, and is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from steno.facts.languages import LANGUAGES, closest_languages, cue
from steno.facts.text import small_letters

SentenceSpan = tuple[int, int]
"""Start and stop of a sentence within the text, without the blanks around it."""

TEXTS_KEPT, KEPT_LEAST, KEPT_LENGTH = 64, 200, 20_000
"""Texts whose sentences are remembered, and their characters."""
INDENT_MOST = 9
WRAPPED_FROM = 60
"""A line shorter than this was ended, not wrapped."""
SENTENCE_MOST = 400
"""Characters of a sentence that are kept; a longer one ends at a word."""
LINES_READ = 4_000
"""Lines of a text that are read for a cue."""
NEAR = 1_000
"""Characters on either side in which a sentence begins and ends."""

_STOP = re.compile(
    # A pattern that begins with a set of characters is searched quickly. A run of stops is tried
    # once, from where it begins: it may be as long as the text.
    r"[.!?…。！？](?:(?<=[。！？])[。！？]*[”’」』）)]*"
    r"|(?<![.!?…][.!?…])[.!?…]*+[\"'”’»)\]*_]*(?=\s|$))"
)
_ABBREVIATED = re.compile(
    r"(?:^|[\s(\"])"
    rf"(?:{'|'.join(table.abbreviations for table in LANGUAGES if table.abbreviations)}|[A-Z])\.$",
    re.I,
)
_MAY_END = re.compile(r"\W?(?:etc|usw|inc|al|[a-z])\.")
"""Abbreviations and names of one letter that may be the last word of a sentence."""
_INITIAL = re.compile(r"\s*\w\.")
_MARKER = re.compile(
    r"[ \t]*+(?:[-*+•–·◦‣]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\(?[A-Z](?:\)|\.(?!\s+[a-z]))"
    r"|[（(]?[一二三四五六七八九十\d]+[、）)])\s+|[ \t]*+\d{1,2}[、．]"
)
"""The mark of a list's item."""
_SAID = re.compile(r"\S(?:.*\S)?", re.S)
"""All but the blanks around it."""
_QUOTES = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|“[^“”\n]*”|«[^«»\n]*»|„[^„“\n]*“|「[^「」\n]*」")


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
    # Of the whole text: most lines hold none, and a search of each would find that out.
    stops = _STOP.finditer(text)
    found = next(stops, None)
    for start, stop in _lines(text):
        marker = _MARKER.match(text, start, stop)
        begin = marker.end() if marker else start
        while found is not None and found.start() < stop:
            at, end = found.span()
            found = next(stops, None)
            # The stop of a marker ends no sentence.
            if at < begin or (text[at] == "." and _is_abbreviation(text, begin, at)):
                continue
            if said := _SAID.search(text, begin, end):
                yield said.span()
            begin = end
        if begin < stop and (said := _SAID.search(text, begin, stop)):
            yield said.span()


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


def _lines(text: str) -> Iterator[SentenceSpan]:
    """Yield lines, with those put together that were only wrapped."""
    start = at = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
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


def cued_sentences(text: str, name: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield each sentence that holds a cue of this name, once, with its first match."""
    pattern = cue(name, closest_languages(text))
    after = 0
    for found in pattern.finditer(small_letters(text)):
        if found.start() < after or is_quoted(text, found.start()):
            continue
        start, after = sentence_at(text, found.start())
        yield clip_sentence(text[start:after]), found


def sentence_at(text: str, at: int) -> tuple[int, int]:
    """Return where the sentence around this place starts and stops, within its line."""
    begin, end = _nearby_line(text, at)
    for start, stop in sentences(text[begin:end]):
        if begin + stop > at:
            return begin + start, begin + stop
    return begin, end


def line_at(text: str, at: int) -> tuple[int, int]:
    """Return where the line around this place starts and stops."""
    begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    if end < 0:
        end = len(text)
    return begin, end


def lines_with(text: str, cues: Iterable[str]) -> list[tuple[int, int]]:
    """Return where the lines start and stop that hold a cue, in order, so many at most."""
    # Plain searches: a pattern on every line of a long log would be slow.
    stops: dict[int, int] = {}
    for words in cues:
        at = text.find(words)
        while at >= 0 and len(stops) < LINES_READ:
            start, stop = line_at(text, at)
            stops[start] = stop
            at = text.find(words, stop)
    return sorted(stops.items())


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
