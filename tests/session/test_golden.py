"""Commits and requests of seeded sessions stay what they were, byte for byte.

A step that claims to change nothing must leave `fixtures/golden.json` alone. A step
that means to change what a model sees writes it anew, and says so in its message:

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
        RECORDED.write_text(json.dumps(recorded, indent=1))
    assert came == recorded[str(session[0])]


def test_golden_sessions_are_worth_comparing() -> None:
    recorded = json.loads(RECORDED.read_text())
    assert len(recorded) >= 20
    assert sum(len(each["commits"]) for each in recorded.values()) >= 100
