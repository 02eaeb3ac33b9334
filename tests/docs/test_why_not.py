"""The page that says why a compaction did not happen names every reason of the adapters."""

from __future__ import annotations

import re

import pytest

from steno.adapters.langgraph.history import KEPT_WRITING, TASKS_WAIT
from steno.providers.shared.request import PAST_ELSEWHERE, PROVIDER_COMPACTS
from tests.support.paths import ROOT

REASONS = (PAST_ELSEWHERE.format("…"), PROVIDER_COMPACTS, TASKS_WAIT, KEPT_WRITING)
GIVEN = re.compile(r"Skipped(?:Request)?\(\s*([\w.]+)")
NAMES = ("PAST_ELSEWHERE.format", "PROVIDER_COMPACTS", "TASKS_WAIT", "KEPT_WRITING")


@pytest.mark.parametrize("reason", REASONS)
def test_the_page_names_the_reason(reason: str) -> None:
    page = (ROOT / "docs" / "why-not.md").read_text("utf-8")
    assert f"| {reason.partition('. ')[0]}" in page


def test_adapters_give_no_other_reason() -> None:
    given = set()
    for room in ("adapters", "providers", "proxy"):
        for path in (ROOT / "src" / "steno" / room).rglob("*.py"):
            given |= set(GIVEN.findall(path.read_text("utf-8")))
    # A reason that was made as one of these is passed on, and the class itself is defined.
    assert given - {"request.reason", "Value"} == set(NAMES)
