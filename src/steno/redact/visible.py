"""A text as a person sees it: without characters that have no shape, with escapes read.

Whoever hides a secret behind them hides it from a pattern, not from the model.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

_ZEROS = (0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50)
"""Zeros of other scripts; nine digits follow each."""
WIDE = {0xFF01 + at: 0x21 + at for at in range(94)}
WIDE |= {zero + digit: 0x30 + digit for zero in _ZEROS for digit in range(10)}
"""Letters of another width and digits of other scripts, each with the plain one."""
_BLANKS = (
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f"
    "\u3000"
)
"""Blanks other than the plain one: typography puts them beside a colon."""
_ENDS = "\r\v\f\x85\u2028\u2029"
_PLAIN = WIDE | dict.fromkeys(map(ord, _BLANKS), " ") | dict.fromkeys(map(ord, _ENDS), "\n")
UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]|\x1b\\[[0-9;]{0,20}m|\r(?=\n)"
)
"""Characters without a shape of their own (Unicode's default ignorable ones), colours, and the
first half of a line end of two characters."""
_ODD_END = re.compile(r"[\r\v\f]")
ESCAPED = re.compile(
    r"&(?:#\d{2,3}|#[xX][0-9a-fA-F]{2}|quot|apos|lt|gt|amp);|\\u00[2-7][0-9a-fA-F]"
)
"""A character as HTML or JSON writes it."""


class Places(NamedTuple):
    """Where the pieces of a text as it is seen stand in the original."""

    seen: list[int]
    original: list[int]

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """Return where what is seen from one place to another stands in the original."""
        first, last = bisect_right(self.seen, start) - 1, bisect_right(self.seen, stop - 1)
        begin = self.original[first] + start - self.seen[first]
        end = self.original[last - 1] + stop - self.seen[last - 1]
        if self._is_one_character(last - 1):
            end = self.original[last]
        return begin, end

    def _is_one_character(self, at: int) -> bool:
        """Return whether a piece is a character that was written as several."""
        return self.seen[at + 1] - self.seen[at] == 1 != self.original[at + 1] - self.original[at]


def visible_text(text: str) -> tuple[str, Places | None]:
    """Return a text as it is seen, and where its pieces stand in the original.

    Characters that are not seen hide no secret, nor do letters of another width and escapes.
    """
    found = list(_hidden_in(text))
    if not text.isascii() or _ODD_END.search(text):
        text = text.translate(_PLAIN)
    if not found:
        return text, None
    pieces: list[str] = []
    places = Places([], [])
    at = length = 0
    for hidden in sorted(found, key=re.Match.start):
        character = ""
        if ESCAPED.fullmatch(hidden[0]):
            character = _unescape(hidden[0])
        for piece, start in ((text[at : hidden.start()], at), (character, hidden.start())):
            if piece:
                pieces.append(piece)
                places.seen.append(length)
                places.original.append(start)
                length += len(piece)
        at = hidden.end()
    places.seen.extend((length, length + len(text) - at))
    places.original.extend((at, len(text)))
    return "".join((*pieces, text[at:])), places


def _hidden_in(text: str) -> Iterator[re.Match[str]]:
    if not text.isascii() or "\x1b" in text or "\r" in text:
        yield from UNSEEN.finditer(text)
    if "&" in text or "\\u00" in text:
        yield from ESCAPED.finditer(text)


def _unescape(character: str) -> str:
    if character[0] == "&":
        return unescape(character)
    return chr(int(character[2:], 16))
