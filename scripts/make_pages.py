"""Make the pages of `docs/internals` that list what the tests prove.

    python scripts/make_pages.py             write the pages
    python scripts/make_pages.py --check     name the pages that are out of date

`promises.md` is `tests/promises.toml` with the test files that say `@proves("id")`;
`rows.md` lists the planted faults of `tests/faults` with the tests that must notice them;
`adapters.md` has a section for each framework, from its adapter, its test and its row in
`frameworks.md`. `tests/docs/test_promises.py` compares them with what this script makes.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
INTERNALS = ROOT / "docs" / "internals"
PROMISES = ROOT / "tests" / "promises.toml"
PROVES = re.compile(r"""proves\(["']([a-z_]+\.[a-z_]+)["']\)""")

PROMISES_HEAD = """\
# What Steno promises

<!-- made by scripts/make_pages.py from tests/promises.toml and the tests -->

Each promise has tests marked `@proves("id")`; the last column names their files.
*Law* marks a property over generated conversations, with a floor on how often it had something to
check; planted faults (`tests/faults`) show that the laws can fail. *Rows* name the requirement:
A to E are five published designs of compaction ([designs](../designs.md)), F, G and H what they
leave open ([rows](rows.md)). The words are those of the [architecture](../architecture.md).
"""
ROWS_HEAD = """\
# Rows, tests and faults

<!-- made by scripts/make_pages.py from the planted faults in tests/faults -->

For each requirement of the published designs ([designs](../designs.md)): the test that checks it,
and a fault that makes this test fail. `tests/faults/test_rows.py` plants each fault and expects the
failure. What Steno promises beyond that is in [promises](promises.md).

| row | test | planted fault |
|---|---|---|
"""
ADAPTERS_HEAD = """\
# A section for each framework

<!-- made by scripts/make_pages.py from the adapters, their tests and frameworks.md -->

How to add Steno, what the adapter does, how its test builds an agent, and what works. Every adapter
takes `store=`, the options of a `Session`, and `user=` and `session=`: a name, or a function of the
framework's own context. Unless a section says otherwise, the framework's own history stays whole,
and each request carries what fits of it. A model, client or engine that is wrapped serves one
conversation, with its `session=` and `user=`. `make test-frameworks FRAMEWORKS=name` runs the tests
of one, in an environment that `constraints/name.txt` locks. All in one table:
[frameworks](frameworks.md).
"""
ADAPTERS = ROOT / "src" / "steno" / "adapters" / "frameworks"
FRAMEWORK_TESTS = ROOT / "tests" / "frameworks"
WRAP = ROOT / "docs" / "wrap.md"


def proofs() -> dict[str, list[str]]:
    """Return the test files that prove each promise, by its id."""
    found: dict[str, set[str]] = defaultdict(set)
    tests = ROOT / "tests"
    for file in tests.rglob("test_*.py"):
        name = file.relative_to(ROOT).as_posix()
        for promise in PROVES.findall(file.read_text(encoding="utf-8")):
            found[promise].add(name)
    return {promise: sorted(files) for promise, files in found.items()}


def promises() -> dict[str, dict[str, dict[str, str]]]:
    """Return the promises by section and id."""
    return tomllib.loads(PROMISES.read_text(encoding="utf-8"))


def promises_page() -> str:
    """Return `promises.md`."""
    proved = proofs()
    lines = [PROMISES_HEAD]
    for section, entries in promises().items():
        lines += [f"## {section}", "", "| id | promise | rows | proved in |", "|---|---|---|---|"]
        for promise, entry in entries.items():
            says = entry["says"]
            if entry.get("law"):
                says += " *Law.*"
            files = ", ".join(f"`{file}`" for file in proved.get(promise, ()))
            lines.append(f"| {promise} | {says} | {entry.get('rows', '')} | {files} |")
        lines.append("")
    return "\n".join(lines)


def rows_page() -> str:
    """Return `rows.md`."""
    # Planted faults import the whole suite, which promises do not need.
    sys.path.insert(0, str(ROOT))
    from tests.faults.test_rows import planted_rows

    rows = sorted(planted_rows(), key=_by_row)
    return ROWS_HEAD + "".join(f"| {row} | `{test}` | `{fault}` |\n" for row, test, fault in rows)


def _by_row(planted: tuple[str, str, str]) -> tuple[str, int, str, str]:
    row, test, fault = planted
    number = re.fullmatch(r"([A-Z])(\d+)", row)
    if number is None:
        return ("~", 0, test, fault)
    return (number[1], int(number[2]), test, fault)


def adapters_page() -> str:
    """Return `adapters.md`."""
    page = (INTERNALS / "frameworks.md").read_text(encoding="utf-8")
    table = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    columns = next(row for row in table if row[0] == "framework")
    names = sorted(path.stem.removeprefix("test_") for path in FRAMEWORK_TESTS.glob("test_*.py"))
    sections = [ADAPTERS_HEAD]
    for name in names:
        test = (FRAMEWORK_TESTS / f"test_{name}.py").read_text(encoding="utf-8")
        package = re.search(r'^(?:PACKAGE = "|CALLED = f")([\w-]+)', test, re.M)
        assert package is not None, name
        row = next(row for row in table if row[0].split()[0] == package[1])
        sections.append("\n".join(_section(name, test, dict(zip(columns, row, strict=True)))))
    return "\n".join(sections)


def _section(name: str, test: str, row: dict[str, str]) -> list[str]:
    """Return the section of a framework: how to add it, what it does, what works."""
    adapter = ADAPTERS / f"{name}.py"
    if adapter.exists():
        lines = WRAP.read_text(encoding="utf-8").splitlines()
        line = next(line for line in lines if re.search(rf"\b{name}\.\w+\(", line))
        says = ast.get_docstring(ast.parse(adapter.read_text(encoding="utf-8"))) or ""
        title, _, _ = says.partition(":")
        code = ["```text", f"from steno.adapters.frameworks import {name}", "", line, "```"]
        text = says.partition("\n\n")[2].splitlines()
    else:
        head = (ROOT / "examples" / "vercel_ai_sdk.mjs").read_text("utf-8").partition("\n\n")[0]
        said = [line.removeprefix("//").removeprefix(" ") for line in head.splitlines()]
        title, code, text = "Vercel AI SDK", ["```js", *said[2:4], "```"], [said[0], said[-1]]
        text.append("`stenoFit` is in `examples/vercel_ai_sdk.mjs`.")
    built = _source(test, "reader") or _source(test, "wrapped")
    if built:
        built = ["As its test builds an agent:", "", "```text", *built, "```", ""]
    works = [column for column, cell in row.items() if cell == "yes"]
    figures = ("framework", "lines", "seconds", "story")
    others = [
        f"- {column}: {cell}"
        for column, cell in row.items()
        if cell != "yes" and column not in figures
    ]
    return [
        f"## {title}",
        "",
        *code,
        "",
        *text,
        "",
        *built,
        f"Tested with {row['framework']}: story: {row['story']}; {row['seconds']} s; "
        f"{row['lines']} lines. Works: {'; '.join(works)}.",
        "",
        *others,
        *[""][: len(others)],
    ]


def _source(module: str, function: str) -> list[str]:
    """Return the lines of a function of a module; none if it has no such function."""
    for node in ast.parse(module).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return module.splitlines()[node.lineno - 1 : node.end_lineno]
    return []


PAGES = {"promises.md": promises_page, "rows.md": rows_page, "adapters.md": adapters_page}


def main() -> int:
    stale = 0
    for name, make in PAGES.items():
        page = INTERNALS / name
        made = make()
        if page.exists() and page.read_text(encoding="utf-8") == made:
            continue
        if "--check" in sys.argv:
            print(f"{page.relative_to(ROOT)} is out of date: run python scripts/make_pages.py")
            stale += 1
        else:
            page.write_text(made, encoding="utf-8")
            print(f"wrote {page.relative_to(ROOT)}")
    return stale


if __name__ == "__main__":
    sys.exit(main())
