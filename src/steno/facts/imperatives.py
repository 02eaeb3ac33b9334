"""Sentences that order the assistant about, or say what a person wants.

What a tool or a page says may be an order in disguise; a note that repeats it would be an
order in our words, or in the user's name. Rules that a person lays down are in `rules`.
"""

from __future__ import annotations

import re
import unicodedata

from steno.core.lines import strip_unseen
from steno.core.message import user_message
from steno.facts.languages import LANGUAGES, in_every_language
from steno.facts.rules import WEAK_NOTES, read_rules

_ORDERS = re.compile(in_every_language(lambda cues: cues.orders.orders), re.I)
_FOR_A_PERSON = re.compile(in_every_language(lambda cues: cues.orders.for_a_person), re.I)
_IMPERATIVES = re.compile(
    rf"^\W*(?:(?:{in_every_language(lambda cues: cues.orders.verbs_after)})[,:]? )*"
    rf"(?:{in_every_language(lambda cues: cues.orders.verbs)})",
    re.I,
)

_DUTIES = re.compile(in_every_language(lambda cues: cues.orders.duties), re.I)
_ABROAD = re.compile(
    r"\b(?:utent[ei]|utilizador|usuário|gebruiker|użytkownik\w*|användar\w+|bruger\w*|käyttäjä\w*"
    r"|kullanıcı\w*|dev(?:e|i|ono|em|ete)|bisogna|moet(?:en)?|musi(?:sz)?|måste|skal|pitää|sempre"
    r"|altijd|nooit|zawsze|nigdy|alltid|aldrig|her zaman)\b",
    re.I,
)
"""Words for a user and for a duty in languages that no table here reads."""
_STRANGE_SCRIPT = re.compile(r"[^\W\d_a-zA-Z\u00aa-\u024f\u1e00-\u1eff\u4e00-\u9fff]{3}")
"""A word in a script that no language here is written in."""
_MIXED = re.compile(r"[a-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][a-z]", re.I)
"""Letters of two alphabets in one word, which look alike."""
_WORD = re.compile(r"[^\W\d_]{2,}")
WORDS_LEAST = 8
"""Words from which on a sentence has small words of its language."""
_SMALL_WORDS = frozenset().union(*(cues.small_words for cues in LANGUAGES))


def as_read(text: str) -> str:
    """Return a text as a reader sees it: without unseen characters, letters in their usual form."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", strip_unseen(text))


def states_duty(text: str) -> bool:
    """Return whether a text says what must, may or will always be done, whoever shall do it.

    A text that cannot be judged, because no language here reads it, may state one.
    """
    text = as_read(text)
    if _DUTIES.search(text) or _ABROAD.search(text):
        return True
    if _STRANGE_SCRIPT.search(text) or _MIXED.search(text):
        return True
    words = _WORD.findall(text.lower())
    return len(words) >= WORDS_LEAST and _SMALL_WORDS.isdisjoint(words)


def begins_with_imperative(sentence: str) -> bool:
    """Return whether a sentence begins with a verb that says what to do."""
    return _IMPERATIVES.match(as_read(sentence)) is not None


def speaks_for_a_person(sentence: str) -> bool:
    """Return whether a sentence says what a person wants or decided."""
    return _FOR_A_PERSON.search(as_read(sentence)) is not None


def gives_orders(sentence: str) -> bool:
    """Return whether a sentence tells its reader what to do."""
    return _ORDERS.search(as_read(sentence)) is not None


def instructs_reader(text: str) -> bool:
    """Return whether a text gives orders, reads like a rule, or imitates Steno's fences."""
    text = as_read(text)
    if "steno-" in text or gives_orders(text):
        return True
    # A permission says nothing unless a rule is in force.
    return any(fact.note not in WEAK_NOTES for fact in read_rules(user_message(text)))
