"""Corrections in so few words that they need the old ones: "no, 250", "rather tabs".

Such a sentence is a new value between words that announce a correction. It says nothing
by itself, so what it corrects is part of the answer: a rule that holds a value of the
same kind, which `rulebook` looks for. Talk that opens in the same way ("Actually, that is
a good point") has pronouns and verbs where a correction has its value.

The words of all languages are looked for together: so few words belong to several.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from steno.facts.coverage import clauses_of, coverage_of
from steno.facts.languages import in_every_language, spelled_out, words_in_every_language
from steno.facts.lazy_pattern import lazy_pattern

AMENDMENT_MOST = 60
"""Characters of a correction that needs the old words."""
VALUE_MOST = 4
"""Words of a value, articles and prepositions apart."""
KEPT_MOST = 4_096

_HAN = r"[\u4e00-\u9fff]"
_END = rf"(?:(?<={_HAN})|(?!\w))[\s,:;，：；]*"
_FILLERS = lazy_pattern(rf"(?:{in_every_language(lambda cues: cues.amends.fillers)}){_END}")
_OPENS = lazy_pattern(rf"(?:{in_every_language(lambda cues: cues.amends.opens)}){_END}")
_CLOSES = lazy_pattern(
    rf"(?:(?<!\w)|(?={_HAN}))(?:{in_every_language(lambda cues: cues.amends.closes)})$"
)
_SWAPS = lazy_pattern(rf"(?<!\w)(?:{in_every_language(lambda cues: cues.amends.swaps)})$")
_WITHOUT_VALUE = lazy_pattern(in_every_language(lambda cues: cues.amends.scales))
_DENIES = lazy_pattern(
    rf"(?:^|\s|(?<={_HAN}))(?:{in_every_language(lambda cues: cues.amends.denies)}){_END}(.+)$"
)
_SMALL = words_in_every_language(lambda cues: cues.amends.small)
_TALK = words_in_every_language(lambda cues: cues.amends.talk) - _SMALL
_LANGUAGE_NAME = lazy_pattern(
    rf"(?:\b|(?={_HAN}))(?:{in_every_language(lambda cues: cues.topics.languages)})"
    rf"(?:\b|(?<={_HAN}))"
)
_NUMBER = lazy_pattern(
    r"[$€£]?\d[\d.,:]*(?:[^\W\d_]{1,3}\b|%)?"
    rf"|(?:{in_every_language(lambda cues: cues.amends.numbers)})\b"
    rf"|[一二两三四五六七八九十百千]+(?={_HAN}|$)"
)
_WORD = lazy_pattern(rf"{_HAN}|(?:(?!{_HAN})[^\s,，])+")
_CHANGED = lazy_pattern(
    r"(?P<sed>s/)?(?P<old>[^\s/]\S*(?: \S+)?)(?(sed)/|\s*(?:-+>|=>|→)\s*)"
    r"(?P<new>[^\s/]\S*?)(?(sed)/g?|)"
)
"""An old value and the new one, with a mark between: "10 -> 15", "s/jest/vitest/"."""
_ADDS = lazy_pattern(rf"(?:{in_every_language(lambda cues: cues.changes.joins)}|plus|also|和)\b")
_PATH = lazy_pattern(r"\S/\S?|\w\.\w")


@dataclass(frozen=True)
class Amendment:
    """What a short correction says."""

    value: str
    """The new value; empty if it changes the old one ("double that")."""
    given_up: str = ""
    """The old value, if it is named."""
    marked: bool = False
    """Whether it says that it corrects something."""
    about: str = ""
    """What it says of the old value before: "8080 is taken, use 8081"."""
    swaps: bool = False
    """Whether it says that the value stands in place of another."""

    @property
    def is_number(self) -> bool:
        words = [word for word in _WORD.findall(self.value) if word not in _SMALL]
        return bool(words) and _NUMBER.match(words[0]) is not None

    @property
    def is_language(self) -> bool:
        return _names_language(self.value)

    def fits(self, rule: str) -> bool:
        """Tell whether a rule holds a value of the same kind."""
        old = coverage_of(rule)
        if self.about and not coverage_of(self.about).shared(old):
            return False
        if not self.value:
            return bool(old.numbers)
        if self.given_up:
            gone = coverage_of(self.given_up)
            return bool(gone.all) and not gone.beyond(old)
        new = coverage_of(self.value)
        if self.is_number:
            # Without an announcement a number counts things of the rule, or nothing at all.
            strange = new.beyond(old) - new.numbers
            if not old.numbers:
                # "A minute" is a number too.
                return self.marked and bool(new.words) and not strange
            return self.marked or not strange
        if not self.marked or self.value in rule.lower():
            return False
        return self._stands_in_place(rule)

    def is_alike_in(self, rule: str) -> bool:
        """Tell whether a rule holds a number or a language, and this gives another one."""
        if self.is_language and _names_language(rule.lower()):
            return self.value not in rule.lower()
        return (self.is_number or bool(self.given_up)) and self.fits(rule)

    def _stands_in_place(self, rule: str) -> bool:
        """Tell whether a value without a number can take the place of one in a rule."""
        words = _WORD.findall(self.value)
        telling = [word for word in words if word not in _SMALL]
        if len(telling) == 1 or (self.swaps and len(telling) == 2):
            return True
        if _PATH.search(self.value) and _PATH.search(rule):
            return True
        # "in euros" for "in francs", "the demo database" for "the staging database".
        held = frozenset(_WORD.findall(rule.lower().rstrip(".!。")))
        return not held.isdisjoint(telling) or words[0] in held


@lru_cache(maxsize=KEPT_MOST)
def read_amendment(words: str) -> Amendment | None:
    """Return what a sentence corrects in few words; None if it is anything else."""
    if len(words) > AMENDMENT_MOST:
        return None
    said = spelled_out(words.lower().strip(" .!?。！？…)\"'*_→吗").replace("’", "'"))
    if changed := _CHANGED.fullmatch(said):
        return Amendment(changed["new"], changed["old"], marked=True)
    if _WITHOUT_VALUE.fullmatch(said):
        return Amendment("", marked=True)
    value, given_up, about, marked = "", "", "", False
    clauses = clauses_of(said)
    for clause in clauses:
        bare, announced = _without_marks(clause)
        # "And src/shared.": one more place of the same rule.
        announced = announced or (_ADDS.match(clause) is not None and _is_path(bare))
        marked = marked or announced
        denied = _DENIES.search(bare)
        if denied is not None:
            bare, given_up = bare[: denied.start()].strip(), denied[1]
        if not bare:
            continue
        if value:
            # What follows says why: "8081 rather, 8080 is taken".
            break
        if not _is_value(bare):
            if clause is not clauses[0] or len(clauses) == 1 or announced:
                return None
            about = clause
            continue
        if about and not announced:
            return None
        value = bare
    if not value:
        return None
    if not (marked or given_up or _NUMBER.search(value) or _names_language(value)):
        return None
    swaps = _SWAPS.search(said) is not None
    return Amendment(value, given_up, marked, about, swaps)


def _is_path(text: str) -> bool:
    return " " not in text and _PATH.search(text) is not None


def _names_language(text: str) -> bool:
    return _LANGUAGE_NAME.search(text) is not None


def _without_marks(clause: str) -> tuple[str, bool]:
    """Return a clause without what announces a correction, and whether anything did."""
    rest, before, announced = clause, "", False
    while rest and rest != before:
        before = rest
        rest = rest[_match_end(_FILLERS, rest) :]
        opened = _match_end(_OPENS, rest)
        closed = _CLOSES.search(rest, opened)
        announced = announced or opened > 0 or closed is not None
        if closed is not None:
            rest = rest[: closed.start()]
        rest = rest[opened:].strip()
    return rest, announced


def _match_end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    if found is None:
        return 0
    return found.end()


def _is_value(text: str) -> bool:
    words = _WORD.findall(text)
    telling = [word for word in words if word not in _SMALL]
    if not telling or not _TALK.isdisjoint(words):
        return False
    most = VALUE_MOST
    if re.search(_HAN, text):
        # One character is half a word or less.
        most *= 3
    return len(telling) <= most
