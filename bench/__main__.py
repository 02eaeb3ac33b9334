"""Run a benchmark by its name.

    python -m bench                    list the benchmarks
    python -m bench NAME [DATA] [...]  run one; NAME --help shows its options

DATA is a folder of recorded conversations (*.jsonl.gz) that is not part of the repository.
Without it the folder of STENO_DATA is used, else the one that `bench.plain.DATA` names.
"""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).parent


def benchmarks() -> dict[str, str]:
    """Return the first line of each module that can be run, by its name."""
    found = {}
    for file in sorted(FOLDER.glob("[a-z]*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        if "main" in functions:
            found[file.stem] = (ast.get_docstring(tree) or "").partition("\n")[0]
    return found


def main() -> int:
    known = benchmarks()
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        for name, line in known.items():
            print(f"  {name:14}{line}")
        return 0
    name = sys.argv[1]
    if name not in known:
        print(f"there is no benchmark {name!r}; known: {', '.join(known)}", file=sys.stderr)
        return 2
    sys.argv = [f"python -m bench {name}", *sys.argv[2:]]
    return import_module(f"bench.{name}").main() or 0


if __name__ == "__main__":
    sys.exit(main())
