"""What a sentence says about a person and their project, and what it is about.

A sentence is worth remembering if one of its clauses speaks of oneself ("I …", "my …", "we …"),
is no wish, question or state of the moment, and names something that lasts, a possession, or an
event with a time, a sum or a name. A constraint needs no first person, but must outlive the task.
The words are in `cues`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from steno.facts.languages import SMALL_WORDS, closest_languages
from steno.facts.standing import PINNED, weight
from steno.memory.cues import Tables, memory_cue

FORGET = "forget"
SENTENCE_MOST = 400
"""Characters of a sentence that is read; a longer one is a document."""
KEPT_MOST = 4_096
STEM = 5
"""Characters of a word that are compared, so that "commit" and "committing" meet."""

_QUESTION = re.compile(r"[?？]\W*$")
_CLAUSE_START = re.compile(
    r"(?:^|[,;，；]\s*)(?:.{0,12}|(?:please|bitte|por favor|i|we|ich|wir|je) .{0,24})$", re.I
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_EXACT = re.compile(
    r"(?<![\w-])[\w-]*(?:[./_][\w-]+)+|(?<![a-z])[a-z]+[A-Z]\w*|(?<![A-Za-z])[A-Za-z]+\d\w*|\d+"
)
"""Paths, identifiers and numbers, which tell one thing from another."""


def trait_kind(sentence: str, tables: Tables) -> str:
    """Return constraint, preference, fact or `FORGET`; empty if not worth remembering."""
    if len(sentence) > SENTENCE_MOST:
        return ""
    if not _QUESTION.search(sentence):
        if memory_cue("forget", tables).match(sentence):
            return FORGET
        if memory_cue("remember", tables).match(sentence):
            return "fact"
        if _is_lasting_constraint(sentence, tables):
            return "preference" if memory_cue("taste", tables).search(sentence) else "constraint"
    for clause, stated in own_clauses(sentence, tables):
        if is_worth(clause, stated, tables):
            return "preference" if memory_cue("taste", tables).match(clause) else "fact"
    return ""


def _is_lasting_constraint(sentence: str, tables: Tables) -> bool:
    """Return whether a sentence binds beyond the task at hand."""
    if memory_cue("once", tables).search(sentence) or weight(sentence, tables) < PINNED:
        return False
    # Near the start of a clause: further on, "Visitors must always …" reports one of others.
    found = memory_cue("lasting", tables).finditer(sentence)
    return any(_CLAUSE_START.search(sentence, 0, word.start()) for word in found)


def own_clauses(sentence: str, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield each clause that speaks of oneself, from its subject on, and all from the clause on."""
    begins, ends = _clause_patterns(tables)
    asked = _QUESTION.search(sentence) is not None
    at = 0
    for stop, after in [*(end.span() for end in ends.finditer(sentence)), (len(sentence), 0)]:
        found = begins.match(sentence, at, stop)
        # What a question asks is not stated, but its reason is: "…, since I usually swim?"
        if found and (found["reason"] or not asked or stop < len(sentence)):
            yield sentence[found.start("own") : stop], sentence[at:]
        at = after


@lru_cache(maxsize=64)
def _clause_patterns(tables: Tables) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return how a clause about oneself begins, and where clauses end."""
    names = ("leads", "fronts", "reasons", "joins", "starts")
    leads, fronts, reasons, joins, starts = (memory_cue(name, tables).pattern for name in names)
    begins = (
        rf"\W*+(?:(?:{leads})\W*+)*+(?:{fronts})?"
        rf"(?:(?:(?:{leads})|(?P<reason>{reasons}))\W*+)*(?P<own>{starts})"
    )
    ends = rf"[,;，；–—]\s*|\s-\s|\.{{3}}\s|\s(?=(?:{joins})(?:{starts}))"
    return re.compile(begins, re.I), re.compile(ends, re.I)


def is_worth(clause: str, stated: str, tables: Tables) -> bool:
    """Return whether a clause tells something that may be wanted in another session."""

    def begins(name: str) -> bool:
        return memory_cue(name, tables).match(clause) is not None

    def holds(name: str) -> bool:
        return memory_cue(name, tables).search(stated) is not None

    if begins("name") or begins("uses") or holds("kin"):
        return True
    if begins("idle"):
        return False
    if begins("felt"):
        return holds("dated")
    if owns := memory_cue("owns", tables).match(clause):
        return memory_cue("passing", tables).search(owns[0]) is None
    return begins("taste") or (not holds("work") and (begins("lasts") or holds("when")))


@lru_cache(maxsize=KEPT_MOST)
def subject_of(sentence: str) -> str:
    """Return what a sentence is about: a later one about the same replaces it."""
    tables = closest_languages(sentence)
    for name in ("name", "live", "job"):
        if memory_cue(name, tables).search(sentence):
            return f"self {name}"
    said = sentence.rstrip(" .!。！")
    for clause, stated in own_clauses(said, tables):
        if uses := memory_cue("uses", tables).match(clause):
            purpose = memory_cue("purpose", tables).search(stated)
            what = purpose[0] if purpose else stated.partition(clause[: uses.end()])[2]
            return f"for {topic_words(what)}"
    ordered = memory_cue("remember", tables).match(said)
    value: list[str] = []
    if ordered or memory_cue("owns", tables).match(said):
        # What stands before "is" names the thing, and what stands after it may change.
        said = said[ordered.end() if ordered else 0 :]
        said, *value = memory_cue("is", tables).split(said, 1)
    # A number is part of a name, "port 80", or else what may change.
    names = {f"@{name}" for name in _EXACT.findall(said) if value or not name[0].isdigit()}
    return " ".join((topic_words(said), *sorted(names))).strip()


def is_replaceable(sentence: str, tables: Tables) -> bool:
    """Return whether a sentence says how something stands until a later one says otherwise."""
    asked = memory_cue("remember", tables).match(sentence) is not None
    return asked or subject_of(sentence).startswith(("self ", "for "))


@lru_cache(maxsize=KEPT_MOST)
def topic_words(text: str) -> str:
    """Return the words that tell what a text is about; without numbers, because they change."""
    lowered = text.lower()
    said = set(_WORD.findall(_HAN.sub(" ", lowered))) - SMALL_WORDS
    words = {word[:STEM] for word in said}
    words = {word for word in words if not memory_cue("empty").fullmatch(word)}
    # Chinese has no spaces: pairs of characters serve as words.
    for run in _HAN.findall(lowered):
        words.update(run[at : at + 2] for at in range(len(run) - 1))
    return " ".join(sorted(words))


def topic_overlap(one: str, other: str) -> float:
    """Return the share of the larger topic's words that both hold."""
    mine, theirs = set(one.split()), set(other.split())
    return len(mine & theirs) / max(len(mine), len(theirs), 1)


def key_terms(text: str) -> frozenset[str]:
    """Return all telling words of a text, with names and numbers in full."""
    return frozenset(topic_words(text).split()) | {f"@{name}" for name in _EXACT.findall(text)}
