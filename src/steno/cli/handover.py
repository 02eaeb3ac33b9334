"""`steno probe --handover`: could a reader go on from what a compaction leaves?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from steno.cli.describe import plural
from steno.cli.options import DONE, FAILED
from steno.cli.output import QUIET, TerminalPage, print_json, print_note
from steno.cli.recorded_sessions import load_recorded_sessions
from steno.cli.source import input_file
from steno.core.effects import run
from steno.core.errors import BadInput
from steno.core.store import join_names
from steno.engine.policy import Policy
from steno.lab.as_json import interval_json
from steno.lab.handover import (
    ALL_KINDS,
    EvidenceRate,
    GradedAnswer,
    Handover,
    HandoverScore,
    Reading,
    evidence_rates,
    grade_readings,
    grading_limits,
    handover_scores,
    made_questions,
    read_contexts,
    reading_limits,
    sliding_context,
    steno_context,
)
from steno.lab.probe import load_questions
from steno.lab.recorded import RecordedSession
from steno.models import resolve_model

HANDOVER_WINDOW = 16_000
"""Window of the contexts if none is named."""
NAME_WIDTH = 16
"""Characters of a context's name in a table."""


def load_handovers(
    paths: Sequence[str],
    session: str | None,
    questions: str | None,
    window: int,
    policy: Policy,
    reserve: int | None,
    writer: str | None,
    *,
    strict: bool,
) -> list[Handover]:
    """Cut each session at its end, and make the contexts to compare."""
    sessions = list(_load_sessions(paths, session, strict=strict))
    found: list[Handover] = []
    unasked: list[str] = []
    for number, recorded in enumerate(sessions):
        asked = made_questions(recorded)
        if questions is not None:
            several = len(sessions) > 1
            count = len(recorded.messages)
            known = load_questions(questions, recorded.name, count, named_only=several)
            asked = known.questions
        if not asked:
            unasked.append(recorded.name)
            continue
        contexts = (
            steno_context(recorded, window, policy, reserve=reserve, writer=writer),
            sliding_context(recorded, window),
        )
        # Answers are put together by session, and two files may hold one of the same name.
        name = recorded.name
        if any(other.name == name for other in sessions[:number]):
            name = f"{name} ({number})"
        found.append(Handover(name, asked, contexts))
    if not found:
        raise BadInput(
            "there is nothing to ask about these sessions: --questions FILE gives questions, and "
            "names the session of each line by its id if there are several sessions"
        )
    if unasked:
        print_note(f"there is nothing to ask about {join_names(unasked)}")
    return found


def _load_sessions(
    paths: Sequence[str], session: str | None, *, strict: bool
) -> Iterator[RecordedSession]:
    for path in paths:
        with input_file(path, strict=strict) as file:
            yield from load_recorded_sessions(file, session)


def probe_handover(
    handovers: Sequence[Handover],
    reader: str | None,
    grader: str | None,
    least: float,
    as_json: bool,
) -> int:
    """Print what the contexts show, and what a reader could answer from them."""
    rates = evidence_rates(handovers)
    if reader is None:
        if as_json:
            print_json({"evidence": [_rate_json(rate) for rate in rates]})
        else:
            page = TerminalPage()
            print_evidence(page, handovers, rates)
            words = (
                "Words that stand there are no understanding: --reader MODEL has a model answer "
                "the questions from each context alone, and --grader MODEL grades the answers."
            )
            page.sentence(words, QUIET)
        return _verdict(rates[0].some.mean, least)
    readings, graded = read_and_grade(handovers, reader, grader or reader)
    scores = handover_scores(graded)
    for reading in readings:
        if reading.why:
            print_note(f"{reading.session}, {reading.context}: {reading.why}")
    if as_json:
        print_json(_report(rates, scores, graded, reader, grader or reader))
    else:
        page = TerminalPage()
        print_evidence(page, handovers, rates)
        print_scores(page, scores)
        page.line((f"read by {reader}, graded by {grader or reader}", QUIET))
    ours = scores[0].grade
    if ours is None:
        return FAILED
    return _verdict(ours.mean, least)


def _verdict(share: float, least: float) -> int:
    if share < least:
        return FAILED
    return DONE


def read_and_grade(
    handovers: Sequence[Handover], reader: str, grader: str
) -> tuple[list[Reading], list[GradedAnswer]]:
    """Have one model answer from each context, and another grade; both by name."""
    # A name that is wrong is told before anything is paid for.
    with closing(resolve_model(reader)) as reads, closing(resolve_model(grader)) as grades:
        readings = run(read_contexts(handovers), reads, reading_limits(handovers))
        flow = grade_readings(handovers, readings)
        return readings, run(flow, grades, grading_limits(handovers))


def print_evidence(
    page: TerminalPage, handovers: Sequence[Handover], rates: Sequence[EvidenceRate]
) -> None:
    """Print how much of the evidence stands word for word in each context."""
    asked = sum(len(handover.questions) for handover in handovers)
    page.heading("Evidence, word for word")
    page.line(
        (f"{plural(len(handovers), 'session')}, {plural(asked, 'question')}", QUIET), indent=2
    )
    head = f"{'context':<{NAME_WIDTH}}{'tokens':>9}{'any of it':>20}{'all of it':>20}"
    page.line((head, QUIET), indent=2)
    for rate in rates:
        line = f"{rate.context:<{NAME_WIDTH}}{rate.tokens:>9,}"
        page.line(f"{line}{rate.some!s:>20}{rate.every!s:>20}", indent=2)


def print_scores(page: TerminalPage, scores: Sequence[HandoverScore]) -> None:
    """Print the mean grade of each context, by kind of question."""
    names = list(dict.fromkeys(score.context for score in scores))
    kinds = sorted({score.kind for score in scores}, key=lambda kind: (kind != ALL_KINDS, kind))
    found = {(score.context, score.kind): score for score in scores}
    page.heading("Answers of a reader, graded 0 to 1")
    head = "".join(f"{name:>20}" for name in names)
    page.line((f"{'':<{NAME_WIDTH}}{head}", QUIET), indent=2)
    for kind in kinds:
        line = f"{kind:<{NAME_WIDTH}}"
        for name in names:
            line += f"{_cell(found.get((name, kind))):>20}"
        page.line(line, indent=2)
    ungraded = sum(score.ungraded for score in scores if score.kind == ALL_KINDS)
    if ungraded:
        page.line((f"{plural(ungraded, 'answer')} not graded", QUIET), indent=2)


def _cell(score: HandoverScore | None) -> str:
    if score is None or score.grade is None:
        return "–"
    return str(score.grade)


def _report(
    rates: Sequence[EvidenceRate],
    scores: Sequence[HandoverScore],
    graded: Sequence[GradedAnswer],
    reader: str,
    grader: str,
) -> dict[str, Any]:
    return {
        "reader": reader,
        "grader": grader,
        "evidence": [_rate_json(rate) for rate in rates],
        "scores": [
            {
                "context": score.context,
                "kind": score.kind,
                "grade": interval_json(score.grade, of="count"),
                "ungraded": score.ungraded,
            }
            for score in scores
        ],
        "answers": [
            {
                "session": answer.session,
                "context": answer.context,
                "kind": answer.question.kind,
                "question": answer.question.text,
                "key": list(answer.question.answers),
                "answer": answer.answer,
                "grade": answer.grade,
            }
            for answer in graded
        ],
    }


def _rate_json(rate: EvidenceRate) -> dict[str, Any]:
    return {
        "context": rate.context,
        "tokens": rate.tokens,
        "any": interval_json(rate.some, of="count"),
        "all": interval_json(rate.every, of="count"),
    }
