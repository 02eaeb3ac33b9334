"""Measure how dense and how plainly named the code is, room by room.

    python scripts/density.py              print the table
    python scripts/density.py --names      name the participles and the classes defined twice
    python scripts/density.py --check      fail if a figure is worse than scripts/density.json
    python scripts/density.py --write      keep today's figures as the new limits

The figures: tokens in a line of code, conditional expressions per 1,000 lines,
comment lines in percent, functions named by a past participle in percent, class
names defined more than once, modules with exactly one importer, and lines of each
room. A room that grows past its lines fails the check: raise the number by hand in the
commit that needs it, and say there what it buys and what it replaces.
"""

from __future__ import annotations

import ast
import io
import json
import sys
import tokenize
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "steno"
LIMITS = Path(__file__).with_suffix(".json")
HIGHER_IS_BETTER = {"comment_percent"}
SLACK = 0.01
"""Share by which a figure may move without being called worse: rounding, not drift."""

_IRREGULAR = (
    "told said heard held kept shown begun drawn made found sent given taken put known written "
    "spoken brought bound cut left lost met read run seen set sold spent stood sought thought worn"
)
_VERBS = "read run set put cut embed feed seed speed need proceed exceed"
IRREGULAR = frozenset(_IRREGULAR.split())
VERBS = frozenset(_VERBS.split())
"""Words on the list or ending in -ed that are also a plain verb or noun."""


@dataclass
class Figures:
    """What was counted in some modules."""

    lines: int = 0
    code_lines: int = 0
    tokens: int = 0
    comments: int = 0
    conditionals: int = 0
    functions: int = 0
    participles: list[str] = field(default_factory=list)
    classes: Counter[str] = field(default_factory=Counter)
    modules: int = 0

    def as_row(self) -> dict[str, float]:
        twice = sum(1 for count in self.classes.values() if count > 1)
        return {
            "modules": self.modules,
            "lines": self.lines,
            "tokens_per_line": round(self.tokens / max(self.code_lines, 1), 2),
            "conditionals_per_1000": round(1_000 * self.conditionals / max(self.lines, 1), 1),
            "comment_percent": round(100 * self.comments / max(self.lines, 1), 2),
            "participle_percent": round(100 * len(self.participles) / max(self.functions, 1), 1),
            "classes_defined_twice": twice,
        }


def is_participle(name: str) -> bool:
    """Tell whether a function's name ends in a past participle."""
    last = name.strip("_").split("_")[-1]
    if last in VERBS or name.startswith(("is_", "has_", "_is_", "_has_")):
        return False
    return last in IRREGULAR or (last.endswith("ed") and len(last) > 4)


def count_tokens(source: str, into: Figures) -> None:
    """Add a module's tokens, lines of code and comments."""
    skipped = {
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    code_lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            into.comments += 1
        elif token.type not in skipped:
            code_lines.add(token.start[0])
            into.tokens += 1
    into.code_lines += len(code_lines)


def measure_module(path: Path, into: Figures) -> None:
    source = path.read_text("utf-8")
    into.modules += 1
    into.lines += source.count("\n")
    count_tokens(source, into)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.IfExp):
            into.conditionals += 1
        elif isinstance(node, ast.ClassDef):
            into.classes[node.name] += 1
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            into.functions += 1
            if is_participle(node.name):
                into.participles.append(f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}")


def measured_modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if "_pb2" not in path.name)


def single_importers() -> float:
    """Return the percentage of modules that exactly one other module imports.

    The `__init__` of a folder does not count: it puts the parts of its own folder together.
    """
    importers: Counter[str] = Counter()
    assembled: Counter[str] = Counter()
    for path in measured_modules():
        found = set()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("steno"):
                found.add(node.module)
                found.update(f"{node.module}.{alias.name}" for alias in node.names)
        importers.update(found)
        if path.name == "__init__.py":
            folder = ".".join(path.parent.relative_to(SOURCE.parent).parts)
            assembled.update(name for name in found if name.startswith(f"{folder}."))
    names = {
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        for path in measured_modules()
        if path.name != "__init__.py"
    }
    single = [name for name in names if importers[name] == 1 and not assembled[name]]
    return round(100 * len(single) / len(names), 1)


def measure() -> tuple[dict[str, Figures], Figures]:
    rooms: dict[str, Figures] = {}
    whole = Figures()
    for path in measured_modules():
        room = path.relative_to(SOURCE).parts[0]
        if room.endswith(".py"):
            room = "(top)"
        measure_module(path, rooms.setdefault(room, Figures()))
        measure_module(path, whole)
    return rooms, whole


def print_table(rooms: dict[str, Figures], whole: dict[str, float]) -> None:
    rows = {room: figures.as_row() for room, figures in sorted(rooms.items())}
    columns = list(next(iter(rows.values())))
    print(f"{'room':14}" + "".join(f"{column:>24}" for column in columns))
    for room, row in rows.items():
        print(f"{room:14}" + "".join(f"{row[column]:>24}" for column in columns))
    print(f"{'all':14}" + "".join(f"{whole[column]:>24}" for column in columns))
    print(f"percent of modules with exactly one importer: {whole['single_importer_percent']}")


def worse(whole: dict[str, float], limits: dict[str, float]) -> list[str]:
    """Name the figures that are worse than their limit."""
    found = []
    for name, limit in limits.items():
        if name in HIGHER_IS_BETTER:
            is_worse = whole[name] < limit * (1 - SLACK)
        else:
            is_worse = whole[name] > limit * (1 + SLACK)
        if is_worse:
            found.append(f"{name}: {whole[name]} is worse than {limit}")
    return found


def overgrown(rooms: dict[str, Figures], lines: dict[str, int]) -> list[str]:
    """Name the rooms that have more lines than they may."""
    return [
        f"{room}: {figures.lines:,} lines, at most {lines.get(room, 0):,}"
        for room, figures in sorted(rooms.items())
        if figures.lines > lines.get(room, 0)
    ]


def main(arguments: list[str]) -> int:
    rooms, figures = measure()
    whole = figures.as_row() | {"single_importer_percent": single_importers()}
    print_table(rooms, whole)
    if "--names" in arguments:
        print("\n".join(figures.participles))
        print("\n".join(name for name, count in figures.classes.items() if count > 1))
    if "--write" in arguments:
        kept = {name: value for name, value in whole.items() if name not in ("modules", "lines")}
        lines = json.loads(LIMITS.read_text("utf-8"))["lines"]
        LIMITS.write_text(json.dumps(kept | {"lines": lines}, indent=1) + "\n", "utf-8")
    if "--check" in arguments:
        limits = json.loads(LIMITS.read_text("utf-8"))
        found = overgrown(rooms, limits.pop("lines")) + worse(whole, limits)
        for line in found:
            print(line, file=sys.stderr)
        return 1 if found else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
