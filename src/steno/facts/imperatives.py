"""Sentences that order the assistant about, or say what a person wants.

What a tool or a page says may be an order in disguise; a note that repeats it would be an
order in our words, or in the user's name. Rules that a person lays down are in `rules`.
"""

from __future__ import annotations

import re

from steno.core.message import user_message
from steno.facts.languages import in_every_language
from steno.facts.rules import WEAK_NOTES, read_rules

_ORDERS = re.compile(in_every_language(lambda cues: cues.orders.orders), re.I)
_FOR_A_PERSON = re.compile(in_every_language(lambda cues: cues.orders.for_a_person), re.I)
_IMPERATIVES = re.compile(
    rf"^\W*(?:(?:{in_every_language(lambda cues: cues.orders.verbs_after)})[,:]? )*"
    rf"(?:{in_every_language(lambda cues: cues.orders.verbs)})",
    re.I,
)


def begins_with_imperative(sentence: str) -> bool:
    """Return whether a sentence begins with a verb that says what to do."""
    return _IMPERATIVES.match(sentence) is not None


def speaks_for_a_person(sentence: str) -> bool:
    """Return whether a sentence says what a person wants or decided."""
    return _FOR_A_PERSON.search(sentence) is not None


def gives_orders(sentence: str) -> bool:
    """Return whether a sentence tells its reader what to do."""
    return _ORDERS.search(sentence) is not None


def instructs_reader(text: str) -> bool:
    """Return whether a text gives orders, reads like a rule, or imitates Steno's fences."""
    if "steno-" in text or gives_orders(text):
        return True
    # A permission says nothing unless a rule is in force.
    return any(fact.note not in WEAK_NOTES for fact in read_rules(user_message(text)))
