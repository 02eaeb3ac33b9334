"""Gather the pages of the site in build/docs, and write the reference and llms.txt.

    python scripts/make_docs.py && mkdocs build      what `make docs` does

Pages stay as they are; only links that lead out of `docs/` are changed. The reference of the
command line is what `--help` prints, that of Python comes from types and docstrings by
mkdocstrings. Needs Steno and its extra `agents`, for the help of every command.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import steno
from steno.cli.main import COMMANDS, load_command

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "build" / "docs"
MOVED = {
    "README.md": "contents.md",
    "../CHANGELOG.md": "changelog.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security-policy.md",
    "../SECURITY.md": "security-policy.md",
    "CONTRIBUTING.md": "contributing.md",
    "../CONTRIBUTING.md": "contributing.md",
    "examples/": "examples/index.md",
}
"""Links as pages have them, and where they lead in the site."""
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")
ENTRY = re.compile(r"^- \[([^\]]+)\]\(([^)]+)\)(?:: (.*))?$", re.M)
PANEL = re.compile(r"^\*\*(.+?)\*\*", re.M)


def copy_page(source: Path, target: str, *, inside: str = "") -> None:
    """Copy a page; `inside` is the folder that its links begin with and the site has not."""

    def moved(found: re.Match[str]) -> str:
        path, anchor = found[1].removeprefix(inside), found[2] or ""
        return f"]({MOVED.get(path, path)}{anchor})"

    text = LINK.sub(moved, source.read_text(encoding="utf-8"))
    page = PAGES / target
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text, encoding="utf-8")


def gather_pages() -> None:
    """Copy the pages of the repository to where the site has them."""
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(ROOT / "docs", PAGES, ignore=shutil.ignore_patterns("README.md"))
    copy_page(ROOT / "README.md", "index.md", inside="docs/")
    copy_page(ROOT / "docs" / "README.md", "contents.md")
    for name, target in (
        ("CHANGELOG.md", "changelog.md"),
        ("SECURITY.md", "security-policy.md"),
        ("CONTRIBUTING.md", "contributing.md"),
    ):
        copy_page(ROOT / name, target, inside="docs/")
    shutil.copytree(ROOT / "examples", PAGES / "examples")
    (PAGES / "examples" / "README.md").rename(PAGES / "examples" / "index.md")


def python_reference() -> Iterator[str]:
    """Yield the lines of the reference of Python: every public name."""
    yield "# Python\n"
    yield "Every public name of `steno`, from its types and docstrings.\n"
    for name in steno.__all__:
        value = getattr(steno, name)
        if name.startswith("__"):
            continue
        place = f"steno.{name}"
        if hasattr(value, "__module__"):
            place = f"{value.__module__}.{value.__name__}"
        yield f"::: {place}\n    options:\n      heading: steno.{name}\n"


def command_reference() -> Iterator[str]:
    """Yield the lines of the reference of the command line: what `--help` prints."""
    yield "# Command line\n"
    yield "What `steno COMMAND --help` prints.\n"
    for name, (_, panel, _) in COMMANDS.items():
        if not panel:
            continue
        # Of a group, what each of its verbs prints.
        verbs = [f"{name} {verb}" for verb in getattr(load_command(name), "commands", ())]
        for words in verbs or [name]:
            yield f"## steno {words}\n\n```text\n{help_of(words)}\n```\n"


def help_of(command: str) -> str:
    """Return the help of a command, in lines of 100 characters."""
    environment = os.environ | {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    words = [sys.executable, "-m", "steno", *command.split(), "--help"]
    ran = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    return "\n".join(line.rstrip() for line in ran.stdout.strip().splitlines())


def index_for_models() -> str:
    """Return llms.txt: what Steno is, and every page of the index with its line."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    summary = " ".join(readme.split("\n\n")[1].split())
    contents = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    parts = [f"# Steno\n\n> {summary}\n"]
    for section in re.split(r"(?=^\*\*)", contents, flags=re.M)[1:]:
        title = PANEL.match(section)
        entries = [
            f"- [{text}]({MOVED.get(path, path)})" + (f": {says}" if says else "")
            for text, path, says in ENTRY.findall(section)
        ]
        if title is not None and entries:
            parts.append(f"## {title[1]}\n\n" + "\n".join(entries) + "\n")
    parts.append(
        "## Generated\n\n- [Python](reference/api.md)\n- [Command line](reference/cli.md)\n"
    )
    return "\n".join(parts)


def main() -> int:
    gather_pages()
    reference = PAGES / "reference"
    reference.mkdir()
    (reference / "api.md").write_text("\n".join(python_reference()), encoding="utf-8")
    (reference / "cli.md").write_text("\n".join(command_reference()), encoding="utf-8")
    (PAGES / "llms.txt").write_text(index_for_models(), encoding="utf-8")
    print(f"{len(list(PAGES.rglob('*.md')))} pages in {PAGES.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
