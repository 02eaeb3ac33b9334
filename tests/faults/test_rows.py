"""Each planted fault makes the test of its row fail.

A design's faults are a list in a module of its own, named in `MODULES`. `scripts/make_pages.py`
lists them all in `docs/internals/rows.md`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import (
    design_a,
    design_b,
    design_c,
    design_d,
    design_doors,
    design_e,
    design_rest,
)
from tests.faults.rows import Planted
from tests.support.command_line import Run

MODULES = (design_a, design_b, design_c, design_d, design_e, design_rest, design_doors)
FAULTS = [fault for module in MODULES for fault in module.FAULTS]
COUNTS = {"A": 21, "B": 8, "C": 10, "D": 7, "E": 5, "F": 11, "G": 5, "H": 10}
ROWS = {f"{group}{number}" for group, most in COUNTS.items() for number in range(1, most + 1)}
"""Rows that must have a test and a fault, with those of the heading "others"."""
ROWS |= {f"I{number}" for number in range(2, 11)}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_planted_fault_is_caught(
    fault: Planted, tmp_path: Path, run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    places = {"tmp_path": tmp_path, "run": run, "caplog": caplog}
    given = {name: places.get(name, value) for name, value in fault.given.items()}
    with pytest.MonkeyPatch.context() as patch:
        fault.plant(patch)
        with pytest.raises((AssertionError, ExceptionGroup)) as caught:
            fault.test(**given)
    if isinstance(caught.value, ExceptionGroup):
        # A client's tasks raise what fails within them as a group.
        assert caught.value.split(AssertionError)[1] is None


def planted_rows() -> set[tuple[str, str, str]]:
    """Return the row, the test and the name of every planted fault."""
    planted = {(fault.row, fault.test.__name__, str(fault)) for fault in FAULTS}
    return planted | set(design_rest.faults_elsewhere())


def test_every_row_has_a_planted_fault() -> None:
    assert {row for row, *_ in planted_rows()} == ROWS | {"others"}
