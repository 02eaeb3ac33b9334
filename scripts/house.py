"""Print the measures of the house: classes, rooms, names, tests, lines and files by package.

    python scripts/house.py [CHECKOUT ...]

Each checkout is another column; without one, this tree is measured. Every figure is read
from the source text, so an old version need not run. What is counted by the line or the
token is in `density.py`; what a turn walks through is in `profile_turn.py`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from pathlib import Path

SMALL = 100


class Tree:
    """The modules of one checkout."""

    def __init__(self, root: Path) -> None:
        self.root = root
        paths = sorted((root / "src" / "steno").rglob("*.py"))
        self.sources = {path: path.read_text("utf-8") for path in paths if "_pb2" not in path.name}
        self.trees = {path: ast.parse(source) for path, source in self.sources.items()}
        self.modules = {self.module(path): path for path in self.sources}

    def package(self, path: Path) -> str:
        """Return the first folder below the package, or `(top)`."""
        parts = path.relative_to(self.root / "src" / "steno").parts
        return parts[0] if len(parts) > 1 else "(top)"

    def module(self, path: Path) -> str:
        """Return the dotted name of a module."""
        return ".".join(path.relative_to(self.root / "src").with_suffix("").parts)

    def ancestry(self, path: Path, name: str) -> list[ast.ClassDef]:
        """Return a class and those it inherits from, as far as they are ours."""
        for node in ast.walk(self.trees[path]):
            if isinstance(node, ast.ClassDef) and node.name == name:
                bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
                return [node, *(one for base in bases for one in self.ancestry(path, base))]
            if not isinstance(node, ast.ImportFrom) or node.module not in self.modules:
                continue
            if name in {alias.asname or alias.name for alias in node.names}:
                return self.ancestry(self.modules[node.module], name)
        return []

    def session(self) -> dict[str, int]:
        """Count classes, methods, public names and untyped options of `Session`."""
        classes = self.ancestry(self.modules["steno.session.session"], "Session")
        methods = [
            node
            for one in classes
            for node in one.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        public = {method.name for method in methods if not method.name.startswith("_")}
        untyped = [
            method
            for method in methods
            if method.name == "__init__" and method.args.kwarg is not None
        ]
        return {
            "Session: classes deep": len(classes),
            "Session: methods": len(methods),
            "Session: public names": len(public),
            "Session: constructors with **options": len(untyped),
        }

    def names(self) -> dict[str, int]:
        """Count the public names at the top level, without the folders of names beside them."""
        source = (self.root / "src" / "steno" / "__init__.py").read_text("utf-8")
        listed: list[str] = []
        for node in ast.parse(source).body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
                listed = ast.literal_eval(node.value)
        package = self.root / "src" / "steno"
        folders = {name for name in listed if (package / name).is_dir()}
        folders |= {name for name in listed if (package / f"{name}.py").is_file()}
        public = [name for name in listed if not name.startswith("_") and name not in folders]
        return {"public names at top level": len(public), "folders of names": len(folders)}

    def summaries_parsed(self) -> int:
        """Count the calls that read a summary from its text, by the names of today."""
        reads = r"(?<!def )\b(?:parse_summary|summary_in|with_summaries)\("
        return sum(len(re.findall(reads, source)) for source in self.sources.values())

    def tests(self) -> dict[str, int]:
        """Count test files in the top folder and below it."""
        files = list((self.root / "tests").rglob("*.py"))
        flat = [path for path in files if path.parent == self.root / "tests"]
        return {"tests: files in the top folder": len(flat), "tests: files in all": len(files)}

    def packages(self) -> dict[str, str]:
        """Return lines and files of each package."""
        lines: Counter[str] = Counter()
        files: Counter[str] = Counter()
        for path, source in self.sources.items():
            for name in (self.package(path), "all"):
                lines[name] += source.count("\n")
                files[name] += 1
        return {f"{name}/": f"{lines[name]:,} in {files[name]}" for name in sorted(lines)}

    def measures(self) -> dict[str, object]:
        small = [source for source in self.sources.values() if source.count("\n") < SMALL]
        return {
            **self.session(),
            f"modules under {SMALL} lines": len(small),
            **self.names(),
            "summaries read from their text": self.summaries_parsed(),
            **self.tests(),
            **self.packages(),
        }


def main(arguments: list[str]) -> int:
    roots = [Path(argument) for argument in arguments] or [Path(__file__).parent.parent]
    columns = [Tree(root).measures() for root in roots]
    names = list(dict.fromkeys(name for column in columns for name in column))
    print(f"{'':42}" + "".join(f"{root.resolve().name:>20}" for root in roots))
    for name in names:
        print(f"{name:42}" + "".join(f"{column.get(name, '-')!s:>20}" for column in columns))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
