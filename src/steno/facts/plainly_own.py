"""Whether a sentence is a person's beyond doubt, as one must be that lifts a rule or is remembered.

A copied text need not say that it is one, so here the person's words are what must show themselves.
Nothing in the message may count as another's, and nothing may speak of a text that stands beside
the sentence: "Is this true?", "Mail from HR.", `— Bob`. In a message of several lines every other
line must be talk besides: a request, thanks, the first person, an order, a rule, a short question
of one's own, or one of few sentences that say how things are ("CI is green.").
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from itertools import islice

from steno.core.message import Message
from steno.facts.authorship import split_by_author
from steno.facts.languages import closest_languages, in_every_language
from steno.facts.lazy_pattern import lazy_pattern
from steno.facts.relayed import (
    asks_for_own_work,
    is_talk,
    leads_to_own,
    names_source,
    names_text,
    tells_of_text,
)
from steno.facts.rule_kinds import PERMIT, classify_sentence
from steno.facts.sentences import SentenceSpan, sentences

HEAD_MOST = 60
"""Characters of words that may stand before a sentence and say whose it is."""
SENTENCES_MOST = 400
"""Of a message that a person typed; a longer one is a document."""
SENTENCE_MOST = 600
QUESTION_MOST = 120
STATES_MOST = 60
"""Characters of a sentence that says how things are."""
STATES_FEW = 3
"""Such sentences in one message; more of them are a text."""

_RULINGS = ("prohibition", "preference", "", PERMIT)
"""Notes of sentences that nobody reads as a request about a text, as "German please" may be."""
_EDGES = (".", "!", "?", "…", "。", "！", "？", ",", ";", '"', ")")
"""What the words before and behind a sentence end with, if they are sentences."""
_FIRST_PERSON = in_every_language(lambda cues: cues.rules.first_person)
_SAYS_FIRST = lazy_pattern(rf"\W{{0,8}}+(?:{_FIRST_PERSON})", re.I)
_MARKED = lazy_pattern(
    r"[:：]\s|[:：]$|(?:^|\s)(?:[>|→←»›]|=>|(?P<dash>[—–-]))(?=\s)|\w[>|\]](?=\s)|^\s?[@#(\[*_~<]"
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
_ATTRIBUTED = lazy_pattern(r"\s*+[—–(\[^↑←<>|~@*_-]")
"""What stands right behind a sentence and says whose it is."""
_GOES_ON = lazy_pattern(r"\s*+[a-zß-ÿ]")
_OF_TEXT = lazy_pattern(
    rf"(?<![^\W_])(?:{in_every_language(lambda cues: cues.relays.of_text)})(?![^\W_])", re.I
)
"""Words of a question about a text that it does not name."""
_UNSPACED = lazy_pattern(r"[\u4e00-\u9fff]{4}")
_STATES = lazy_pattern(
    rf"\W{{0,8}}+(?:{in_every_language(lambda cues: cues.relays.states)})"
    r"(?:(?!\w)|(?<=[\u4e00-\u9fff]))",
    re.I,
)
_THINGS = lazy_pattern(
    rf"(?<![^\W_])(?:{in_every_language(lambda cues: cues.relays.things)})(?![^\W_])", re.I
)
"""What is worked on, though its name holds that of a text (`the report page`)."""


class OwnWords:
    """What one message says in words that are plainly a person's; it is judged once, if asked."""

    def __init__(self, message: Message) -> None:
        self._message = message
        self._text = message.text

    def hold(self, words: str) -> bool:
        """Tell whether words of the message are the person's, and no text that they show."""
        start = self._text.find(words)
        if start < 0 or not self._is_typed:
            return False
        stop = start + len(words)
        begin = self._text.rfind("\n", 0, start) + 1
        end = self._text.find("\n", stop)
        if end < 0:
            end = len(self._text)
        before, behind = self._text[begin:start], self._text[stop:end]
        if _ITEM.fullmatch(before):
            before = ""
        if before.strip() and not before.rstrip().endswith(_EDGES):
            return False
        if _ATTRIBUTED.match(behind) or (_GOES_ON.match(behind) and not _is_talk(behind.strip())):
            return False
        if not _speaks_for_itself(words):
            return False
        if self._speaks_of_text(begin, start) or self._speaks_of_text(stop, end):
            return False
        if not self._no_talk:
            return True
        (first_start, first_stop), (last_start, _) = self._no_talk[0], self._no_talk[-1]
        return not (first_start < begin and first_stop <= start) and last_start < end

    @cached_property
    def _is_typed(self) -> bool:
        """Whether nothing counts as another's, and there is no more than people type."""
        # What parts no words, as a blank line behind a fence does, is nobody's.
        for piece in split_by_author(self._message):
            if piece.trust != "person" and piece.text.strip():
                return False
        return len(self._sentences) <= SENTENCES_MOST

    @cached_property
    def _sentences(self) -> list[SentenceSpan]:
        return list(islice(sentences(self._text), SENTENCES_MOST + 1))

    @cached_property
    def _no_talk(self) -> list[SentenceSpan]:
        """Sentences that are not the person's if they stand in another line."""
        no_talk: list[SentenceSpan] = []
        states: list[SentenceSpan] = []
        for start, stop in self._sentences:
            said = self._text[start:stop]
            if _is_talk(said):
                continue
            (states if _states(said) else no_talk).append((start, stop))
        if len(states) > STATES_FEW:
            no_talk = sorted([*no_talk, *states])
        return no_talk

    @cached_property
    def _of_text(self) -> list[int]:
        """Where sentences begin that speak of a text if they stand in the same line."""
        return [start for start, stop in self._sentences if _is_about_text(self._text[start:stop])]

    def _speaks_of_text(self, start: int, stop: int) -> bool:
        at = bisect_left(self._of_text, start)
        return at < len(self._of_text) and self._of_text[at] < stop


def _first_person(sentence: str) -> re.Match[str] | None:
    # In French `on` is one of its words.
    language = closest_languages(sentence)[0]
    return re.compile(language.rules.first_person, re.I).search(sentence)


def _speaks_for_itself(sentence: str) -> bool:
    """Tell whether nothing before the first person says who speaks: `Bob — I …`, `it says I …`."""
    if sentence.startswith("**") and sentence.endswith("**"):
        sentence = sentence.strip("*")
    person = _first_person(sentence)
    lead = sentence[:HEAD_MOST]
    if person is not None:
        lead = sentence[: person.start()]
    marked = _MARKED.search(lead)
    if marked and marked["dash"] and _joins_clauses(sentence, *marked.span("dash")):
        return True
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


def _joins_clauses(sentence: str, start: int, stop: int) -> bool:
    """Tell whether a dash stands between two clauses: `You may push now – the freeze is over`."""
    clauses = sentence[:start].strip(), sentence[stop:].strip()
    return all(_STATES.match(clause) or is_talk(clause) or _is_ruling(clause) for clause in clauses)


def _is_ruling(sentence: str) -> bool:
    """Tell whether a sentence forbids, permits or lifts something."""
    if len(sentence) > SENTENCE_MOST:
        return False
    return classify_sentence(sentence, closest_languages(sentence))[1] in _RULINGS


def _is_talk(sentence: str) -> bool:
    """Tell whether a sentence in another line is the person's, and speaks of no text."""
    if sentence.endswith((":", "：")) or _POINTS.search(sentence):
        return False
    if names_source(sentence):
        return asks_for_own_work(sentence) and not names_source(_THINGS.sub("", sentence))
    if sentence.endswith(("?", "？")) and not _ASKS.match(sentence):
        return _is_own_question(sentence)
    return is_talk(sentence) or _is_ruling(sentence)


def _is_own_question(sentence: str) -> bool:
    """Tell whether a question asks about the world, and not about a text beside it."""
    if len(sentence) > QUESTION_MOST or _OF_TEXT.search(sentence) or tells_of_text(sentence):
        return False
    # "True or false?" asks about what stands beside it.
    return len(sentence.split()) > 3 or _UNSPACED.search(sentence) is not None


def _states(sentence: str) -> bool:
    """Tell whether a short sentence says how things are: "The tests pass now."."""
    if len(sentence) > STATES_MOST or not sentence.endswith((".", "!", "。", "！")):
        return False
    if _POINTS.search(sentence) or names_source(sentence):
        return False
    return _STATES.match(sentence) is not None
