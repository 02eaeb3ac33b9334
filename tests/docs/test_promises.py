"""The list of promises and the tests agree, both ways; every link of a page leads somewhere."""

from __future__ import annotations

import ast
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LISTED = re.compile(r"^\| ([a-z]+\.[a-z_]+) \|", re.M)
PROVED = re.compile(r"""proves\(["']([a-z]+\.[a-z_]+)["']\)""")
EXAMPLE = re.compile(r"```python\n(.*?)```", re.S)
CODE = re.compile(r"```.*?```", re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMAND = re.compile(r"^\$ (steno .*)$", re.M)
BY_NAME = re.compile(r"pip install (?:-\S+ )*['\"]?steno\b")
FILE = re.compile(r"`((?:bench|docs|examples|plugins|scripts|src|tests)/[\w./-]+)`")
MODULE = re.compile(r"`(?:\w+/)*([a-z_]+\.(?:py|js|proto))`")
DOTTED = re.compile(r"`(?:import |from )?(steno(?:\.\w+)+)\b")


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


def test_every_test_that_a_page_on_rules_names_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs/constraints.md").read_text("utf-8")))
    defined = {
        name
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", file.read_text("utf-8"), re.M)
    }
    assert len(named) > 20
    assert named - defined == set()


def test_no_promise_is_made_twice() -> None:
    assert len(listed()) == len(set(listed())) > 40


def test_the_list_of_promises_is_short() -> None:
    """Merge promises that say the same before you add one."""
    assert len((ROOT / "docs" / "promises.md").read_text(encoding="utf-8").split()) < 8_361


def test_the_readme_is_short_and_has_commands_to_run() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(COMMAND.findall(text)) >= 6
    assert text.count("\n") <= 150


def test_the_page_of_a_room_is_short_and_names_files_that_are_there() -> None:
    pages = sorted((ROOT / "src" / "steno").glob("*/README.md"))
    assert len(pages) > 15
    assert [page for page in pages if page.read_text(encoding="utf-8").count("\n") > 60] == []
    folders = [ROOT / name for name in ("src", "tests", "bench", "scripts")]
    there = {path.name for folder in folders for path in folder.rglob("*.*")}
    named = {name for page in pages for name in MODULE.findall(page.read_text(encoding="utf-8"))}
    assert len(named) > 50 and named - there == set()


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "designs").glob("*.md")), ids=lambda p: p.name
)
def test_a_page_on_a_design_is_short_and_begins_with_its_usage(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count("\n") <= 60
    first = EXAMPLE.search(text)
    assert first is not None
    assert text[: first.start()].count("\n") <= 12


@pytest.mark.parametrize("page", [*PAGES, ROOT / "examples" / "README.md"], ids=lambda p: p.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    prose = CODE.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(prose):
        if "://" not in target and not target.startswith("#"):
            assert (page.parent / target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_file_and_name_that_a_page_tells_of_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [name for name in FILE.findall(text) if not (ROOT / name).exists()] == []
    prose = CODE.sub("", text)
    assert [name for name in set(DOTTED.findall(prose)) if not _exists(name)] == []


def _exists(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_no_snippet_of_a_page_needs_the_tests() -> None:
    for page in PAGES:
        for snippet in EXAMPLE.findall(page.read_text(encoding="utf-8")):
            for node in ast.walk(ast.parse(snippet)):
                match node:
                    case ast.Import(names=names):
                        modules = [each.name for each in names]
                    case ast.ImportFrom(module=str(module)):
                        modules = [module]
                    case _:
                        continue
                assert not {each.partition(".")[0] for each in modules} & {"tests", "pytest"}, page


def test_nothing_is_installed_by_a_name_that_is_another_projects() -> None:
    files = [*PAGES, *(ROOT / "plugins").rglob("*.md"), *(ROOT / "examples").iterdir()]
    files += (ROOT / "src").rglob("*.py")
    texts = {file: file.read_text(encoding="utf-8") for file in files if file.is_file()}
    assert [file for file, text in texts.items() if BY_NAME.search(text)] == []


def test_no_compiler_of_protocols_is_needed_to_install() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = project["build-system"]["requires"] + project["project"]["dependencies"]
    assert [each for each in needed if "grpc" in each or "proto" in each] == []
    assert "hooks" not in project["tool"]["hatch"]["build"]
    assert list((ROOT / "src/steno/gateway/v1").glob("*_pb2.py"))
