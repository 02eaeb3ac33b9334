"""The ledger of a log: what its messages state, added up.

The facts of a message are read when they are first needed, and never in `add`. What holds at the
end (pinned words, open loops, artifacts, errors not overcome) is folded from them, so it is the
same however the log was read. The folds are shared by all values of one history, so a longer log
costs what is new in it. Identifiers are many and are read apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import TypeVar

import msgspec

from steno.core.message import Message, Value
from steno.core.tape import FoldFunction, Tape, stored_as
from steno.facts.artifacts import Artifact, Artifacts
from steno.facts.authorship import names_command, typed_text
from steno.facts.decisions import chosen_option, read_decisions, read_doubts
from steno.facts.equipment import SkillTexts
from steno.facts.fact import FACTS_VERSION, Fact, FactAt
from steno.facts.failures import Failure, Failures
from steno.facts.kinds import KINDS
from steno.facts.open_loops import OpenLoops
from steno.facts.standing import ELEMENT
from steno.facts.tasks import fold_tasks

TALLIED = ("error", "artifact")
"""Kinds for which a report counts all that was stated, not only what still stands."""
KEPT_MOST = 16_384
"""Messages whose facts are held ready; reading one again is only work."""

Facts = tuple[Fact, ...]
Entry = tuple[Message, Facts]
"""A message and what it states."""
Tally = tuple[tuple[str, str], ...]
"""Kind and words of each fact of a message that a report counts."""
S = TypeVar("S")


@lru_cache(maxsize=KEPT_MOST)
def facts_of(message: Message) -> Facts:
    """Return the facts that one message states, without those that are read when asked for."""
    read = (fact for kind in KINDS if not kind.when_asked for fact in kind.read(message))
    return tuple(map(_share_equal, read))


def all_facts_of(message: Message) -> Facts:
    """Return every fact that one message states, atoms apart."""
    asked = (fact for kind in KINDS if kind.when_asked for fact in kind.read(message))
    return (*facts_of(message), *asked)


@lru_cache(maxsize=KEPT_MOST)
def _share_equal(fact: Fact) -> Fact:
    """Return one value for equal facts: a log tells of the same files again and again."""
    return fact


class Ledger(Value, dict=True):
    """The facts of messages, each with the position that states it."""

    messages: Tape[Message]
    read: Tape[Facts]
    """What each message states."""
    tallied: Tape[Tally]
    """Of that, what a report counts."""

    @classmethod
    def of(cls, messages: Iterable[Message]) -> Ledger:
        """Read what messages state; of a tape, only what its history has not read yet."""
        if not isinstance(messages, Tape):
            messages = Tape(messages)
        facts = messages.fold(_read_facts)
        return cls(messages, facts.said, facts.tallied)

    @property
    def facts(self) -> tuple[FactAt, ...]:
        return tuple(_facts_at(enumerate(self.read)))

    def at(self, position: int) -> Facts:
        """Return what the message there states."""
        return self.read[position]

    def fold(self, fold: FoldFunction[S, Entry]) -> S:
        """Return the fold of all messages and what they state; only what is new is read."""
        return self.read.fold_beside(self.messages, fold)

    @cached_property
    def constraints(self) -> list[FactAt]:
        """What people said that is pinned, in the order in which it was said; equal words once.

        Nothing is lifted or replaced: what was said later stands after it.
        """
        said = self.fold(fold_standing).said
        return sorted(said.values(), key=lambda each: each[0])

    @cached_property
    def open_loops(self) -> list[FactAt]:
        """What is still open, without what is pinned."""
        # A constraint is asked for too; a summary shows it once, among the constraints.
        pinned = self.fold(fold_standing).said
        tasks = self.messages.fold(fold_tasks).still_open
        failing = self.fold(_fold_failures).failing_runs
        loops = [*self.fold(_fold_loops).still_open, *tasks, *failing]
        loops.sort(key=lambda each: each[0])
        return [each for each in loops if each[1].words not in pinned]

    @cached_property
    def artifacts(self) -> list[Artifact]:
        """Files, commands and addresses, by their newest touch."""
        return list(self.fold(_fold_artifacts).things.values())

    @cached_property
    def errors(self) -> Sequence[Failure]:
        """What failed, and whether it was overcome."""
        return self.fold(_fold_failures).failed

    @property
    def decisions(self) -> Sequence[FactAt]:
        """Every decision, oldest first."""
        return self.messages.fold(_fold_decisions)

    @property
    def chosen(self) -> Mapping[int, str]:
        """What a person chose by its number, by the position of the answer."""
        return self.fold(_fold_choices).chosen

    @property
    def doubts(self) -> Sequence[FactAt]:
        """Every doubt, oldest first."""
        return self.messages.fold(_fold_doubts)

    def stated(self, kind: str) -> Sequence[FactAt]:
        """Return every fact of one kind, oldest first, whether or not it still holds."""
        if kind == "decision":
            return self.decisions
        if kind == "marker":
            return self.doubts
        return list(_facts_at(enumerate(self.read), kind))

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


def adopt_facts(messages: Tape[Message], facts: Mapping[int, Facts]) -> None:
    """Take over facts that were read before and kept; what is missing among them is read again."""
    # Facts of a message that were read already are left alone: they are of this version.
    at, before = messages.fold_progress(_read_facts)
    upto = min(max(facts, default=-1) + 1, len(messages))
    if upto > at:
        read: list[Facts] = []
        for n in range(at, upto):
            if n in facts:
                read.append(tuple(map(_share_equal, facts[n])))
            else:
                read.append(facts_of(messages[n]))
        messages.remember_fold(_read_facts, upto, (before or _FactsRead()).plus(read))


def facts_so_far(messages: Tape[Message]) -> Sequence[Facts]:
    """Return what was read of these messages before, in order; nothing more is read for it."""
    _, read = messages.fold_progress(_read_facts)
    return (read or _FactsRead()).said


class _FactsRead(Value):
    said: Tape[Facts] = msgspec.field(default_factory=Tape)
    tallied: Tape[Tally] = msgspec.field(default_factory=Tape)
    """Held beside the facts: a commit may count those of half the log."""

    def plus(self, more: Iterable[Facts]) -> _FactsRead:
        new = list(more)
        counted = (
            tuple((fact.kind, fact.words) for fact in facts if fact.kind in TALLIED and fact.words)
            for facts in new
        )
        return _FactsRead(self.said.plus(new), self.tallied.plus(counted))


@stored_as("facts", FACTS_VERSION)
def _read_facts(before: _FactsRead | None, messages: Sequence[Message], at: int) -> _FactsRead:
    return (before or _FactsRead()).plus(map(facts_of, messages))


def _facts_at(stated: Iterable[tuple[int, Facts]], *kinds: str) -> Iterator[FactAt]:
    """Yield the facts of these kinds, or all of them, each with its position."""
    for position, facts in stated:
        for fact in facts:
            if not kinds or fact.kind in kinds:
                yield position, fact


class Standing(Value):
    """Pinned words by what they say, each with where it was said last."""

    said: Mapping[str, FactAt] = msgspec.field(default_factory=dict)
    command: bool = False
    """Whether the last message names a command: what stands behind it is the command's text."""
    skills: SkillTexts = SkillTexts()
    elements: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Where the newest system message is that is one element, by its tag."""


@stored_as("standing", 5)
def fold_standing(before: Standing | None, entries: Sequence[Entry], at: int) -> Standing:
    """Fold pinned words; said again, it is the later word."""
    standing = before or Standing()
    after, command, skills = dict(standing.said), standing.command, standing.skills
    elements = dict(standing.elements)
    for position, (message, facts) in enumerate(entries, start=at):
        skills = skills.after(message)
        if message.role == "system" and (tag := ELEMENT.fullmatch(message.text)):
            # A program sends such an element again to replace it: a mode, permissions.
            old = elements.get(tag[1])
            after = {words: stated for words, stated in after.items() if stated[0] != old}
            elements[tag[1]] = position
        for fact in facts:
            # The text of a command or of a skill was not written by its caller.
            if fact.kind == "constraint" and not command and not skills.here:
                after.pop(fact.words, None)
                after[fact.words] = (position, fact)
        command = message.role == "user" and names_command(message.text)
    return Standing(after, command, skills, elements)


@stored_as("open loops", 6)
def _fold_loops(loops: OpenLoops | None, entries: Sequence[Entry], at: int) -> OpenLoops:
    after = loops or OpenLoops()
    for position, (_, facts) in enumerate(entries, start=at):
        after = after.plus(position, facts)
    return after


@stored_as("artifacts", 3)
def _fold_artifacts(touches: Artifacts | None, entries: Sequence[Entry], at: int) -> Artifacts:
    stated = ((position, facts) for position, (_, facts) in enumerate(entries, start=at))
    return (touches or Artifacts()).plus(_facts_at(stated))


@stored_as("failures", 8)
def _fold_failures(failures: Failures | None, entries: Sequence[Entry], at: int) -> Failures:
    said = (
        (position, message, facts) for position, (message, facts) in enumerate(entries, start=at)
    )
    return (failures or Failures()).plus(said)


class _Choices(Value):
    offer: str
    """What the assistant said last."""
    chosen: Mapping[int, str]


@stored_as("choices", 1)
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


def _fold_of(
    name: str, read: Callable[[Message], Iterator[Fact]]
) -> FoldFunction[Tape[FactAt], Message]:
    """Return a fold that collects what a reader finds."""

    @stored_as(name, 1)
    def fold(before: Tape[FactAt] | None, messages: Sequence[Message], at: int) -> Tape[FactAt]:
        new = [(n, fact) for n, message in enumerate(messages, start=at) for fact in read(message)]
        return (before or Tape()).plus(new)

    return fold


_fold_decisions = _fold_of("decisions", read_decisions)
_fold_doubts = _fold_of("doubts", read_doubts)


@stored_as("tally", 2)
def _fold_tally(
    before: Counter[tuple[str, str]] | None, tallied: Sequence[Tally], at: int
) -> Counter[tuple[str, str]]:
    counted = Counter(before)
    counted.update(chain.from_iterable(tallied))
    return counted
