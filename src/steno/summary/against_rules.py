"""Whether a line of a writer speaks against a rule in force: same subject, other polarity.

A ban is opposed by a clause that holds nearly all of its telling words and no negation; a duty by
a clause that negates its words. Such a line may be a true report of a breach, so it is marked and
stays. This reads words, not meaning. It does not see other words for the same thing (`skip the
tests`), values (`reply in English` against `answer in German`), or rules that hold under a
condition or until a person agrees, and it takes a line about an exception for none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from steno.core.constraint import Constraint
from steno.core.message import user_message
from steno.facts.coverage import Coverage, clauses_of, coverage_of
from steno.facts.fact import Fact, FactAt
from steno.facts.languages import in_every_language
from steno.facts.rulebook import permits_part
from steno.facts.rules import read_rules

FORBIDDEN, REQUIRED = 0.8, 0.65
"""Share of the telling words of a ban and of a duty that a clause about it must hold."""
WORDS_LEAST = 2
"""Telling words that a rule must have: one alone is no subject."""
BEGINNING = 3
"""Letters by which two forms of a word are alike."""
NEAR = 3
"""Words in a row for each word of a subject, within which it must stand."""
NEGATED_NEXT = 3
"""Words after a negation that it is about."""
GIVEN_AT = 0
"""Position to hold a given constraint at; it has none."""

# Beside the negations of a rule, the words by which a report says that one was kept.
_NEGATES = re.compile(
    in_every_language(lambda cues: cues.changes.negates)
    + r"|\b(?:un\w+ed|avoid\w*|refus\w*|prevent\w*|block\w*|instead|rather)\b",
    re.I,
)
_CONDITION = re.compile(in_every_language(lambda cues: cues.changes.conditions), re.I)
_ASKS = re.compile(r"[?？]")


def rules_of(given: Sequence[Constraint], said: Sequence[FactAt]) -> tuple[FactAt, ...]:
    """Return the rules that a writer's lines must not speak against: those given and those said."""
    facts = [(GIVEN_AT, fact) for each in given for fact in read_rules(user_message(each.text))]
    return (*(stated for stated in facts if stated[1].kind == "constraint"), *said)


def opposes_rule(text: str, rules: Sequence[FactAt]) -> bool:
    """Tell whether a line says the contrary of a rule, as far as words show it."""
    if not rules or _ASKS.search(text):
        return False
    allowed = [coverage_of(fact.words) for _, fact in rules if permits_part(fact)]
    for clause in clauses_of(text):
        said = coverage_of(clause)
        if any(not exception.beyond(said) for exception in allowed if exception.all):
            continue
        if any(_opposes(clause, said, fact) for _, fact in rules):
            return True
    return False


def _opposes(clause: str, said: Coverage, rule: Fact) -> bool:
    if rule.note not in ("prohibition", "obligation") or _CONDITION.search(rule.words):
        return False
    about = coverage_of(rule.words)
    if len(about.all) < WORDS_LEAST or not _may_be_about(said, about):
        return False
    if rule.note == "prohibition":
        return _NEGATES.search(clause) is None and _stand_together(clause, about, FORBIDDEN)
    return _negates_words_of(clause, about) and _stand_together(clause, about, REQUIRED)


def _stand_together(clause: str, about: Coverage, least: float) -> bool:
    """Tell whether a few words in a row hold the subject: far apart they are about other things."""
    words = clause.split()
    wide = NEAR * len(about.all)
    for at in range(max(1, len(words) - wide + 1)):
        said = coverage_of(" ".join(words[at : at + wide]))
        if about.shared(said) >= least * about.weight:
            return True
    return False


def _may_be_about(said: Coverage, about: Coverage) -> bool:
    """Tell cheaply whether words may share a subject; to compare them all takes long."""
    beginnings = {word[:BEGINNING] for word in said.all}
    alike = sum(word[:BEGINNING] in beginnings for word in about.all)
    return alike * 2 >= len(about.all)


def _negates_words_of(clause: str, about: Coverage) -> bool:
    """Tell whether a negation stands right before words of a rule: `no failures` does not."""
    for found in _NEGATES.finditer(clause):
        following = " ".join(clause[found.end() :].split()[:NEGATED_NEXT])
        if coverage_of(following).shared(about):
            return True
    return False
