"""The list of promises and the tests agree, both ways; the documentation's examples run."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.support.command_line import Run
from tests.support.paths import ROOT
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LISTED = re.compile(r"^\| ([a-z]+\.[a-z_]+) \|", re.M)
PROVED = re.compile(r"""proves\(["']([a-z]+\.[a-z_]+)["']\)""")
EXAMPLE = re.compile(r"```python\n(.*?)```", re.S)
CONSOLE = re.compile(r"```console\n(.*?)```", re.S)
CODE = re.compile(r"```.*?```", re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMAND = re.compile(r"^\$ (steno .*)$", re.M)


def listed() -> list[str]:
    return LISTED.findall((ROOT / "docs" / "promises.md").read_text(encoding="utf-8"))


def proved() -> set[str]:
    return {
        found
        for file in (ROOT / "tests").rglob("test_*.py")
        for found in PROVED.findall(file.read_text("utf-8"))
    }


def test_every_promise_has_a_proof() -> None:
    assert set(listed()) - proved() == set()


def test_every_proof_has_a_promise() -> None:
    assert proved() - set(listed()) == set()


def test_no_promise_is_made_twice() -> None:
    assert len(listed()) == len(set(listed())) > 40


@pytest.mark.slow
@proves("docs.run")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    examples = EXAMPLE.findall(page.read_text(encoding="utf-8"))
    # A reader runs the README twice, in the same folder.
    for _ in range(2 if page.name == "README.md" else 1):
        names: dict[str, object] = {}
        for example in examples:
            exec(compile(example, page.name, "exec"), names)


@pytest.mark.slow
@proves("docs.run")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Those of `steno`; what `make` and `pip` do is done before any test runs."""
    said = "".join(f"{json.dumps(message)}\n" for message in openai_talk(100))
    (tmp_path / "session.jsonl").write_text(said, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    consoles = "".join(CONSOLE.findall(page.read_text(encoding="utf-8")))
    for command in COMMAND.findall(consoles):
        ran = run(*shlex.split(command, comments=True)[1:], wide=True)
        assert ran.code == 0, f"{command}\n{ran.err}"
        assert ran.out or ran.err


def test_the_readme_is_short_and_has_commands_to_run() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(COMMAND.findall(text)) >= 6
    assert text.count("\n") <= 150


@pytest.mark.parametrize("page", [*PAGES, ROOT / "examples" / "README.md"], ids=lambda p: p.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    prose = CODE.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(prose):
        if "://" not in target and not target.startswith("#"):
            assert (page.parent / target.partition("#")[0]).exists(), target
