"""The tables of cues are small and frozen.

A phrasing that no row knows is a line in `docs/limits.md`, not a new row. To change a row, take
another one out; to raise a number here, show in the same commit what it buys on real messages of
projects that nobody tuned on (`bench/constraints.py`).
"""

from __future__ import annotations

import pytest

from steno.facts.languages import LANGUAGES, Table

ROWS_MOST = 60
SIZES_MOST = {
    "English": (10_610, 131),
    "German": (4_980, 159),
    "French": (4_200, 168),
    "Spanish": (4_250, 158),
    "Chinese": (1_730, 96),
}
"""Characters of all rows, and words that tell something."""


@pytest.mark.parametrize("table", LANGUAGES, ids=lambda table: table.name)
def test_a_table_does_not_grow(table: Table) -> None:
    rows = [row for cues in table.rows.values() for row in cues]
    assert len(rows) <= ROWS_MOST
    characters, words = SIZES_MOST[table.name]
    assert sum(map(len, rows)) <= characters
    assert len(table.tells) <= words


def test_no_language_has_a_cue_that_english_lacks() -> None:
    english, *others = LANGUAGES
    assert all(table.rows.keys() <= english.rows.keys() for table in others)
