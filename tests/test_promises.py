"""The list of promises and the tests agree, both ways; the documentation's examples run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from promise import proves

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LISTED = re.compile(r"^\| ([a-z]+\.[a-z_]+) \|", re.M)
PROVED = re.compile(r"""proves\(["']([a-z]+\.[a-z_]+)["']\)""")
EXAMPLE = re.compile(r"```python\n(.*?)```", re.S)


def listed() -> list[str]:
    return LISTED.findall((ROOT / "docs" / "promises.md").read_text(encoding="utf-8"))


def proved() -> set[str]:
    return {found for file in (ROOT / "tests").glob("test_*.py") for found in PROVED.findall(file.read_text("utf-8"))}


def test_every_promise_has_a_proof() -> None:
    assert set(listed()) - proved() == set()


def test_every_proof_has_a_promise() -> None:
    assert proved() - set(listed()) == set()


def test_no_promise_is_made_twice() -> None:
    assert len(listed()) == len(set(listed())) > 40


@proves("docs.run")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run(page: Path) -> None:
    names: dict[str, object] = {}
    for example in EXAMPLE.findall(page.read_text(encoding="utf-8")):
        exec(compile(example, page.name, "exec"), names)
