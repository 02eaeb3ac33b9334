"""What a person says of themselves and their project, and what they say to forget.

"My name is …", "we use Postgres 15", "I usually run on Sundays", "remember that …", "forget
that …". A state of the moment ("our build is broken"), a wish, a question, a condition or a
quotation is no trait; what was stated before the question in the same sentence is. Owns
finding traits and what a sentence is about; what is kept of them is decided in `extract`.
The phrases are in `steno.facts.languages`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from steno.facts.languages import LANGUAGES, in_every_language, words_in_every_language
from steno.facts.lazy_pattern import lazy_pattern
from steno.facts.sentences import is_quoted, sentences
from steno.facts.topics import STEM, WORDS_MOST, topic_key, topic_language

# Topics are cached: a new memory is compared with all that stand, and each time by the same words.
KEPT_MOST = 4_096
SENTENCES_MOST = 400
SENTENCE_MOST = 400
FORGET = "forget"

_FROM = (
    r"(?:^|[,;:.–—!]\s*"
    rf"|\b(?:{in_every_language(lambda cues: cues.traits.clause_after)})[,:]?\s+)"
    rf"(?:(?:{in_every_language(lambda cues: cues.traits.that)}) )?"
)
"""Where a sentence, or a clause of its own, begins."""
_NAME = rf"(?P<name>{in_every_language(lambda cues: cues.traits.name)})"
_SELF = rf"{_FROM}(?P<self>{in_every_language(lambda cues: cues.traits.self)})"
_MINE = (
    rf"{_FROM}(?:{in_every_language(lambda cues: cues.traits.owners)}) (?P<mine>\w[\w.+-]*(?: "
    rf"(?!(?:{in_every_language(lambda cues: cues.traits.is_words)}) )\w[\w.+-]*){{0,4}}?) "
    rf"(?:{in_every_language(lambda cues: cues.traits.states)}) "
    rf"(?!(?:{in_every_language(lambda cues: cues.traits.passing)})\b)"
    rf"|{in_every_language(lambda cues: cues.traits.owned)}"
)
_USE = (
    rf"{_FROM}(?:{in_every_language(lambda cues: cues.traits.in_project)})?"
    rf"(?P<use>{in_every_language(lambda cues: cues.traits.use)})\s?(?P<what>[^.;!?。！？]{{2,}})"
)
_REMEMBER = (
    rf"(?:^|[,;:.!]\s*|\b(?:{in_every_language(lambda cues: cues.traits.remember_after)})\s+)"
    rf"(?P<remember>{in_every_language(lambda cues: cues.traits.remember)})\s?(?P<said>.{{3,}})"
)
_FORGET = (
    rf"(?:^|[,;:.!]\s*|\b(?:{in_every_language(lambda cues: cues.traits.forget_after)})\s+)"
    rf"(?P<forget>{in_every_language(lambda cues: cues.traits.forget)})\s?(?P<rest>.{{3,}})"
)
_NO_LONGER = (
    rf"(?:^|[,;:.!]\s*|\b(?:{in_every_language(lambda cues: cues.traits.ended_after)})\s+)"
    rf"(?P<ended>{in_every_language(lambda cues: cues.traits.ended)})\s?(?P<past>.{{3,}})"
)

# Orders to remember and to forget come first: the words after them may look like a trait.
_TRAIT = lazy_pattern("|".join((_REMEMBER, _FORGET, _NO_LONGER, _NAME, _SELF, _USE, _MINE)), re.I)
_UNSURE = lazy_pattern(
    r"[?？]\W*$"
    rf"|^\W*(?:{in_every_language(lambda cues: cues.traits.unsure_after)})\b"
    rf"|\b(?:{in_every_language(lambda cues: cues.traits.unsure)})\b",
    re.I,
)
_CLAUSE = (
    "".join(rf"(?<!\b{word} )" for language in LANGUAGES for word in language.traits.never_after)
    + r"\b"
)
_LIFE = lazy_pattern(rf"{_CLAUSE}(?:{in_every_language(lambda cues: cues.traits.life)})", re.I)
_EVENT = lazy_pattern(rf"{_CLAUSE}(?:{in_every_language(lambda cues: cues.traits.events)})", re.I)
_TASTE = lazy_pattern(rf"\b(?:{in_every_language(lambda cues: cues.traits.taste)})", re.I)
_TOOLS = lazy_pattern(rf"\b(?:{in_every_language(lambda cues: cues.traits.tools)})", re.I)
_WHEN = lazy_pattern(in_every_language(lambda cues: cues.traits.when), re.I)
_ASKS = lazy_pattern(
    r"(?:^|[,;–—-]\s*)(?:\w+,? ){0,3}?"
    rf"(?:{in_every_language(lambda cues: cues.traits.asks)})",
    re.I,
)
_REASON = lazy_pattern(rf"(?:{in_every_language(lambda cues: cues.traits.reasons)})", re.I)
# Neither `7/22`, `$300/month` nor `6 p.m.` is a name in a program.
_WORK = lazy_pattern(
    r"`|_\w|[a-z-]{2}/\w|[a-z]{2}\.[a-z]|\w\(\)"
    rf"|\b(?:{in_every_language(lambda cues: cues.traits.work)})\b",
    re.I,
)
_QUESTION = lazy_pattern(r"[?？]\W*$")
_UNLIKELY = lazy_pattern(
    rf"^\W*(?:{in_every_language(lambda cues: cues.traits.unsure_after)})\b", re.I
)
_SELF_PLACE = lazy_pattern(in_every_language(lambda cues: cues.traits.self_place), re.I)
_PASSING = words_in_every_language(lambda cues: cues.traits.passing_things)
_COPULA = lazy_pattern(in_every_language(lambda cues: cues.traits.copula), re.I)
_EXACT = lazy_pattern(
    r"(?<![\w-])[\w-]*(?:[./_][\w-]+)+"
    r"|(?<![a-z])[a-z]+[A-Z]\w*|(?<![A-Za-z])[A-Za-z]+\d\w*|\d+"
)
"""Paths, identifiers and numbers, which tell one thing from another."""
_WHY = lazy_pattern(
    rf"\b(?:{in_every_language(lambda cues: cues.traits.purpose)})\s+(?P<why>[^,.;]{{3,40}})$", re.I
)
_EMPTY = frozenset(
    word[:STEM] for word in words_in_every_language(lambda cues: cues.empty)
) | words_in_every_language(lambda cues: cues.traits.empty)


def find_traits(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield each trait that a text states: its kind or `FORGET`, the sentence, its subject."""
    for start, stop in islice(sentences(text), SENTENCES_MOST):
        sentence = text[start:stop].strip()
        if len(sentence) > SENTENCE_MOST:
            continue
        found = _TRAIT.search(sentence)
        if found is None or _UNSURE.search(sentence):
            if key := _life_subject(sentence):
                yield _life_kind(sentence), sentence, key
            continue
        if is_quoted(sentence, found.end() - 1):
            continue
        parts = found.groupdict()
        gone = parts["rest"] or parts["past"]
        if gone is not None:
            if key := topic_words(gone):
                yield FORGET, sentence, key
        elif key := _trait_subject(parts, sentence):
            yield "fact", sentence, key


def _life_kind(sentence: str) -> str:
    if _TASTE.search(sentence):
        return "preference"
    return "fact"


def _life_subject(sentence: str) -> str:
    """Return what a sentence tells of a person's life; empty if it tells nothing of it."""
    # Talk about code is full of "I just changed", and none of it holds beyond the task.
    # "My boss says:" announces another's words, and tells nothing without them.
    if _WORK.search(sentence) or sentence.endswith((":", "：")):
        return ""
    for start, stop in _stated_spans(sentence):
        found = _LIFE.search(sentence, start, stop)
        if found is None and _WHEN.search(sentence, start, stop):
            found = _EVENT.search(sentence, start, stop)
        if found is not None and not is_quoted(sentence, found.end() - 1):
            stated = sentence[start:stop]
            purpose = ""
            if _TOOLS.search(stated):
                purpose = _purpose(stated.rstrip(" .!"))
            return purpose or f"life {topic_words(stated)}"
    return ""


def _stated_spans(sentence: str) -> Iterator[tuple[int, int]]:
    """Yield what a sentence states, as opposed to what it asks or supposes."""
    stop = len(sentence)
    if _UNLIKELY.search(sentence):
        stop = 0
    elif _QUESTION.search(sentence):
        asks = _ASKS.search(sentence)
        stop = asks.start() if asks else 0
    if stop:
        yield 0, stop
    # "Can you set reminders for my gym sessions, which I usually go to at 7 pm?"
    reason = _REASON.search(sentence, stop)
    if stop < len(sentence) and reason:
        yield reason.end(), len(sentence)


def _trait_subject(parts: dict[str, str | None], sentence: str) -> str:
    """Return what a fact is about, so that a later one about the same replaces it."""
    if parts["name"]:
        return "self name"
    if parts["self"]:
        where = _SELF_PLACE.search(parts["self"])
        if where:
            return f"self {where[0].lower()}"
        return f"self {topic_words(sentence)}"
    # In Chinese no space parts owner and thing, so the clause has a group of its own.
    mine = parts["mine"] or parts["mine_zh"]
    if mine:
        if _PASSING & set(mine.lower().split()):
            return ""
        return f"mine {topic_words(mine) or mine.lower()}"
    if parts["what"]:
        return _purpose(parts["what"]) or topic_words(parts["what"])
    return statement_subject(parts["said"] or sentence)


def _purpose(text: str) -> str:
    """Return what a thing is used for, as a subject; empty if the text does not end with it."""
    why = _WHY.search(text)
    if why and topic_words(why["why"]):
        return f"for {topic_words(why['why'])}"
    return ""


def statement_subject(statement: str) -> str:
    """Return the subject of a statement: what stands before "is", else all; names in full."""
    head = _COPULA.split(statement, maxsplit=1)[0]
    if not topic_words(head):
        head = statement
    return " ".join((topic_words(head), *sorted({f"@{name}" for name in _EXACT.findall(head)})))


@lru_cache(maxsize=KEPT_MOST)
def topic_words(text: str) -> str:
    """Return the words that tell what a text is about; without numbers, because they change."""
    topic = topic_key(text, "", topic_language(text))
    return " ".join(word for word in topic.split() if word not in _EMPTY and not word[0].isdigit())


def key_terms(text: str) -> frozenset[str]:
    """Return all telling words of a text, names and numbers in full too."""
    words = text.split()
    terms = {f"@{name}" for name in _EXACT.findall(text)}
    # A topic reads only so many words, so a long text is read in runs.
    for start in range(0, len(words), WORDS_MOST):
        run = " ".join(words[start : start + WORDS_MOST])
        terms.update(topic_words(run).split())
    return frozenset(terms)


@lru_cache(maxsize=KEPT_MOST)
def subject_of(sentence: str) -> str:
    """Return what a sentence is about: the subject of its trait, else its telling words."""
    for kind, _, key in find_traits(sentence):
        if kind != FORGET:
            return key
    return statement_subject(sentence)
