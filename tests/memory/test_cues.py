"""The tables of cues for memory: each compiles, has the names of English, and does not grow."""

from __future__ import annotations

import pytest

from steno.facts.languages import LANGUAGES
from steno.memory.cues import CUES, memory_cue

ROWS = {"English": 45, "German": 31, "French": 30, "Spanish": 29, "Chinese": 25}
"""Rows of each table, at most: a phrasing that is not in them is a limit, not a new row."""


@pytest.mark.parametrize("language", CUES)
def test_a_table_does_not_grow(language: str) -> None:
    assert sum(map(len, CUES[language].values())) <= ROWS[language]
    assert set(CUES[language]) <= set(CUES["English"])


@pytest.mark.parametrize("name", CUES["English"])
def test_rows_compile_alone_and_together(name: str) -> None:
    assert memory_cue(name).pattern
    for table in LANGUAGES:
        assert not memory_cue(name, (table,)).fullmatch("")
