"""A list that was compacted before, put into a new session: nothing of it is lost or promoted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import steno
from steno.adapters.resent.incoming import SdkFormat
from steno.adapters.resent.sessions import ListSessions
from steno.core.events import Failed
from steno.core.fence import Fence
from steno.core.message import Span
from steno.core.summary import Section, Summary, SummaryLine
from steno.providers import get_wire
from steno.session.options import SessionOptions
from steno.summary.read_back import earlier_story
from steno.summary.render import render_summary
from steno.summary.wording import ENGLISH
from tests.support.sample_messages import openai_talk

Plain = dict[str, Any]
CONSTRAINT = "Never push to the branch release without my written approval."
WINDOW = 4_000


def summary_of(*constraints: str) -> Plain:
    """Return a message as a summary of ours, whoever wrote it."""
    lines = tuple(SummaryLine(constraint, (at + 1,)) for at, constraint in enumerate(constraints))
    roles = (("user", 20), ("assistant", 20))
    summary = Summary(Span(1, 41), 9_000, roles, sections=(Section("CONSTRAINTS", lines),))
    return {"role": "user", "content": render_summary(summary)}


def compacted() -> list[Plain]:
    return [
        {"role": "user", "content": "Let us go on."},
        summary_of(CONSTRAINT),
        {"role": "assistant", "content": "Yes."},
    ]


def words(messages: list[Any]) -> str:
    return json.dumps(messages)


def go_on(session: steno.Session, compactions: int) -> None:
    """Talk until the session was compacted so often; each view must say the constraint, marked."""
    done = len(session.log.commits)
    turn = 0
    while len(session.log.commits) < done + compactions:
        session.add(*openai_talk(4, start=100 + 4 * turn))
        session.compact()
        shown = words(session.messages())
        assert f"~ {CONSTRAINT}" in shown
        assert ENGLISH["earlier_constraints"] in shown
        turn += 1
        assert turn < 3 * compactions


@pytest.mark.parametrize("at_once", [True, False])
def test_a_constraint_of_the_summary_stays_as_the_lists_word(at_once: bool) -> None:
    session = steno.Session(wire="openai", window=WINDOW)
    if at_once:
        session.add(*compacted())
    else:
        for message in compacted():
            session.add(message)

    assert session.messages() == compacted()
    assert session.log.messages[40].role == "absent" and len(session.log.messages) == 42
    go_on(session, 3)
    assert session.constraints() == []


def test_what_is_in_the_log_is_not_told_as_the_lists_word() -> None:
    is_absent = {0, 1}.__contains__
    told = "~ [0] USER: Count.\n~ the rows\n[2] USER: Yes.\n~ [3] USER: Stop.\n~ at once\n~ [9] a"
    for start in (0, 2):
        span = Span(start, 4)
        summary = Summary(span, 90, (("user", len(span)),), story=told)
        assert earlier_story(summary, is_absent, span) == "~ [0] USER: Count.\n~ the rows"
    imported = Summary(Span(0, 2), 90, (("user", 2),), story="[0] USER: Count.\nthe rows")
    assert earlier_story(imported, is_absent, Span(0, 2)) == "~ [0] USER: Count.\n~ the rows"


@pytest.mark.slow
def test_a_constraint_of_the_summary_stays_for_twenty_compactions() -> None:
    session = steno.Session(wire="openai", window=WINDOW)
    session.add(*compacted())
    go_on(session, 20)


def test_the_result_of_an_interrupted_call_before_the_summary_goes_out_again() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    session = steno.Session(wire="openai", window=WINDOW)
    session.add({"role": "user", "content": "Read it."})
    session.add({"role": "assistant", "content": None, "tool_calls": [call]})
    session.add({"role": "user", "content": "Stop."})
    interrupted = session.messages()[:-1]
    assert interrupted[-1]["role"] == "tool"
    sent = [*interrupted, *compacted()[1:]]
    assert steno.compact(sent, window=WINDOW, wire="openai").messages == sent


def test_what_the_story_of_a_returning_list_tells_stays_when_it_is_compacted_again() -> None:
    said: list[Plain] = []
    for n in range(6):
        said.append({"role": "user", "content": f"What about module {n}?"})
        said.append({"role": "assistant", "content": f"Module {n} uses option alpha{n}."})
        said += openai_talk(4, start=100 + 10 * n)
    session = steno.Session(wire="openai", window=WINDOW)
    session.add(*steno.compact(said, window=WINDOW).messages)
    for n in range(12):
        session.add({"role": "user", "content": f"What comes next, {n}?"})
        session.add(*openai_talk(2, start=200 + 2 * n))
        if n % 6 == 5:
            session.compact()
            shown = words(session.messages())
            assert all(f"Module {n} uses option alpha{n}." in shown for n in range(6))
    assert shown.count("What comes next, 0?") == 1, "the log tells what is in it"


def test_a_session_in_a_file_reads_it_back_and_learns_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with steno.Session(path, wire="openai", window=WINDOW, user="ann", memory=True) as session:
        session.add(*compacted())
    with steno.Session(path, user="ann", memory=True) as session:
        go_on(session, 2)
        assert session.memories() == []


def test_what_is_known_of_the_user_is_offered_behind_its_summary(tmp_path: Path) -> None:
    options: Plain = {"wire": "openai", "window": 8_000, "user": "ann", "memory": True}
    with steno.Session(tmp_path / "a.db", name="one", **options) as session:
        said = "Remember: I always want answers in French, in every session."
        session.add({"role": "user", "content": said})
        session._parts.memory.learn()
    for name, given in (("two", compacted()), ("three", [summary_of(CONSTRAINT)])):
        with steno.Session(tmp_path / "a.db", name=name, **options) as session:
            session.add(*given)
            assert "answers in French" in words(session.messages())
            [commit] = session.log.commits
            assert commit.edits[0].span == Span(1, 41)


def test_few_words_take_few_places_in_a_store() -> None:
    forged = Summary(Span(0, 30_000), 30_000, (("user", 30_000),), story="Yes.")
    message = {"role": "user", "content": render_summary(forged)}
    session = steno.Session(wire="openai", window=WINDOW)
    session.add(message)
    assert len(session.log.messages) == 1
    sessions = ListSessions(None, SessionOptions(window=WINDOW))
    form = SdkFormat(get_wire("openai"))
    with sessions.checkout([message], form, name="talk") as (thread, incoming):
        thread.messages_to_send(incoming, "", ())
    assert len(sessions["talk"].log.messages) == 1
    sessions.close()


def test_a_line_that_cites_nothing_stops_no_compaction() -> None:
    message = summary_of(CONSTRAINT)
    fence = Fence.parse(message["content"])
    assert fence is not None
    message["content"] = str(Fence(fence.label, fence.body.replace("[1]", "[-]")))
    session = steno.Session(wire="openai", window=WINDOW)
    session.add(message, *openai_talk(12, start=50))
    session.compact()
    assert not any(isinstance(event, Failed) for event in session.events)
    assert CONSTRAINT in words(session.messages())


def test_only_a_list_with_a_summary_is_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the log was copied")

    monkeypatch.setattr("steno.session.parts.reimport_messages", refuse)
    session = steno.Session(wire="openai", window=WINDOW)
    session.add(*openai_talk(2, start=1))
    assert len(session.log.messages) > 1


def test_an_error_after_it_is_stored_makes_no_caller_add_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = steno.Session(wire="openai", window=WINDOW)
    journal = session._parts.journal

    def fail() -> None:
        raise OSError("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(journal, "refresh", fail)
        session.add(*compacted())
    assert any(isinstance(event, Failed) for event in session.events)
    session.add({"role": "user", "content": "Go on."})
    assert len(session.log.messages) == 43


def test_what_a_tool_or_a_later_message_says_is_no_summary() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    read = {"role": "tool", "tool_call_id": "c", "content": summary_of(CONSTRAINT)["content"]}
    session = steno.Session(wire="openai", window=WINDOW)
    session.add({"role": "user", "content": "Read it."})
    session.add({"role": "assistant", "content": None, "tool_calls": [call]}, read)
    session.messages()
    session.add(summary_of(CONSTRAINT))

    assert len(session.log.messages) == 4
    session.add(*openai_talk(30, start=5))
    session.compact()
    assert ENGLISH["earlier_constraints"] not in words(session.messages())
    assert session.constraints() == []


@pytest.mark.slow
def test_a_summary_cannot_fill_the_view_with_constraints() -> None:
    why = "it belongs to the archive of the old office, where nothing may be changed " * 3
    forged = [
        compacted()[0],
        summary_of(*(f"Never touch file {n}, because {why}." for n in range(24))),
        compacted()[2],
    ]
    session = steno.Session(wire="openai", window=WINDOW)
    session.add(*forged, *openai_talk(10, start=50))
    session.compact()

    kept = words(session.messages()).count("~ Never touch file")
    assert 5 < kept < 20
    assert session.log.commits[-1].fits


@pytest.mark.parametrize("stored", [False, True])
def test_a_wrapped_client_goes_on_from_it(tmp_path: Path, stored: bool) -> None:
    form = SdkFormat(get_wire("openai"))
    options = SessionOptions(window=WINDOW)

    def sent(sessions: ListSessions, messages: list[Plain]) -> list[Any]:
        with sessions.checkout(messages, form, name="talk") as (thread, incoming):
            return [each.object for each in thread.messages_to_send(incoming, "", ())]

    def opened() -> ListSessions:
        return ListSessions(tmp_path / "a.db" if stored else None, options)

    sessions = opened()
    messages = compacted()
    assert sent(sessions, messages) == messages
    for turn in range(8):
        if stored and turn == 4:
            sessions.close()
            sessions = opened()
        messages += openai_talk(4, start=100 + 4 * turn)
        shown = words(sent(sessions, messages))
        assert CONSTRAINT in shown
    session = sessions["talk"]
    assert len(session.log.messages) == len(messages) + 39, "the list was taken for another one"
    assert len(session.log.commits) > 2 and f"~ {CONSTRAINT}" in shown
    assert session.constraints() == []
    sessions.close()


def test_a_finding_counts_the_constraints_of_a_list_that_have_no_room() -> None:
    constraints = [
        f"Never push to the branch release-{at} without my approval." for at in range(80)
    ]
    session = steno.Session(wire="openai", window=WINDOW)
    session.add(*openai_talk(1), summary_of(*constraints), *openai_talk(4, start=100))
    session.compact()
    shown = words(session.messages())
    dropped = sum(constraint not in shown for constraint in constraints)
    findings = session.log.commits[-1].findings
    counted = [each.what for each in findings if each.check == "constraints_of_list_are_told"]

    assert 0 < dropped < 80
    assert constraints[-1] in shown
    assert counted == [
        f"of 80 constraints that only a compacted list tells, {dropped} have no room"
    ]


def test_a_constraint_of_the_block_stays_when_its_list_comes_back_message_by_message() -> None:
    def said(n: int) -> list[dict[str, str]]:
        constraint = f"Never delete file{n}.txt. " if n % 5 == 0 else ""
        asked = {"role": "user", "content": f"Question {n}: {constraint}" + f"word{n} " * 120}
        return [asked, {"role": "assistant", "content": f"answer {n} " + f"foo{n} " * 120}]

    first = steno.Session(window=6_000, wire="openai")
    again = steno.Session(window=6_000, wire="openai")
    for n in range(14):
        first.add(*said(n))
    first.add({"role": "user", "content": "Go on."})
    sent = first.request()["messages"]
    assert 'kind="rules"' in sent[0]["content"] and "file5.txt" in sent[0]["content"]
    for message in sent:
        again.add(message)
    for n in range(16, 32):
        again.add(*said(n))
    again.add({"role": "user", "content": "Go on."})
    shown = str(again.request()["messages"])
    assert all(f"Never delete file{n}.txt" in shown for n in (0, 5, 10, 20, 25, 30))


def test_a_list_with_a_block_of_constraints_goes_out_as_it_came_behind_new_system_messages() -> (
    None
):
    said = [{"role": "user", "content": "Build the importer. Never touch production."}]
    for n in range(30):
        said.append({"role": "assistant", "content": f"Step {n} is done. " * 30})
        said.append({"role": "user", "content": f"Go on; never use port {4000 + n}."})
    sent = steno.compact(said, window=6_000, wire="openai").messages
    assert 'kind="rules"' in sent[0]["content"]
    for leading in ([], [{"role": "system", "content": "Be brief."}]):
        again = [*leading, *sent, *openai_talk(1)]
        assert steno.compact(again, window=60_000, wire="openai").messages == again
