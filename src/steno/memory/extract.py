"""Find what of a session holds beyond it.

Standing rules, preferences and facts are a person's own sentences; the words of a
tool, a page or a program never count, whatever they say. Rules for this task alone and
one-off requests are left out. An assistant's decisions, with their reasons, and its
notes are kept as its own, unless they give orders or speak for a person. How they
change what was known before is in `merge`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from steno.core.message import Message, Value, user_message
from steno.core.store import GONE_MEMORY
from steno.facts.announced import LOOKED_BACK, is_awaited
from steno.facts.authorship import split_by_author
from steno.facts.fact import Fact
from steno.facts.imperatives import (
    as_read,
    begins_with_imperative,
    instructs_reader,
    speaks_for_a_person,
    states_duty,
)
from steno.facts.languages import LANGUAGES, in_every_language
from steno.facts.ledger import Ledger
from steno.facts.plainly_own import OwnWords
from steno.facts.rule_kinds import AMEND, EXTEND, RESTATE
from steno.facts.rulebook import permits_part
from steno.facts.rules import read_rules
from steno.facts.sentences import sentences
from steno.facts.text import flatten
from steno.memory.traits import FORGET, find_traits, subject_of

WORDS_MOST = 400
"""Characters of a memory, at most; a longer text is a document."""
NOTES_MOST = 600
TRAITS_MOST = 24
"""Traits read from one message, at most."""
_WISHES = ("preference", "language", "output")
"""Kinds of rules about how a person likes things; they outlast a task."""
_TASK_BOUND = re.compile(in_every_language(lambda cues: cues.memory.task_bound), re.I)
_STANDS_HERE = re.compile(in_every_language(lambda cues: cues.memory.stands_here), re.I)


class MemoryCandidate(Value, frozen=True):
    """Something to remember, or to forget."""

    kind: str
    """rule, preference, fact, decision, note, or `GONE_MEMORY`."""
    words: str
    trust: str
    position: int
    key: str
    """What it is about."""


class _OwnMessages:
    """Which words of a log are plainly a person's; each message is judged once."""

    def __init__(self, ledger: Ledger) -> None:
        self._messages = ledger.messages
        self._judged: dict[int, OwnWords | None] = {}

    def hold(self, position: int, words: str) -> bool:
        if position not in self._judged:
            self._judged[position] = self._judge(position)
        own = self._judged[position]
        return own is not None and own.hold(words)

    def _judge(self, position: int) -> OwnWords | None:
        """Return the words of a message; None if it was to be a text."""
        before = self._messages[max(0, position - LOOKED_BACK) : position]
        return None if is_awaited(before) else OwnWords(self._messages[position])


def extract_memories(ledger: Ledger, start: int = 0) -> list[MemoryCandidate]:
    """Return all candidates from a position on, in their order."""
    own = _OwnMessages(ledger)
    found = [
        *_rules_since(ledger, start, own),
        *_traits_since(ledger, start, own),
        *_decisions_since(ledger, start, own),
    ]
    kept: dict[tuple[int, str], list[MemoryCandidate]] = {}
    # A sentence can be a rule and a trait at once; the rule, which was found first, stays.
    # One that lifts a rule may also state something: "Skip the basics, I work in the field."
    for candidate in found:
        same = kept.setdefault((candidate.position, flatten(candidate.words)), [])
        if not same or (same[-1].kind == GONE_MEMORY and candidate.kind != GONE_MEMORY):
            same.append(candidate)
    return sorted(chain.from_iterable(kept.values()), key=lambda candidate: candidate.position)


def extract_notes(notes: Iterable[tuple[int, str]]) -> Iterator[MemoryCandidate]:
    """Yield an assistant's notes with their positions; notes that give orders are left out."""
    for position, text in notes:
        words = flatten(text)
        if len(words) <= NOTES_MOST and not claims_authority(words):
            yield MemoryCandidate("note", words, "assistant", position, subject_of(words))


def claims_authority(words: str) -> bool:
    """Return whether words give orders or speak for a person: an assistant may not keep them."""
    if instructs_reader(words) or speaks_for_a_person(words) or states_duty(words):
        return True
    plain = as_read(words)
    return any(begins_with_imperative(plain[start:stop]) for start, stop in sentences(plain))


def classify_memory(words: str) -> tuple[str, str]:
    """Return the kind of a person's sentence (rule, preference or fact) and its subject."""
    rule = rule_in(words)
    # As in `extract_memories`: what binds only a task may still be a fact, "We use Postgres 16."
    if rule is None or not _outlives_task(rule):
        for kind, _, key in find_traits(words):
            if kind != FORGET:
                return kind, key
    if rule is None:
        return "fact", subject_of(words)
    return _rule_kind(rule), rule.key


def _rule_kind(rule: Fact) -> str:
    if rule.note == "preference":
        return "preference"
    return "rule"


def rule_in(words: str) -> Fact | None:
    """Return the rule that a sentence states; None if it states none."""
    for fact in read_rules(user_message(words)):
        if fact.kind == "constraint":
            return fact
    return None


def _rules_since(ledger: Ledger, start: int, own: _OwnMessages) -> Iterator[MemoryCandidate]:
    exceptions = {(at, fact.words) for at, fact in ledger.rules if permits_part(fact)}
    for position, fact in ledger.rulings:
        if position < start or fact.trust != "person" or not _is_storable(fact.words):
            continue
        if not own.hold(position, fact.words):
            continue
        # An exception leaves the rule as it is, here and in what is remembered.
        if fact.kind == "release" and (
            fact.note in (AMEND, RESTATE, EXTEND) or (position, fact.words) in exceptions
        ):
            continue
        if fact.kind == "release":
            yield MemoryCandidate(GONE_MEMORY, fact.words, "person", position, fact.key)
        elif _outlives_task(fact):
            words = flatten(fact.words)
            yield MemoryCandidate(_rule_kind(fact), words, "person", position, fact.key)


def _outlives_task(fact: Fact) -> bool:
    """Return whether a rule binds more than the task at hand."""
    if _TASK_BOUND.search(fact.words) and not _STANDS_HERE.search(fact.words):
        return False
    if fact.note in _WISHES:
        return True
    words = fact.words.lower()
    return any(language.rules.lasting.found_in(words) for language in LANGUAGES)


def _traits_since(ledger: Ledger, start: int, own: _OwnMessages) -> Iterator[MemoryCandidate]:
    for position in range(start, len(ledger.messages)):
        message = ledger.messages[position]
        for kind, words, key in _traits_in(message)[:TRAITS_MOST]:
            if not own.hold(position, words):
                continue
            if kind == FORGET:
                kind = GONE_MEMORY
            yield MemoryCandidate(kind, flatten(words), "person", position, key)


def _traits_in(message: Message) -> Sequence[tuple[str, str, str]]:
    if message.role != "user" or message.by != "caller":
        return ()
    traits = []
    for piece in split_by_author(message):
        if piece.trust == "person" and piece.prose:
            traits += [trait for trait in find_traits(piece.text) if _is_storable(trait[1])]
    return traits


def _decisions_since(ledger: Ledger, start: int, own: _OwnMessages) -> Iterator[MemoryCandidate]:
    """Yield decisions with a reason: without one, no one can tell later whether it still holds."""
    for position, fact in ledger.decisions:
        if position >= start and fact.note and _is_storable(fact.words):
            if not _may_remember(own, position, fact):
                continue
            words = flatten(fact.words)
            yield MemoryCandidate("decision", words, fact.trust, position, subject_of(words))


def _may_remember(own: _OwnMessages, position: int, fact: Fact) -> bool:
    if fact.trust == "person":
        return own.hold(position, fact.words)
    return not claims_authority(fact.words)


def _is_storable(words: str) -> bool:
    """Return whether words are short enough and can be stored as UTF-8."""
    return len(words) <= WORDS_MOST and not any("\ud800" <= char <= "\udfff" for char in words)
