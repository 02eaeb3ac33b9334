"""Promises and their tests agree; pages are few, short, up to date, and lead somewhere."""

from __future__ import annotations

import ast
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

import steno
from scripts import make_docs, make_pages, release_check
from tests.support.paths import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
USER_PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
USER_PAGES_MOST, USER_WORDS_MOST = 19, 25_000
"""README and index are not counted among the pages; their words are."""
EXAMPLE = re.compile(r"```python\n(.*?)```", re.S)
CODE = re.compile(r"```.*?```", re.S)
HEADING = re.compile(r"^#+ (.*)$", re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMAND = re.compile(r"^\$ (steno .*)$", re.M)
BY_NAME = re.compile(r"pip install (?:-\S+ )*['\"]?steno\b")
FILE = re.compile(r"`((?:bench|docs|examples|plugins|scripts|src|tests)/[\w./-]+)`")
BENCHMARK = re.compile(r"python -m bench ([a-z_]+)")
MODULE = re.compile(r"`(?:\w+/)*([a-z_]+\.(?:py|js|proto))`")
DOTTED = re.compile(r"`(?:import |from )?(steno(?:\.\w+)+)\b")
MANNERS = re.compile(r"\b(?:told|tells|deeds?|anew|somebody|nobody|equipment|whoever)\b", re.I)
"""Words that made earlier pages hard to read; say who does what instead."""
GONE = re.compile(r"`bench/\w+\.py`?,? (?:of|in the tree until) 2bd4db55")
"""A script that is cited with the commit that has it."""


def listed() -> list[str]:
    """Return the id of every promise, in the order of `tests/promises.toml`."""
    return [promise for entries in make_pages.promises().values() for promise in entries]


def test_every_promise_has_a_proof() -> None:
    assert set(listed()) - set(make_pages.proofs()) == set()


def test_every_proof_has_a_promise() -> None:
    assert set(make_pages.proofs()) - set(listed()) == set()


def test_no_promise_is_made_twice() -> None:
    assert len(listed()) == len(set(listed())) > 40


def test_promises_are_few_and_short() -> None:
    """Merge promises that say the same before you add one."""
    says = [
        entry["says"] for entries in make_pages.promises().values() for entry in entries.values()
    ]
    assert sum(len(each.split()) for each in says) < 7_000


def test_the_page_of_promises_is_up_to_date() -> None:
    page = (make_pages.INTERNALS / "promises.md").read_text(encoding="utf-8")
    assert page == make_pages.promises_page(), "run python scripts/make_pages.py"


def test_the_page_of_adapters_is_up_to_date_and_has_short_sections() -> None:
    page = (make_pages.INTERNALS / "adapters.md").read_text(encoding="utf-8")
    assert page == make_pages.adapters_page(), "run python scripts/make_pages.py"
    sections = page.split("\n## ")[1:]
    assert len(sections) == 15 and max(len(each.splitlines()) for each in sections) <= 60


@pytest.mark.slow
def test_the_page_of_rows_is_up_to_date() -> None:
    page = (make_pages.INTERNALS / "rows.md").read_text(encoding="utf-8")
    assert page == make_pages.rows_page(), "run python scripts/make_pages.py"


def test_every_test_that_a_page_on_constraints_names_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", (DOCS / "internals/constraints.md").read_text("utf-8")))
    defined = {
        name
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", file.read_text("utf-8"), re.M)
    }
    assert len(named) > 20
    assert named - defined == set()


def test_user_pages_are_few_and_short() -> None:
    assert len(USER_PAGES) - 2 <= USER_PAGES_MOST
    words = {
        page.relative_to(ROOT): len(page.read_text(encoding="utf-8").split()) for page in USER_PAGES
    }
    assert sum(words.values()) <= USER_WORDS_MOST, words


@pytest.mark.parametrize("page", USER_PAGES, ids=lambda p: p.name)
def test_a_user_page_is_in_plain_words(page: Path) -> None:
    prose = CODE.sub("", page.read_text(encoding="utf-8"))
    assert MANNERS.findall(prose) == []


def test_the_index_lists_every_page() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    listed_there = {(DOCS / target.partition("#")[0]).resolve() for target in LINK.findall(index)}
    assert set(DOCS.rglob("*.md")) - {DOCS / "README.md"} - listed_there == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_benchmark_that_a_page_names_can_be_run(page: Path) -> None:
    for name in BENCHMARK.findall(page.read_text(encoding="utf-8")):
        source = (ROOT / "bench" / f"{name}.py").read_text(encoding="utf-8")
        assert "\ndef main() ->" in source, name


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
    "page", sorted((DOCS / "internals" / "designs").glob("*.md")), ids=lambda p: p.name
)
def test_a_page_on_a_design_is_short_and_begins_with_its_usage(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count("\n") <= 60
    first = EXAMPLE.search(text)
    assert first is not None
    assert text[: first.start()].count("\n") <= 12


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = HEADING.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {each.strip().replace(" ", "-") for each in plain}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "examples" / "README.md"], ids=lambda p: p.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    prose = CODE.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(prose):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        linked = page
        if path:
            linked = page.parent / path
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_file_and_name_on_a_page_exists(page: Path) -> None:
    text = GONE.sub("", page.read_text(encoding="utf-8"))
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


def test_the_site_has_every_page() -> None:
    nav = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    there = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} - {"README.md"}
    assert there - set(re.findall(r": ([\w/-]+\.md)$", nav, re.M)) == set(), "add it to mkdocs.yml"


def test_the_index_for_models_names_pages_that_exist() -> None:
    text = make_docs.index_for_models()
    assert text.startswith("# Steno\n\n> Steno keeps") and text.count("\n## ") >= 4
    targets = {target.partition("#")[0] for target in LINK.findall(text)}
    made = {"changelog.md", "contributing.md", "reference/api.md", "reference/cli.md"}
    assert [each for each in targets - made if not (DOCS / each).exists()] == []


def test_the_newest_version_of_the_changelog_is_the_packages() -> None:
    assert release_check.check_versions() == steno.__version__


def test_the_image_names_extras_that_exist() -> None:
    extras = set(release_check.extras())
    named = re.findall(r"\[([a-z,]+)\]'", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    assert len(named) == 2 and len(set(named)) == 1
    assert set(named[0].split(",")) <= extras


def test_no_compiler_of_protocols_is_needed_to_install() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = project["build-system"]["requires"] + project["project"]["dependencies"]
    assert [each for each in needed if "grpc" in each or "proto" in each] == []
    assert "hooks" not in project["tool"]["hatch"]["build"]
    assert list((ROOT / "src/steno/gateway/v1").glob("*_pb2.py"))
