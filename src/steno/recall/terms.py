"""The terms that a text is found by, made here so that SQLite need not understand language.

A word becomes its stem by Snowball: the English one, and in a German, French or Spanish text
that language's too. A name is found whole and by its parts (`snake_case`, `camelCase`,
the parts of a path); Chinese, Japanese and Korean, written without spaces, by pairs of
characters. How often a term occurs in a text is a term of its own (`2·word`), so that ranking
needs nothing but lists of rows. Change `VERSION` with any of this, or with the texts that get
vectors: an index of another version is rebuilt.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain, pairwise
from threading import Lock
from typing import Any

import snowballstemmer

VERSION = 8
TERM_MOST = 64
"""Letters of a term; a longer one is data, and is found by its beginning."""
NAME_MOST = 256
"""Letters of a name whose parts are terms too; what follows is data."""
OFTEN = (2, 3, 5)
"""A term that occurs this often gets another term that says so."""
STEMS_KEPT = 65_536

_NAME = re.compile(r"\w+")
_ASCII_GAPS = {at: " " for at in range(128) if not _NAME.match(chr(at))}
_JOINED = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\WA-Z_0-9]+|[0-9]+")
# Kana, Han and Hangul.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
_RUN = re.compile(f"[{_UNSPACED}]+")
_HAS_RUN = re.compile(f"[{_UNSPACED}]")
_LONE = re.compile("[\ud800-\udfff]")

_STOP = """
a about after again all also am an and any are as at be because been before being between both
but by can could did do does doing done each for from had has have having he her here hers him
his how i if in into is it its itself just me more most my myself no nor not now of off on once
only or other our ours out over own same she should so some such than that the their theirs them
then there these they this those through to too under until up us very was we were what when
where which while who whom why will with would you your yours many much one ones s t ve re d ll
m don didn doesn isn wasn
"""
# Only words that mean nothing in English: "die", "war", "hat" or "son" may be what is asked for.
_STOP_ELSEWHERE = {
    "german": """
der das den dem ein eine einen einem einer und oder ist sind wird werden wurde haben habe ich
wir ihr mein meine unser unsere im zu mit von bei für auf nach wer wie wo wann warum welche
welcher
""",
    "french": """
le les une et ou est sont dans qui quoi quand où pourquoi comment quelle quel mon mes notre je tu
nous vous il elle
""",
    "spanish": """
el los las una unos por para qué quién cuándo dónde adónde cómo cuál mi mis nuestro nuestra
nuestras yo tú del al su sus
""",
}
_STOP_SHARED = "de des du en es la ma nos que se un"
"""Stop words of several of these languages."""
STOP = frozenset(" ".join((_STOP, _STOP_SHARED, *_STOP_ELSEWHERE.values())).split())
"""Words that do not say what a question is about."""
ENGLISH = "english"
_LANGUAGE_OF = {
    form: language
    for language, words in (_STOP_ELSEWHERE | {ENGLISH: _STOP}).items()
    for word in words.split()
    for form in (word, word.capitalize())
}
"""The language that a stop word is a sign of."""
_stemming = Lock()
"""Held while a stemmer works: it keeps the word in itself."""


def valid_text(text: str) -> str:
    """Replace half characters, which UTF-8, and so SQLite, cannot hold."""
    if text.isascii():
        return text
    return _LONE.sub("�", text)


def terms_of(text: str) -> list[str]:
    """Return every term of a text, as often as it occurs, by English stems."""
    return list(chain.from_iterable(map(name_terms, _names_in(text))))


def language_of(names: Iterable[str]) -> str:
    """Return the language whose stop words are most frequent among names; English for none."""
    signs = Counter(filter(None, map(_LANGUAGE_OF.get, names)))
    if not signs:
        return ENGLISH
    return signs.most_common(1)[0][0]


def _names_in(text: str) -> list[str]:
    """Return the runs of letters, digits and underscores in a text."""
    if text.isascii():
        # The same as the pattern finds, in less than half the time.
        return text.translate(_ASCII_GAPS).split()
    return _NAME.findall(text)


def index_terms(text: str, call: str = "") -> tuple[str, int]:
    """Return the terms to index for a text, and how many terms it has.

    A result is found by the words of its call too. They count for its size, or "Done." would
    rank before every result that says something.
    """
    names = _names_in(text)
    counts = Counter(chain.from_iterable(map(name_terms, names)))
    called = terms_of(call)
    language = language_of(names)
    elsewhere: set[str] = set()
    if language != ENGLISH:
        elsewhere.update(*(name_terms(name, language) for name in set(names)))
    often = [
        f"{times}·{term}"
        for term, count in counts.items()
        if count > 1
        for times in OFTEN
        if count >= times
    ]
    terms = dict.fromkeys([*counts, *elsewhere, *called])
    return " ".join([*terms, *often]), counts.total() + len(called)


def query_terms(query: str) -> list[tuple[str, ...]]:
    """Return the terms of a query, each once; without stop words if any others are left.

    A term has two forms if the query's language has another stem for it than English.
    """
    names = _NAME.findall(valid_text(query))
    # In capitals it is a name: US, IT, LA.
    content = [
        name for name in names if name.lower() not in STOP or (name.isupper() and len(name) > 1)
    ]
    languages = dict.fromkeys((language_of(names), ENGLISH))
    terms: list[tuple[str, ...]] = []
    for name in content or names:
        stems = (_without_run_ends(name_terms(name, language)) for language in languages)
        terms += (tuple(dict.fromkeys(forms)) for forms in zip(*stems, strict=True))
    return list(dict.fromkeys(terms))


def query_language(query: str) -> str:
    """Return the language that a query is in, by its stop words."""
    return language_of(_NAME.findall(query))


def _without_run_ends(terms: tuple[str, ...]) -> Iterator[str]:
    """Leave out the last character of a run; the pair before it ends with it already."""
    for before, term in pairwise(("", *terms)):
        is_run_end = len(term) == 1 and len(before) == 2 and before.endswith(term)
        if not (is_run_end and is_unspaced(term)):
            yield term


def is_unspaced(text: str) -> bool:
    """Tell whether a text begins in a script without spaces between words."""
    return _HAS_RUN.match(text) is not None


# Most names of a text were seen before, so this saves most of the stemming.
@lru_cache(maxsize=STEMS_KEPT)
def name_terms(name: str, language: str = ENGLISH) -> tuple[str, ...]:
    """Return the terms of one run of letters, digits and underscores."""
    if _HAS_RUN.search(name):
        return tuple(_mixed_terms(name, language))
    if name.islower() and "_" not in name:
        return (stem(name[:TERM_MOST], language),)
    stripped = name.strip("_")
    if not stripped:
        return ()
    parts: list[str] = []
    for joined in _JOINED.findall(name[:NAME_MOST]):
        parts += _HUMP.findall(joined) or [joined]
    if len(parts) < 2:
        parts = []
    return tuple(stem(part.lower()[:TERM_MOST], language) for part in (stripped, *parts))


def _mixed_terms(name: str, language: str) -> Iterator[str]:
    """Yield pairs of characters, and the last one alone.

    So each character begins a term, and a single one is found by its prefix.
    """
    start = 0
    for run in _RUN.finditer(name):
        if run.start() > start:
            yield from name_terms(name[start : run.start()], language)
        text = run[0]
        for at in range(len(text) - 1):
            yield text[at : at + 2]
        yield text[-1]
        start = run.end()
    if start < len(name):
        yield from name_terms(name[start:], language)


@lru_cache(maxsize=STEMS_KEPT)
def stem(word: str, language: str = ENGLISH) -> str:
    """Return a word without its ending; a name with digits stays as it is."""
    if not word.isalpha():
        return word
    with _stemming:
        stemmed: str = _stemmer(language).stemWord(word)
    return stemmed


@cache
def _stemmer(language: str) -> Any:
    return snowballstemmer.stemmer(language)
