"""Words and marks as they look, however they are spelled.

A label that is written in letters of another alphabet, in bold or with marks over its letters is
read by people and by models as the label it looks like, so it is read as that here. Every reader of
labels takes its words from here.

`SeenText` is a text as a reader sees it: without what is not seen, and without the marks that stand
before a label and are no part of it. What it makes another's is another's in the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice

Span = tuple[int, int]

ALIKE_LEAST = 4
"""Letters of a word that is wholly of another alphabet; shorter ones are words of Russian."""

_WIDE = {0xFF01 + at: 0x21 + at for at in range(94)} | {0x3000: 0x20, 0x2039: 0x3C, 0x203A: 0x3E}
_ESCAPED = (("&lt;", "   <"), ("&gt;", ">   "), ("&LT;", "   <"), ("&GT;", ">   "))
UNSEEN = "[\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff]+"
"""Characters that are not seen. Written between Latin letters they hide a word."""
_UNSEEN_OR_MARK = re.compile("[\u00ad\u0300-\u036f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f]+")

_SAME = str.maketrans("асԁеһіјӏорԛѕухѵԝɡɑοα", "acdehijlopqsyxvwgaoa")
"""Letters of other alphabets that look like one of ours in every hand."""
_ALIKE = _SAME | str.maketrans(
    "кмтнвАВСЕНІЈКМОРЅТХУΑΒΕΖΗΙΚΜΝΟΡΤΥΧικνρτυχγε", "kmthbABCEHIJKMOPSTXYABEZHIKMNOPTYXikvptuxye"
)
"""The same for words in which two alphabets are mixed."""
_WORD = re.compile("[A-Za-zɑɡ\u0370-\u052f]++")
_MAY_MIX = re.compile("[ɑɡ\u0370-\u052f]")
_SMALL_CAPITALS = str.maketrans("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz")
_OTHER_SHAPES = re.compile(
    "[\u00a0\u2000-\u200a\u202f\u205f\u0280-\u029f\u1d00-\u1d22\u2236\u24b6-\u24e9\ua789\ua730-\ua731"
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff]"
)
_EMPHASIS = re.compile(
    r"(?<![\w*~`])(\*{1,3}+|_{1,3}+|~~|`)([^\W_][^*_~`\n]{0,60})(?<=\S)\1(?![\w*~`])"
)
_MAY_DISGUISE = re.compile("[*`~\x80-\U0010ffff]")
"""Every reading but the first needs one of these, or an underscore that opens a word."""

_OTHER_LINE_ENDS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_NOT_SEEN = re.compile(
    "[\u00ad\u0300-\u036f\u061c\u115f\u1160\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e007f]+"
)
"""Characters that are not seen, and marks over letters."""
_RETURN = re.compile(r"\r(?=\n)")
_BLANKS = re.compile(r"  (?<=\w  ) *+(?=\w)")
"""More than one blank between words. A pattern that begins with letters is searched quickly."""
_GREETING = re.compile(
    r"\s*+(?:hi|hello|hey|hallo|bonjour|salut|hola|ok(?:ay)?|sure|yes|thanks|thx|danke|merci"
    r"|gracias)(?: there)?(?:[!,.]++\s+|\s*\n\s*)",
    re.I,
)
_LEAD = re.compile(
    r"\n[ \t]*+(?:\[\d{1,3}\][ \t]+|[\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff"
    r"\U0001f000-\U0001faff]+[ \t]*+)"
)
"""The number of a source or an emoji before a line."""
_EMPHASIZED_LINE = re.compile(r"^[ \t]*+(\*{1,3}+|_{1,3}+)(?=[^\s*_])|[*_]{1,3}(?=[ \t]*+$)", re.M)
"""Marks of emphasis at the edges of a line."""
_ITEM = re.compile(r"\n[ \t]*+(?:[-*+•·◦‣]|\(?\d{1,3}[.)])[ \t]+")


class SeenText:
    """A text as it is seen, and where in it what was left out stood."""

    def __init__(self, text: str) -> None:
        for line_end in _OTHER_LINE_ENDS:
            text = text.replace(line_end, "\n")
        self.text = text
        self._left_out: list[list[Span]] = []
        if "\r" in text:
            self._leave_out([found.span() for found in _RETURN.finditer(text)])
        if not text.isascii():
            self._leave_out([found.span() for found in _NOT_SEEN.finditer(self.text)])
        self._leave_out([(found.start() + 1, found.end()) for found in _BLANKS.finditer(self.text)])
        if greeting := _GREETING.match(self.text):
            self._leave_out([greeting.span()])
        if "[" in text or not text.isascii():
            self._leave_out(list(_at_lines(_LEAD, self.text)))
        self._leave_out(_lone_item(self.text))
        if "**" in text or "__" in text:
            self._leave_out([found.span() for found in _EMPHASIZED_LINE.finditer(self.text)])

    def marks_of_whole(self, marks: str) -> str:
        """Return the marks of a text's characters, of which those that are seen have these."""
        for spans in reversed(self._left_out):
            marks = _with_spans(marks, spans)
        return marks

    def _leave_out(self, spans: list[Span]) -> None:
        if spans:
            self.text = _without_spans(self.text, spans)
            self._left_out.append(spans)


def folded(text: str) -> str:
    """Return a text of the same length in which marks stand as they look."""
    if "&" in text:
        for escaped, plain in _ESCAPED:
            text = text.replace(escaped, plain)
    if text.isascii():
        return text
    return text.translate(_WIDE)


def in_plain_letters(text: str) -> str:
    """Return a text of the same length whose letters and blanks are those that they look like."""
    if text.isascii():
        return text
    if _OTHER_SHAPES.search(text):
        text = text.translate(_shapes())
    if _MAY_MIX.search(text):
        text = _WORD.sub(lambda word: _in_one_alphabet(word[0]), text)
    return text


def next_disguise(text: str, at: int) -> int:
    """Return where a text next holds a mark that may disguise a word, or its end."""
    found = _MAY_DISGUISE.search(text, at)
    return len(text) if found is None else found.start()


def any_reading_has(found: Callable[[str], object], head: str) -> bool:
    """Tell whether something is found in a head, or in it without accents, marks and emphasis."""
    return bool(found(head)) or other_reading_has(found, head)


def other_reading_has(found: Callable[[str], object], head: str) -> bool:
    if _MAY_DISGUISE.search(head) is None and " _" not in f" {head}":
        return False
    bare = head
    if not head.isascii():
        bare = _UNSEEN_OR_MARK.sub("", unicodedata.normalize("NFKD", head))
    bare = _EMPHASIS.sub(r"\2", bare)
    return bare != head and bool(found(bare))


def _without_spans(text: str, spans: list[Span]) -> str:
    starts = (0, *(stop for _, stop in spans))
    stops = (*(start for start, _ in spans), len(text))
    return "".join(text[start:stop] for start, stop in zip(starts, stops, strict=True))


def _with_spans(marks: str, spans: list[Span]) -> str:
    """Return marks with those of what was left out: what is not seen belongs to what follows."""
    parts: list[str] = []
    at = done = 0
    for start, stop in spans:
        parts.append(marks[at : at + start - done])
        at, done = at + start - done, stop
        parts.append((marks[at : at + 1] or marks[-1:] or "-") * (stop - start))
    return "".join((*parts, marks[at:]))


def _at_lines(mark: re.Pattern[str], text: str) -> Iterator[Span]:
    """Yield where lines begin with a mark whose pattern begins with the end of the line before."""
    for found in mark.finditer(f"\n{text}"):
        yield found.start(), found.end() - 1


def _lone_item(text: str) -> list[Span]:
    """Return where the mark of a list stands that has one item, and no words that lead to it."""
    found = list(islice(_at_lines(_ITEM, text), 2))
    if len(found) != 1:
        return []
    before = text[: found[0][0]].rstrip()
    return found if before.endswith((".", "!", "?")) or not before else []


@cache
def _shapes() -> dict[int, str | int]:
    """Return the letters and blanks of other shapes, each with the plain one."""
    spaces = dict.fromkeys((0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F), " ")
    colons = dict.fromkeys((0x2236, 0xA789), ":")
    styled = (*range(0x24B6, 0x24EA), *range(0x1D400, 0x1D800), *range(0xFF10, 0xFF5B))
    letters = {code: unicodedata.normalize("NFKC", chr(code)) for code in styled}
    plain = {code: letter for code, letter in letters.items() if letter.isalnum()}
    return {**plain, **spaces, **colons, **_SMALL_CAPITALS}


def _in_one_alphabet(word: str) -> str:
    if word.isascii():
        return word
    plain = word.translate(_ALIKE)
    if not plain.isascii():
        return word
    if any(map(str.isascii, word)):
        return plain
    same = word.translate(_SAME)
    return same if same.isascii() and len(word) >= ALIKE_LEAST else word
