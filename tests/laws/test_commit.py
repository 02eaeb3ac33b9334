"""What is true of every commit: smaller, honest, apart from the last one, and always possible."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import strategies as st

from steno import Commit, Log, Session, View
from steno.core.draft import Draft
from steno.events import Committed, Failed, Overflow, Skipped
from steno.rungs import Truncate
from steno.session.preamble import Preamble
from steno.summary.constraints_block import constraints_message
from steno.tails import Messages
from tests.support.conversation_plans import Asks, Batch, Plan, Use, Words
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.provider_json import WIRES, Wire, written
from tests.support.session_cases import METER, Case, Tale, cases, played, tales
from tests.support.view_checks import from_scratch, problems

pytestmark = pytest.mark.slow


def weighed(log: Log, case: Case, session: object) -> int:
    """The load of a log, counted from nothing: every message that is shown, block by block."""
    view = View.of(log, session._parts.settings.wire.terms, METER)
    fixed = Preamble.of(case.system, case.tools, METER).tokens
    shown = [*view.visible_messages, *filter(None, [constraints_message((), view)])]
    return METER.load(fixed + sum(map(METER.message, shown)))


@proves("commit.smaller")
@hit_rate(at_least=0.6, of="a commit landed")
@given(tales())
def test_a_commit_makes_the_load_smaller_and_says_so_truly(tale: Tale) -> None:
    landed = False
    for moment in played(tale):
        log, session = moment.session.log, moment.session
        for commit in moment.commits:
            if commit.reverts is not None:
                continue
            before = Log(log.messages.upto(commit.at), log.commits.upto(commit.number))
            assert commit.before == weighed(before, tale.case, session)
            assert commit.after == weighed(before.with_commit(commit), tale.case, session)
            assert commit.after < commit.before
            landed = True
        assert session.load == weighed(log, tale.case, session)
    hit(landed)


@proves("commit.smaller")
@pytest.mark.parametrize("wire", WIRES)
def test_what_mending_adds_weighs_what_it_weighs_when_it_is_sent(wire: Wire) -> None:
    uses = (Use(Words("x", 1), Words("ok", 1)),) * 4
    mended, sent = (Session(wire=wire, window=10_000, meter=METER) for _ in range(2))
    mended.add(*written(Plan((Batch(uses, how="interrupted"), Asks(Words("go on", 1)))), wire))

    sent.add(*mended.messages())

    assert sent.load == mended.load


@proves("commit.apart")
@hit_rate(at_least=0.3, of="two commits landed that nobody asked for")
@given(tales("look", "look", "look undo", intake=False, fills=(0.15, 0.25, 0.35, 0.5), most=16))
def test_two_unasked_commits_are_apart(tale: Tale) -> None:
    for moment in played(tale):
        pass
    session = moment.session
    budget = session.budget
    apart = int(budget.usable * (budget.soft - budget.goal) / 2)
    arrivals = from_scratch(session).arrivals
    pressed = [commit for commit in session.log.commits if commit.why in ("soft", "hard")]
    for one, other in pairwise(pressed):
        new = METER.load(sum(item.tokens for item in arrivals[one.at : other.at]))
        assert new >= apart or other.before > budget.usable
        between = session.log.commits[one.number : other.number]
        # What an undo shows again may be over the window, with nothing new.
        assert new > 0 or any(commit.reverts is not None for commit in between)
    hit(len(pressed) > 1)


@proves("compact.lands")
@hit_rate(at_least=0.4, of="a commit covered what an earlier one shows")
@given(cases(fills=(0.15, 0.25, 0.4, 0.6)))
def test_a_compacted_log_compacts_again(case: Case) -> None:
    session, half = case.session(), len(case.messages) * 2 // 3
    session.add(*case.messages[:half])
    first = session.compact()
    session.add(*case.messages[half:])
    session.add(
        *[
            {"role": "user", "content": f"{n}: " + "once more " * (session.load // 8)}
            for n in range(6)
        ]
    )

    much = session.load > 1_000
    second = session.compact()

    assert second or not much
    assert problems(session) == []
    assert [session.open(p) for p in range(len(case.messages))] == case.messages
    hit(first and second and covers_an_edit(first, second))


def covers_an_edit(first: Commit, second: Commit) -> bool:
    old = [edit.span for edit in first.edits if edit.block is None]
    return any(
        span.start in edit.span for span in old for edit in second.edits if edit.block is None
    )


@proves("compact.lands")
@hit_rate(at_least=0.8, of="a commit landed")
@given(cases(), st.sampled_from((1, 7, 40, 150, 1_000, 10**6)))
def test_compaction_lands_at_any_window_or_says_why_not(case: Case, window: int) -> None:
    events = []
    # A prompt that alone is over the window is refused; that is another promise.
    fixed = {} if window > 100 else {"system": None, "tools": None}
    session = case.session(window=window, reserve=0, on_event=events.append, **fixed)

    for message in case.messages:
        session.add(message)
        session.messages()
    commit = session.compact()

    assert not any(isinstance(event, Failed) for event in events)
    assert all(event.reason for event in events if isinstance(event, Skipped))
    assert commit or any(isinstance(event, Skipped) for event in events[-2:])
    for each in session.log.commits:
        assert each.fits == (each.after <= each.goal)
    told = [event for event in events if isinstance(event, Committed)]
    assert [(e.number, e.before, e.after, e.fits) for e in told] == [
        (c.number, c.before, c.after, c.fits) for c in session.log.commits
    ]
    over = [event for event in events if isinstance(event, Overflow)]
    assert len(over) >= sum(not c.fits and c.why != "arrival" for c in session.log.commits)
    assert session.load <= session.budget.usable or over
    hit(session.log.commits)


@proves("compact.lands")
@hit_rate(at_least=0.2, of="the commit does not fit")
@given(cases(fills=(0.02, 0.05, 0.1, 0.3)))
def test_where_a_commit_does_not_fit_nothing_more_could_be_covered(case: Case) -> None:
    session = case.filled()
    session.messages()
    commits = [commit for commit in session.log.commits if commit.why == "hard"]
    if not commits or commits[-1].fits:
        hit(False)
        return
    fixed = Preamble.of(case.system, case.tools, METER).tokens
    draft = Draft(
        session.view,
        session.budget,
        "hard",
        base=len(commits),
        fixed=fixed,
        pins=case.pins,
    ).begun(case.policy.tail)

    left = [edit.span for proposal in Truncate().edit(draft, ()) for edit in proposal.edits]

    # A cover could only be cut down to less than must be said: nothing that is shown as it was is
    # left.
    assert all(
        item.level for item in session.view.items for span in left if item.span.start in span
    )
    hit(True)


@proves("compact.lands")
def test_every_stretch_is_covered_that_the_goal_demands() -> None:
    session = Session(wire="openai", window=2_000, reserve=0, meter=METER)
    for at in range(12):
        role = ("user", "assistant")[at % 2]
        session.add({"role": role, "content": f"Message {at}. " + "some words of it " * 40})
    bare = Draft(session.view, session.budget, "hard", base=0, pins=frozenset({4}))
    draft = bare.begun(Messages(1))
    covers = [edit.span for proposal in Truncate().edit(draft, ()) for edit in proposal.edits]
    assert [span.start for span in covers] == [0, 5]
