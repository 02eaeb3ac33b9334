"""What is true of every log: all that was said can be opened, undo restores, a fork is the past
itself.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import strategies as st

from steno import Session
from steno.core.message import Text
from steno.providers import decode_messages, json_text
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.session_cases import Case, Moment, Tale, cases, played, said_texts, shown, tales

pytestmark = pytest.mark.slow

COVERS = re.compile(r'<steno-[0-9a-f]{12} kind="trace" covers="(\d+)(?:-(\d+))?"')
PLACE = re.compile(
    r'<steno-[0-9a-f]{12} kind="(?:result|media|argument|late-result)" at="(\d+\.\d+)"'
)


@proves("log.open")
@hit_rate(at_least=0.6, of="something was covered")
@given(tales(strange=True))
def test_whatever_was_said_can_be_opened_word_for_word(tale: Tale) -> None:
    covered = False
    for moment in played(tale):
        session, said = moment.session, moment.life.said
        assert [session.open(p) for p in range(len(said))] == said
        assert [message.raw for message in session.log.messages] == [
            json_text(each) for each in said
        ]
        assert not said or session.open(f"0-{len(said) - 1}") == said
        covered = covered or any(item.main is None and item.shows for item in session.view.items)
    hit(covered)


@proves("log.open")
@hit_rate(at_least=0.6, of="a fence named a place")
@given(tales())
def test_what_a_view_leaves_out_it_says_where_to_open(tale: Tale) -> None:
    named = 0
    for moment in played(tale):
        session = moment.session
        for item in session.view.items:
            shows = [
                block.text
                for message in item.shows
                for block in message.blocks
                if isinstance(block, Text)
            ]
            for found in filter(None, map(COVERS.match, shows)):
                first, last = int(found[1]), int(found[2] or found[1])
                assert (first, last + 1) == (item.span.start, item.span.stop)
                assert session.open(f"{first}-{last}") == moment.life.said[first : last + 1]
                named += 1
        named += len(opened(moment))
    hit(named)


def opened(moment: Moment) -> list[Any]:
    """Every block that is shown in short, opened where its fence says."""
    session = moment.session
    said = decode_messages(session._parts.settings.wire, moment.life.said)
    places = [
        place
        for text in said_texts(shown(session))
        for place in PLACE.findall(text.replace('\\"', '"'))
    ]
    for place in places:
        position, block = map(int, place.split("."))
        assert session.open(place) == said[position].blocks[block]
    return places


@proves("log.open")
@hit_rate(at_least=0.3, of="a result came that nobody waited for")
@given(cases(broken=True))
def test_what_is_shown_otherwise_than_it_came_is_shown_all_the_same(case: Case) -> None:
    session = case.filled(policy=quiet(case))
    told = said_texts(shown(session))
    waiting = [block.text for message in session.view.mending.held for block in message.blocks]
    strays = 0
    for item, message in zip(session.view.arrivals, session.log.messages, strict=True):
        words = [
            part.text.strip()
            for result in message.results
            for part in result.content
            if isinstance(part, Text)
        ]
        for word in filter(None, words):
            number = word.partition(":")[0]
            assert any(f"{number}: " in text for text in [*told, *waiting])
            strays += item.main is None
    hit(strays)


@proves("fork.exact")
@hit_rate(at_least=0.5, of="a commit was undone")
@given(tales("look", "compact", "compact undo", "look undo", "undo", intake=False))
def test_undo_shows_what_was_shown_before(tale: Tale) -> None:
    before: list[Any] = []
    undone = False
    for moment in played(tale):
        for commit in moment.commits:
            if commit.reverts is None:
                before.append((commit.number, commit.at, moment.shown))
                continue
            number, at, view = before.pop()
            assert commit.reverts == number
            assert tuple(item for item in shown(moment.session) if item[1] <= at) == view
            undone = True
    hit(undone)


@proves("fork.exact")
@hit_rate(at_least=0.6, of="a commit was undone")
@given(cases())
def test_undoing_everything_shows_everything_as_it_came(case: Case) -> None:
    session = case.filled()
    session.messages()
    session.compact()
    landed = len(session.log.commits)

    for _ in range(landed):
        session.undo()

    assert list(session.view.items) == list(session.view.arrivals)
    assert said_texts(shown(session)) == said_texts(shown(case.filled(policy=quiet(case))))
    hit(landed)


def quiet(case: Case) -> Any:
    """The case's policy, without a rung that looks at what arrives."""
    return type(case.policy)(every_round=())


@proves("fork.exact")
@hit_rate(at_least=0.3, of="a fork left where commits stood", examples=190)
@given(tales("look", "compact fork", "look fork compact", "compact undo fork", "fork switch"))
def test_a_fork_shows_what_was_shown_then(tale: Tale) -> None:
    compared = False
    for moment in played(tale):
        at = len(moment.session.log.messages)
        if moment.forked and at in moment.life.seen:
            assert shown(moment.session) == moment.life.seen[at]
            compared = compared or bool(moment.session.log.commits)
    hit(compared)


@proves("fork.exact")
@hit_rate(at_least=0.6, of="both went on and compacted")
@given(cases(), st.integers(0, 40), st.booleans())
def test_what_happens_to_one_never_reaches_the_other(case: Case, at: int, turned: bool) -> None:
    parent = case.filled()
    parent.compact()
    fork = parent.fork(at % (len(case.messages) + 1))
    one, other = (fork, parent) if turned else (parent, fork)
    kept = state(other)

    lived(one, case, "this way")
    assert state(other) == kept
    gone = state(one)
    lived(other, case, "that way")

    assert state(one) == gone
    assert other.open(len(other.log.messages) - 1)["content"].startswith("that way")
    hit(one.log.live and other.log.live)


def state(session: Session) -> Any:
    return shown(session), list(session.log.messages), list(session.log.commits), session.load


def lived(session: Session, case: Case, way: str) -> None:
    session.add(
        *case.messages[:4], *({"role": "user", "content": f"{way} {n} " * 50} for n in range(4))
    )
    session.compact()
    session.messages()
