"""Round trips: what a view answers, what one search adds, and what neither does.

A question is held against what is shown and what a search brought. Questions come
from the facts of the session ("ledger") or from a file whose author knows the answers
("known"); the two are never added up. An answer is its words. Many answers are not said
in the words of the person who wrote them down, so the *evidence* is counted apart: whether
the message that holds the answer is shown or was brought. Whether a model could answer is
for `handover.py`.

The pure half is `checks/questions.py`, the search is `session/recall.py`, the command
is `cli/probe.py`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from steno.checks.questions import AnswerTexts, Question, hidden_questions, normalize_phrase
from steno.core.errors import BadInput
from steno.core.view import View
from steno.core.word_tables import word_tuple
from steno.facts.ledger import Ledger
from steno.facts.text import message_text
from steno.recall.query import QUERY_MOST
from steno.session.session import Session
from steno.transcripts import open_lines

TripState = Literal["visible", "recalled", "missing"]
TRIP_STATES: tuple[TripState, ...] = ("visible", "recalled", "missing")
QuestionGroup = Literal["ledger", "known"]
Retrieved = Sequence[tuple[int, str]]
"""Messages that a search found, each with its position."""
SEARCH_SECONDS = 30.0
"""Time for one search; the first one also fills the index."""
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


# Known questions, from a file

ANSWER_KEYS = word_tuple(
    "answer ideal_answer ideal_summary instruction_being_tested preference_being_tested"
)
"""Keys under which benchmarks keep the right answer, the plainest first."""
UNANSWERABLE = "abstention"
"""BEAM's kind of questions that the conversation does not answer."""
QuestionRow = dict[str, Any]


@dataclass(frozen=True)
class KnownQuestions:
    """The questions of a file."""

    questions: tuple[Question, ...]
    left_out: int = 0
    """Questions that the conversation does not answer."""


def load_questions(
    path: str, session: str, positions: int, *, named_only: bool = False
) -> KnownQuestions:
    """Load the questions of a file about a session with so many positions.

    The file has one JSON value a line, gzipped or not: `{"question", "answer",
    "positions"?, "kind"?}`, a row of LongMemEval (`question_type`; gold turns by
    `has_answer`) or of BEAM (lists of questions by kind), at the top or under `labels`
    beside the conversation. A list `questions` is read as BEAM's are; its entries may have
    a `kind` and `evidence`, a list of `{"at", "quote"}`. If a row has the session's name
    as its `id`, only such rows are read; with `named_only` no others ever are.
    """
    rows = list(_iter_rows(Path(path)))
    named = [(line, row) for line, row in rows if row.get("id") == session]
    wanted = named or rows
    if named_only:
        wanted = named
    loaded = [questions_in_row(row, positions, f"{path}, line {line}") for line, row in wanted]
    questions = tuple(question for known in loaded for question in known.questions)
    if not questions and not named_only:
        form = '{"question": …, "answer": …}'
        raise BadInput(f"{path} asks nothing: a line is {form}, or one of LongMemEval's or BEAM's")
    return KnownQuestions(questions, sum(known.left_out for known in loaded))


def questions_in_row(row: QuestionRow, positions: int, where: str) -> KnownQuestions:
    """Return the questions of one row; `where` names it in errors."""
    questions = []
    left_out = 0
    for kind, entry, gold in _row_questions(row):
        if kind == UNANSWERABLE:
            left_out += 1
        else:
            questions.append(_parse_question(entry, kind, gold, positions, where))
    return KnownQuestions(tuple(questions), left_out)


def _iter_rows(path: Path) -> Iterator[tuple[int, QuestionRow]]:
    for number, line in enumerate(open_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise BadInput(
                f"{path}, line {number}: not JSON; a file of questions has one JSON value a line"
            ) from None
        if not isinstance(row, dict):
            raise BadInput(
                f'{path}, line {number}: expected an object such as {{"question": …, "answer": …}}'
            )
        yield number, row


def _row_questions(row: QuestionRow) -> Iterator[tuple[str, QuestionRow, list[int]]]:
    """Yield each question of a row with its kind and the positions that answer it, if known."""
    labels = row
    if isinstance(row.get("labels"), dict):
        labels = row["labels"]
    messages = _row_messages(row)
    if "question" in labels:
        kind = labels.get("kind") or labels.get("type") or labels.get("question_type") or "known"
        # LongMemEval marks the turns that hold the answer; BEAM, below, names them by id.
        gold = [at for at, message in enumerate(messages) if _meta(message).get("has_answer")]
        yield str(kind), labels, gold
        return
    positions = {_meta(message).get("id"): at for at, message in enumerate(messages)}
    for kind, entries in labels.items():
        if not isinstance(entries, list):
            continue
        for entry in entries:
            if isinstance(entry, dict) and "question" in entry:
                cited = _flat_numbers(entry.get("source_chat_ids"))
                gold = [positions[id] for id in cited if id in positions]
                gold += [quoted["at"] for quoted in _evidence(entry) if "at" in quoted]
                yield str(entry.get("kind") or kind), entry, gold


def _evidence(entry: QuestionRow) -> list[QuestionRow]:
    """Return the quotes beside a question, if it has any."""
    quoted = entry.get("evidence")
    if not isinstance(quoted, list):
        return []
    return [each for each in quoted if isinstance(each, dict)]


def _row_messages(row: QuestionRow) -> list[QuestionRow]:
    """Return the messages beside the questions; rows that only mark a place have no position."""
    messages = row.get("messages")
    if not isinstance(messages, list):
        return []
    return [
        message
        for message in messages
        if isinstance(message, dict) and message.get("role") != "meta"
    ]


def _meta(message: QuestionRow) -> QuestionRow:
    meta = message.get("meta")
    if isinstance(meta, dict):
        return meta
    return message


def _parse_question(
    entry: QuestionRow, kind: str, gold: list[int], positions: int, where: str
) -> Question:
    text = entry["question"]
    if not isinstance(text, str) or not text.strip():
        raise BadInput(f"{where}: the question is no text")
    answers = next((entry[name] for name in ANSWER_KEYS if name in entry), None)
    if not isinstance(answers, list):
        answers = [answers]
    if not answers or not all(map(_is_answer, answers)):
        raise BadInput(f'{where}: there is no "answer" to {text!r}')
    places = entry.get("positions", gold)
    if not isinstance(places, list) or not all(
        type(at) is int and 0 <= at < positions for at in places
    ):
        raise BadInput(
            f"{where}: positions are whole numbers from 0 to {positions - 1}, got {places!r}"
        )
    quotes = tuple(str(each["quote"]) for each in _evidence(entry) if each.get("quote"))
    return Question(kind, text, tuple(map(str, answers)), tuple(places), quotes)


def _is_answer(answer: Any) -> bool:
    if isinstance(answer, str):
        return bool(answer.strip())
    return type(answer) in (int, float)


def _flat_numbers(value: Any) -> list[int]:
    """Return the whole numbers in lists and objects, however deep."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for part in value for number in _flat_numbers(part)]
    if type(value) is int:
        return [value]
    return []


# One session


class ProbeReport(msgspec.Struct):
    """The questions about one session, and the fate of each."""

    name: str
    messages: int
    covered: int
    load: int
    most: int
    left_out: int
    ledger: list[dict[str, Any]]
    """Rates of the questions made from the session, by kind and then of all."""
    known: list[dict[str, Any]]
    questions: list[dict[str, Any]]


def search_question(session: Session, question: Question, most: int) -> Retrieved:
    """Return the messages that one search for a question finds, whole."""
    found = session.recall(question.text[:QUERY_MOST], most=most, seconds=SEARCH_SECONDS)
    positions = [position for hit in found.hits for position in hit.positions]
    return [(position, message_text(session.log.messages[position])) for position in positions]


def probe_session(session: Session, name: str, known: KnownQuestions, most: int) -> ProbeReport:
    """Ask what only the covered part answers, and what the author of `known` asks."""
    visible = VisibleText.of(session.view)
    asks: list[tuple[Question, QuestionGroup]] = []
    covered = hidden_questions(session.view, Ledger.of(session.view.messages))
    asks += [(question, "ledger") for question in covered]
    asks += [(question, "known") for question in known.questions]
    trips: list[RoundTrip] = []
    for question, group in asks:
        found = search_question(session, question, most)
        trips.append(probe_question(question, group, visible, found))
    return ProbeReport(
        name,
        len(session.log.messages),
        sum(len(item.span) for item in session.view.items if item.is_edited),
        session.load,
        most,
        known.left_out,
        [rate.as_dict() for rate in answer_rates(trips, "ledger")],
        [rate.as_dict() for rate in answer_rates(trips, "known")],
        [
            {
                "group": trip.group,
                "kind": trip.question.kind,
                "question": trip.question.text,
                "answers": trip.question.answers,
                "positions": trip.question.positions,
                "state": trip.state,
                "evidence": trip.evidence,
            }
            for trip in trips
        ],
    )
