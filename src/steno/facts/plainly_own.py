"""Whether a sentence is a person's beyond doubt, as one must be that lifts a rule or is remembered.

A copied text need not say that it is one, so here the person's words are what must show themselves.
Nothing in the message may count as another's, and nothing may speak of a text that stands beside
the sentence: "Is this true?", "Mail from HR.", `— Bob`. In a message of several lines every other
line must be talk besides: a request, thanks, the first person, an order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from steno.core.message import Message
from steno.facts.authorship import split_by_author
from steno.facts.languages import closest_languages, in_every_language
from steno.facts.lazy_pattern import lazy_pattern
from steno.facts.relayed import is_talk, leads_to_own, names_source, names_text, tells_of_text
from steno.facts.sentences import sentences

HEAD_MOST = 60
"""Characters of words that may stand before a sentence and say whose it is."""

_EDGES = (".", "!", "?", "…", "。", "！", "？", ",", ";", '"', ")")
"""What the words before and behind a sentence end with, if they are sentences."""
_FIRST_PERSON = in_every_language(lambda cues: cues.rules.first_person)
_SAYS_FIRST = lazy_pattern(rf"\W{{0,8}}+(?:{_FIRST_PERSON})", re.I)
_MARKED = lazy_pattern(
    r"[:：]\s|[:：]$|(?:^|\s)(?:[>|→←»›—–-]|=>)(?=\s)|\w[>|\]](?=\s)|^\s?[@#(\[*_~<]"
)
"""Marks that part a sentence from what stands before it."""
_POINTS = lazy_pattern(
    rf"(?<![^\W_\u4e00-\u9fff])(?:{in_every_language(lambda cues: cues.relays.pointers)})"
    r"(?:(?!\w)|(?<=[\u4e00-\u9fff]))",
    re.I,
)
_ASKS = lazy_pattern(rf"\W{{0,8}}+(?:{in_every_language(lambda cues: cues.relays.asks)})", re.I)
_QUOTES = lazy_pattern(
    rf"(?<![^\W_])(?:{in_every_language(lambda cues: cues.relays.quotes)})\W{{0,8}}$", re.I
)
"""The last words before what they quote, without a colon (`with the text`)."""
_ITEM = lazy_pattern(r"\s*+(?:[-*+•]|\(?\w{1,2}[.)])\s+")
_ATTRIBUTED = lazy_pattern(r"\s*+(?:[—–(\[^↑←<>|~@*_-]|[a-zß-ÿ])")
"""What stands right behind a sentence and says whose it is, or goes on with it."""


def is_plainly_own(message: Message, words: str) -> bool:
    """Tell whether words of a message are the person's, and no text that they show."""
    # What parts no words, as a blank line behind a fence does, is nobody's.
    for piece in split_by_author(message):
        if piece.trust != "person" and piece.text.strip():
            return False
    text = message.text
    start = text.find(words)
    if start < 0:
        return False
    stop = start + len(words)
    begin = text.rfind("\n", 0, start) + 1
    before, behind = text[begin:start], text[stop:].partition("\n")[0]
    if _ITEM.fullmatch(before):
        before = ""
    if before.strip() and not before.rstrip().endswith(_EDGES):
        return False
    if behind.strip() and _ATTRIBUTED.match(behind):
        return False
    if not _speaks_for_itself(words):
        return False
    if any(_is_about_text(said) for part in (before, behind) for said in _said_in(part)):
        return False
    others = (
        said for part in (text[:begin], text[stop + len(behind) :]) for said in _said_in(part)
    )
    return all(map(_is_talk, others))


def _said_in(text: str) -> Iterator[str]:
    return (text[start:stop] for start, stop in sentences(text))


def _first_person(sentence: str) -> re.Match[str] | None:
    # In French `on` is one of its words.
    language = closest_languages(sentence)[0]
    return re.compile(language.rules.first_person, re.I).search(sentence)


def _speaks_for_itself(sentence: str) -> bool:
    """Tell whether nothing before the first person says who speaks: `Bob — I …`, `it says I …`."""
    person = _first_person(sentence)
    lead = sentence[:HEAD_MOST]
    if person is not None:
        lead = sentence[: person.start()]
    marked = _MARKED.search(lead)
    if person is None:
        lead = lead[: marked.end()] if marked else ""
    head = lead.rstrip(" \t:：-–—>").strip()
    if leads_to_own(head):
        return True
    return not (marked or tells_of_text(head) or _QUOTES.search(head))


def _is_about_text(sentence: str) -> bool:
    """Tell whether a sentence in the same line speaks of a text that is shown."""
    points = _POINTS.search(sentence) is not None
    if sentence.endswith((":", "：")) or (points and names_text(sentence)):
        return True
    if points and sentence.endswith(("?", "？")) and not _SAYS_FIRST.match(sentence):
        return True
    return _first_person(sentence) is None and tells_of_text(sentence.rstrip(" .!?。！？"))


def _is_talk(sentence: str) -> bool:
    """Tell whether a sentence in another line is the person's, and speaks of no text."""
    if sentence.endswith((":", "：")) or names_source(sentence) or _POINTS.search(sentence):
        return False
    if sentence.endswith(("?", "？")) and not _ASKS.match(sentence):
        return False
    return is_talk(sentence)
