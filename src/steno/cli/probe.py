"""`steno probe`: which questions about the covered part can still be answered."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Annotated, Any

from steno.checks.questions import Question
from steno.cli.conversation import LoadedConversation, known_window, limit_options
from steno.cli.describe import plural
from steno.cli.handover import HANDOVER_WINDOW, load_handovers, probe_handover
from steno.cli.options import (
    DONE,
    FAILED,
    JsonOption,
    ModelOption,
    PolicyOption,
    ReserveOption,
    SessionOption,
    StrictOption,
    WindowOption,
    WriterOption,
    argument,
    flag,
    option,
)
from steno.cli.output import QUIET, TerminalPage, print_json, print_note
from steno.cli.source import input_file, load_conversation
from steno.core.effects import run
from steno.core.errors import BadInput
from steno.engine.designs import resolve_policy
from steno.lab.probe import (
    AnswerRate,
    KnownQuestions,
    QuestionGroup,
    RoundTrip,
    VisibleText,
    answer_rates,
    judge_limits,
    judge_trips,
    load_questions,
    probe_question,
)
from steno.models import resolve_model
from steno.session.recall import Retrieved, covered_questions
from steno.session.session import Session
from steno.session.settings import StoredSettings

SEARCH_SECONDS = 30.0
"""Time for one search; the first one also fills the index."""
UNBOUNDED_WINDOW = 1_000_000_000
"""Window for a session that is probed as it is, without a compaction."""
GROUPS: dict[QuestionGroup, str] = {"ledger": "Made from the session", "known": "Known questions"}
MISSING_MOST = 10
"""Unanswered questions that are listed."""


@dataclass(frozen=True)
class ProbeResult:
    """A probed session and the fate of each question."""

    loaded: LoadedConversation
    load: int
    covered: int
    trips: list[RoundTrip]
    left_out: int


PathsArgument = Annotated[
    list[str], argument("FILE|DB…", "A transcript (- reads stdin), or a store of sessions.")
]


HandoverOption = Annotated[
    bool, flag("--handover", "Could a reader go on? Compare contexts, of any files.")
]
QuestionsOption = Annotated[
    str | None, option("--questions -q", "FILE", "Questions with known answers, as JSONL.")
]
JudgeOption = Annotated[
    str | None,
    option("--judge", "MODEL", "A model that decides: openai:gpt-5-mini, http://…#name."),
]
ReaderOption = Annotated[
    str | None, option("--reader", "MODEL", "Answers from each context (--handover).")
]
GraderOption = Annotated[
    str | None, option("--grader", "MODEL", "Grades the answers. Default: the reader.")
]
MostOption = Annotated[
    int, option("--most -n", "N", "Messages that one recall returns.", min=1, max=100)
]
LeastOption = Annotated[
    float, option("--least", "SHARE", "Exit code 1 if fewer are answered.", min=0, max=1)
]


def probe(
    paths: PathsArgument,
    session: SessionOption = None,
    handover: HandoverOption = False,
    questions: QuestionsOption = None,
    window: WindowOption = None,
    model: ModelOption = None,
    reserve: ReserveOption = None,
    policy: PolicyOption = None,
    judge: JudgeOption = None,
    reader: ReaderOption = None,
    grader: GraderOption = None,
    writer: WriterOption = None,
    most: MostOption = 5,
    least: LeastOption = 0.0,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> int:
    """Ask what only the covered part can answer: is the answer visible, or found by one recall?

    Questions are made from the facts of the session: which files were changed, what an error said,
    what was demanded, why something was decided, what is still open. Those of --questions are
    counted apart: one JSON value a line, {"question": …, "answer": …, "positions": […]}, or rows of
    LongMemEval and BEAM. A question is answered if the words of the answer are there; with --judge
    a model decides, and must quote. Evidence is the message that holds the answer. Exit code 1 if
    a smaller share than --least is answered.

    With --handover the question is whether a reader could go on. Each session is compacted once
    into the window (16,000 tokens if none is named), and beside it stands a sliding window of the
    same size. Without a model it prints how much of the evidence is there word for word; with
    --reader a model answers the questions from each context alone, and --grader grades blind.
    Questions of --questions may have "evidence": [{"at": 3, "quote": "…"}]; else they are made
    from the facts of the session, which favours Steno.

    Examples

      steno probe session.jsonl --window 32k                   questions from the session
      steno probe session.jsonl -w 32k --questions mine.jsonl  and your own
      steno probe agent.db --judge openai:gpt-5-mini           as it is, with a judge
      steno probe session.jsonl -w 32k --least 0.9 --json      for a script
      steno probe --handover logs/*.jsonl -q mine.jsonl --reader openai:gpt-5
    """
    if handover:
        chosen = resolve_policy(policy or "default")
        size = window or HANDOVER_WINDOW
        if window is None and model is not None:
            size = known_window(model)
        cut = load_handovers(
            paths, session, questions, size, chosen, reserve, writer, strict=strict
        )
        return probe_handover(cut, reader, grader, least, as_json)
    if len(paths) > 1 or reader is not None or grader is not None or writer is not None:
        raise BadInput("several files, --reader, --grader and --writer are for --handover")
    path = paths[0]
    limits = StoredSettings(window=window, model=model, reserve=reserve)
    with ExitStack() as stack:
        judge_model = None
        if judge is not None:
            judge_model = stack.enter_context(closing(resolve_model(judge)))
        with input_file(path, strict=strict) as file:
            loaded = load_conversation(file, session, limits)
        loaded = loaded.with_policy(policy)
        for warning in loaded.warnings:
            print_note(warning)
        known = KnownQuestions(())
        if questions is not None:
            known = load_questions(questions, loaded.name, len(loaded.log.messages))
        compacts = bool(window or model)
        result = _run_probe(loaded, known, judge_model, most, compacts=compacts)
    if as_json:
        print_json(_as_json(result, judge, most))
    else:
        _print_result(result, path)
    return _exit_code(result, least)


def _exit_code(result: ProbeResult, least: float) -> int:
    """Return `FAILED` if a group of questions has fewer answered than asked for."""
    shares = []
    for group in GROUPS:
        rates = answer_rates(result.trips, group)
        if rates and rates[-1].share is not None:
            shares.append(rates[-1].share)
    if least and not shares:
        print_note(f"nothing was asked, so --least {least:g} is not met")
        return FAILED
    if any(share < least for share in shares):
        return FAILED
    return DONE


def _run_probe(
    loaded: LoadedConversation, known: KnownQuestions, judge: Any, most: int, *, compacts: bool
) -> ProbeResult:
    settings = loaded.settings
    if not (settings.window or settings.model):
        settings = settings.with_changes(window=UNBOUNDED_WINDOW)
    policy = loaded.policy.but(moment="now")
    options = limit_options(settings)
    with Session(wire=loaded.wire, log=loaded.log, policy=policy, **options) as session:
        # Without --window or --model a session is probed as it is.
        if compacts:
            session.messages()
        visible = VisibleText.of(session.view)
        asks: list[tuple[Question, QuestionGroup]] = []
        for made in covered_questions(session.view):
            asks.append((made.question, "ledger"))
        for question in known.questions:
            asks.append((question, "known"))
        trips: list[RoundTrip] = []
        retrieved: list[Retrieved] = []
        for question, group in asks:
            found = session.host.search_question(question, most, SEARCH_SECONDS)
            retrieved.append(found)
            trips.append(probe_question(question, group, visible, found))
        covered = sum(len(item.span) for item in session.view.items if item.is_edited)
        load = session.load
    if judge is not None:
        trips = run(judge_trips(trips, visible, retrieved), judge, judge_limits(len(trips)))
    return ProbeResult(loaded, load, covered, trips, known.left_out)


def _as_json(result: ProbeResult, judge: str | None, most: int) -> dict[str, Any]:
    report: dict[str, Any] = {
        "name": result.loaded.name,
        "messages": len(result.loaded.log.messages),
        "covered": result.covered,
        "load": result.load,
        "judge": judge,
        "most": most,
        "left_out": result.left_out,
    }
    for group in GROUPS:
        report[group] = [rate.as_dict() for rate in answer_rates(result.trips, group)]
    report["questions"] = [
        {
            "group": trip.group,
            "kind": trip.question.kind,
            "question": trip.question.text,
            "answers": list(trip.question.answers),
            "positions": list(trip.question.positions),
            "state": trip.state,
            "evidence": trip.evidence,
            "why": trip.why,
        }
        for trip in result.trips
    ]
    return report


def _print_result(result: ProbeResult, path: str) -> None:
    page = TerminalPage()
    count = plural(len(result.loaded.log.messages), "message")
    page.line(
        (result.loaded.name, "bold"),
        f" · {count} · {result.covered:,} covered or shortened · {result.load:,} tokens",
    )
    if not result.covered:
        words = "Nothing is covered: the model sees everything. Add --window to compact it first."
        page.line((words, QUIET))
    elif not result.trips:
        page.line(("No question could be made: no fact is told only in what is covered.", QUIET))
    for group, title in GROUPS.items():
        rates = answer_rates(result.trips, group)
        if rates:
            _print_table(page, title, rates)
    if result.left_out:
        count = plural(result.left_out, "question")
        page.line((f"{count} without an answer in the session left out.", QUIET))
    _print_missing(page, result.trips, path)


def _print_table(page: TerminalPage, title: str, rates: Sequence[AnswerRate]) -> None:
    # Only known questions say which message holds the answer.
    with_evidence = title == GROUPS["known"] and any(rate.evidence for rate in rates)
    head = f"{'':<25}{'asked':>7}{'visible':>9}{'recalled':>10}{'not':>6}{'answered':>10}"
    if with_evidence:
        head += "  evidence"
    page.heading(title)
    page.line((head, QUIET), indent=2)
    for rate in rates:
        line = f"{rate.kind[:24]:<25}{rate.asked_count:>7,}"
        counts = rate.counts
        line += f"{counts.get('visible', 0):>9,}{counts.get('recalled', 0):>10,}"
        line += f"{counts.get('missing', 0):>6,}"
        line += f"{_percent(rate.share):>10}"
        if with_evidence:
            line += f"{_percent(rate.evidence_share):>10}"
        page.line(line, indent=2)
        if rate.counts.get("unjudged"):
            count = plural(rate.counts["unjudged"], "question")
            page.line((f"{count} not judged", QUIET), indent=4)


def _percent(share: float | None) -> str:
    if share is None:
        return "–"
    return f"{share:.0%}"


def _print_missing(page: TerminalPage, trips: Sequence[RoundTrip], path: str) -> None:
    missed = [trip for trip in trips if trip.state == "missing" and trip.group == "ledger"]
    if not missed:
        return
    page.heading("Not answered")
    for trip in missed[:MISSING_MOST]:
        page.line(trip.question.text, indent=2)
        page.line((f"steno open {path} {trip.question.positions[0]}", "cyan"), indent=4)
    if len(missed) > MISSING_MOST:
        page.line((f"{len(missed) - MISSING_MOST:,} more: --json lists them", QUIET), indent=2)
