"""Sentences that order the assistant about, or say what a person wants, in five languages.

What a tool or a page says may be an order in disguise; a note that repeats it
would be one in our words, or worse, in the user's name. Owns the cues of such sentences. Rules that a person
lays down are `constraint`'s business.
"""

from __future__ import annotations

import re

from steno.facts.languages import in_every_language

_ORDERS = re.compile(in_every_language(lambda cues: cues.orders.orders), re.I)
_FOR_A_PERSON = re.compile(in_every_language(lambda cues: cues.orders.for_a_person), re.I)
_IMPERATIVES = re.compile(
    rf"^\W*(?:(?:{in_every_language(lambda cues: cues.orders.verbs_after)})[,:]? )*"
    rf"(?:{in_every_language(lambda cues: cues.orders.verbs)})",
    re.I,
)


def begins_with_imperative(sentence: str) -> bool:
    """It begins like an order: with a verb that says what to do."""
    return _IMPERATIVES.match(sentence) is not None


def speaks_for_a_person(sentence: str) -> bool:
    """It says what somebody wants or decided."""
    return _FOR_A_PERSON.search(sentence) is not None


def gives_orders(sentence: str) -> bool:
    return _ORDERS.search(sentence) is not None
