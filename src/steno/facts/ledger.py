"""The ledger of a log: what its messages state, added up.

The facts of a message are read when they are first needed, and never in `add`. What
holds at the end (rules in force, open loops, artifacts, errors not overcome) is folded
from them, so it is the same however the log was read. The folds are shared by all values
of one history, so a longer log costs what is new in it. Identifiers are many and are
read apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, TypeVar

from steno.core.message import Message
from steno.core.packing import ValuePacking
from steno.core.tape import FoldFunction, Tape
from steno.facts.artifacts import Artifact, Artifacts
from steno.facts.authorship import typed_text
from steno.facts.decisions import chosen_option
from steno.facts.fact import Fact, FactAt
from steno.facts.failures import Failure, Failures
from steno.facts.goals import Goal
from steno.facts.kinds import KINDS
from steno.facts.open_loops import OpenLoops
from steno.facts.rule_kinds import WEAK_NOTES
from steno.facts.rulebook import Rule, Rules

TALLIED = ("decision", "error", "artifact", "marker")
"""Kinds for which a report counts all that was stated, not only what still stands."""
ADDED_UP = frozenset(("constraint", "release", "open", "close", "artifact", "error"))
"""Kinds with a fold of their own, which knows what stands; the rest are listed as stated."""
KEPT_MOST = 16_384
"""Messages whose facts are held ready; reading one again is only work."""

Facts = tuple[Fact, ...]
Entry = tuple[Message, Facts]
"""A message and what it states."""
FACTS: ValuePacking[Facts] = ValuePacking(Facts)
Tally = tuple[tuple[str, str], ...]
"""Kind and words of each fact of a message that a report counts."""
TALLIES: ValuePacking[Tally] = ValuePacking(Tally)
S = TypeVar("S")


@lru_cache(maxsize=KEPT_MOST)
def facts_of(message: Message) -> Facts:
    """Return every fact that one message states, atoms apart."""
    return tuple(_share_equal(fact) for kind in KINDS for fact in kind.read(message))


@lru_cache(maxsize=KEPT_MOST)
def _share_equal(fact: Fact) -> Fact:
    """Return one value for equal facts: a log tells of the same files again and again."""
    return fact


@dataclass(frozen=True)
class Ledger:
    """The facts of messages, each with the position that states it."""

    messages: Tape[Message]
    read: Tape[Facts]
    """What each message states."""
    tallied: Tape[Tally]
    """Of that, what a report counts."""

    @classmethod
    def of(cls, messages: Iterable[Message]) -> Ledger:
        """Read what messages state; of a tape, only what its history has not read yet."""
        tape = messages if isinstance(messages, Tape) else Tape(messages)
        facts = tape.fold(_read_facts)
        return cls(tape, facts.said, facts.tallied)

    @property
    def facts(self) -> tuple[FactAt, ...]:
        return tuple(self._facts_at())

    def at(self, position: int) -> Facts:
        """Return what the message there states."""
        return self.read[position]

    def fold(self, fold: FoldFunction[S, Entry]) -> S:
        """Return the fold of all messages and what they state; only what is new is read."""
        return self.read.fold_beside(self.messages, fold)

    @cached_property
    def rules(self) -> list[FactAt]:
        """Every sentence in force: each rule, then its exceptions and corrections."""
        return list(self.rulebook.live)

    @property
    def rulebook(self) -> Rules:
        """The rules in force and what became of the others, as values."""
        return self.fold(_fold_rules)

    @property
    def rules_held(self) -> tuple[Rule, ...]:
        """The rules in force as values, with scope, exceptions and history."""
        return self.rulebook.held

    @property
    def changed_rules(self) -> Sequence[tuple[FactAt, FactAt]]:
        """The rules that were in force, each with what lifted it or took its place."""
        return self.rulebook.changed

    @property
    def rulings(self) -> Sequence[FactAt]:
        """Every rule that was ever laid down or lifted."""
        return self.fold(_fold_rulings).stated

    @cached_property
    def open_loops(self) -> list[FactAt]:
        """What is still open, without rules and what lifts them."""
        # A rule is asked for too; a summary shows it once, among the rules.
        rules = self.fold(_fold_rulings).words | {by.words for _, (_, by) in self.changed_rules}
        return [each for each in self.fold(_fold_loops).still_open if each[1].words not in rules]

    @property
    def goals(self) -> Sequence[Goal]:
        """The newest requests, each with what became of it, oldest first."""
        return self.fold(_fold_loops).goals

    @cached_property
    def artifacts(self) -> list[Artifact]:
        """Files, commands and addresses, by their newest touch."""
        return list(self.artifacts_by_key.values())

    @property
    def artifacts_by_key(self) -> Mapping[str, Artifact]:
        """The same by their keys."""
        return self.fold(_fold_artifacts).things

    @cached_property
    def errors(self) -> Sequence[Failure]:
        """What failed, and whether it was overcome."""
        return self.fold(_fold_failures).failed

    @property
    def decisions(self) -> Sequence[FactAt]:
        """Every decision, oldest first."""
        return self.stated("decision")

    @property
    def chosen(self) -> Mapping[int, str]:
        """What a person chose by its number, by the position of the answer."""
        return self.fold(_fold_choices).chosen

    @property
    def doubts(self) -> Sequence[FactAt]:
        """Every doubt, oldest first."""
        return self.stated("marker")

    def stated(self, kind: str) -> Sequence[FactAt]:
        """Return every fact of one kind, oldest first, whether or not it still holds."""
        if kind in ADDED_UP:
            return list(self._facts_at(kind))
        return self.fold(_fold_stated).get(kind, Tape())

    def tally(self, positions: Collection[int]) -> Counter[tuple[str, str]]:
        """Return how often facts of `TALLIED` kinds are stated there, by kind and words."""
        # In every commit, so that none has much to catch up with.
        whole = self.tallied.fold(_fold_tally)
        if 2 * len(positions) <= len(self.tallied):
            return self._count(positions)
        # Nearly everything is counted when a commit tells the past again: it was counted before.
        counted = Counter(whole)
        counted.subtract(self._count(set(range(len(self.tallied))).difference(positions)))
        return counted

    def _count(self, positions: Collection[int]) -> Counter[tuple[str, str]]:
        return Counter(each for at in sorted(positions) for each in self.tallied[at])

    def _facts_at(self, *kinds: str) -> Iterator[FactAt]:
        return _facts_at(enumerate(self.read), *kinds)

    def standing(self, kind: str) -> Sequence[Any]:
        """Return what a kind adds up to: what holds at the end, or else all that was stated."""
        match kind:
            case "constraint":
                return self.rules
            case "open":
                return self.open_loops
            case "artifact":
                return self.artifacts
            case "error":
                return self.errors
            case _:
                return self.stated(kind)


def adopt_facts(messages: Tape[Message], facts: Mapping[int, Facts]) -> None:
    """Take over facts that were read before and kept; what is missing among them is read again."""
    # Facts of a message that were read already are left alone: they are of this version.
    at, before = messages.fold_progress(_read_facts)
    upto = min(max(facts, default=-1) + 1, len(messages))
    if upto > at:
        read = (
            tuple(map(_share_equal, facts[n])) if n in facts else facts_of(messages[n])
            for n in range(at, upto)
        )
        messages.remember_fold(_read_facts, upto, (before or _FactsRead()).plus(read))


def facts_so_far(messages: Tape[Message]) -> Sequence[Facts]:
    """Return what was read of these messages before, in order; nothing more is read for it."""
    _, read = messages.fold_progress(_read_facts)
    return (read or _FactsRead()).said


@dataclass(frozen=True)
class _FactsRead:
    said: Tape[Facts] = field(default_factory=Tape)
    tallied: Tape[Tally] = field(default_factory=Tape)
    """Held beside the facts: a commit may count those of half the log, too many to unpack."""

    def plus(self, more: Iterable[Facts]) -> _FactsRead:
        new = list(more)
        return _FactsRead(self.said.plus(new), self.tallied.plus(map(_tally_of, new)))

    def pack_before(self, upto: int) -> None:
        self.said.pack(upto, FACTS)
        self.tallied.pack(upto, TALLIES)


def _tally_of(facts: Facts) -> Tally:
    return tuple((fact.kind, fact.words) for fact in facts if fact.kind in TALLIED and fact.words)


def _read_facts(before: _FactsRead | None, messages: Sequence[Message], at: int) -> _FactsRead:
    return (before or _FactsRead()).plus(map(facts_of, messages))


def _facts_at(stated: Iterable[tuple[int, Facts]], *kinds: str) -> Iterator[FactAt]:
    """Yield the facts of these kinds, or all of them, each with its position."""
    for position, facts in stated:
        for fact in facts:
            if not kinds or fact.kind in kinds:
                yield position, fact


def _facts_by_place(entries: Iterable[Entry], at: int) -> Iterator[tuple[int, Facts]]:
    return ((position, facts) for position, (_, facts) in enumerate(entries, start=at))


def _fold_rules(rules: Rules | None, entries: Sequence[Entry], at: int) -> Rules:
    after = rules or Rules()
    for position, (message, facts) in enumerate(entries, start=at):
        if message.role == "user":
            after = after.with_message(position)
        if facts:
            after = after.plus((position, fact) for fact in facts)
    return after


@dataclass(frozen=True)
class _Rulings:
    stated: Tape[FactAt]
    words: frozenset[str]
    """Of all but permissions and short corrections, which may change no rule."""


def _fold_rulings(ruled: _Rulings | None, entries: Sequence[Entry], at: int) -> _Rulings:
    before = ruled or _Rulings(Tape(), frozenset())
    new = list(_facts_at(_facts_by_place(entries, at), "constraint", "release"))
    return _Rulings(
        before.stated.plus(new),
        before.words.union(fact.words for _, fact in new if fact.note not in WEAK_NOTES),
    )


def _fold_loops(loops: OpenLoops | None, entries: Sequence[Entry], at: int) -> OpenLoops:
    after = loops or OpenLoops()
    for position, (_, facts) in enumerate(entries, start=at):
        after = after.plus(position, facts)
    return after


def _fold_artifacts(touches: Artifacts | None, entries: Sequence[Entry], at: int) -> Artifacts:
    return (touches or Artifacts()).plus(_facts_at(_facts_by_place(entries, at)))


def _fold_failures(failures: Failures | None, entries: Sequence[Entry], at: int) -> Failures:
    said = (
        (position, message, facts) for position, (message, facts) in enumerate(entries, start=at)
    )
    return (failures or Failures()).plus(said)


@dataclass(frozen=True)
class _Choices:
    offer: str
    """What the assistant said last."""
    chosen: Mapping[int, str]


def _fold_choices(choices: _Choices | None, entries: Sequence[Entry], at: int) -> _Choices:
    before = choices or _Choices("", {})
    offer, chosen = before.offer, dict(before.chosen)
    for position, (message, _) in enumerate(entries, start=at):
        if message.role == "assistant":
            offer = message.text or offer
        elif message.role == "user" and offer:
            option = chosen_option(typed_text(message), offer)
            if option:
                chosen[position] = option
    return _Choices(offer, chosen)


def _fold_tally(
    before: Counter[tuple[str, str]] | None, tallied: Sequence[Tally], at: int
) -> Counter[tuple[str, str]]:
    counted = Counter(before)
    counted.update(chain.from_iterable(tallied))
    return counted


def _fold_stated(
    before: Mapping[str, Tape[FactAt]] | None, entries: Sequence[Entry], at: int
) -> Mapping[str, Tape[FactAt]]:
    # Gathered first: a tape grows by many cells as quickly as by one.
    new: dict[str, list[FactAt]] = {}
    for position, fact in _facts_at(_facts_by_place(entries, at)):
        if fact.kind not in ADDED_UP:
            new.setdefault(fact.kind, []).append((position, fact))
    after = dict(before or {})
    for kind, stated in new.items():
        after[kind] = after.get(kind, Tape[FactAt]()).plus(stated)
    return after
