"""Where sentences begin and end in what people type.

Written for chat rather than for books: a line break ends a sentence unless the
line was only wrapped, a list item is one of its own, and a small letter may
begin one. Five languages: English, German, French, Spanish, Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Place = tuple[int, int]
"""Start and stop of a sentence within the text, without the blanks around it."""

INDENT_MOST = 9
WRAPPED_FROM = 60
"""A line shorter than this was ended, not wrapped."""

_STOP = re.compile(r"(?:[.!?…]+[\"'”’»)\]*_]*(?=\s|$)|[。！？]+[”’」』）)]*)")
_ABBREVIATED = re.compile(
    r"(?:^|[\s(\"])(?:e\.?g|i\.?e|etc|vs|cf|approx|mr|mrs|ms|dr|prof|no|fig|al|inc|st"
    r"|z\. ?B|d\. ?h|u\. ?a|o\. ?ä|bzw|ca|nr|usw|ggf|evtl|inkl|zzgl|str"
    r"|p\. ?ex|c\.-à-d|env|mme|p\. ?ej|ee\. ?uu|sr|sra|ud|uds|pág|núm|[A-Z])\.$",
    re.I,
)
_MARKER = re.compile(r"[ \t]*(?:[-*+•–·◦‣]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|[（(]?[一二三四五六七八九十\d]+[、）)])\s+")
_CHINESE_MARKER = re.compile(r"[ \t]*\d{1,2}[、．]")


def sentences(text: str) -> Iterator[Place]:
    """The places of a text's sentences, in order, without list markers."""
    for start, stop in _lines(text):
        marker = _MARKER.match(text, start, stop) or _CHINESE_MARKER.match(text, start, stop)
        begin = marker.end() if marker else start
        for found in _STOP.finditer(text, begin, stop):
            if found[0].startswith(".") and _ABBREVIATED.search(
                text[max(begin, found.start() - 8) : found.start() + 1]
            ):
                continue
            yield from _trimmed(text, begin, found.end())
            begin = found.end()
        yield from _trimmed(text, begin, stop)


def _lines(text: str) -> Iterator[Place]:
    """Lines, with those put together that were only wrapped."""
    start = at = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        if _goes_on(line, text[at : at + INDENT_MOST].lstrip(" ")[:1]):
            continue
        yield start, at
        start = at
    if start < at:
        yield start, at


def _goes_on(line: str, following: str) -> bool:
    said = line.rstrip()
    return len(said) >= WRAPPED_FROM and following.islower() and said[-1] not in ".!?:;。！？：…"


def _trimmed(text: str, start: int, stop: int) -> Iterator[Place]:
    while start < stop and text[start].isspace():
        start += 1
    while start < stop and text[stop - 1].isspace():
        stop -= 1
    if start < stop:
        yield start, stop
