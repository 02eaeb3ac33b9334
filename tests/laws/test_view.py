"""What is true of every view: legal, a partition, an extension of the last, and never over tail
or pins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import strategies as st

from steno import Commit, Log, Policy, Pressure, Session, View
from steno.core.draft import COVER_TEXT_TOKENS
from steno.core.item import Item
from steno.core.message import Block, Thinking
from steno.core.seam import find_seams
from steno.events import Failed
from steno.providers import decode_messages
from steno.rungs import Intake, Micro, Offload, Truncate
from steno.session.preamble import Preamble
from tests.support.conversation_plans import Batch, Plan, Use, Words
from tests.support.conversations import GIANT, loops
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.provider_json import WIRES, Wire, Written, written
from tests.support.scripted_models import OUTRAGEOUS, Reckless
from tests.support.session_cases import (
    METER,
    SAYING,
    Case,
    Shown,
    Tale,
    cases,
    played,
    said_texts,
    shown,
    tales,
    weight,
)
from tests.support.view_checks import from_scratch, pins_of, problems

pytestmark = pytest.mark.slow

LAPSING = replace(METER, lapses=lambda message, weights: tuple(each // 2 for each in weights))
"""A meter by which a message weighs less once the user has spoken again."""


@proves("view.legal")
@hit_rate(at_least=0.6, of="a commit landed", examples=150)
@given(cases())
def test_no_view_is_refused_by_its_provider(case: Case) -> None:
    session = case.filled()

    assert problems(session) == []
    session.compact()
    assert problems(session) == []

    hit(any(commit.edits for commit in session.log.commits))


@proves("view.legal")
@hit_rate(at_least=0.6, of="a commit landed between the views", examples=120)
@given(tales(broken=True))
def test_no_view_of_a_broken_tale_is_refused_at_any_moment(tale: Tale) -> None:
    landed = False
    for moment in played(tale):
        assert problems(moment.session) == [], moment.step
        landed = landed or bool(moment.commits)
    hit(landed)


@proves("view.legal")
@hit_rate(at_least=0.3, of="the rung's proposal was refused, or landed", examples=150)
@given(cases(fills=(0.2, 0.5, 0.9)), st.sampled_from(OUTRAGEOUS))
def test_no_rung_can_make_a_view_that_is_refused(case: Case, how: str) -> None:
    session = case.filled(policy=case.policy.but(ladder=(Reckless(how), Truncate())))

    commit = session.compact()

    assert problems(session) == []
    by = (
        {*(edit.by for edit in commit.edits), *(finding.by for finding in commit.findings)}
        if commit
        else ()
    )
    hit("reckless" in by)


@proves("view.legal")
@hit_rate(at_least=0.4, of="the open loop was cut", examples=60)
@given(
    loops(),
    st.sampled_from((0.1, 0.2, 0.4)),
    st.sampled_from(("drops the oldest thought of the turn", "misfits")),
)
def test_an_open_loop_is_cut_where_its_provider_allows(
    messages: Written, fill: float, how: str
) -> None:
    window = max(60, int(weight("anthropic", messages) * fill))
    policy = Policy(ladder=(Reckless(how), Truncate()))
    session = Session(wire="anthropic", window=window, meter=METER, policy=policy)
    session.add(*messages)

    assert problems(session) == []
    hit(any(len(item.span) > 1 and item.span.stop > 2 for item in session.view.items))


@proves("view.legal")
@hit_rate(at_least=0.3, of="the thought was proposed to go", examples=40)
@given(loops())
def test_no_rung_takes_the_signed_thinking_of_the_open_turn(messages: Written) -> None:
    """In a large window with a small goal: nothing else acts on what the rung left."""
    how = "drops the oldest thought of the turn"
    policy = Policy(soft=0.02, goal=0.01, ladder=(Reckless(how),))
    window = 4 * weight("anthropic", messages)
    session = Session(wire="anthropic", window=window, meter=METER, policy=policy)
    session.add(*messages)

    commit = session.compact()

    assert problems(session) == []
    # Nothing else was proposed, so nothing landed.
    hit("'thinking'" in str(list(messages)) and commit is None)


@proves("view.legal")
@pytest.mark.parametrize("wire", WIRES)
def test_no_rung_can_leave_nothing_to_send(wire: Wire) -> None:
    policy = Policy(ladder=(Reckless("hides the beginning"), Truncate()))
    session = Session(wire=wire, window=60, meter=METER, policy=policy)
    session.add(
        {"role": "user", "content": "w " * 200}, {"role": "assistant", "content": "w " * 200}
    )
    session.add({"role": "user", "content": []})

    session.compact()

    assert problems(session) == []


@proves("view.extends")
@hit_rate(at_least=0.6, of="messages came after a view that was edited")
@given(tales())
def test_without_a_commit_each_view_extends_the_last(tale: Tale) -> None:
    grown = False
    for moment in played(tale):
        if moment.step.do not in SAYING:
            continue
        before, after = said_texts(moment.shown), said_texts(shown(moment.session))
        edits = [edit for each in moment.commits for edit in each.edits]
        old = [edit.span.start for edit in edits if edit.span.start < len(moment.log.messages)]
        # What is new is shown in short before it was ever seen; only micro and intake look back,
        # and only at what aged.
        aging = any(isinstance(rung, Micro | Intake) for rung in tale.case.policy.every_round)
        assert aging or not old
        same = until(moment.shown, min(old)) if old else before
        assert after[: len(same)] == same
        grown = grown or (
            len(after) > len(before) and any(item.is_edited for item in moment.view.items)
        )
    hit(grown)


@proves("view.prefix")
@hit_rate(at_least=0.3, of="something stood before the first edit of a commit")
@given(tales())
def test_what_stands_before_the_first_edit_of_a_commit_stays_as_it_was(tale: Tale) -> None:
    kept = False
    for moment in played(tale):
        if moment.commits:
            first = min(first_edit(commit, moment.session.log) for commit in moment.commits)
            before, after = until(moment.shown, first), until(shown(moment.session), first)
            assert after[: len(before)] == before
            kept = kept or bool(before)
    hit(kept)


def first_edit(commit: Commit, log: Log) -> int:
    changed = commit if commit.reverts is None else log.commits[commit.reverts]
    return min(edit.span.start for edit in changed.edits)


def until(view: Shown, position: int) -> list[str]:
    return said_texts(tuple(item for item in view if item[1] <= position))


@proves("view.partition")
@hit_rate(at_least=0.7, of="a commit stood")
@given(tales())
def test_every_position_belongs_to_exactly_one_item(tale: Tale) -> None:
    stood = False
    for moment in played(tale):
        spans = [item.span for item in moment.session.view.items]
        assert [span.start for span in spans] == [0, *(span.stop for span in spans)][: len(spans)]
        assert sum(map(len, spans)) == len(moment.life.said)
        assert all(moment.session.view.at(p).span.start <= p for p in range(len(moment.life.said)))
        # At any moment, not only at the end: a tale may undo it, or end in an early fork.
        stood = stood or bool(moment.session.log.live)
    hit(stood)


@proves("view.partition")
@hit_rate(at_least=0.6, of="a commit stood")
@given(tales())
def test_a_view_kept_up_is_the_view_folded_from_scratch(tale: Tale) -> None:
    stood = False
    for moment in played(tale):
        assert essence(moment.session.view) == essence(from_scratch(moment.session))
        stood = stood or bool(moment.session.log.live)
    hit(stood)


def essence(view: View) -> tuple[object, ...]:
    """All of a view but who counted it; of the ids in use only how many there are."""
    mending = view.mending
    kept = (tuple(mending.open), mending.held, mending.begun, mending.speaking, len(mending.used))
    return list(view.items), list(view.arrivals), view.raw, view.seen, kept


@proves("view.partition")
@hit_rate(at_least=0.9, of="the two went different ways", examples=60)
@given(cases(broken=True), st.integers(0, 30), st.integers(0, 30))
def test_two_views_that_go_on_from_one_do_not_meet(case: Case, some: int, more: int) -> None:
    wire = case.way
    said = decode_messages(wire, case.messages)
    half = View(wire.terms, LAPSING).with_messages(said[: some % len(said)])

    one, other = (
        half.with_messages(said[some % len(said) :]),
        half.with_messages(said[more % len(said) :]),
    )

    assert essence(one) == essence(View(wire.terms, LAPSING).with_messages(said))
    apart = said[: some % len(said)] + said[more % len(said) :]
    assert essence(other) == essence(View(wire.terms, LAPSING).with_messages(apart))
    hit(one.items != other.items or len(said) < 2 or some % len(said) == more % len(said))


@proves("view.kept")
@hit_rate(at_least=0.6, of="a commit covered what is before the tail")
@given(tales("look", "compact", "look compact"))
def test_tail_and_pins_are_never_covered(tale: Tale) -> None:
    covered = False
    for moment in played(tale):
        assert not any(isinstance(event, Failed) for event in moment.life.events)
        for commit in moment.commits:
            covers = [edit.span for edit in commit.edits if edit.block is None and edit.by != "fit"]
            tail = commit.at if commit.why == "arrival" else tail_of(moment.view, commit, tale.case)
            kept = {*range(tail, commit.at), *pins_of(tale.case)}
            assert not any(position in span for span in covers for position in kept)
            covered = covered or bool(covers)
        view = moment.session.view
        for position in pins_of(tale.case) & set(range(len(moment.life.said))):
            assert words_at(view.items, position) == words_at(view.arrivals, position)
    hit(covered)


def words_at(items: Sequence[Item], position: int) -> list[Block]:
    """What is shown there, but for thinking, which some providers want gone after an edit."""
    item = next(item for item in items if position in item.span)
    blocks = (block for message in item.shows for block in message.blocks)
    return [block for block in blocks if not isinstance(block, Thinking)]


def share_of(view: View, commit: Commit, case: Case) -> int:
    """The tail's part of the goal, or what fixed part, pins and a trace leave of it."""
    pinned = sum(
        view.at(position).tokens for position in pins_of(case) if position < len(view.messages)
    )
    fixed = Preamble.of(case.system, case.tools, METER).tokens
    left = commit.goal - view.meter.load(fixed + pinned + COVER_TEXT_TOKENS)
    return max(0, min(int(commit.goal * case.policy.tail.of_goal), left))


def tail_of(view: View, commit: Commit, case: Case) -> int:
    """Where the tail begins: the newest turn, and every turn that fits its share with all after
    it.
    """
    share = share_of(view, commit, case)
    found = len(view.messages)
    for at in sorted(find_seams(view.items, view.terms) - {len(view.items)}, reverse=True):
        weight = sum(item.tokens for item in view.items[at:])
        if found < len(view.messages) and view.meter.load(weight) > share:
            break
        found = view.items[at].span.start
    return found


@proves("view.kept")
@hit_rate(at_least=0.25, of="a block of the tail was shown in short")
@given(cases(intake=False, fills=(0.2, 0.5, 2.0, 8.0)), st.sampled_from(GIANT))
def test_blocks_of_the_tail_are_shortened_under_hard_pressure_only(case: Case, times: int) -> None:
    session = case.filled(policy=case.policy.but(ladder=(Offload(50, 60), Truncate())))
    session.add(*written(Plan((Batch((Use(Words("x", 1), Words("word ", times)),)),)), case.wire))
    view, pressure = session.view, session.pressure

    commit = session.compact()

    edits = [edit for edit in commit.edits if edit.block is not None] if commit else []
    inside = [edit for edit in edits if edit.span.start >= tail_of(view, commit, case)]
    assert pressure is Pressure.HARD or not inside
    hit(inside)
