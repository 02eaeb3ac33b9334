"""`steno probe`: what can still be answered of what only the covered part says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steno.core.ask import run
from steno.engine.designs import policy_of
from steno.ledger.question import Question
from steno.models import model_of
from steno.replay.probe import Group, Rate, Sight, Trip, rates, tripped
from steno.replay.verdict import limits_for, verdicts
from steno.service.commands.options import DONE, NOT_RIGHT
from steno.service.commands.page import QUIET, Page, note, say_json
from steno.service.commands.questions import Known, known
from steno.service.commands.source import Held, given, limits, source
from steno.service.commands.words import counted
from steno.session.probe import Brought, asks_of, brought
from steno.session.session import Session
from steno.session.setup import Told

SEARCH_SECONDS = 30.0
"""One search, the first of which fills the index."""
LARGE = 1_000_000_000
"""Tokens of a window in which a session is held as it stands."""
GROUPS: dict[Group, str] = {"ledger": "Made from the session", "known": "Known questions"}
MISSED_MOST = 10


@dataclass(frozen=True)
class Asked:
    path: str
    session: str | None
    told: Told
    policy: str
    questions: str | None = None
    judge: str | None = None
    most: int = 5
    least: float = 0.0
    as_json: bool = False


@dataclass(frozen=True)
class Probed:
    held: Held
    load: int
    covered: int
    trips: list[Trip]
    left_out: int = 0

    def share(self, group: Group) -> float | None:
        made = rates(self.trips, group)
        return made[-1].share if made else None


def probe(asked: Asked) -> int:
    judge = None if asked.judge is None else model_of(asked.judge)
    with given(asked.path) as file:
        held = source(file, asked.session, asked.told).under(policy_of(asked.policy))
    for warning in held.warnings:
        note(warning)
    wanted = Known(())
    if asked.questions is not None:
        wanted = known(asked.questions, held.name, len(held.log.messages))
    made = _probed(held, asked, wanted, judge)
    shares = [made.share(group) for group in GROUPS]
    if asked.as_json:
        say_json(_plain(made, asked))
    else:
        _say(made, asked)
    return DONE if all(share is None or share >= asked.least for share in shares) else NOT_RIGHT


def _probed(held: Held, asked: Asked, wanted: Known, judge: Any) -> Probed:
    told = held.told if held.told.window or held.told.model else held.told.over(window=LARGE)
    policy = held.policy.but(moment="now")
    with Session(wire=held.wire, log=held.log, policy=policy, **limits(told)) as session:
        if asked.told.window or asked.told.model:
            session.messages()
        sight = Sight.of(session.view)
        trips: list[Trip] = []
        found: list[Brought] = []
        asks: list[tuple[Question, Group]] = [(each.question, "ledger") for each in asks_of(session)]
        asks += [(question, "known") for question in wanted.questions]
        for question, group in asks:
            found.append(brought(session, question, asked.most, SEARCH_SECONDS))
            trips.append(tripped(question, group, sight, found[-1]))
        covered = sum(len(item.span) for item in session.view.items if item.edited)
        load = session.load
    if judge is not None:
        trips = run(verdicts(trips, sight, found), judge, limits_for(len(trips)))
    return Probed(held, load, covered, trips, wanted.left_out)


def _plain(made: Probed, asked: Asked) -> dict[str, Any]:
    return {
        "name": made.held.name,
        "messages": len(made.held.log.messages),
        "covered": made.covered,
        "load": made.load,
        "judge": asked.judge,
        "most": asked.most,
        "left_out": made.left_out,
        **{group: [rate.plain() for rate in rates(made.trips, group)] for group in GROUPS},
        "questions": [_row(trip) for trip in made.trips],
    }


def _row(trip: Trip) -> dict[str, Any]:
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


def _say(made: Probed, asked: Asked) -> None:
    page = Page()
    size = counted(len(made.held.log.messages), "message")
    page.line((made.held.name, "bold"), f" · {size} · {made.covered:,} covered or in short · {made.load:,} tokens")
    if not made.covered:
        page.line(("Nothing is covered: the model sees it all. Say --window to compact it first.", QUIET))
    for group, title in GROUPS.items():
        found = rates(made.trips, group)
        if found:
            _table(page, title, found)
    if made.left_out:
        page.line((f"{counted(made.left_out, 'question')} that nothing answers were left out.", QUIET))
    _missed(page, made.trips, asked.path)


def _table(page: Page, title: str, found: Sequence[Rate]) -> None:
    proved = any(rate.evidence for rate in found) and title == GROUPS["known"]
    head = f"{'':<25}{'asked':>7}{'visible':>9}{'recalled':>10}{'not':>6}{'answered':>10}"
    page.heading(title)
    page.line((head + ("  evidence" if proved else ""), QUIET), indent=2)
    for rate in found:
        numbers = [rate.counts.get(state, 0) for state in ("visible", "recalled", "missing")]
        line = f"{rate.kind[:24]:<25}{rate.asked:>7,}{numbers[0]:>9,}{numbers[1]:>10,}{numbers[2]:>6,}"
        page.line(f"{line}{_share(rate.share):>10}{_share(rate.proved) if proved else '':>10}", indent=2)
        if rate.counts.get("unjudged"):
            page.line((f"{counted(rate.counts['unjudged'], 'question')} not judged", QUIET), indent=4)


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _missed(page: Page, trips: Sequence[Trip], path: str) -> None:
    missed = [trip for trip in trips if trip.state == "missing" and trip.group == "ledger"]
    if not missed:
        return
    page.heading("Not answered")
    for trip in missed[:MISSED_MOST]:
        page.line(trip.question.text, indent=2)
        page.line((f"steno open {path} {trip.question.positions[0]}", "cyan"), indent=4)
    if len(missed) > MISSED_MOST:
        page.line((f"{len(missed) - MISSED_MOST:,} more: --json lists them", QUIET), indent=2)
