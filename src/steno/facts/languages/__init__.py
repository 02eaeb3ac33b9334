"""Small tables of cues, one data file a language.

A cue is a list of rows: regular expressions that are searched in small letters. The tables are
frozen: `tests/facts/test_tables.py` fails when one grows. A phrasing that is not in them is a
line in `docs/limits.md`, not a new row. What the rows decide is only which sentences stay longest
when room is short, and never who may say what.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache
from heapq import merge
from pathlib import Path
from typing import Any

from steno.core.message import Value
from steno.core.word_tables import words_of


class Table(Value, eq=False, dict=True):
    """The cues of one language, and the words by which it is told."""

    name: str
    """In English, as a writer is told."""
    file: str
    small_words: frozenset[str]
    """Words by which a text is taken for this language; empty if its script tells."""
    abbreviations: str = ""
    """Abbreviations, without their last full stop."""

    @cached_property
    def rows(self) -> dict[str, tuple[str, ...]]:
        """Rows by the name of their cue.

        opens: what binds where a clause begins; joins: words between clauses
        binds: orders, bans, limits and wishes that hold until changed, and what changes them
        absolute: what makes a request bind until it is changed
        idle: looks binding and is not; it is blanked first
        asks, go, off, thanks: requests, go-aheads, calling off, closing words
        decides, causes, reasons, options: choices, causes, reasons, offers
        correction, reconsideration, uncertainty, verification, hedge: how an assistant doubts
        later: what is left for later
        bids, orders, for_user: what to do; orders to a reader; words on behalf of a person
        """
        return {name: tuple(rows) for name, rows in self._read.items() if name != "tells"}

    @cached_property
    def tells(self) -> frozenset[str]:
        """Words of a wish, a limit, a state or a change: they are worth more than others."""
        return words_of(self._read["tells"])

    @cached_property
    def _read(self) -> dict[str, Any]:
        text = Path(__file__).with_name(f"{self.file}.toml").read_text(encoding="utf-8")
        return tomllib.loads(text)


ENGLISH = Table(
    "English",
    "en",
    words_of(
        "a all always an and are as at be been but by can do don don't dont for from has have i "
        "if in is it it's its must my never no not of on only or please should so that the "
        "there they this to was we were what when which will with would you your "
    ),
    r"e\.?g|i\.?e|etc|vs|cf|approx|mr|mrs|ms|dr|prof|no|fig|al|inc|st",
)

GERMAN = Table(
    "German",
    "de",
    words_of(
        "alle auch auf aus bei bitte das dass dem den der des die dir doch du ein eine einem "
        "einen einer er es für haben hat ich im immer ist kein keine mal mich mir mit nach "
        "nicht nie noch nur ohne sie sind soll und von vor war wenn wir wird wurde wurden zu "
        "zum zur über "
    ),
    r"z\. ?B|d\. ?h|u\. ?a|o\. ?ä|bzw|ca|nr|usw|ggf|evtl|inkl|zzgl|str",
)

FRENCH = Table(
    "French",
    "fr",
    words_of(
        "a au aux avant avec c'est car ce cette dans de des du elle en est et il jamais je l'on "
        "la le les ma mais me mes moi mon ne nous on ont ou par pas plus pour que qui sa sans "
        "se ses si son sont sur ta te tes ton toujours tout tu un une vous été "
    ),
    r"p\. ?ex|c\.-à-d|env|mme",
)

SPANISH = Table(
    "Spanish",
    "es",
    words_of(
        "al antes cada como con de del el en es esta este está favor fue ha han hay la las le "
        "les lo los me mi más no nunca o para pero por porque que se ser si siempre sin solo "
        "son su sus sólo te todo todos tu tus un una y ya "
    ),
    r"p\. ?ej|ee\. ?uu|sr|sra|ud|uds|pág|núm",
)

CHINESE = Table("Chinese", "zh", frozenset())

LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE)
SMALL_WORDS = frozenset().union(*(table.small_words for table in LANGUAGES))
"""Small words of every language: they tell nothing about a subject."""
SAMPLE = 1_000
"""Characters by which the language of a text is told."""
CLOSE = 1
"""Small words by which a language may lie behind the best and still be meant, in a short text."""
SHORT = 200
"""Characters of a short text."""
TEXTS_KEPT = 4_096

_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")
_OWN_LETTERS = {
    "German": re.compile(r"[äöüß]"),
    "French": re.compile(
        # A set of characters is found fast; what stands before an apostrophe is looked at then.
        r"[çèêœîûôàù’'](?:(?<![’'])|(?:(?<=(?<!\w)[ldnjmtsc].)|(?<=(?<!\w)qu.))(?=[aeéêiouyhàâ]))"
    ),
    "Spanish": re.compile(r"[ñ¿¡áíóú]"),
}
"""Letters that a language of Latin script has and the others lack."""


class Cue:
    """The rows of some names in some languages, for small letters.

    Each language has a pattern of its own: one for every combination of languages would be
    compiled again and again, which takes longer than reading a session.
    """

    def __init__(self, patterns: tuple[re.Pattern[str], ...]) -> None:
        self._patterns = patterns

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in a text."""
        return next(self.finditer(text), None)

    def holds(self, text: str) -> bool:
        """Tell whether there is a match in a text."""
        return any(pattern.search(text) for pattern in self._patterns)

    def begins(self, text: str) -> bool:
        """Tell whether a text begins with a match."""
        return any(pattern.match(text) for pattern in self._patterns)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches in a text, in order."""
        found = [pattern.finditer(text) for pattern in self._patterns]
        if len(found) == 1:
            return found[0]
        return merge(*found, key=re.Match.start)

    def blank(self, text: str) -> str:
        """Return a text with a blank in place of each match."""
        for pattern in self._patterns:
            text = pattern.sub(" ", text)
        return text


@lru_cache(maxsize=512)
def cue(name: str, tables: tuple[Table, ...] = LANGUAGES) -> Cue:
    """Return the rows of this name in these languages."""
    return Cue(tuple(_pattern(name, table) for table in tables))


def rows_pattern(name: str, *tables: Table) -> str:
    """Return the rows of this name as part of a pattern, for small letters."""
    return "|".join(_pattern(name, table).pattern for table in tables or LANGUAGES)


@cache
def _pattern(name: str, table: Table) -> re.Pattern[str]:
    return re.compile("|".join(table.rows.get(name, ())) or "(?!)", re.M)


@lru_cache(maxsize=TEXTS_KEPT)
def _closest(sample: str, behind: int) -> tuple[Table, ...]:
    if _HAN.search(sample):
        return (CHINESE,)
    lowered = sample.lower()
    words = set(_WORD.findall(lowered))
    scores: dict[Table, float] = {}
    for table in LANGUAGES:
        scores[table] = len(words & table.small_words)
        letters = _OWN_LETTERS.get(table.name)
        if letters is not None and letters.search(lowered):
            scores[table] += 1.5
    best = max(scores.values())
    return tuple(table for table, score in scores.items() if score >= best - behind)


def closest_languages(text: str) -> tuple[Table, ...]:
    """Return the languages that a text may be in: those that share most of its small words.

    Every text has one, and a short one may have several; `detect` says which is certain.
    """
    return _closest(text[:SAMPLE], CLOSE if len(text) <= SHORT else 0)


def closest_language(text: str) -> Table | None:
    """Return the language that shares most of the small words of a text; None if two do."""
    tables = _closest(text[:SAMPLE], 0)
    return tables[0] if len(tables) == 1 else None


def holds(name: str, sentence: str) -> bool:
    """Tell whether a sentence holds a cue of this name in its own language."""
    return cue(name, closest_languages(sentence)).holds(sentence.lower())
