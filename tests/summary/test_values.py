"""A summary is a value on its edit, and its text says the same."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from hypothesis import strategies as st

import steno
from steno.core.log import Commit
from steno.core.message import Span
from steno.core.summary import UNNAMED, Summary, SummaryLine
from steno.rungs.clip import Clip
from steno.summary.parse import parse_summary, with_summaries
from steno.summary.render import render_summary, summary_edit
from steno.summary.sections import make_sections
from tests.support.promises import given, hit, hit_rate
from tests.support.rule_sessions import Ruled, sessions
from tests.support.sample_messages import openai_talk
from tests.support.scripted_writers import Writer, honest
from tests.support.session_cases import Case, cases

LADDERS = (
    (steno.rungs.Summarize(),),
    (steno.rungs.Prune(), steno.rungs.Offload(), steno.rungs.Truncate()),
    (steno.rungs.Summarize(), steno.rungs.Fold(), steno.rungs.Truncate()),
    (Clip(), steno.rungs.Truncate()),
)
LINES = (
    SummaryLine("Never touch production.", (3,)),
    SummaryLine("It ends with a bracket [7]", (1, 2, 3, 9)),
    SummaryLine("Half a pair: \ud83d", (4,)),
)


def check_commits(commits: Iterable[Commit]) -> int:
    """Check every summary against its text, and return how many there were."""
    count = 0
    for commit in commits:
        stored = msgspec.json.decode(msgspec.json.encode(commit), type=Commit)
        assert stored == commit
        for edit in commit.edits:
            if edit.summary is not None:
                count += 1
                assert parse_summary(edit.shows[0].text) == edit.summary
        bare = tuple(msgspec.structs.replace(edit, summary=None) for edit in commit.edits)
        old = msgspec.structs.replace(commit, edits=bare)
        assert with_summaries(old) == commit, "a commit of an older file gets its summaries back"
    return count


@hit_rate(at_least=0.6, of="there were summaries", examples=60)
@given(sessions(), st.sampled_from(LADDERS), st.booleans())
def test_a_summary_and_its_text_say_the_same(
    conversation: Ruled, ladder: tuple[steno.rungs.Rung, ...], writes: bool
) -> None:
    policy = steno.Policy(ladder=ladder)
    writer = Writer(honest) if writes else None
    session = steno.Session(wire="openai", window=4_000, policy=policy, writer=writer)
    for message in conversation.messages:
        session.add(message)
        session.messages()
    session.compact()
    hit(check_commits(session.log.commits))


@hit_rate(at_least=0.4, of="there were summaries", examples=60)
@given(cases(strange=True))
def test_strange_messages_are_summarized_in_a_value_that_can_be_stored(case: Case) -> None:
    session = case.filled()
    session.compact()
    hit(check_commits(session.log.commits))


def test_a_list_that_comes_back_has_its_summaries_as_values() -> None:
    session = steno.Session(wire="openai", window=4_000)
    session.add(*openai_talk(60))
    sent = [item.summary for item in session.view.items if item.summary]
    again = steno.compact(session.messages(), window=1_000_000, wire="openai")

    found = [item.summary for item in again.session.view.items if item.summary]
    assert found == [item.summary for item in session.view.items if item.summary] != sent


def test_every_part_of_a_summary_is_in_its_text() -> None:
    lines = {"CONSTRAINTS": [LINES[0]], "OPEN": [LINES[1]], UNNAMED: [LINES[0]]}
    more = {"OPEN": SummaryLine("12 more", (0, 1, 2))}
    summary = Summary(
        span=Span(2, 12),
        tokens=12_345,
        roles=(("user", 4), ("tool", 6)),
        calls=(("read_file", 3), ("bash", 1)),
        other_calls=2,
        first=(3, "Find the slow query."),
        last=(9, "Go on."),
        hides=(Span(0, 1), Span(14, 20)),
        untold=(Span(4, 6),),
        sections=make_sections(lines, more),
    )
    assert parse_summary(render_summary(summary)) == summary


def test_a_count_of_what_was_left_out_is_no_line_to_carry_on() -> None:
    more = {"OPEN": SummaryLine("12 more", (0, 1, 2))}
    sections = make_sections({"OPEN": [LINES[1]]}, more)
    assert Summary(Span(0, 1), 1, sections=sections).lines() == {"OPEN": [LINES[1]]}


def test_text_that_cannot_be_encoded_is_replaced_in_the_value_too() -> None:
    sections = make_sections({"GOAL": list(LINES)})
    request = (0, "\udc00")
    summary = Summary(Span(0, 1), 9, (("user", 1),), first=request, last=request, sections=sections)
    edit = summary_edit(summary, "truncate", level=1)
    assert msgspec.json.encode(edit)
    assert edit.summary is not None
    assert edit.summary.lines()["GOAL"][2].text == "Half a pair: \ufffd"
    assert parse_summary(edit.shows[0].text) == edit.summary
