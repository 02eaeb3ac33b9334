"""What programs said: whose result it is, what failed, what repeats, and what is seen already."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

import steno
from steno.checks.questions import Question
from steno.cli.main import app
from steno.lab.probe import search_question
from steno.recall.query import Found
from steno.recall.rank import _files_in, fold_pairs, lower_seen
from tests.support.promises import proves

Json = dict[str, Any]


def used(number: int, tool: str, result: str, said: str = "", **arguments: object) -> list[Json]:
    """Return a call and its result."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": said or None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": result},
    ]


def found_in(talk: list[Json], query: str, **options: Any) -> Found:
    with steno.Session(wire="openai", window=200_000) as session:
        session.add(*talk)
        return session.recall(query, **options)


CODE = "def load(path):\n    return parse(path.read_text())\n" * 4
OTHERS = "src/app/main.py\nsrc/app/start.py\nsrc/app/stop.py\n" * 3


@proves("recall.results")
def test_the_result_of_reading_a_file_comes_before_what_only_names_the_file() -> None:
    talk = [
        {"role": "user", "content": "Look around."},
        *used(1, "read", CODE, path="src/app/config.py"),
        *used(2, "grep", "src/app/config.py:3: a helper\n" + OTHERS, pattern="helper"),
        *used(3, "list", "src/app/config.py\nhelper.py\n" + OTHERS, folder="src/app"),
    ]
    for query in ("add the helper to config.py", "src/app/config.py", "./src/app/config.py"):
        assert found_in(talk, query).hits[0].positions == (1, 2)


@proves("recall.results")
def test_what_a_tool_says_again_and_again_is_found_once_before_it_is_found_again() -> None:
    talk: list[Json] = [{"role": "user", "content": "Plan the migration."}]
    for number in range(6):
        talk += used(number, "todo", "The list of tasks was kept.", tasks="migration of tables")
    talk += used(9, "read", "The migration of tables " + "is described here. " * 30, path="a.md")
    hits = found_in(talk, "migration of tables", role="tool").hits
    assert [14 in hit.positions for hit in hits] == [False, True] + [False] * 5


@proves("recall.results")
def test_what_an_agent_recalled_before_comes_after_what_it_found() -> None:
    for tool in ("recall", "mcp__steno__recall"):
        talk = [
            {"role": "assistant", "content": "We serve the zebra on port 8080, behind a proxy."},
            *used(1, tool, "[0] assistant: the zebra port is 8080", query="zebra port"),
            *used(2, tool, "[1-2] tool recall: the zebra port is 8080", query="zebra port"),
        ]
        assert found_in(talk, "zebra port").hits[0].position == 0


@proves("recall.results")
def test_a_call_and_its_result_are_one_hit() -> None:
    talk = [
        {"role": "user", "content": "Which port?"},
        *used(1, "read", "port = 8080 in zebra.toml", said="The zebra port.", path="zebra.toml"),
        {"role": "assistant", "content": "The zebra port is 8080."},
    ]
    found = found_in(talk, "zebra port")
    assert sorted(hit.positions for hit in found.hits) == [(0,), (1, 2), (3,)]
    assert found.more == 0
    assert found_in(talk, "zebra port", most=1).more == 3
    # The very words: every message that holds them.
    assert [hit.position for hit in found_in(talk, "zebra", mode="exact").hits] == [3, 2, 1]


@proves("recall.results")
def test_two_results_of_one_reply_are_two_hits() -> None:
    first, one = used(1, "read", "zebra stripes", path="a.txt")
    second, other = used(2, "read", "zebra hooves", path="b.txt")
    first["tool_calls"] += second["tool_calls"]
    found = found_in(
        [{"role": "user", "content": "Read."}, first, one, other], "zebra", role="tool"
    )
    assert sorted(hit.positions for hit in found.hits) == [(1, 2), (3,)]


@proves("recall.results")
def test_a_fork_does_not_cite_a_result_that_came_after_it() -> None:
    call, result = used(1, "read", "stripes", said="Now the zebra.", path="zebra.txt")
    with steno.Session(wire="openai", window=200_000) as session:
        session.add({"role": "user", "content": "Read."}, call, result)
        with session.fork(2) as fork:
            assert [hit.positions for hit in fork.recall("zebra").hits] == [(1,)]


def compacted_talk(session: steno.Session) -> None:
    for number in range(30):
        session.add({"role": "user", "content": f"Zebra number {number} " + "went on. " * 60})
        session.add({"role": "assistant", "content": f"Noted, the stripes of {number}."})
    session.compact()


def recalled(session: steno.Session, **arguments: object) -> list[str]:
    call = {"function": {"name": "recall", "arguments": json.dumps(arguments)}}
    return str(session.handle(call)).splitlines()


@proves("recall.results")
def test_an_agent_is_told_first_what_it_does_not_see() -> None:
    with steno.Session(wire="openai", window=6_000) as session:
        compacted_talk(session)
        lines = recalled(session, query="zebra number", most=20)
        shown = [place for place in range(0, 60, 2) if any(f"[{place}] " in line for line in lines)]
        # Only a part of one is in the view, and the other is the best of all.
        assert shown == [50, 58] and session.view.at(50).is_edited
        assert sum(", recall] user: Zebra number" in line for line in lines) == 18
        # What it sees is found all the same, if it fits much better.
        assert recalled(session, query="noted the stripes of 29")[0].startswith("[59] assistant")
        # A program has no view.
        assert session.recall("zebra number").hits[0].position > 50


@proves("recall.results")
def test_an_agent_is_told_which_file_a_result_is_of() -> None:
    with steno.Session(wire="openai", window=200_000) as session:
        session.add({"role": "user", "content": "Go."})
        session.add(*used(1, "read", "zebra = 1", path="/project/app/src/app/config.py"))
        session.add(*used(2, "run", "the zebra ran", command="make zebra"))
        lines = recalled(session, query="zebra")
        assert "[2] tool read src/app/config.py: zebra = 1" in lines
        assert "[3-4] assistant run: run command: make zebra" in lines
        hits = session.recall("zebra").hits
        assert {hit.path for hit in hits} == {"project/app/src/app/config.py", ""}


@proves("recall.results")
def test_what_another_session_says_at_the_same_position_is_not_seen(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with steno.Session(path, wire="openai", window=6_000, name="old", user="ann") as old:
        old.add({"role": "user", "content": "The zebra number is 4711."})
    with steno.Session(path, wire="openai", window=6_000, name="new", user="ann") as new:
        new.add({"role": "user", "content": "The zebra number is wanted."})
        lines = recalled(new, query="zebra number", where="user")
        assert lines[0].startswith("[0 of session ann:old, archive]")


@proves("recall.results")
def test_a_probe_reads_both_messages_of_a_hit() -> None:
    with steno.Session(wire="openai", window=200_000) as session:
        session.add({"role": "user", "content": "Go."}, *used(1, "run", "zebra", command="go"))
        question = Question("open", "zebra", ("zebra",))
        assert [position for position, _ in search_question(session, question, 5)] == [1, 2]


def test_a_file_is_named_whole_with_its_dots() -> None:
    assert _files_in("the transform of jest.config.js, c.tar.gz") == [
        "/jest.config.js/",
        "/c.tar.gz/",
    ]
    assert _files_in("see src/app.py:12 and notes.jsonl's end") == ["/src/app.py/", "/notes.jsonl/"]


def test_scores_below_zero_are_lowered_and_raised_too() -> None:
    scored = [(1, 0.4), (2, -0.1), (3, -0.2)]
    assert [message for message, _ in lower_seen(scored, lambda row: row == 2)] == [1, 3, 2]


def test_a_message_that_holds_more_than_its_half_is_not_left_out() -> None:
    assert fold_pairs([(2, 1.0), (1, 0.5)], {1: 2}) == [(2, 1.0), (1, 0.5)]
    assert fold_pairs([(2, 1.0), (1, 0.5)], {1: 2, 2: 1}) == [(2, 1.0)]


def test_a_terminal_names_the_file_of_a_hit(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with steno.Session(path, wire="openai", window=200_000, name="one") as session:
        session.add({"role": "user", "content": "Go."})
        session.add(*used(1, "read", "the zebra died", path="a.py"))
    told = CliRunner().invoke(app, ["recall", str(path), "zebra"])
    assert "[2] tool read a.py: the zebra died" in told.output


@proves("recall.results")
def test_notes_that_are_shown_again_are_found_where_they_were_made() -> None:
    session = steno.Session(wire="openai", window=8_000)
    session.add({"role": "user", "content": "Which host serves the Orsk feed?"})
    session.add({"role": "assistant", "content": "The Orsk feed is on host nine."})
    session.host.tools.answer("remember", '{"text": "Orsk feed: host nine"}')
    for _ in range(3):
        session.host.say("notes", "Your own notes:\n(0) Orsk feed: host nine")
    session.host.say("note", "The Orsk feed has moved.")
    assert {hit.position for hit in session.recall("Orsk feed").hits} == {0, 1, 5}
