"""What a text is found by: the terms of an index, made here so that SQLite need not understand language.

A word becomes its stem; a name is found whole and by its parts (`snake_case`,
`camelCase`, the steps of a path); Chinese, Japanese and Korean, written without
spaces, by pairs of characters. How often a term occurs in a text is a term of
its own (`2·word`), so that ranking needs nothing but lists of rows. `VERSION`
changes with any of this: an index of another version is built anew.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

VERSION = 1
TERM_MOST = 64
"""Letters of a term: what is longer is data, and is found by how it begins."""
OFTEN = (2, 3, 5)
"""A term that occurs so often has a term that says so."""
STEMS_KEPT = 65_536

_NAME = re.compile(r"\w+")
_JOINED = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\WA-Z_0-9]+|[0-9]+")
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"  # kana, Han, Hangul
_RUN = re.compile(f"[{_UNSPACED}]+")
_HAS_RUN = re.compile(f"[{_UNSPACED}]")
_LONE = re.compile("[\ud800-\udfff]")
_VOWEL = re.compile("[aeiouy]")

_STOP = """
a about after again all also am an and any are as at be because been before being between both but by can
could did do does doing done each for from had has have having he her here hers him his how i if in into is it
its itself just me more most my myself no nor not now of off on once only or other our ours out over own same
she should so some such than that the their theirs them then there these they this those through to too under
until up us very was we were what when where which while who whom why will with would you your yours many much
one ones s t ve re d ll m don didn doesn isn wasn
"""
STOP = frozenset(_STOP.split())
"""Words of a question that say nothing of what it is about."""


def valid_text(text: str) -> str:
    """The text, with what is no character replaced: SQLite keeps only what UTF-8 can say."""
    return _LONE.sub("�", text)


def terms_of(text: str) -> list[str]:
    """Every term of a text, as often as it occurs."""
    found: list[str] = []
    for name in _NAME.findall(text):
        found += name_terms(name)
    return found


def index_terms(text: str) -> tuple[str, int]:
    """What an index holds of a text, and how many terms that stands for."""
    counts = Counter(terms_of(text))
    often = [
        f"{times}·{term}"
        for term, count in counts.items()
        if count > 1
        for times in OFTEN
        if count >= times
    ]
    return " ".join([*counts, *often]), counts.total()


def query_terms(query: str) -> list[str]:
    """The terms of a query that tell something, each once; all of them where none does."""
    names = _NAME.findall(valid_text(query))
    telling = [name for name in names if name.lower() not in STOP]
    return list(
        dict.fromkeys(
            term for name in telling or names for term in _without_run_ends(name_terms(name))
        )
    )


def _without_run_ends(found: tuple[str, ...]) -> Iterator[str]:
    """Without the last character of a run that a pair ends with already."""
    for before, term in pairwise(("", *found)):
        if len(term) > 1 or len(before) != 2 or not before.endswith(term) or not is_unspaced(term):
            yield term


def is_unspaced(text: str) -> bool:
    """The script is one that puts no spaces between words."""
    return _HAS_RUN.match(text) is not None


# Language repeats itself: most names of a text were seen before.
@lru_cache(maxsize=STEMS_KEPT)
def name_terms(name: str) -> tuple[str, ...]:
    """The terms of one run of letters, digits and underscores."""
    if _HAS_RUN.search(name):
        return tuple(_mixed_terms(name))
    if name.islower() and "_" not in name:
        return (stem(name[:TERM_MOST]),)
    parts = [part for joined in _JOINED.findall(name) for part in _HUMP.findall(joined) or [joined]]
    if len(parts) < 2:
        if name.strip("_"):
            return (stem(name.strip("_").lower()[:TERM_MOST]),)
        return ()
    whole = stem(name.strip("_").lower()[:TERM_MOST])
    return (whole, *(stem(part.lower()[:TERM_MOST]) for part in parts))


def _mixed_terms(name: str) -> Iterator[str]:
    """Pairs of characters, and the last one alone, so that any one is found by how a term begins."""
    start = 0
    for run in _RUN.finditer(name):
        yield from name_terms(name[start : run.start()]) if run.start() > start else ()
        text = run[0]
        yield from (text[at : at + 2] for at in range(len(text) - 1))
        yield text[-1]
        start = run.end()
    if start < len(name):
        yield from name_terms(name[start:])


def stem(word: str) -> str:
    """An English word without its ending; what is no English word mostly stays as it is."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    word = _singular(word)
    for ending in ("ingly", "edly", "ing", "ed", "ly"):
        left = word[: -len(ending)]
        if len(word) > 4 and word.endswith(ending) and len(left) > 2 and _VOWEL.search(left):
            word = (
                left[:-1]
                if len(left) > 3 and left[-1] == left[-2] and left[-1] not in "lsz"
                else left
            )
            break
    if len(word) > 3 and word[-1] == "e":
        return word[:-1]
    if len(word) > 3 and word[-1] == "y":
        return word[:-1] + "i"
    return word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("sses"):
        return word[:-2]
    if word[-1] == "s" and word[-2] not in "us":
        return word[:-1]
    return word
