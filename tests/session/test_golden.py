"""Commits of seeded sessions stay what they were: when, from which load to which, which spans.

A step that claims to change nothing must leave `fixtures/golden.json` alone. A step that means to
change what a model sees writes the file again, and says why in its message. The words themselves
are not compared here: other tests say what a view must hold.

    STENO_GOLDEN=write python -m pytest tests/session/test_golden.py
"""

from __future__ import annotations

import json
import os

import pytest

from tests.support.golden_sessions import SESSIONS, lived
from tests.support.paths import ROOT
from tests.support.promises import first_fast

RECORDED = ROOT / "tests" / "fixtures" / "golden.json"


@pytest.mark.parametrize(
    ("session",),
    first_fast([(session,) for session in SESSIONS], 6),
    ids=lambda each: f"{each[0]}-{each[1]}-{each[2]}",
)
def test_golden_commits(session: tuple[int, str, str, int, bool]) -> None:
    came = lived(*session)
    recorded = json.loads(RECORDED.read_text())
    if os.environ.get("STENO_GOLDEN") == "write":
        recorded[str(session[0])] = came
        RECORDED.write_text(json.dumps(recorded, indent=1) + "\n")
    assert came == recorded[str(session[0])]


def test_golden_sessions_are_worth_comparing() -> None:
    recorded = json.loads(RECORDED.read_text())
    assert len(recorded) >= 20
    assert sum(len(lines) - 1 for lines in recorded.values()) >= 100
