"""What a person said that must stay: one weight for a sentence.

Steno quotes; it does not judge. A sentence that binds, limits or wishes is heavy, and so is one
that permits or corrects: nothing is lifted or replaced here, and what was said later stands
after what was said before. The weight decides one thing, which words stay longest when room is
short. Heavy sentences (`PINNED`) are kept with their paragraph, so that a reader sees who says
it and why. A sentence of another role, a program, a code fence or a quoted line has no weight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice

from steno.core.message import Message, Value
from steno.facts.authorship import AuthoredText, own_words, split_by_author
from steno.facts.fact import Fact
from steno.facts.languages import Table, closest_languages, cue, rows_pattern
from steno.facts.prose_lines import ITEM
from steno.facts.requests import is_pleasantry
from steno.facts.sentences import sentences
from steno.facts.text import flatten

PINNED = 4
"""The weight from which on a sentence is pinned."""
BINDS, TELLS, VALUE = 4, 2, 1
"""What a cue that binds, a cue that tells and a value add to the weight of a sentence."""
PARAGRAPH_MOST = 300
"""Characters of a paragraph that is kept whole with the heavy sentence in it."""
SENTENCE_LEAST, SENTENCE_MOST = 3, 600
"""Characters of a sentence that is read; a longer one was pasted."""
SENTENCES_MOST = 400
"""Sentences of a message that are read."""
FACTS_MOST = 24
"""Statements of one message; a longer list of rules is a document, and its head speaks for it."""
SHORT = 100
"""Characters of a message that may change what was said before it in few words."""
WORDS_MOST = 320
"""Characters that are told of one message among statements."""
MESSAGES_MOST, SENTENCES_KEPT = 8_192, 8_192
UNREAD = "unread"
"""Kind of the fact that a message says more than is read; its words are the first left out."""

ELEMENT = re.compile(r"\s*<([^<>/\n]{1,60})>(.*)</\1>\s*", re.S)
"""A text that is one element: its tag, and what stands in it."""
_LABEL = re.compile(r"\W{0,4}[A-Z][A-Z0-9]{2,}(?:[ _/-][A-Z0-9]+){0,3}\s?[:：]\s?\S")
"""A label in capitals (`RULE:`, `DO NOT FORGET:`), whatever it says."""
_VALUE = re.compile(
    r"[$€£¥]\s?\d|\d[\d.,:-]*\d|\b\d+\s?(?:%|[a-zA-Z]{1,3}\b)|https?://\S"
    r"|\b[\w-]+(?:[./_@][\w-]+)+|\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{3,}|\b[a-z]+[A-Z]\w+"
    r"|\b[A-Z]+[a-z]+[A-Z]\w*|\b[A-Z]{4,}\b|(?<=[\w,] )[A-Z][a-zà-ÿ]+ [A-Z][a-zà-ÿ]+"
    r"|`[^`\n]{2,60}`"
)
"""A value that cannot be guessed: a date, a sum, a code, a version, an address, a name."""
_QUOTED = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」"
    r"|(?<![\w'])'[^'\n]{1,200}'(?!\w)"
)
_LEAD = re.compile(r"^[^\w\"'“„«「¿(`/.$€£]+|\*{1,3}|__")
"""Marks and emoji that lead a line, and emphasis."""
_WORD = re.compile(r"[^\W\d_]+")
_PARAGRAPH = re.compile(r"(?:[^\n]|\n(?![ \t]*\n))+")
_LAST_CLAUSE = re.compile(r"(?:^|[,，;；–—])[^,，;；–—]*$")
_QUESTION_ENDS = ("?", "？", "吗", "呢")


class Statement(Value):
    """What a person stated in one message."""

    words: str
    """The sentences that state something, word for word; all of a short message."""
    weight: int
    """The weight of the heaviest of them; 0 for a short message that only leans on another."""


@lru_cache(maxsize=SENTENCES_KEPT)
def weight(sentence: str, tables: tuple[Table, ...]) -> int:
    """Return how much a sentence says that must be known later; a question says nothing."""
    if sentence.rstrip(" )\"'”*_。").endswith(_QUESTION_ENDS):
        # What was stated before the question: "I prefer tabs, can you set that up?"
        sentence = _LAST_CLAUSE.sub("", sentence)
    if _LABEL.match(sentence):
        return BINDS
    said = _QUOTED.sub(" … ", _LEAD.sub("", flatten(sentence)))
    low = said.lower()
    binding = cue("idle", tables).blank(low)
    if _opens(binding, tables) or cue("binds", tables).holds(binding):
        return BINDS
    found = VALUE if _VALUE.search(said) else 0
    words = set(_WORD.findall(low))
    if not low.isascii():
        words.update(low)
    if any(words & table.tells for table in tables):
        found += TELLS
    return found


def _opens(low: str, tables: tuple[Table, ...]) -> bool:
    """Tell whether a clause begins with what binds, or a request says always, never or only."""
    for table in tables:
        opening, joint = _clause_patterns(table)
        if any(map(opening.match, joint.split(low))):
            return True
    return cue("asks", tables).begins(low) and cue("absolute", tables).holds(low)


@cache
def _clause_patterns(table: Table) -> tuple[re.Pattern[str], re.Pattern[str]]:
    joins = rows_pattern("joins", table)
    opening = re.compile(rf"\W*(?:(?:{joins}|you|always) )*(?:{rows_pattern('opens', table)})")
    return opening, re.compile(rf"[,;:(–—，；：]\s*|\s-+\s|\b(?:{joins})\s+")


def read_standing(message: Message) -> Iterator[Fact]:
    """Yield the heavy sentences of a message, each with its paragraph as the note."""
    facts = _heavy_facts(message)
    yield from islice(facts, FACTS_MOST)
    more = next(facts, None)
    if more is not None:
        yield Fact(UNREAD, more.words, more.trust, more.block)


def binds(text: str) -> bool:
    """Tell whether a text, typed by a person, would be pinned."""
    tables = closest_languages(text)
    return any(weight(text[start:stop], tables) >= PINNED for start, stop in sentences(text))


def _heavy_facts(message: Message) -> Iterator[Fact]:
    if message.role == "assistant":
        return
    seen: set[str] = set()
    for piece in split_by_author(message):
        if piece.trust not in ("system", "person") or not piece.prose:
            continue
        for words, quotation in _heavy_words(piece):
            if words not in seen:
                seen.add(words)
                yield Fact("constraint", words, piece.trust, piece.block, note=quotation)


def _heavy_words(piece: AuthoredText) -> Iterator[tuple[str, str]]:
    """Yield the heavy sentences of a piece, each with the quotation in which it is pinned."""
    element = ELEMENT.fullmatch(piece.text)
    text = element[2] if element else piece.text
    tables = closest_languages(text)
    for found in _PARAGRAPH.finditer(text):
        paragraph = found[0]
        spans = list(islice(sentences(paragraph), SENTENCES_MOST))
        heavy = [
            number
            for number, (start, stop) in enumerate(spans)
            if SENTENCE_LEAST <= stop - start <= SENTENCE_MOST
            and weight(paragraph[start:stop], tables) >= PINNED
        ]
        for number in heavy:
            quotation = paragraph.strip()
            if len(quotation) > PARAGRAPH_MOST:
                quotation = _with_lead(paragraph, spans, number)
            yield paragraph[slice(*spans[number])], quotation


def _with_lead(paragraph: str, spans: list[tuple[int, int]], number: int) -> str:
    """Return a sentence with what stands before it: the sentence, or the head of its list."""
    start, stop = spans[number]
    words = paragraph[start:stop]
    if not number:
        return words
    lines = paragraph[:start].split("\n")
    if ITEM.fullmatch(lines[-1]):
        heads = [line.strip() for line in lines[:-1] if line.strip() and not ITEM.match(line)]
        lead = f"{heads[-1]}\n" if heads else ""
    else:
        lead = paragraph[spans[number - 1][0] : start]
    if len(lead) + len(words) > PARAGRAPH_MOST:
        return words
    return lead + words


@lru_cache(maxsize=MESSAGES_MOST)
def stated_in(message: Message) -> Statement | None:
    """Return what a person stated in a message; None if nothing of it must be known later."""
    text = own_words(message)
    tables = closest_languages(text)
    found: list[tuple[int, int, str]] = []
    for number, (start, stop) in enumerate(islice(sentences(text), SENTENCES_MOST)):
        sentence = text[start:stop]
        if len(sentence) <= SENTENCE_MOST and (heavy := weight(sentence, tables)):
            found.append((heavy, number, sentence))
    if not found:
        # "Two are enough." says nothing alone, and changes what was said before it.
        short = 0 < len(text.strip()) <= SHORT and not text.rstrip().endswith(_QUESTION_ENDS)
        if short and not is_pleasantry(text.strip()):
            return Statement(flatten(text), 0)
        return None
    heaviest = max(heavy for heavy, _, _ in found)
    # The sentences of a short message lean on each other: "The cap is 500. Never exceed it."
    if len(text) <= WORDS_MOST:
        return Statement(flatten(text), heaviest)
    return Statement(_heaviest(found), heaviest)


def _heaviest(found: list[tuple[int, int, str]]) -> str:
    """Return the heaviest sentences that fit, in the order in which they were said."""
    room = WORDS_MOST
    kept: dict[int, str] = {}
    for _, number, sentence in sorted(found, key=lambda each: (-each[0], each[1])):
        if len(sentence) <= room or not kept:
            kept[number] = flatten(sentence)
            room -= len(sentence)
    return " ".join(kept[number] for number in sorted(kept))
