"""What of a session holds beyond it: standing rules and preferences, facts, decisions with their reasons, notes.

Rules, preferences and facts are a person's own words, sentence by sentence; a
tool's, a page's or a program's never count, whatever they say. What binds this
task alone is left out, and so is every one-off request. An assistant's decisions
and notes are kept as its own, unless they give orders or speak for a person. What
becomes of them beside what was known before is `remembered`'s business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from steno.core.message import Message, Value, user_message
from steno.core.store import GONE_MEMORY
from steno.facts import rules
from steno.facts.authorship import split_by_author
from steno.facts.fact import Fact
from steno.facts.imperatives import instructs_reader, speaks_for_a_person
from steno.facts.languages import LANGUAGES, in_every_language
from steno.facts.ledger import Ledger
from steno.facts.text import flatten
from steno.memory.traits import FORGET, find_traits, subject_of

WORDS_MOST = 400
"""Characters of a memory; whoever says it in more has written a document."""
NOTES_MOST = 600
TRAITS_MOST = 24
"""Of one message."""
_WISHES = ("preference", "language", "output")
"""Rules that are about how somebody likes things, and so outlast a task."""
_TASK_BOUND = re.compile(in_every_language(lambda cues: cues.memory.task_bound), re.I)
_STANDS_HERE = re.compile(in_every_language(lambda cues: cues.memory.stands_here), re.I)


class MemoryCandidate(Value, frozen=True):
    """Something to remember, or to remember no longer."""

    kind: str
    """rule, preference, fact, decision, note, or `GONE`."""
    words: str
    trust: str
    position: int
    key: str
    """What it is about."""


def extract_memories(ledger: Ledger, start: int = 0) -> list[MemoryCandidate]:
    """All that is to be remembered of what was said from a position on, in its order."""
    found = [
        *_rules_since(ledger, start),
        *_traits_since(ledger, start),
        *_decisions_since(ledger, start),
    ]
    once: dict[tuple[int, str], MemoryCandidate] = {}
    # A sentence can be a rule and a trait at once; the rule, which was found first, stays.
    for each in found:
        once.setdefault((each.position, flatten(each.words)), each)
    return sorted(once.values(), key=lambda candidate: candidate.position)


def extract_notes(notes: Iterable[tuple[int, str]]) -> Iterator[MemoryCandidate]:
    """An assistant's notes, each with the position it was written at; those that give orders are left out."""
    for position, text in notes:
        words = flatten(text)
        if len(words) <= NOTES_MOST and not claims_authority(words):
            yield MemoryCandidate("note", words, "assistant", position, subject_of(words))


def claims_authority(words: str) -> bool:
    """Return whether words instruct or speak for a person, so that an assistant may not keep them."""
    return instructs_reader(words) or speaks_for_a_person(words)


def classify_memory(words: str) -> tuple[str, str]:
    """What a person's sentence is, and what it is about: a rule, a preference, or else a fact."""
    rule = rule_in(words)
    if rule is not None:
        return ("preference" if rule.note == "preference" else "rule"), rule.key
    return "fact", subject_of(words)


def rule_in(words: str) -> Fact | None:
    """The rule that a sentence lays down, if it does."""
    return next(
        (fact for fact in rules.read_rules(user_message(words)) if fact.kind == "constraint"), None
    )


def _rules_since(ledger: Ledger, start: int) -> Iterator[MemoryCandidate]:
    for position, fact in ledger.rulings:
        if position < start or fact.trust != "person" or not _is_storable(fact.words):
            continue
        if fact.kind == "release":
            yield MemoryCandidate(GONE_MEMORY, fact.words, "person", position, fact.key)
        elif _outlives_task(fact):
            kind = "preference" if fact.note == "preference" else "rule"
            yield MemoryCandidate(kind, flatten(fact.words), "person", position, fact.key)


def _outlives_task(fact: Fact) -> bool:
    """It binds more than the task at hand."""
    if _TASK_BOUND.search(fact.words) and not _STANDS_HERE.search(fact.words):
        return False
    said = fact.words.lower()
    return fact.note in _WISHES or any(
        language.rules.lasting.search(said) for language in LANGUAGES
    )


def _traits_since(ledger: Ledger, start: int) -> Iterator[MemoryCandidate]:
    for position in range(start, len(ledger.entries)):
        for kind, words, key in _traits_in(ledger.entries[position][0])[:TRAITS_MOST]:
            yield MemoryCandidate(
                GONE_MEMORY if kind == FORGET else "fact", flatten(words), "person", position, key
            )


def _traits_in(message: Message) -> Sequence[tuple[str, str, str]]:
    if message.role != "user" or message.by != "caller":
        return ()
    typed = (
        piece.text for piece in split_by_author(message) if piece.trust == "person" and piece.prose
    )
    return [each for text in typed for each in find_traits(text) if _is_storable(each[1])]


def _decisions_since(ledger: Ledger, start: int) -> Iterator[MemoryCandidate]:
    """Only with a reason: without it nobody can tell later whether it still holds."""
    for position, fact in ledger.decisions:
        if position >= start and fact.note and _is_storable(fact.words) and _may_remember(fact):
            words = flatten(fact.words)
            yield MemoryCandidate("decision", words, fact.trust, position, subject_of(words))


def _may_remember(fact: Fact) -> bool:
    return fact.trust == "person" or not claims_authority(fact.words)


def _is_storable(words: str) -> bool:
    """Short enough, and text that can be kept."""
    return len(words) <= WORDS_MOST and not any("\ud800" <= char <= "\udfff" for char in words)
