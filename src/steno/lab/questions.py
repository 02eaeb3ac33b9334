"""Known questions, from a file: your own, or rows of LongMemEval and BEAM."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steno.checks.questions import Question
from steno.core.errors import BadInput
from steno.core.words import word_tuple
from steno.transcripts import open_lines

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
