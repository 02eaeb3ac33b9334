"""What is remembered under a patch is forgotten with it, and what was before does not hide it."""

from __future__ import annotations

import pytest

from steno.facts import check_runs

COMMAND = "ruff check src"


def test_no_answer_outlives_a_patch_or_hides_it() -> None:
    assert check_runs.read_check_runs(COMMAND)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check_runs, "_check_runs", lambda command: iter(()))
        assert check_runs.read_check_runs(COMMAND) == ()
    assert check_runs.read_check_runs(COMMAND)
