"""Run the example of `docs/extend.md` that changes a file of the package, on a copy of it.

The other examples of that page run in `test_as_written.py`, like those of every page.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import steno
from tests.support.paths import ROOT
from tests.support.promises import proves

PAGE = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
LINES_MOST = 40


def test_every_example_is_short() -> None:
    examples = re.findall(r"```py(?:thon)?\n(.*?)```", PAGE, re.S)
    assert len(examples) >= 8
    assert max(len(example.splitlines()) for example in examples) <= LINES_MOST


@pytest.mark.slow
@proves("docs.run")
def test_a_kind_of_fact_is_one_value(tmp_path: Path) -> None:
    added, used = re.findall(r"```py\n(.*?)```", PAGE, re.S)
    package = tmp_path / "steno"
    source = Path(steno.__file__).parent
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__"))
    with (package / "facts" / "kinds.py").open("a", encoding="utf-8") as kinds:
        kinds.write("\n\n" + added)

    done = subprocess.run(
        [sys.executable, "-c", used],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
