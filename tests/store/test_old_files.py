"""A file that version 0.1.0 wrote opens, shows the same views and goes on from there."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import steno
from steno.core.summary import Summary
from steno.store import schema
from steno.summary.render import render_line
from tests.support.paths import ROOT
from tests.support.sample_messages import openai_talk

FIXTURES = ROOT / "tests" / "fixtures"
NAMES = ("chat", "coding", "what-if")


def digest(value: Any) -> str:
    """Return a short hash of a value's JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    copy = tmp_path / "old.db"
    shutil.copy(FIXTURES / "written_by_0_1.db", copy)
    return copy


def described(path: Path, name: str) -> dict[str, Any]:
    # In a large window, so that nothing is compacted anew: meters have changed since.
    with steno.Session(path, name=name, window=64_000) as session:
        return {
            "messages": digest([session.open(at) for at in range(len(session.log.messages))]),
            "commits": [
                [commit.why, commit.before, commit.after] for commit in session.log.commits
            ],
            "view": digest(session.messages()),
            "notes": [note.text for note in session._parts.tools.notes.standing()],
            "memories": digest([memory.text for memory in session.memories()])
            if session._parts.journal.user
            else None,
        }


@pytest.mark.parametrize("name", NAMES)
def test_it_reads_as_it_did(old: Path, name: str) -> None:
    file = FIXTURES / "written_by_0_1.json"
    recorded = json.loads(file.read_text())
    came = described(old, name)
    if os.environ.get("STENO_GOLDEN") == "write":
        file.write_text(json.dumps(recorded | {name: came}, indent=1) + "\n")
    assert came == recorded[name]


def format_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def test_a_fixture_has_the_newest_format(tmp_path: Path) -> None:
    """Whoever adds a migration adds a file that has been through it, for those who come later."""
    copies = [Path(shutil.copy(file, tmp_path)) for file in FIXTURES.glob("*.db")]
    assert max(map(format_of, copies)) == len(schema.MIGRATIONS)


@pytest.mark.parametrize("newest", range(5, len(schema.MIGRATIONS) + 1))
def test_a_file_of_every_format_since_reads_as_it_did(
    old: Path, newest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier, closing(sqlite3.connect(old)) as db:
        earlier.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:newest])
        db.isolation_level = None
        schema.migrate(db, old)
    assert format_of(old) == newest
    recorded = json.loads((FIXTURES / "written_by_0_1.json").read_text())
    assert described(old, "coding") == recorded["coding"]
    assert format_of(old) == len(schema.MIGRATIONS)


@pytest.mark.slow
def test_it_goes_on(old: Path) -> None:
    with steno.Session(old, name="coding") as session:
        before = len(session.log.commits)
        for number in range(60):
            session.add(
                {"role": "user", "content": f"Look at part {number}. " + "More of the same. " * 20}
            )
            session.add(
                {
                    "role": "assistant",
                    "content": f"Part {number} is fine. " + "Nothing to see. " * 20,
                }
            )
            assert session.request()
        assert len(session.log.commits) > before
        assert session.undo().reverts is not None


def test_its_summaries_are_values(old: Path) -> None:
    """A commit stored without its summary gets the lines that its text lists, all of them."""
    assert '"summary":' not in stored_commits(old)
    with steno.Session(old, name="coding") as session:
        found = [edit for commit in session.log.commits for edit in commit.edits if edit.summary]
        assert len(found) == 4
        for edit in found:
            assert edit.summary is not None
            text = edit.shows[0].text
            listed = [row for row in text.split("\n") if row.startswith(("- ", "* ", "~ "))]
            assert sorted(listed) == sorted(rendered_lines(edit.summary))
            assert edit.span == edit.summary.span
            assert f'tokens="{edit.summary.tokens}"' in text
            assert edit.summary.lines()["CONSTRAINTS"]


@pytest.mark.slow
def test_the_next_compaction_carries_its_summaries_on(old: Path) -> None:
    """A writer's line cannot be computed again: it is there after the next compaction, or lost."""
    with steno.Session(old, name="coding") as session:
        (before,) = [item.summary for item in session.view.items if item.summary]
        written = [line for lines in before.lines().values() for line in lines if line.written]
        assert written
        commits = len(session.log.commits)
        for number in range(30):
            session.add({"role": "user", "content": f"Part {number}. " + "More of it. " * 40})
            session.add({"role": "assistant", "content": f"Seen {number}. " + "Fine. " * 60})
            session.request()
        assert len(session.log.commits) > commits
        summaries = [item.summary for item in session.view.items if item.summary]
        lines = [
            line for summary in summaries for each in summary.lines().values() for line in each
        ]
        carried = [line.text for line in lines if line.written]
        assert carried == [line.text for line in written]


def test_what_is_written_now_is_not_parsed_again(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(text: str) -> None:
        raise AssertionError(f"parsed again: {text[:80]}")

    with steno.Session(old.with_name("new.db"), wire="openai", window=4_000) as session:
        session.add(*openai_talk(60))
        session.messages()
        summaries = [item.summary for item in session.view.items if item.summary]
        assert summaries
    assert '"summary":' in stored_commits(old.with_name("new.db"))
    monkeypatch.setattr("steno.summary.read_back.parse_summary", refuse)
    with steno.Session(old.with_name("new.db")) as session:
        assert [item.summary for item in session.view.items if item.summary] == summaries


def test_what_an_earlier_version_lifted_is_read_again_and_stands_in_order(tmp_path: Path) -> None:
    """`constraints_lifted.db` is of a version where a later word took a constraint out of force."""
    copy = tmp_path / "old.db"
    shutil.copy(FIXTURES / "constraints_lifted.db", copy)
    with steno.Session(copy, name="work") as session:
        found = ["Never touch vendor/legacy.", "You may touch vendor/legacy now."]
        given = "Never write to the warehouse."
        assert [each.text for each in session.constraints()] == [given, *found]
        # Its files say `rule` where this version says `constraint`.
        assert "constraint" in {each.kind for each in session.memories()}
        first = session.log.commits[0].survival
        assert first is not None and first.constraints_before == first.constraints_after == 3
        session.add({"role": "assistant", "content": "Next."})
        session.add({"role": "user", "content": "Never rename part_3. Go on."})
        assert session.compact() is not None
        shown = str(session.messages())
        assert 0 < shown.find(found[0]) < shown.find(found[1])
        # A person retired this one from outside; that stands.
        assert "No longer in force: “Always answer in German.”" in shown
        assert session.undo().reverts is not None


def rendered_lines(summary: Summary) -> Iterator[str]:
    for section in summary.sections:
        yield from map(render_line, section.lines)
        if section.more is not None:
            yield render_line(section.more)


def stored_commits(path: Path) -> str:
    with closing(sqlite3.connect(path)) as db:
        bodies = [body for (body,) in db.execute("SELECT body FROM commits")]
    return "\n".join(body if isinstance(body, str) else body.decode() for body in bodies)
