"""The table of the first ten minutes is complete, and its tests exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench import peers
from tests.docs.test_promises import EXAMPLE
from tests.support.paths import ROOT

ROW = re.compile(r"^\| ([A-Z]\d+) \| .+ \| (?:`(test_\w+)`|–) \|$", re.M)
COUNTS = {"B": 8, "S": 19, "P": 30, "R": 4}
WITHOUT_TEST = {"R4"}


def test_every_sentence_has_its_test() -> None:
    rows = ROW.findall((ROOT / "docs/internals/first-minutes.md").read_text(encoding="utf-8"))
    numbers = [f"{group}{n}" for group, most in COUNTS.items() for n in range(1, most + 1)]
    assert [number for number, _ in rows] == numbers
    assert {number for number, test in rows if not test} == WITHOUT_TEST
    defined = {
        name
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)\(", file.read_text("utf-8"), re.M)
    }
    assert {test for _, test in rows if test} - defined == set()


@pytest.mark.slow
def test_the_readmes_table_is_what_its_command_prints() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = {
        re.split(r"\W+", cells[0].strip(" *"))[0]: cells[1:]
        for cells in (line.strip("|\n").split("|") for line in readme.splitlines() if "|" in line)
    }
    for score in peers.compare(("none", "sliding", "langchain", "default")):
        name, largest, over, sent, typed, _, _, lost = peers.row_of(score)
        assert [cell.strip() for cell in rows[name]] == [largest, over, sent, typed, lost], name


@pytest.mark.slow
def test_the_readmes_snippets_are_typed(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (tmp_path / "snippets.py").write_text("\n".join(EXAMPLE.findall(readme)))
    words = ["--strict", f"--cache-dir={tmp_path}", "--follow-imports=silent", "snippets.py"]
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout
