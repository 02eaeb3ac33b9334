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

from steno.core.message import Message, Value, user
from steno.core.store import GONE
from steno.ledger import constraint
from steno.ledger.fact import Fact
from steno.ledger.ledger import Ledger, Stated
from steno.ledger.order import gives_orders, speaks_for_a_person
from steno.ledger.tongues import CHINESE, TONGUES
from steno.ledger.trait import FORGET, subject_of, traits
from steno.ledger.voice import pieces
from steno.ledger.words import flat

WORDS_MOST = 400
"""Characters of a memory; whoever says it in more has written a document."""
NOTES_MOST = 600
TRAITS_MOST = 24
"""Of one message."""
_WISHES = ("preference", "language", "output")
"""Rules that are about how somebody likes things, and so outlast a task."""
_BOUND = re.compile(
    r"\b(?:this|that|these|those|the current) (?:pr|pull request|task|file|files|function|class|method|test"
    r"|tests|branch"
    r"|commit|change|changes|session|conversation|chat|time|ticket|bug|issue|script|page|answer|question|step"
    r"|part|line"
    r"|one)\b"
    r"|\b(?:here|today|tonight|for now|right now|just once|yet)\b"
    r"|\b(?:diese[rnms]?|heute|vorerst|diesmal)\b|\b(?:cet|cette|aujourd[’']hui|pour l[’']instant)\b"
    r"|\b(?:este|esta|estos|hoy|por ahora)\b|这(?:个|次|里|份)|今天|暂时|本次",
    re.I,
)
_STANDS_HERE = re.compile(r"^(?:here,? )?we\b|\b(?:hier|ici|aquí)\b", re.I)


class Durable(Value, frozen=True):
    """Something to remember, or to remember no longer."""

    kind: str
    """rule, preference, fact, decision, note, or `GONE`."""
    words: str
    trust: str
    position: int
    key: str
    """What it is about."""


def durable(ledger: Ledger, start: int = 0) -> list[Durable]:
    """All that is to be remembered of what was said from a position on, in its order."""
    found = [*_ruled(ledger, start), *_stated(ledger, start), *_decided(ledger, start)]
    once: dict[tuple[int, str], Durable] = {}
    for each in found:
        once.setdefault((each.position, flat(each.words)), each)
    return sorted(once.values(), key=_position)


def noted(notes: Iterable[tuple[int, str]]) -> Iterator[Durable]:
    """An assistant's notes, each with the position it was written at; those that give orders are left out."""
    for position, text in notes:
        words = flat(text)
        if len(words) <= NOTES_MOST and not presumes(words):
            yield Durable("note", words, "assistant", position, subject_of(words))


def presumes(words: str) -> bool:
    """It gives orders, reads like a rule, or says what a person wants: not an assistant's to remember."""
    return (
        "steno-" in words
        or gives_orders(words)
        or speaks_for_a_person(words)
        or any(True for _ in constraint.read(user(words)))
    )


def kind_of(words: str) -> tuple[str, str]:
    """What a person's sentence is, and what it is about: a rule, a preference, or else a fact."""
    rule = ruling(words)
    if rule is not None:
        return ("preference" if rule.note == "preference" else "rule"), rule.key
    return "fact", subject_of(words)


def ruling(words: str) -> Fact | None:
    """The rule that a sentence lays down, if it does."""
    return next((fact for fact in constraint.read(user(words)) if fact.kind == "constraint"), None)


def _ruled(ledger: Ledger, start: int) -> Iterator[Durable]:
    for position, fact in ledger.rulings:
        if position < start or fact.trust != "person" or not _sound(fact.words):
            continue
        if fact.kind == "release":
            yield Durable(GONE, fact.words, "person", position, fact.key)
        elif _lasts(fact):
            kind = "preference" if fact.note == "preference" else "rule"
            yield Durable(kind, flat(fact.words), "person", position, fact.key)


def _lasts(fact: Fact) -> bool:
    """It binds more than the task at hand."""
    if _BOUND.search(fact.words) and not _STANDS_HERE.search(fact.words):
        return False
    said = fact.words.lower()
    return fact.note in _WISHES or any(tongue.lasting.search(said) for tongue in (*TONGUES, CHINESE))


def _stated(ledger: Ledger, start: int) -> Iterator[Durable]:
    for position in range(start, len(ledger.entries)):
        for kind, words, key in _traits(ledger.entries[position][0])[:TRAITS_MOST]:
            yield Durable(GONE if kind == FORGET else "fact", flat(words), "person", position, key)


def _traits(message: Message) -> Sequence[tuple[str, str, str]]:
    if message.role != "user" or message.by != "caller":
        return ()
    typed = (piece.text for piece in pieces(message) if piece.trust == "person" and piece.prose)
    return [each for text in typed for each in traits(text) if _sound(each[1])]


def _decided(ledger: Ledger, start: int) -> Iterator[Durable]:
    """Only with a reason: without it nobody can tell later whether it still holds."""
    for position, fact in ledger.decisions:
        if position >= start and fact.note and _sound(fact.words) and _own(fact):
            words = flat(fact.words)
            yield Durable("decision", words, fact.trust, position, subject_of(words))


def _own(fact: Fact) -> bool:
    return fact.trust == "person" or not presumes(fact.words)


def _sound(words: str) -> bool:
    """Short enough, and text that can be kept."""
    return len(words) <= WORDS_MOST and not any("\ud800" <= char <= "\udfff" for char in words)


def _position(each: Durable | Stated) -> int:
    return each.position if isinstance(each, Durable) else each[0]
