"""Questions whose answers are known, from a file: a user's own, or those of public benchmarks.

One JSON value a line, gzipped or not: `{"question", "answer", "positions"?, "kind"?}`, a
row of LongMemEval (`question_type`; gold turns by `has_answer`) or of BEAM (lists of
questions by kind), at the top or under `labels` beside the conversation they are
about. What has no answer in the conversation is left out, and counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steno.core.errors import BadInput
from steno.facts.question import Question
from steno.transcripts import open_lines

ANSWER_KEYS = (
    "answer",
    "ideal_answer",
    "ideal_summary",
    "instruction_being_tested",
    "preference_being_tested",
)
"""Where a benchmark keeps what would be right, the plainest first."""
UNANSWERABLE = "abstention"
QuestionRow = dict[str, Any]


@dataclass(frozen=True)
class KnownQuestions:
    questions: tuple[Question, ...]
    left_out: int = 0
    """Questions that the conversation does not answer."""


def load_questions(path: str, session: str, positions: int) -> KnownQuestions:
    """The questions of a file that are about a session of so many positions."""
    rows = list(_iter_rows(Path(path)))
    named = [(at, row) for at, row in rows if row.get("id") == session]
    made = [questions_in_row(row, positions, f"{path}, line {at}") for at, row in named or rows]
    found = tuple(question for each in made for question in each.questions)
    if not found:
        form = '{"question": …, "answer": …}'
        raise BadInput(f"{path} asks nothing: a line is {form}, or one of LongMemEval's or BEAM's")
    return KnownQuestions(found, sum(each.left_out for each in made))


def questions_in_row(row: QuestionRow, positions: int, where: str) -> KnownQuestions:
    """The questions of one row."""
    asked = list(_row_questions(row))
    answerable = [each for each in asked if each[0] != UNANSWERABLE]
    found = (_parse_question(each, kind, gold, positions, where) for kind, each, gold in answerable)
    return KnownQuestions(tuple(found), len(asked) - len(answerable))


def _iter_rows(path: Path) -> Iterator[tuple[int, QuestionRow]]:
    for at, line in enumerate(open_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise BadInput(
                f"{path}, line {at}: not JSON; a file of questions has one JSON value a line"
            ) from None
        if not isinstance(row, dict):
            raise BadInput(
                f'{path}, line {at}: expected an object such as {{"question": …, "answer": …}}'
            )
        yield at, row


def _row_questions(row: QuestionRow) -> Iterator[tuple[str, QuestionRow, list[int]]]:
    """Every question of a row, with its kind and the positions of the messages that answer it, if the row says."""
    labels = row["labels"] if isinstance(row.get("labels"), dict) else row
    said = _row_messages(row)
    if "question" in labels:
        kind = labels.get("kind") or labels.get("type") or labels.get("question_type") or "known"
        yield (
            str(kind),
            labels,
            [at for at, message in enumerate(said) if _message_meta(message).get("has_answer")],
        )
        return
    numbers = {_message_meta(message).get("id"): at for at, message in enumerate(said)}
    for kind, several in labels.items():
        for each in several if isinstance(several, list) else ():
            if isinstance(each, dict) and "question" in each:
                cited = _flat_numbers(each.get("source_chat_ids"))
                yield str(kind), each, [numbers[number] for number in cited if number in numbers]


def _row_messages(row: QuestionRow) -> list[QuestionRow]:
    """The messages beside the questions; what only marks a place in the conversation has no position."""
    messages = row.get("messages")
    plain = messages if isinstance(messages, list) else []
    return [each for each in plain if isinstance(each, dict) and each.get("role") != "meta"]


def _message_meta(message: QuestionRow) -> QuestionRow:
    meta = message.get("meta")
    if isinstance(meta, dict):
        return meta
    return message


def _parse_question(
    asked: QuestionRow, kind: str, gold: list[int], most: int, where: str
) -> Question:
    answer = next((asked[name] for name in ANSWER_KEYS if name in asked), None)
    answers = answer if isinstance(answer, list) else [answer]
    if not isinstance(asked["question"], str) or not asked["question"].strip():
        raise BadInput(f"{where}: the question is no text")
    if not answers or not all(map(_is_answer, answers)):
        raise BadInput(f'{where}: there is no "answer" to {asked["question"]!r}')
    at = asked.get("positions", gold)
    if not isinstance(at, list) or not all(type(each) is int and 0 <= each < most for each in at):
        raise BadInput(f"{where}: positions are whole numbers from 0 to {most - 1}, got {at!r}")
    return Question(kind, asked["question"], tuple(map(str, answers)), tuple(at))


def _is_answer(answer: Any) -> bool:
    if isinstance(answer, str):
        return bool(answer.strip())
    return type(answer) in (int, float)


def _flat_numbers(value: Any) -> list[int]:
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return [number for part in parts for number in _flat_numbers(part)]
    if type(value) is int:
        return [value]
    return []
