"""A file that version 0.1.0 wrote opens, shows the same views and goes on from there."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import steno
from tests.support.golden_sessions import digest
from tests.support.paths import ROOT

FIXTURES = ROOT / "tests" / "fixtures"
NAMES = ("chat", "coding", "what-if")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    copy = tmp_path / "old.db"
    shutil.copy(FIXTURES / "written_by_0_1.db", copy)
    return copy


def described(path: Path, name: str) -> dict[str, Any]:
    with steno.Session(path, name=name) as session:
        return {
            "messages": digest([session.open(at) for at in range(len(session.log.messages))]),
            "commits": [
                [commit.why, commit.before, commit.after] for commit in session.log.commits
            ],
            "view": digest(session.messages()),
            "notes": [note.text for note in session.notes()],
            "memories": digest([memory.text for memory in session.memories()])
            if session.user
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
