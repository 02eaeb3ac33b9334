"""What a compaction must not lose: constraints, open loops, and who said what."""

from __future__ import annotations

import re

import pytest
from hypothesis import strategies as st

import steno
from steno.core.view import View
from steno.engine.policy import Policy
from steno.facts.ledger import Ledger, facts_of
from steno.facts.text import SearchableText, in_own_words
from steno.rungs.fold import Fold
from steno.rungs.offload import Micro, Offload, OffloadTail
from steno.rungs.summarize import Summarize
from steno.rungs.truncate import Truncate
from steno.summary.render import render_sections
from steno.summary.sections import SECTIONS
from steno.summary.wording import ENGLISH
from tests.support.coding_sessions import session as coming_back
from tests.support.constraint_sessions import (
    INJECTED,
    Constrained,
    changing,
    constrained,
    sessions,
    shown,
)
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.summaries import summaries_in, summary_in_text

pytestmark = pytest.mark.slow

LADDERS = (
    (OffloadTail(), Summarize(), Fold(), Offload(), Truncate()),
    (Summarize(in_place=False, max_tokens=600), Fold(), Truncate()),
    (Offload(), Truncate()),
    (Truncate(),),
)
ladders = st.sampled_from(LADDERS)
windows = st.sampled_from((3_000, 6_000, 12_000))


def lived(told: Constrained, ladder: tuple[object, ...], window: int) -> steno.Session:
    policy = Policy(ladder=ladder)
    session = steno.Session(wire="openai", window=window, policy=policy)
    for message in told.messages:
        session.add(message)
        session.messages()
    return session


@proves("facts.constraints")
@hit_rate(at_least=0.5, of="a constraint was covered", examples=60)
@given(sessions(), ladders, windows)
def test_constraints_survive_any_number_of_compactions(
    told: Constrained, ladder: tuple[object, ...], window: int
) -> None:
    session = lived(told, ladder, window)
    for _ in range(3):
        session.compact()
    covered = [
        constraint for constraint in told.constraints if not _said_by_the_user(session, constraint)
    ]
    hit(covered)
    words = SearchableText(session.view.visible_messages)
    assert all(words.contains(constraint) for constraint in told.constraints)


@proves("facts.changed")
@hit_rate(at_least=0.3, of="something pinned was covered", examples=60)
@given(st.integers(0, 2**16), st.integers(4, 16), ladders, windows, st.integers(1, 5))
def test_what_was_said_later_is_visible_beside_what_it_changes_and_stands_after_it(
    seed: int, gap: int, ladder: tuple[object, ...], window: int, times: int
) -> None:
    session = steno.Session(wire="openai", window=window, policy=Policy(ladder=ladder))
    for stretch in changing(seed, gap):
        session.add(*stretch)
        session.messages()
    covered = []
    for turn in range(times):
        session.compact()
        covered.append(_all_is_said_in_order(session, session.view))
        session.add(
            {"role": "user", "content": f"Go on, {turn}."},
            *constrained(seed + turn, 4).messages[1:],
        )
    hit(any(covered))


@proves("facts.changed")
@hit_rate(at_least=0.3, of="something pinned was covered", examples=60)
@given(st.integers(0, 2**16), st.integers(4, 16), ladders, windows, st.integers(1, 5))
def test_the_same_holds_in_a_list_that_comes_back(
    seed: int, gap: int, ladder: tuple[object, ...], window: int, times: int
) -> None:
    policy = Policy(ladder=ladder)
    whole = steno.Session(wire="openai", window=1_000_000)
    shown: list[dict[str, object]] = []
    covered = []
    for stretch in changing(seed, gap):
        whole.add(*stretch)
        shown = steno.compact([*shown, *stretch], window=window, policy=policy).messages
    for turn in range(times):
        more = [
            {"role": "user", "content": f"Go on, {turn}."},
            *constrained(seed + turn, 8).messages[1:],
        ]
        again = steno.compact([*shown, *more], window=window, policy=policy)
        covered.append(_all_is_said_in_order(whole, again.session.view))
        shown = again.messages
    hit(any(covered))


def _all_is_said_in_order(session: steno.Session, view: View) -> bool:
    """Assert it, and tell whether something pinned is covered."""
    words = SearchableText(view.visible_messages)
    own = SearchableText(in_own_words(view.visible_messages))
    pinned = [fact.words for _, fact in Ledger.of(session.log.messages).constraints]
    assert all(map(words.contains, pinned))
    for summary in (item.summary for item in view.items if item.summary is not None):
        lines = summary.lines().get("CONSTRAINTS", [])
        places = [line.cites[0] for line in lines if not line.hearsay]
        assert places == sorted(places)
    return not all(map(own.contains, pinned))


def _said_by_the_user(session: steno.Session, constraint: str) -> bool:
    return any(
        constraint in message.text
        for message in session.view.visible_messages
        if message.by == "caller"
    )


@proves("facts.trust")
@hit_rate(at_least=0.6, of="an injected sentence was covered", examples=60)
@given(sessions(), ladders, windows)
def test_a_tool_never_makes_a_constraint_also_when_the_list_comes_back(
    told: Constrained, ladder: tuple[object, ...], window: int
) -> None:
    policy = Policy(ladder=ladder)
    once = steno.compact(told.messages, window=window, policy=policy)
    again = steno.compact(
        [*once.messages, *constrained(7, 12).messages], window=window, policy=policy
    )
    hit(any(sentence in shown(told.messages) for sentence in INJECTED))
    for result in (once, again):
        assert not any(
            sentence in words for sentence in INJECTED for words in _stated(result.messages)
        )


def _stated(messages: list[dict[str, object]]) -> list[str]:
    """Every line that our own messages state, but for those in a tool's words."""
    found = []
    for message in messages:
        summary = summary_in_text(message.get("content"))
        if summary is not None:
            found += [
                line.text
                for lines in summary.lines().values()
                for line in lines
                if "tool text: " not in line.text
            ]
    return found


@proves("facts.report")
@hit_rate(at_least=0.6, of="facts were covered", examples=60)
@given(sessions(), ladders, windows)
def test_the_report_counts_every_fact_of_what_is_covered_and_nothing_is_lost(
    told: Constrained, ladder: tuple[object, ...], window: int
) -> None:
    session = steno.Session(wire="openai", window=window, policy=Policy(ladder=ladder))
    session.add(*told.messages)
    before = session.view
    commit = session.compact()
    report = commit.report if commit else None
    hit(report and report.kinds)
    if commit is None or report is None:
        return
    was = {item.span.start: item for item in before.items}
    changed = [item for item in session.view.items if was.get(item.span.start) is not item]
    inside = {at for item in changed for at in range(item.span.start, item.span.stop)}
    ledger = Ledger.of(session.log.messages)
    loops = [
        each
        for each in ledger.open_loops
        if not each[1].note.startswith("call") and each[1].note != "next"
    ]
    standing = [fact for at, fact in (*ledger.constraints, *loops) if at in inside]
    kinds = ("decision", "error", "artifact", "marker")
    others = [
        fact
        for at in inside
        for fact in facts_of(session.log.messages[at])
        if fact.kind in kinds and fact.words
    ]
    words = SearchableText(session.view.visible_messages)
    assert report.retained + report.hidden + report.lost == len(standing) + len(others)
    assert report.recallable == 0  # the model has no tool to read originals
    assert report.retained == sum(words.contains(fact.words) for fact in (*standing, *others))
    assert report.lost == 0
    assert all(words.contains(fact.words) for at, fact in ledger.constraints)


@proves("facts.citations")
@hit_rate(at_least=0.6, of="a summary stands", examples=60)
@given(sessions(least=30), windows, st.integers(1, 4))
def test_every_line_of_a_summary_cites_positions_that_open(
    told: Constrained, window: int, times: int
) -> None:
    session = lived(told, LADDERS[0], window)
    for _ in range(times):
        session.compact()
    summaries = summaries_in(session.view)
    hit(any(summary.sections for summary in summaries))
    for summary in summaries:
        text = render_sections(summary.sections)
        headings = (*SECTIONS, *ENGLISH.values())
        body = [line for line in text.split("\n") if line and line not in headings]
        assert all(re.search(r"\[[0-9][0-9, –]*\]$", line) for line in body)
        for lines in summary.lines().values():
            for line in lines:
                assert line.cites
                assert all(session.open(at) for at in line.cites)
        assert all(session.open(f"{span.start}-{span.stop - 1}") for span in summary.hides)


@proves("facts.same")
@hit_rate(at_least=0.9, of="there were facts", examples=40)
@given(sessions(), st.integers(1, 5))
def test_the_ledger_of_a_log_is_the_same_however_it_was_read(told: Constrained, size: int) -> None:
    at_once = steno.Session(wire="openai", window=1_000_000)
    at_once.add(*told.messages)
    bit_by_bit = lived(told, LADDERS[0], 6_000)
    one, other = Ledger.of(at_once.log.messages), Ledger.of(bit_by_bit.log.messages)
    hit(one.facts)
    assert one.facts == other.facts
    assert (one.constraints, one.open_loops, one.artifacts) == (
        other.constraints,
        other.open_loops,
        other.artifacts,
    )


@proves("summary.comes_back")
@hit_rate(at_least=0.6, of="something was hidden", examples=60)
@given(st.integers(0, 2**16), st.integers(20, 60), windows)
def test_a_summarized_list_that_comes_back_keeps_its_positions(
    seed: int, turns: int, window: int
) -> None:
    policy = Policy(ladder=LADDERS[0])
    messages = coming_back(seed, turns)
    once = steno.compact(messages, window=window, policy=policy)
    # Where every call is hidden, nothing but talk is left to tell the wire by.
    again = steno.compact(once.messages, wire="openai", window=10 * window, policy=policy)
    hit(once.commits)
    assert again.messages == once.messages
    assert len(again.session.log.messages) == len(messages)
    for at, message in enumerate(again.session.log.messages):
        if message.role != "absent" and not message.patches and "<steno-" not in str(message.raw):
            assert again.open(at) == messages[at]


@proves("summary.micro")
@hit_rate(at_least=0.8, of="a result shrank", examples=40)
@given(st.integers(0, 2**16), st.integers(12, 40))
def test_micro_shrinks_old_results_after_every_round_and_leaves_the_newest(
    seed: int, turns: int
) -> None:
    session = steno.Session(
        wire="openai",
        window=200_000,
        policy=Policy(every_round=(Micro(recent=6, over=80),)),
    )
    messages = coming_back(seed, turns)
    for message in messages:
        session.add(message)
    view = session.messages()
    hit(len(session.log.commits))
    assert view[-6:] == messages[-6:]
    for old, said in zip(view[:-6], messages[:-6], strict=True):
        assert len(str(old["content"])) <= max(900, len(str(said["content"])))
        assert (old == said) == (
            len(str(said["content"])) <= 4 * 80 or "<steno-" not in str(old["content"])
        )
