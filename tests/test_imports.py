"""No import circle in the package, imports inside functions and for types included.

import-linter holds the layers between rooms; this test also looks inside each room.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import steno

pytestmark = pytest.mark.slow

ROOT = Path(steno.__file__).parent
PURE_ROOMS = ("core", "facts", "secrets", "summary", "writer", "rungs", "checks", "engine")
SESSION_DOORS = {
    *(
        "agent_tools.definitions",
        "agent_tools.pages",
        "async_session",
        "by_hand",
        "constraints",
        "event_log",
        "handover",
        "host",
    ),
    *("options", "overflow", "place", "preamble", "recall", "session", "settings"),
    *("user_memory", "writer"),
}
"""Modules of the session's room that other rooms may import."""
IMPURE_MODULES = {"logging", "random", "shutil", "socket", "sqlite3", "subprocess", "tempfile"}


def module_files(root: Path) -> dict[str, Path]:
    """Return every module of the package below `root`, by its dotted name."""
    files = {}
    for path in root.rglob("*.py"):
        parts = (root.name, *path.relative_to(root).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts = parts[:-1]
        files[".".join(parts)] = path
    return files


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Return what stands anywhere in a file, of which the tests below need two kinds."""
    kinds = (ast.Import, ast.ImportFrom, ast.Attribute)
    walked = ast.walk(ast.parse(path.read_text("utf-8")))
    return tuple(node for node in walked if isinstance(node, kinds))


def imported_modules(path: Path, modules: set[str]) -> Iterator[str]:
    """Yield the modules that a file imports anywhere in it."""
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                yield submodule if submodule in modules else node.module


def import_graph(root: Path) -> dict[str, set[str]]:
    """Return for each module the modules of the package that it imports."""
    files = module_files(root)
    modules = set(files)
    graph = {}
    for name, path in files.items():
        imported = set(imported_modules(path, modules))
        graph[name] = imported & modules - {name}
    return graph


def reachable_from(start: str, graph: dict[str, set[str]]) -> set[str]:
    """Return every module that `start` imports, directly or through others."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for module in graph[waiting.pop()] - reached:
            reached.add(module)
            waiting.append(module)
    return reached


def find_circles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """Return the groups of modules that all import each other."""
    reach = {module: reachable_from(module, graph) for module in graph}
    circles = set()
    for module, reached in reach.items():
        if module in reached:
            circles.add(frozenset(other for other in reached if module in reach[other]))
    return circles


def test_pure_rooms_import_msgspec_alone() -> None:
    allowed = {"steno", "msgspec"} | sys.stdlib_module_names - IMPURE_MODULES
    for name, path in module_files(ROOT).items():
        if name.startswith(tuple(f"steno.{room}" for room in PURE_ROOMS)):
            imported = imported_modules(path, set())
            packages = {module.partition(".")[0] for module in imported}
            assert packages <= allowed, f"{name} imports {sorted(packages - allowed)}"


def test_other_rooms_use_a_session_by_its_methods_and_its_host() -> None:
    files = module_files(ROOT)
    modules = set(files)
    for name, path in files.items():
        if name.startswith("steno.session"):
            continue
        inner = [
            node.attr
            for node in nodes_of(path)
            if isinstance(node, ast.Attribute)
            and node.attr == "_parts"
            and ast.unparse(node.value) != "self"
        ]
        assert not inner, f"{name} reaches into a session: use session.host"
        for module in imported_modules(path, modules):
            room, _, door = module.removeprefix("steno.").partition(".")
            if room == "session" and door:
                assert door in SESSION_DOORS, f"{name} imports {module}"


def test_no_module_imports_itself_through_others() -> None:
    found = find_circles(import_graph(ROOT))

    assert not found, f"import circles: {[sorted(circle) for circle in found]}"


def test_a_circle_inside_functions_is_found(tmp_path: Path) -> None:
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text("from pack import two")
    (package / "two.py").write_text("def work():\n    from pack.three import name\n")
    (package / "three.py").write_text("import pack.one\n")
    (package / "four.py").write_text("import pack.one\n")

    circles = find_circles(import_graph(package))

    assert circles == {frozenset({"pack.one", "pack.two", "pack.three"})}


DECODES = re.compile(
    r"msgspec\.(?:convert\(|(?:json|msgpack)\.(?:Decoder\(|decode\([^)]*type=))(?P<rest>.*)"
)
"""How msgspec reads a type."""
BUILT_IN = re.compile(r"[\w\[\]() \".|{}]*, ?(?:type=)?(?:str|dict\[|list\[|Annotated\[int)")


def test_types_are_learned_by_one_thread_at_a_time() -> None:
    """Two threads that let msgspec learn a class at once end the process."""
    found = []
    for name, path in module_files(ROOT).items():
        text = path.read_text(encoding="utf-8")
        for match in DECODES.finditer(text):
            before = text[: match.start()].rstrip().splitlines()[-2:]
            held = any("with first_use:" in line for line in before)
            if not held and not BUILT_IN.search(match[0]):
                found.append(f"{name}: {match[0]}")
    assert found == ["steno.core.decoders: msgspec.convert(value, kind)"]
