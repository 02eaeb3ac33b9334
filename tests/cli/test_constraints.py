"""`steno constraints`: constraints of a session, listed and changed by a person."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import steno
from steno.core.message import Span
from steno.core.summary import Section, Summary, SummaryLine
from steno.summary.render import render_summary
from tests.support.command_line import Run, refused
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk

CONSTRAINT = "Never write to the warehouse."


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "agent.db"
    with steno.Session(path, name="work", wire="openai", window=4_000) as session:
        session.add({"role": "user", "content": "Go. Always run the tests before you commit."})
        session.add({"role": "assistant", "content": "Yes."})
    return path


@proves("cli.constraints")
def test_constraints_are_added_edited_and_retired_by_a_person(run: Run, db: Path) -> None:
    out = run("constraints", db.name, "add", CONSTRAINT, "--id", "warehouse").out
    assert "warehouse is given" in out
    assert CONSTRAINT in out
    assert "[m0] Always run the tests before you commit." in out
    with steno.Session(db) as session:
        assert CONSTRAINT in session.messages()[0]["content"]
    run("constraints", db.name, "edit", "warehouse", "Ask first.")
    told = run("constraints", db.name, "--json").json
    assert [(each["id"], each["source"]) for each in told["standing"]] == [
        ("warehouse", "given"),
        ("m0", "found"),
    ]
    assert [each["what"] for each in told["standing"][0]["history"]] == ["given", "edited"]
    told = run("constraints", db.name, "retire", "warehouse", "--json").json
    assert [each["id"] for each in told["retired"]] == ["warehouse"]
    with steno.Session(db) as session:
        assert session.view.head is None
    # A constraint of a message is ended from outside too; the message stays.
    told = run("constraints", db.name, "retire", "m0", "--json").json
    assert ([each["id"] for each in told["retired"]], told["standing"]) == (
        ["warehouse", "m0"],
        [],
    )


def test_a_secret_is_not_typed_into_a_session_that_takes_them_out(run: Run, tmp_path: Path) -> None:
    path, secret = tmp_path / "clean.db", "Zq8vK2mLx9Rt4Wp7"
    with steno.Session(path, window=8_000, user="ann", redact=True) as session:
        session.add({"role": "user", "content": "Never log a password."})
    assert run("constraints", path, "add", f"password={secret} is for tests only").code == 0
    assert run("memory", path, "add", f"My password is {secret}", "--user", "ann").code == 0
    assert run("memory", path, "edit", "1", f"My password is {secret}!", "--user", "ann").code == 0
    assert secret.encode() not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


@proves("cli.constraints")
def test_what_cannot_be_done_is_said(run: Run, db: Path) -> None:
    refused(run("constraints", db.name, "retire", "c4"), "there is no constraint 'c4'")
    refused(run("constraints", db.name, "retire", "m3"), "there are m0")
    refused(run("constraints", db.name, "drop", "c1"), "takes list, add TEXT")
    refused(run("constraints", db.name, "add"), "takes list, add TEXT", "got 'add'")
    refused(run("constraints", db.name, "edit", "x", "y", "--id", "z"), "--id names a constraint")
    run("constraints", db.name, "add", "Be brief.", "--id", "brief")
    refused(run("constraints", db.name, "add", "Be long.", "--id", "brief"), "edit it")


@pytest.mark.slow
@proves("cli.constraints")
def test_other_commands_show_the_block(run: Run, db: Path) -> None:
    run("constraints", db.name, "add", CONSTRAINT)
    with steno.Session(db) as session:
        for message in openai_talk(turns=60):
            session.add(message)
            session.messages()
    assert CONSTRAINT in run("export", db.name, "--view", wide=True).out
    assert "the block of constraints, 1 given" in run("show", db.name).out
    assert CONSTRAINT in run("show", db.name, "--json").json["constraints"]
    # The constraint that was said stands in the block alone by now, and counts as visible.
    assert run("constraints", db.name).code == 0
    run("store", "copy", db.name, "copy.db")
    with steno.Session("copy.db") as copy, steno.Session(db) as original:
        assert [each.text for each in copy.constraints()] == [
            each.text for each in original.constraints()
        ]
        assert copy.view.head == original.view.head
    shown = run("export", db.name, "--view", "--json").json
    assert json.dumps(shown).count(CONSTRAINT) == 1


def test_check_and_facts_name_the_constraints_that_were_given(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with steno.Session(path, name="s", wire="openai", window=8_000, constraints=["No tabs."]) as s:
        s.add({"role": "user", "content": "Never touch production. Go on."})
    printed = run("constraints", path, wide=True).out
    assert "[c1] No tabs." in printed and "Never touch production." in printed


@proves("cli.constraints")
def test_constraints_that_only_a_summary_tells_are_listed_apart(run: Run, db: Path) -> None:
    messages = [{"role": "user", "content": f"Go. {CONSTRAINT}"}, *openai_talk(30, start=1)]
    made = steno.compact(messages, window=4_000, wire="openai", force=True).messages
    # The message that gave the constraint is gone; the summary tells it.
    told = [
        message
        for message in made
        if CONSTRAINT not in message["content"] or "<steno-" in message["content"]
    ]
    assert any(CONSTRAINT in message["content"] for message in told)
    Path("out.json").write_text(json.dumps(told))
    run("import", "out.json", "new.db", "--window", "4k")

    report = run("constraints", "out.json", "--json").json
    assert [row["words"] for row in report["earlier_constraints"]] == [f"Go. {CONSTRAINT}"]
    assert report["constraints"] == []
    assert "Constraints of an earlier part" in run("constraints", "out.json").out
    listed = run("constraints", "new.db", "--json").json
    assert [row["words"] for row in listed["earlier_constraints"]] == [f"Go. {CONSTRAINT}"]
    assert listed["standing"] == []
    assert "as a summary in the list says" in run("constraints", "new.db").out


@proves("cli.constraints")
def test_open_loops_that_only_a_summary_tells_are_listed_apart(run: Run, tmp_path: Path) -> None:
    loop = SummaryLine("Write the release notes.", (5,))
    roles = (("user", 4), ("assistant", 4))
    summary = Summary(Span(0, 8), 4_000, roles, sections=(Section("OPEN", (loop,)),))
    told = [render_summary(summary), "Go on."]
    messages = [{"role": "user", "content": words} for words in told]
    out = tmp_path / "out.json"
    out.write_text(json.dumps(messages))
    report = run("constraints", out, "--json").json
    assert [row["words"] for row in report["earlier_open"]] == [loop.text]
    assert "Open loops of an earlier part" in run("constraints", out).out


@proves("cli.constraints")
def test_listing_constraints_opens_no_session(
    run: Run, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("constraints", db.name, "add", CONSTRAINT, "--id", "warehouse")
    told = run("constraints", db.name, "--json").json
    monkeypatch.setattr("steno.cli.constraints.open_stored_session", None)
    assert run("constraints", db.name, "--json").json == told
    assert [each["id"] for each in told["standing"]] == ["warehouse", "m0"]
