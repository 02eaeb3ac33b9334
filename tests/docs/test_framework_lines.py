"""The page on wrapping names what each framework's adapter has, and each adapter is tested."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ADAPTERS = ROOT / "src" / "steno" / "adapters" / "frameworks"
SHARED = {"__init__", "hook", "shapes"}
NAMED = re.compile(r"(\w+)\.((?:\w*Steno|with_|Input|Before|Fitting)\w+)\(")


def modules() -> set[str]:
    return {file.stem for file in ADAPTERS.glob("*.py")} - SHARED


def test_each_line_of_the_page_names_what_its_module_has() -> None:
    page = (ROOT / "docs" / "wrap.md").read_text(encoding="utf-8")
    named = dict(NAMED.findall(page.partition("## Agent frameworks")[2].partition("\n## ")[0]))
    assert set(named) == modules()
    for module, name in named.items():
        tree = ast.parse((ADAPTERS / f"{module}.py").read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if hasattr(node, "name")}


def test_each_adapter_has_a_test_in_an_environment_of_its_own() -> None:
    for module in modules():
        assert (ROOT / "tests" / "frameworks" / f"test_{module}.py").is_file()
        lock = (ROOT / "constraints" / f"{module}.txt").read_text(encoding="utf-8")
        assert lock and "://" not in lock and all("==" in line for line in lock.split())
