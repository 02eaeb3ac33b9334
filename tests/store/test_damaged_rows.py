"""A damaged row is told with its session and place, and what can be done."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import steno
from steno.core.log import Commit, Edit
from steno.core.message import Span
from tests.support.command_line import Run, refused
from tests.support.promises import proves

MESSAGE_2 = "(SELECT id FROM message WHERE id & 4294967295 = 2 AND id >> 32 = 1)"
DAMAGES = {
    "UPDATE body SET text = 'odd' WHERE text LIKE '%words 2%'": "message 2 of session 'agent'",
    f"UPDATE message SET by = 'steno' WHERE id = {MESSAGE_2}": "message 2 of session 'agent'",
    f"DELETE FROM message WHERE id = {MESSAGE_2}": "of 4 messages of session 'agent' 3 are left",
    "UPDATE commits SET body = x'7b7d'": "commit 0 of session 'agent'",
    "UPDATE jot SET text = '7'": "record 0 of session 'agent'",
}


def said(number: int) -> dict[str, str]:
    return {"role": "user", "content": f"words {number}"}


@proves("store.failures")
@pytest.mark.parametrize("statement", DAMAGES)
def test_a_damaged_row_is_named_and_whole_sessions_can_be_saved(
    tmp_path: Path, run: Run, statement: str
) -> None:
    path = tmp_path / "agent.db"
    with steno.Session(path, name="agent", wire="openai", window=8_000) as session:
        session.add(*map(said, range(4)))
        session._parts.journal.land(Commit(0, 1, "asked", (Edit(Span(0, 1), (), "prune"),)))
        session._parts.journal.records.add("note", "words")
    with steno.Session(path, name="other", wire="openai", window=8_000) as session:
        session.add(said(7))
    with closing(sqlite3.connect(path)) as db:
        db.execute(statement)
        db.commit()

    with pytest.raises(steno.errors.StoreFailed) as failed:
        steno.Session(path, name="agent").close()
    assert DAMAGES[statement] in str(failed.value)
    assert f"steno store check {path}" in str(failed.value)
    [damage] = run("store", "check", path, "--json").json["damaged"]
    assert DAMAGES[statement] in damage
    run("store", "copy", path, tmp_path / "saved.db", "-s", "other")
    with steno.Session(tmp_path / "saved.db", name="other") as saved:
        assert saved.open(0) == said(7)


@pytest.mark.parametrize("table", ["session", "message", "commits", "jot", "fact", "folded"])
def test_a_check_names_a_table_that_is_gone(tmp_path: Path, run: Run, table: str) -> None:
    path = tmp_path / "agent.db"
    with steno.Session(path, name="agent", wire="openai", window=8_000) as session:
        session.add(said(1))
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"DROP TABLE {table}")
    found = run("store", "check", path, "--json")
    assert found.code != 0
    assert f"no such table: {table}" in found.out + found.err
    assert "Traceback" not in found.out + found.err


ROW_DAMAGES = ["wire = 'odd'", "setup = '{'", "parent = id", "seal = x'00'", "name = x'ff61'"]


@proves("store.failures")
@pytest.mark.filterwarnings("always:session .* is left out")
@pytest.mark.parametrize("damage", ROW_DAMAGES)
def test_a_damaged_session_hides_no_other(tmp_path: Path, run: Run, damage: str) -> None:
    path = tmp_path / "agent.db"
    for name in ("one", "two"):
        with steno.Session(path, name=name, wire="openai", window=8_000) as session:
            session.add(said(7))
    with closing(sqlite3.connect(path)) as db:
        # Also bytes that are no text.
        damage = damage.replace("x'ff61'", "CAST(x'ff61' AS TEXT)")
        db.execute(f"UPDATE session SET {damage} WHERE name = 'two'")
        db.commit()

    shown = run("show", path, "-s", "one")
    assert shown.code == 0 and "left out: a row does not match its seal" in shown.err
    checked = run("store", "check", path, "--json").json
    assert checked["sessions"] == 2 and len(checked["damaged"]) == 1
    # A copy of all must not leave it out; of the other by its name it is one.
    refused(run("store", "copy", path, tmp_path / "all.db"))
    run("store", "copy", path, tmp_path / "saved.db", "-s", "one")
    with steno.Session(tmp_path / "saved.db", name="one") as saved:
        assert saved.open(0) == said(7)


@proves("store.failures")
def test_a_damaged_memory_is_listed_beside_what_is_whole(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "agent.db"
    options = {"user": "ann", "memory": True, "wire": "openai", "window": 8_000}
    with steno.Session(path, name="one", **options) as session:
        session.add({"role": "user", "content": "Remember that the build runs on Debian."})
        assert session.learn()
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE memory SET text = 'odd'")
        db.commit()
    checked = run("store", "check", path, "--json").json
    assert checked["messages"] == 1 and "memories of 'ann'" in str(checked["damaged"])
