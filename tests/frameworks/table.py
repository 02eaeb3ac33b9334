"""Writes the table *what works where*: a row for each framework, from the tests that passed.

`make test-frameworks` loads this as a plugin of pytest. A column is proved by tests of these names;
a module says in `NOT_HERE` why its framework has no proof for a column. The seconds are those of
a whole run of a framework's tests.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.frameworks.story import TURNS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "internals" / "frameworks.md"
ADAPTERS = ROOT / "src" / "steno" / "adapters" / "frameworks"
STORY = r"test_the_story"
REFUSED = r"test_a_request_refused_as_too_long_goes_out_once_more"
COLUMNS = {
    "story": STORY,
    "`recall`": rf"{STORY}|test_recall",
    "constraints": STORY,
    "async": rf"{STORY}$|test_async",
    "kill and resume": rf"{STORY}$",
    "too long: shorter": REFUSED,
    "streams": rf"{REFUSED}\[(True|StreamingMode.SSE)\]",
    "handoffs, sub-agents": r"test_(async_)?a_(handoff|sub_agent|team)",
    "Steno fails: sent as it came": r"test_if_steno_fails",
}
"""Each column, and the names of the tests that prove it."""

_passed: dict[str, set[str]] = {}
_modules: dict[str, Any] = {}
_begun = time.monotonic()


def pytest_collection_modifyitems(items: list[Any]) -> None:
    for item in items:
        _modules[item.path.stem.removeprefix("test_")] = item.module


def pytest_runtest_logreport(report: Any) -> None:
    if report.when == "call" and report.passed:
        module = Path(report.nodeid.partition("::")[0]).stem.removeprefix("test_")
        _passed.setdefault(module, set()).add(report.nodeid.partition("::")[2])


def pytest_sessionfinish() -> None:
    for name, tests in _passed.items():
        if name in _modules:
            _write(name, row(name, tests, _modules[name]))


def row(name: str, tests: set[str], module: Any) -> str:
    """Return the row of a framework."""
    not_here = getattr(module, "NOT_HERE", {})
    package = getattr(module, "PACKAGE", "")
    # A framework of another language says its name and version itself.
    called = getattr(module, "CALLED", "") or f"{package} {version(package)}"
    seconds = round(time.monotonic() - _begun)
    cells = [called, str(_lines(name)), str(seconds)]
    for column, proof in COLUMNS.items():
        proved = column not in not_here and any(re.match(proof, test) for test in tests)
        says = not_here.get(column, "not tested")
        if proved:
            says = "yes"
        if proved and column == "story":
            says = f"{TURNS} turns"
        cells.append(says)
    return f"| {' | '.join(cells)} |"


def _lines(name: str) -> int:
    file = ADAPTERS / f"{name}.py"
    if not file.exists():
        return 0
    return len(file.read_text(encoding="utf-8").splitlines())


def _write(name: str, made: str) -> None:
    """Put a row in its place; those of other frameworks stay."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    first = made.split()[1]
    kept = [line for line in lines if not line.startswith(f"| {first} ")]
    head = max(at for at, line in enumerate(kept) if line.startswith("|---"))
    names = " | ".join(("framework", "lines", "seconds", *COLUMNS))
    header = [f"| {names} |", "|---|--:|--:" + "|---" * len(COLUMNS) + "|"]
    rows = sorted({*_rows(kept[head + 1 :]), made})
    PAGE.write_text("\n".join([*kept[: head - 1], *header, *rows, ""]), encoding="utf-8")


def _rows(lines: list[str]) -> Iterator[str]:
    return (line for line in lines if line.startswith("|"))
