"""`steno probe`: what can still be answered of what only the covered part says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steno.cli.describe import plural
from steno.cli.options import DONE, FAILED
from steno.cli.output import QUIET, TerminalPage, print_json, print_note
from steno.cli.source import LoadedConversation, input_file, limit_options, load_conversation
from steno.core.effects import run
from steno.engine.designs import resolve_policy
from steno.facts.question import Question
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
"""One search, the first of which fills the index."""
UNBOUNDED_WINDOW = 1_000_000_000
"""Tokens of a window in which a session is held as it stands."""
GROUPS: dict[QuestionGroup, str] = {"ledger": "Made from the session", "known": "Known questions"}
MISSING_MOST = 10


@dataclass(frozen=True)
class ProbeOptions:
    path: str
    session: str | None
    told: StoredSettings
    policy: str
    questions: str | None = None
    judge: str | None = None
    most: int = 5
    least: float = 0.0
    as_json: bool = False


@dataclass(frozen=True)
class ProbeReport:
    held: LoadedConversation
    load: int
    covered: int
    trips: list[RoundTrip]
    left_out: int = 0

    def share(self, group: QuestionGroup) -> float | None:
        made = answer_rates(self.trips, group)
        if made:
            return made[-1].share
        return None


def probe(asked: ProbeOptions) -> int:
    judge = None if asked.judge is None else resolve_model(asked.judge)
    with input_file(asked.path) as file:
        held = load_conversation(file, asked.session, asked.told).with_policy(
            resolve_policy(asked.policy)
        )
    for warning in held.warnings:
        print_note(warning)
    wanted = KnownQuestions(())
    if asked.questions is not None:
        wanted = load_questions(asked.questions, held.name, len(held.log.messages))
    made = _run_probe(held, asked, wanted, judge)
    shares = [made.share(group) for group in GROUPS]
    if asked.as_json:
        print_json(_as_json(made, asked))
    else:
        _print_report(made, asked)
    if all(share is None or share >= asked.least for share in shares):
        return DONE
    return FAILED


def _run_probe(
    held: LoadedConversation, asked: ProbeOptions, wanted: KnownQuestions, judge: Any
) -> ProbeReport:
    told = (
        held.told
        if held.told.window or held.told.model
        else held.told.with_changes(window=UNBOUNDED_WINDOW)
    )
    policy = held.policy.but(moment="now")
    with Session(wire=held.wire, log=held.log, policy=policy, **limit_options(told)) as session:
        if asked.told.window or asked.told.model:
            session.messages()
        sight = VisibleText.of(session.view)
        trips: list[RoundTrip] = []
        found: list[Retrieved] = []
        asks: list[tuple[Question, QuestionGroup]] = [
            (each.question, "ledger") for each in covered_questions(session.view)
        ]
        asks += [(question, "known") for question in wanted.questions]
        for question, group in asks:
            found.append(session.parts.recall.search_question(question, asked.most, SEARCH_SECONDS))
            trips.append(probe_question(question, group, sight, found[-1]))
        covered = sum(len(item.span) for item in session.view.items if item.is_edited)
        load = session.load
    if judge is not None:
        trips = run(judge_trips(trips, sight, found), judge, judge_limits(len(trips)))
    return ProbeReport(held, load, covered, trips, wanted.left_out)


def _as_json(made: ProbeReport, asked: ProbeOptions) -> dict[str, Any]:
    return {
        "name": made.held.name,
        "messages": len(made.held.log.messages),
        "covered": made.covered,
        "load": made.load,
        "judge": asked.judge,
        "most": asked.most,
        "left_out": made.left_out,
        **{group: [rate.as_dict() for rate in answer_rates(made.trips, group)] for group in GROUPS},
        "questions": [_trip_json(trip) for trip in made.trips],
    }


def _trip_json(trip: RoundTrip) -> dict[str, Any]:
    question = trip.question
    return {
        "group": trip.group,
        "kind": question.kind,
        "question": question.text,
        "answers": list(question.answers),
        "positions": list(question.positions),
        "state": trip.state,
        "evidence": trip.evidence,
        "why": trip.why,
    }


def _print_report(made: ProbeReport, asked: ProbeOptions) -> None:
    page = TerminalPage()
    size = plural(len(made.held.log.messages), "message")
    page.line(
        (made.held.name, "bold"),
        f" · {size} · {made.covered:,} covered or in short · {made.load:,} tokens",
    )
    if not made.covered:
        page.line(
            ("Nothing is covered: the model sees it all. Say --window to compact it first.", QUIET)
        )
    for group, title in GROUPS.items():
        found = answer_rates(made.trips, group)
        if found:
            _print_table(page, title, found)
    if made.left_out:
        page.line(
            (f"{plural(made.left_out, 'question')} that nothing answers were left out.", QUIET)
        )
    _print_missing(page, made.trips, asked.path)


def _print_table(page: TerminalPage, title: str, found: Sequence[AnswerRate]) -> None:
    proved = any(rate.evidence for rate in found) and title == GROUPS["known"]
    head = f"{'':<25}{'asked':>7}{'visible':>9}{'recalled':>10}{'not':>6}{'answered':>10}"
    page.heading(title)
    page.line((head + ("  evidence" if proved else ""), QUIET), indent=2)
    for rate in found:
        numbers = [rate.counts.get(state, 0) for state in ("visible", "recalled", "missing")]
        line = f"{rate.kind[:24]:<25}{rate.asked_count:>7,}{numbers[0]:>9,}{numbers[1]:>10,}{numbers[2]:>6,}"
        page.line(
            f"{line}{_percent(rate.share):>10}{_percent(rate.evidence_share) if proved else '':>10}",
            indent=2,
        )
        if rate.counts.get("unjudged"):
            page.line(
                (f"{plural(rate.counts['unjudged'], 'question')} not judged", QUIET), indent=4
            )


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
