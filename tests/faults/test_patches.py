"""What is remembered under a patch is forgotten with it, and what was before does not hide it."""

from __future__ import annotations

import pytest

from steno.facts import runs

COMMAND = "pytest -q src"


def test_no_answer_outlives_a_patch_or_hides_it() -> None:
    assert runs.read_test_run(COMMAND)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "_run_of_program", lambda words: None)
        assert runs.read_test_run(COMMAND) is None
    assert runs.read_test_run(COMMAND)
