"""`steno probe`: which questions about a compacted session can still be answered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from steno.checks.questions import Question
from steno.cli import options as cli
from steno.cli.output import QUIET, TerminalPage, print_note, print_report
from steno.cli.source import input_file, load_conversation, load_recorded_sessions
from steno.core.errors import BadInput
from steno.core.store import join_names
from steno.engine.designs import resolve_policy
from steno.engine.policy import Policy
from steno.inspector.conversation import LoadedConversation, known_window
from steno.inspector.describe import Json, plural
from steno.lab.handover import (
    ALL_KINDS,
    EvidenceRate,
    Handover,
    HandoverScore,
    evidence_rates,
    handover_scores,
    made_questions,
    read_and_grade,
    sliding_context,
    steno_context,
)
from steno.lab.probe import KnownQuestions, ProbeReport, load_questions, probe_session
from steno.lab.recorded import RecordedSession
from steno.session.settings import StoredSettings
from steno.store.open import without_password

UNBOUNDED_WINDOW = 1_000_000_000
"""Window for a session that is probed as it is, without a compaction."""
HANDOVER_WINDOW = 16_000
"""Window of the contexts if none is named."""
GROUPS = {"ledger": "Made from the session", "known": "Known questions"}
MISSING_MOST = 10
"""Unanswered questions that are listed."""
WORDS_ALONE = (
    "Words that stand there are no understanding: --reader MODEL has a model answer "
    "the questions from each context alone, and --grader MODEL grades the answers."
)


def probe(
    paths: Annotated[
        list[str], cli.argument("FILE|DB…", "A transcript (- reads stdin), or a store of sessions.")
    ],
    session: cli.SessionOption = None,
    handover: Annotated[
        bool, cli.flag("--handover", "Could a reader go on? Compare contexts, of any files.")
    ] = False,
    questions: Annotated[
        str | None, cli.option("--questions -q", "FILE", "Questions with known answers, as JSONL.")
    ] = None,
    window: cli.WindowOption = None,
    model: cli.ModelOption = None,
    reserve: cli.ReserveOption = None,
    policy: cli.PolicyOption = None,
    reader: Annotated[
        str | None, cli.option("--reader", "MODEL", "Answers from each context (--handover).")
    ] = None,
    grader: Annotated[
        str | None, cli.option("--grader", "MODEL", "Grades the answers. Default: the reader.")
    ] = None,
    recall: Annotated[bool, cli.flag("--recall", "It may search and open too.")] = False,
    writer: cli.WriterOption = None,
    most: Annotated[
        int, cli.option("--most -n", "N", "Messages that one recall returns.", min=1, max=100)
    ] = 5,
    least: Annotated[
        float, cli.option("--least", "SHARE", "Exit code 1 if fewer are answered.", min=0, max=1)
    ] = 0.0,
    strict: cli.StrictOption = False,
    as_json: cli.JsonOption = False,
) -> int:
    """Ask what only the covered part can answer: is the answer visible, or found by one recall?

    Questions are made from facts of the session: files, errors, demands, decisions, open loops.
    Those of --questions are counted apart: one JSON value a line, {"question": …, "answer": …,
    "positions": […]}, or rows of LongMemEval and BEAM. A question is answered if the words of the
    answer are there. Evidence is the message that holds the answer.

    With --handover each session is compacted once into the window (16,000 tokens if none is
    named), and compared with a sliding window of the same size: how much of the evidence is there
    word for word, or, with --reader, what a model answers from each alone.

    Examples

      steno probe session.jsonl --window 32k                   from the session
      steno probe session.jsonl -w 32k --questions mine.jsonl  and your own
      steno probe --handover session.jsonl -w 8k
      steno probe --handover session.jsonl -q mine.jsonl --reader openai:gpt-5
    """
    limits = StoredSettings(window=window, model=model, reserve=reserve)
    if handover:
        recorded = list(load_recorded_sessions(paths, session, strict=strict))
        asked = _with_questions(recorded, questions)
        handovers = _contexts(asked, limits, resolve_policy(policy), writer, recall=recall)
        return _handover(handovers, reader, grader or reader, least, as_json=as_json)
    if len(paths) > 1 or reader or grader or writer or recall:
        raise BadInput("several files, --reader, --grader, --recall, --writer are for --handover")
    with input_file(paths[0], strict=strict) as file:
        loaded = load_conversation(file, session, limits).with_policy(policy)
    report = _round_trip(loaded, questions, most, compact=bool(window or model))
    print_report(report, as_json, partial(_print_report, report, paths[0]))
    shares = [rows[-1]["answered"] for rows in (report.ledger, report.known) if rows]
    return _verdict(min(shares, default=None), least)


def _round_trip(
    loaded: LoadedConversation, questions: str | None, most: int, *, compact: bool
) -> ProbeReport:
    """Ask a conversation; without `compact` it is probed as it is."""
    print_note(*loaded.warnings)
    known = KnownQuestions(())
    if questions is not None:
        known = load_questions(questions, loaded.name, len(loaded.log.messages))
    if loaded.budget is None:
        loaded = loaded.with_limits(StoredSettings(window=UNBOUNDED_WINDOW))
    with loaded.open() as opened:
        if compact:
            opened.messages()
        return probe_session(opened, loaded.name, known, most)


def _contexts(
    sessions: Sequence[tuple[RecordedSession, tuple[Question, ...]]],
    limits: StoredSettings,
    policy: Policy,
    writer: str | None,
    *,
    recall: bool,
) -> list[Handover]:
    """Return what is left of each session after one compaction, and a sliding window beside it."""
    window = limits.window or HANDOVER_WINDOW
    if limits.window is None and limits.model is not None:
        window = known_window(limits.model)
    handovers = []
    for each, asked in sessions:
        ours = steno_context(
            each, window, policy, reserve=limits.reserve, writer=writer, recall=recall
        )
        contexts = (ours, sliding_context(each, window))
        handovers.append(Handover(each.name, asked, contexts, each if recall else None))
    return handovers


def _verdict(share: float | None, least: float) -> int:
    if share is None and least:
        print_note(f"nothing was asked, so --least {least:g} is not met")
    return cli.exit_code((share or 0.0) >= least)


def _print_report(report: ProbeReport, path: str, page: TerminalPage) -> None:
    page.line(
        (report.name, "bold"),
        f" · {plural(report.messages, 'message')} · {report.covered:,} covered or shortened"
        f" · {report.load:,} tokens",
    )
    if not report.covered:
        words = "Nothing is covered: the model sees everything. Add --window to compact it first."
        page.quiet(words)
    elif not report.questions:
        page.quiet("No question could be made: no fact is only in what is covered.")
    for group, title in GROUPS.items():
        rates = getattr(report, group)
        if rates:
            page.heading(title)
            heads = ("", ">asked", ">visible", ">recalled", ">not", ">answered", ">evidence")
            page.table(heads, [_rate_cells(rate) for rate in rates], indent=2)
    if report.left_out:
        count = plural(report.left_out, "question")
        page.quiet(f"{count} without an answer in the session left out.")
    missed = [row for row in report.questions if row["state"] == "missing"]
    missed = [row for row in missed if row["group"] == "ledger"]
    if missed:
        page.heading("Not answered")
    for row in missed[:MISSING_MOST]:
        page.line(row["question"], indent=2)
        page.line((f"steno open {without_password(path)} {row['positions'][0]}", "cyan"), indent=4)
    if len(missed) > MISSING_MOST:
        page.quiet(f"{len(missed) - MISSING_MOST:,} more: --json lists them", indent=2)


def _rate_cells(rate: Json) -> list[str]:
    counts = [f"{rate[name]:,}" for name in ("asked", "visible", "recalled", "missing")]
    evidence = "–"
    if rate["evidence"]:
        all_of_it = sum(rate["evidence"].values())
        evidence = f"{1 - rate['evidence']['missing'] / all_of_it:.0%}"
    return [rate["kind"], *counts, f"{rate['answered']:.0%}", evidence]


def _with_questions(
    sessions: Sequence[RecordedSession], questions: str | None
) -> list[tuple[RecordedSession, tuple[Question, ...]]]:
    """Return the sessions with their questions; leave out those without any, and say so."""
    found: list[tuple[RecordedSession, tuple[Question, ...]]] = []
    unasked: list[str] = []
    for recorded in sessions:
        if questions is None:
            asked = made_questions(recorded)
        else:
            count, several = len(recorded.messages), len(sessions) > 1
            known = load_questions(questions, recorded.name, count, named_only=several)
            asked = known.questions
        if asked:
            found.append((recorded, asked))
        else:
            unasked.append(recorded.name)
    if not found:
        raise BadInput(
            "there is nothing to ask about these sessions: --questions FILE gives questions, and "
            "names the session of each line by its id if there are several sessions"
        )
    if unasked:
        print_note(f"there is nothing to ask about {join_names(unasked)}")
    return found


def _handover(
    handovers: Sequence[Handover],
    reader: str | None,
    grader: str | None,
    least: float,
    *,
    as_json: bool,
) -> int:
    """Print what the contexts show, and what a reader could answer from them."""
    rates = evidence_rates(handovers)
    report: Json = {"evidence": rates}
    scores: list[HandoverScore] = []
    if reader is not None:
        readings, graded = read_and_grade(handovers, reader, grader or reader)
        scores = handover_scores(graded)
        for reading in readings:
            if reading.why:
                print_note(f"{reading.session}, {reading.context}: {reading.why}")
        report |= {"reader": reader, "grader": grader, "scores": scores, "answers": graded}

    def draw(page: TerminalPage) -> None:
        print_evidence(page, handovers, rates)
        if reader is None:
            page.sentence(WORDS_ALONE, QUIET)
        else:
            print_scores(page, scores)
            page.quiet(f"read by {reader}, graded by {grader}")

    print_report(report, as_json, draw)
    if reader is None:
        return _verdict(rates[0].some.mean, least)
    ours = scores[0].grade
    if ours is None:
        return cli.FAILED
    return _verdict(ours.mean, least)


def print_evidence(
    page: TerminalPage, handovers: Sequence[Handover], rates: Sequence[EvidenceRate]
) -> None:
    """Print how much of the evidence stands word for word in each context."""
    asked = sum(len(handover.questions) for handover in handovers)
    page.heading("Evidence, word for word")
    page.quiet(f"{plural(len(handovers), 'session')}, {plural(asked, 'question')}", indent=2)
    rows = [(rate.context, f"{rate.tokens:,}", str(rate.some), str(rate.every)) for rate in rates]
    page.table(("context", ">tokens", ">any of it", ">all of it"), rows, indent=2)


def print_scores(page: TerminalPage, scores: Sequence[HandoverScore]) -> None:
    """Print the mean grade of each context, by kind of question."""
    page.heading("Answers of a reader, graded 0 to 1")
    rows = []
    for score in sorted(scores, key=lambda score: score.kind != ALL_KINDS):
        counts = (f"{score.recalled:,}", f"{score.ungraded:,}")
        rows.append((score.kind, score.context, str(score.grade or "–"), *counts))
    heads = ("questions", "context", ">grade", ">tokens recalled", ">not graded")
    page.table(heads, rows, indent=2)
