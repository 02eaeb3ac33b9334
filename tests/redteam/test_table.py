"""The table of attacks in `docs/internals/attacks.md` names tests that exist, and misses none."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.support.paths import ROOT
from tests.support.promises import proves

ROW = re.compile(
    r"^\| (?P<attack>[^|]+) \| `(?P<file>tests/[^:`]+)::(?P<test>test_\w+)` "
    r"\| [0-9a-f]{7}(?:, [0-9a-f]{7})* \|$",
    re.M,
)
ATTACKS = (
    "another caller's request",
    "without a thread",
    "header names",
    "a supervisor's threads",
    "by a race",
    "Ctrl-C",
    "exponential",
    "quadratic",
    "200 KB of reminders",
    "plan steps, results in reverse order",
    "through LangChain",
    "through LangGraph",
    "transcripts",
    "pages in a user's message",
    "in the user's role",
    "keys of a redacted store",
    "redaction missed",
    "first and last request",
    "forged trace",
    "MCP `remember`",
    "note filters",
    "gateway streams",
    "4,300 digits",
    "`run_command`",
    "direction marks",
    "`Session(name=…)`",
    "0644",
    "`Stale`",
    "far future",
)
"""What the red team found, each in words of the table."""


@pytest.mark.slow
@proves("security.table")
def test_every_attack_has_a_test_that_exists() -> None:
    rows = ROW.findall((ROOT / "docs/internals/attacks.md").read_text())
    assert len(rows) >= len(ATTACKS)
    for attack in ATTACKS:
        assert any(attack in told for told, _, _ in rows), attack
    for told, file, test in rows:
        assert test in functions_of(file), f"{told}: {file} has no {test}"


@cache
def functions_of(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@proves("security.table")
def test_every_test_of_the_red_team_proves_a_promise() -> None:
    for file in (ROOT / "tests" / "redteam").glob("test_*.py"):
        tree = ast.parse(file.read_text())
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                decorators = " ".join(map(ast.unparse, node.decorator_list))
                assert "proves(" in decorators, f"{file.name}: {node.name}"
