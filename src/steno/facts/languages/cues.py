"""What a language's table of cues holds.

A cue is a pattern over one sentence in small letters, with what stands in
quotation marks blanked out. Reading them is `constraint`'s business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


def any_of(*cues: str) -> re.Pattern[str]:
    return re.compile("|".join(cues))


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class LanguageCues:
    """How people lay down, change and lift rules in one language."""

    name: str
    words: re.Pattern[str]
    """Small words by which the language is known."""
    asks: re.Pattern[str]
    """Where, inside a sentence, a question begins."""
    idle: re.Pattern[str]
    """Turns that sound like a rule and are none; they are blanked."""
    reported: re.Pattern[str]
    """Somebody else's rule, told."""
    once: re.Pattern[str]
    """For this once only."""
    lasting: re.Pattern[str]
    """From here on; outweighs `once`."""
    release: re.Pattern[str]
    consent: re.Pattern[str]
    """A yes, and what may be done: it lifts a rule against just that, and else only says to go on."""
    instead: re.Pattern[str]
    """How what takes the place of a rule begins, beside its release."""
    language: re.Pattern[str]
    output: re.Pattern[str]
    prohibition: re.Pattern[str]
    obligation: re.Pattern[str]
    preference: re.Pattern[str]
    empty: frozenset[str]
    """Words that say nothing about what a rule is about."""
