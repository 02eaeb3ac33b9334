"""Round trips: what a view answers, what one search adds, and what neither does.

Owns how a question is held against what is shown and what a search brought, and
the figures. Questions come from the ledger or from somebody who knows the
answers; the two are never added up. Without a model an answer is its words. Whether
the message that holds it is before the model's eyes (its *evidence*) is told apart,
where it is known: many answers are not said in the words of whoever wrote them down.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from steno.core.view import View
from steno.facts.question import Question
from steno.facts.text import message_text
from steno.session.probe import Retrieved
from steno.summary.questions import Phrases, normalize_phrase

TripState = Literal["visible", "recalled", "missing", "unjudged"]
QuestionGroup = Literal["ledger", "known"]
SHORT_ANSWER = 8
"""Characters of an answer below which its words may stand anywhere: they count only where it was said."""


@dataclass(frozen=True)
class VisibleText:
    """What is before a model's eyes."""

    said: Mapping[int, str]
    """Messages as they were said, by position."""
    told: Sequence[str] = ()
    """Other words: what stands for messages, and messages in short."""

    @classmethod
    def of(cls, view: View) -> VisibleText:
        said: dict[int, str] = {}
        told: list[str] = []
        for item in view.items:
            for number, message in enumerate(item.shows):
                if number == item.main and not message.patches:
                    said[item.span.start] = message_text(message)
                elif message.blocks:
                    told.append(message_text(message))
        return cls(said, told)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return (*self.said.values(), *self.told)

    @cached_property
    def phrases(self) -> Phrases:
        return Phrases.of(self.texts)


@dataclass(frozen=True)
class RoundTrip:
    """A question, and what came of it."""

    question: Question
    group: QuestionGroup
    state: TripState
    evidence: TripState | None = None
    """Whether a message that holds the answer is shown as it was said, or was brought; None if none is known."""
    why: str = ""
    """What a judge quoted, or why there is no verdict."""


def probe_question(
    question: Question, group: QuestionGroup, sight: VisibleText, brought: Retrieved
) -> RoundTrip:
    """The question held against what is shown, and what one search brought."""
    short = bool(question.positions) and all(
        len(normalize_phrase(answer).strip()) < SHORT_ANSWER for answer in question.answers
    )
    places = set(question.positions)
    if short:
        seen = Phrases.of(text for at, text in sight.said.items() if at in places)
        brought_words = Phrases.of(text for at, text in brought if at in places)
    else:
        seen, brought_words = sight.phrases, Phrases.of(text for _, text in brought)
    evidence = None
    if places:
        evidence = _trip_state(
            not places.isdisjoint(sight.said), not places.isdisjoint(at for at, _ in brought)
        )
    state = _trip_state(seen.contains(*question.answers), brought_words.contains(*question.answers))
    return RoundTrip(question, group, state, evidence)


def _trip_state(visible: bool, recalled: bool) -> TripState:
    if visible:
        return "visible"
    if recalled:
        return "recalled"
    return "missing"


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
    def judged_count(self) -> int:
        return self.asked_count - self.counts.get("unjudged", 0)

    @property
    def answered_count(self) -> int:
        return self.counts.get("visible", 0) + self.counts.get("recalled", 0)

    @property
    def share(self) -> float | None:
        """Of those that were judged; None where none was."""
        if self.judged_count:
            return self.answered_count / self.judged_count
        return None

    @property
    def evidence_share(self) -> float | None:
        """For how many a message that holds the answer is shown or was brought; None where none is known."""
        known = sum(self.evidence.values())
        if known:
            return (known - self.evidence.get("missing", 0)) / known
        return None

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        counts = {
            state: self.counts.get(state, 0)
            for state in ("visible", "recalled", "missing", "unjudged")
        }
        known = sum(self.evidence.values())
        held = (
            {state: self.evidence.get(state, 0) for state in ("visible", "recalled", "missing")}
            if known
            else None
        )
        share = None if self.share is None else round(self.share, 4)
        return {
            "kind": self.kind,
            "asked": self.asked_count,
            **counts,
            "answered": share,
            "evidence": held,
        }


def answer_rates(trips: Iterable[RoundTrip], group: QuestionGroup) -> list[AnswerRate]:
    """The figures of one group, kind by kind in the order they came, and then of all."""
    ours = [trip for trip in trips if trip.group == group]
    kinds = list(dict.fromkeys(trip.question.kind for trip in ours))
    each = [_rate(kind, [trip for trip in ours if trip.question.kind == kind]) for kind in kinds]
    if ours:
        return [*each, _rate("all", ours)]
    return []


def _rate(kind: str, trips: Sequence[RoundTrip]) -> AnswerRate:
    counts: dict[TripState, int] = {}
    evidence: dict[TripState, int] = {}
    for trip in trips:
        counts[trip.state] = counts.get(trip.state, 0) + 1
        if trip.evidence is not None:
            evidence[trip.evidence] = evidence.get(trip.evidence, 0) + 1
    return AnswerRate(kind, counts, evidence)


def with_verdict(trip: RoundTrip, state: TripState, why: str) -> RoundTrip:
    """The same after a judge has spoken."""
    return replace(trip, state=state, why=why)
