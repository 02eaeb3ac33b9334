"""Round trips: what a view answers, what one search adds, and what neither does.

A question is held against what is shown and what a search brought. Questions come
from the facts of the session ("ledger") or from a file whose author knows the answers
("known"); the two are never added up. An answer is its words. Many answers are not said
in the words of the person who wrote them down, so the *evidence* is counted apart: whether
the message that holds the answer is shown or was brought. Whether a model could answer is
for `handover.py`.

The pure half is `checks/answerable.py`, the search is `session/recall.py`, the command
is `cli/probe.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from steno.checks.answerable import AnswerTexts, normalize_phrase
from steno.checks.questions import Question
from steno.core.view import View
from steno.facts.text import message_text
from steno.session.recall import Retrieved

TripState = Literal["visible", "recalled", "missing"]
TRIP_STATES: tuple[TripState, ...] = ("visible", "recalled", "missing")
QuestionGroup = Literal["ledger", "known"]
SHORT_ANSWER = 8
"""Characters of an answer that may stand anywhere by chance, and counts only where it was said."""


@dataclass(frozen=True)
class VisibleText:
    """What a model sees of a session."""

    originals: Mapping[int, str]
    """Messages shown as they were said, by position."""
    others: Sequence[str] = ()
    """Summaries, and messages that are shortened."""

    @classmethod
    def of(cls, view: View) -> VisibleText:
        originals: dict[int, str] = {}
        others: list[str] = []
        for item in view.items:
            for number, message in enumerate(item.shows):
                if number == item.main and not message.patches:
                    originals[item.span.start] = message_text(message)
                elif message.blocks:
                    others.append(message_text(message))
        return cls(originals, others)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return (*self.originals.values(), *self.others)

    @cached_property
    def phrases(self) -> AnswerTexts:
        return AnswerTexts.of(self.texts)


@dataclass(frozen=True)
class RoundTrip:
    """A question, and whether it was answered."""

    question: Question
    group: QuestionGroup
    state: TripState
    evidence: TripState | None = None
    """Whether a message that holds the answer is shown or was brought; None if none is known."""


def probe_question(
    question: Question, group: QuestionGroup, visible: VisibleText, brought: Retrieved
) -> RoundTrip:
    """Hold a question against what is shown and what one search brought."""
    positions = set(question.positions)
    if positions and _is_short(question):
        seen = AnswerTexts.of(text for at, text in visible.originals.items() if at in positions)
        found = AnswerTexts.of(text for at, text in brought if at in positions)
    else:
        seen = visible.phrases
        found = AnswerTexts.of(text for _, text in brought)
    evidence = None
    if positions:
        evidence = _trip_state(
            not positions.isdisjoint(visible.originals),
            not positions.isdisjoint(at for at, _ in brought),
        )
    state = _trip_state(seen.contains(*question.answers), found.contains(*question.answers))
    return RoundTrip(question, group, state, evidence)


def _is_short(question: Question) -> bool:
    """Tell whether every answer is so short that its words may stand anywhere."""
    return all(len(normalize_phrase(answer).strip()) < SHORT_ANSWER for answer in question.answers)


def _trip_state(visible: bool, recalled: bool) -> TripState:
    if visible:
        return "visible"
    if recalled:
        return "recalled"
    return "missing"


# The figures


@dataclass(frozen=True)
class AnswerRate:
    """How often questions of one kind were answered, and from where."""

    kind: str
    counts: Mapping[TripState, int] = field(default_factory=dict)
    evidence: Mapping[TripState, int] = field(default_factory=dict)

    @property
    def asked_count(self) -> int:
        return sum(self.counts.values())

    @property
    def share(self) -> float:
        """Share of the questions that were answered."""
        return 1 - self.counts.get("missing", 0) / self.asked_count

    @property
    def evidence_share(self) -> float | None:
        """Share of questions whose evidence is shown or was brought; None if none is known."""
        known = sum(self.evidence.values())
        if not known:
            return None
        return (known - self.evidence.get("missing", 0)) / known

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as `steno probe --json` prints them."""
        row: dict[str, Any] = {"kind": self.kind, "asked": self.asked_count}
        for state in TRIP_STATES:
            row[state] = self.counts.get(state, 0)
        row["answered"] = round(self.share, 4)
        row["evidence"] = None
        if self.evidence:
            row["evidence"] = {state: self.evidence.get(state, 0) for state in TRIP_STATES}
        return row


def answer_rates(trips: Iterable[RoundTrip], group: QuestionGroup) -> list[AnswerRate]:
    """Return the figures of one group by kind, in the order they came, and then of all."""
    by_kind: dict[str, list[RoundTrip]] = {}
    for trip in trips:
        if trip.group == group:
            by_kind.setdefault(trip.question.kind, []).append(trip)
    if not by_kind:
        return []
    rates = [_rate(kind, several) for kind, several in by_kind.items()]
    everything = [trip for several in by_kind.values() for trip in several]
    return [*rates, _rate("all", everything)]


def _rate(kind: str, trips: Sequence[RoundTrip]) -> AnswerRate:
    counts = Counter(trip.state for trip in trips)
    evidence = Counter(trip.evidence for trip in trips if trip.evidence is not None)
    return AnswerRate(kind, counts, evidence)
