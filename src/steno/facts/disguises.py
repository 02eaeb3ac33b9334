"""Words and marks as they look, however they are spelled.

A label that is written in letters of another alphabet, in bold or with marks over its letters is
read by people and by models as the label it looks like, so it is read as that here. Every reader of
labels takes its words from here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache

ALIKE_LEAST = 4
"""Letters of a word that is wholly of another alphabet; shorter ones are words of Russian."""

_WIDE = {0xFF01 + at: 0x21 + at for at in range(94)} | {0x3000: 0x20}
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
