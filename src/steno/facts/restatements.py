"""Whether a rule says an older one anew, and which value of it changes.

Two rules about two things both stand, however alike their words are. A rule takes the
place of another only if it says all of it again, or gives another value in the same words
and says so. `rulebook` tells a rule that may give another value right after the older one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from steno.facts.coverage import Coverage, clauses_of, coverage_of
from steno.facts.fact import Fact
from steno.facts.languages import in_every_language
from steno.facts.lazy_pattern import lazy_pattern
from steno.facts.rule_kinds import ADDITION, CORRECTION, CORRECTS, EXCEPTION, without_label
from steno.facts.text import flatten
from steno.facts.topics import ONE_ALONE

CLAUSES_KEPT = 1_024
_ALIKE = 0.4
"""Share of the words that a correction has in common with the rule that it corrects."""
_SAME_FRAME = 0.5
"""Share of the words from which on two rules may be about the same thing."""
KEPT_MOST = 4_096

_MARKS = lazy_pattern(in_every_language(lambda cues: cues.changes.marks), re.I)
_OVERRULES = lazy_pattern(in_every_language(lambda cues: cues.changes.overrules), re.I)
_COMPARES = lazy_pattern(in_every_language(lambda cues: cues.changes.compares), re.I)
_INSTEAD = lazy_pattern(in_every_language(lambda cues: cues.decisions.instead), re.I)
_NEGATES = lazy_pattern(in_every_language(lambda cues: cues.changes.negates), re.I)
_NAME = lazy_pattern(
    r"(?<![\w-])(?:[\w-]*(?:[./_][\w-]+)+/?|[\w-]+/)"
    r"|(?<![a-z])[a-z]+[A-Z]\w*|(?<![A-Za-z])[A-Za-z]+\d\w*"
)


def replaces(fact: Fact, rule: Fact) -> bool:
    """Tell whether a rule says another anew, or otherwise; rules about two things both stand."""
    if not may_change(fact, rule) or rule.note in (EXCEPTION, CORRECTION, ADDITION):
        return False
    if fact.key in ONE_ALONE:
        return fact.key == rule.key and not _is_for_less(fact, rule)
    clause, old_clause = _most_alike(fact.words, rule.words)
    new, old = coverage_of(clause), coverage_of(old_clause)
    if not new.all or not old.all:
        return flatten(fact.words).lower() == flatten(rule.words).lower()
    ban = _forbids(fact, clause)
    # What is forbidden stays so until it is allowed, or is said again in full.
    if ban and not old.covers(new.words):
        return False
    gained, lost = new.beyond(old), old.beyond(new)
    if not gained and not lost:
        # What is forbidden stays so until it is allowed, and "ask before a commit" is not "ask
        # before a push", though like verbs cover the same.
        if _forbids(rule, old_clause) and not (ban and _bans_alike(clause, old_clause)):
            return False
        return new.is_said_by(old) and old.is_said_by(new)
    if ban != _forbids(rule, old_clause):
        return False
    if gained <= new.numbers and lost <= old.numbers and gained and lost:
        return not ban or _COMPARES.search(fact.words) is not None
    # Better said twice than lost.
    return not ban and _corrects(fact, rule, new, old)


def _bans_alike(clause: str, old_clause: str) -> bool:
    """Tell "only I may deploy", which forbids it to others, from "never deploy"."""
    return bool(_NEGATES.search(clause)) == bool(_NEGATES.search(old_clause))


def _is_for_less(fact: Fact, rule: Fact) -> bool:
    """Tell whether a rule about a language names more than that: "answer Bob in French"."""
    if not fact.key.startswith("language"):
        return False
    new, old = coverage_of(_MARKS.sub(" ", fact.words)), coverage_of(rule.words)
    return len(new.beyond(old)) > max(1, len(old.beyond(new)))


def gives_another_value(fact: Fact, rule: Fact) -> bool:
    if _is_same_but_for_value(fact.words, rule.words):
        return True
    clause, old_clause = _most_alike(fact.words, rule.words)
    bans = _forbids(fact, clause), _forbids(rule, old_clause)
    if any(bans):
        new, old = coverage_of(clause), coverage_of(old_clause)
        gained = new.beyond(old)
        if not gained <= new.numbers:
            return False
        lost = old.beyond(new)
        # What is forbidden stays so, whatever else is; but another number may be its new one.
        if gained and lost and lost <= old.numbers:
            return True
        # It may be ordered now.
        return not all(bans) and not gained and not lost
    pairs = ((clause, old_clause), (fact.words, rule.words))
    return any(_differs_in_value(mine, theirs) for mine, theirs in pairs)


def _is_same_but_for_value(words: str, old_words: str) -> bool:
    """Tell whether a sentence says that it corrects another, and only one value differs."""
    bare = _words_without_marks(words)
    if len(bare) == len(words.split()):
        return False
    old = old_words.lower().strip(" .!").split()
    if len(bare) != len(old):
        return False
    return sum(mine != theirs for mine, theirs in zip(bare, old, strict=True)) == 1


@lru_cache(maxsize=CLAUSES_KEPT)
def _words_without_marks(words: str) -> list[str]:
    """Return the words of a sentence without those that announce a correction."""
    return CORRECTS.sub("", _MARKS.sub(" ", words)).lower().strip(" .!").split()


def _differs_in_value(words: str, old_words: str) -> bool:
    """Tell whether two statements share a frame in which one of them names something else."""
    new, old = coverage_of(words), coverage_of(old_words)
    # "Tabs, not spaces" loses no word of the old rule: it names what it gives up.
    if not new.beyond(old) or not (old.beyond(new) or _NEGATES.search(words)):
        return False
    if new.numbers and old.numbers and _is_same_frame(new, old):
        return True
    return new.shared(old) >= _SAME_FRAME * min(new.weight, old.weight)


def _is_same_frame(new: Coverage, old: Coverage) -> bool:
    """Tell whether all words of one are among those of the other, numbers apart."""
    mine, theirs = Coverage(new.words, frozenset()), Coverage(old.words, frozenset())
    if not mine.words or not theirs.words:
        return False
    return not mine.beyond(theirs) or not theirs.beyond(mine)


def says_anew(fact: Fact, rule: Fact) -> bool:
    """Tell whether a sentence that is no rule by itself gives another value of a rule."""
    new, old = coverage_of(fact.words), coverage_of(rule.words)
    if new.numbers and old.numbers:
        # They are what changes.
        new, old = Coverage(new.words, frozenset()), Coverage(old.words, frozenset())
    least = _SAME_FRAME * max(new.weight, old.weight)
    if not new.words or not may_change(fact, rule) or not new.shares(old, least):
        return False
    return gives_another_value(fact, rule)


@lru_cache(maxsize=KEPT_MOST)
def _most_alike(new: str, old: str) -> tuple[str, str]:
    """Return the clauses of two rules that share most, without the words of a correction."""
    mine, theirs = _unmarked_clauses(new), _bare_clauses(old)
    if len(mine) == len(theirs) == 1:
        return mine[0], theirs[0]
    pairs = [(one, other) for one in mine for other in theirs]
    return max(pairs, key=lambda pair: coverage_of(pair[0]).shared(coverage_of(pair[1])))


# Every new rule is compared with many.
@lru_cache(maxsize=CLAUSES_KEPT)
def _bare_clauses(words: str) -> list[str]:
    return clauses_of(CORRECTS.sub("", without_label(words))) or [words]


@lru_cache(maxsize=CLAUSES_KEPT)
def _unmarked_clauses(words: str) -> list[str]:
    return [_MARKS.sub(" ", clause) for clause in _bare_clauses(words)]


@lru_cache(maxsize=CLAUSES_KEPT)
def _is_one_clause(words: str) -> bool:
    return len(clauses_of(words)) == 1


def _corrects(fact: Fact, rule: Fact, new: Coverage, old: Coverage) -> bool:
    """Tell whether a rule gives another value in the same words, and says so."""
    alike = new.shared(old) / max(new.weight, old.weight)
    if alike < _ALIKE:
        return False
    values = Coverage(old.beyond(new), frozenset())
    if values.words and not values.beyond(coverage_of(fact.words)):
        # The old value is named beside the new one: "…, not MySQL", "Dana has left".
        return True
    if _OVERRULES.search(fact.words) or _is_named_as_old(fact.words, old):
        return True
    # Two rules about two files may share every word but the names.
    same_names = set(_NAME.findall(fact.words)) == set(_NAME.findall(rule.words))
    return CORRECTS.match(fact.words) is not None and same_names


def _is_named_as_old(words: str, old: Coverage) -> bool:
    """Tell whether a rule says what it replaces: "use pnpm instead of npm"."""
    found = _INSTEAD.search(words)
    if found is None:
        return False
    given_up = coverage_of(words[found.end() :])
    return bool(given_up.words) and not given_up.beyond(old)


def _forbids(fact: Fact, clause: str) -> bool:
    """Tell whether a clause of a rule is a ban: the `not` may stand in another clause."""
    if fact.note != "prohibition":
        return False
    # The heading of a list forbids all its items.
    if "\n" in fact.words:
        return True
    return _is_one_clause(fact.words) or _NEGATES.search(clause) is not None


def may_change(later: Fact, rule: Fact) -> bool:
    """Tell whether a rule may undo another: a person's word does not undo the system's."""
    return later.trust == rule.trust or later.trust == "system"
