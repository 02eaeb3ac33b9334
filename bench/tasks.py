"""Ten small tasks in a sandbox folder, solved by the bundled agent under four kinds of context.

    python -m bench tasks                               a script plays the model: the plumbing
    python -m bench tasks --model openai:gpt-5-mini     a real model; needs its key, costs money

Each task is a folder with a tiny package, its tests and twelve logs that the agent has to read. It
must write, edit and test code, or answer over the files. `full` has a window that holds everything;
`sliding` drops the oldest messages; `cliff` keeps the task and the three newest turns, and of the
rest a summary; `steno` is the default policy, with recall. A task is solved if its check passes:
tests that the agent cannot see, or words in its answer. The script makes the right calls whatever
it sees, so its row says that everything runs, not how good a context is.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from bench.ground import arguments, tell, wide
from steno import Script
from steno.agent import ReactLoop, RunLimits, SessionOptions
from steno.agent.builtin import builtin_tools
from steno.core.message import Call
from steno.core.tail import Turns
from steno.engine.designs import POLICIES
from steno.engine.policy import Policy
from steno.meters.catalog import known_prices
from steno.models import resolve_model
from steno.rungs.summarize import Summarize
from steno.rungs.truncate import Truncate

WINDOWS = (8_000, 16_000, 32_000)
FULL = 200_000
CONTEXTS = {
    "full": POLICIES["default"],
    "sliding": Policy(soft=0.85, goal=0.60, every_round=(), ladder=(Truncate(),)),
    "cliff": Policy(
        soft=0.85,
        goal="tail",
        tail=Turns(3),
        pins=("first_user",),
        ladder=(Summarize(in_place=False), Truncate()),
    ),
    "steno": POLICIES["default"],
}
LOGS, LINES = 12, 80
LIMITS = RunLimits(turns=60, tokens=3_000_000)
SYSTEM = "You work in a folder. Read every file in logs/ first, one at a time. Then do the task."
SHOP = (
    "def total(prices):\n    return sum(prices)\n\n\ndef cheapest(prices):\n    return prices[0]\n"
)
TEST = "import unittest\nimport shop\n\n\nclass Test(unittest.TestCase):\n    def test_it(self):\n"


@dataclass(frozen=True)
class Task:
    """What is asked, the calls that solve it, and how it is checked."""

    asks: str
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    answer: str = "Done."
    expects: str = ""
    """A line of Python over `shop` that must hold."""
    says: str = ""
    """Words that the answer must hold."""

    def is_solved(self, folder: Path, answer: str) -> bool:
        if self.expects:
            words = [sys.executable, "-c", f"import shop; assert {self.expects}"]
            return subprocess.run(words, cwd=folder, capture_output=True).returncode == 0
        return self.says in answer


def _edit(old: str, new: str) -> tuple[tuple[str, dict[str, Any]], ...]:
    return (("edit_file", {"path": "shop.py", "old": old, "new": new}), ("run_tests", {}))


def _add(code: str) -> tuple[tuple[str, dict[str, Any]], ...]:
    return (("write_file", {"path": "shop.py", "text": SHOP + "\n\n" + code}), ("run_tests", {}))


MEAN = "def mean(prices):\n    return sum(prices) / len(prices)\n"
TAX = "def taxed(price):\n    return price * 1.07\n"
LABEL = 'def label(name, price):\n    return f"{name}: {price:.2f} EUR"\n'
PARSE = "def parse(line):\n    name, price = line.split(',')\n    return name, float(price)\n"
TASKS = (
    Task(
        "cheapest() is wrong. Fix it.",
        _edit("prices[0]", "min(prices)"),
        expects="shop.cheapest([2, 1]) == 1",
    ),
    Task("Add mean(prices) to shop.py.", _add(MEAN), expects="shop.mean([1, 3]) == 2"),
    Task(
        "Add taxed(price) with the tax rate that log 3 names.",
        _add(TAX),
        expects="round(shop.taxed(100), 2) == 107",
    ),
    Task(
        "Add label(name, price) in the form that log 5 names.",
        _add(LABEL),
        expects="shop.label('tea', 2) == 'tea: 2.00 EUR'",
    ),
    Task(
        "Add parse(line) for lines like 'tea,2.5'.",
        _add(PARSE),
        expects="shop.parse('tea,2.5') == ('tea', 2.5)",
    ),
    Task(
        "total() must ignore None.",
        _edit("sum(prices)", "sum(p for p in prices if p is not None)"),
        expects="shop.total([1, None]) == 1",
    ),
    Task("Which host failed in log 7?", answer="heron-7 failed.", says="heron-7"),
    Task("Which tax rate does log 3 name?", answer="7 %.", says="7 %"),
    Task(
        "Name the hosts that failed in logs 2 and 11.",
        answer="heron-2 and heron-11.",
        says="heron-11",
    ),
    Task("How many logs name a failed host?", answer=f"{LOGS} of them.", says=str(LOGS)),
)
"""The figures stand in the logs that `fill` writes."""


def fill(folder: Path) -> None:
    """Write the package, its test and the logs."""
    (folder / "shop.py").write_text(SHOP, encoding="utf-8")
    (folder / "test_shop.py").write_text(f"{TEST}        self.assertEqual(shop.total([1]), 1)\n")
    (folder / "logs").mkdir()
    for number in range(1, LOGS + 1):
        lines = [
            f"12:{at:02} worker {number}-{at} took {at * 7} ms for job {number * at}"
            for at in range(LINES)
        ]
        lines[LINES // 2] = f"12:30 ERROR host heron-{number} failed: no answer"
        if number == 3:
            lines[9] = "12:09 NOTE the tax rate is 7 %, so a price is multiplied by 1.07"
        if number == 5:
            lines[9] = "12:09 NOTE labels have the form 'name: 2.00 EUR'"
        (folder / "logs" / f"{number}.log").write_text("\n".join(lines), encoding="utf-8")


def scripted(task: Task) -> Script:
    """Return a model that reads every log, makes the calls of the task and answers."""
    reads = [("read_file", {"path": f"logs/{number}.log"}) for number in range(1, LOGS + 1)]
    lines = [
        [f"Step {at}. ", Call(f"c{at}", name, json.dumps(given))]
        for at, (name, given) in enumerate([*reads, *task.calls])
    ]
    return Script(*lines, task.answer, window=FULL)


def solve(task: Task, model: Any, policy: Policy, window: int) -> tuple[bool, Any, int]:
    """Let the agent work in a new folder; return whether it succeeded, its usage, compactions."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        fill(folder)

        def run_tests() -> str:
            """Run the tests of the folder and return what they print."""
            words = [sys.executable, "-m", "unittest", "-q"]
            ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60)
            return (ran.stdout + ran.stderr)[-2_000:]

        options = SessionOptions(policy=policy, window=window)
        tools = [*builtin_tools(folder), run_tests]
        loop = ReactLoop(model, tools, system=SYSTEM, limits=LIMITS, options=options)
        session = loop.session()
        *_, ended = loop.run(task.asks, session)
        solved = ended.state.outcome == "answered" and task.is_solved(folder, ended.text)
        return solved, ended.state.usage, session.log.compaction.compactions


def rows(model_for: Callable[[Task], Any], prices: Any) -> Iterator[tuple[str, ...]]:
    """Yield a row for each context and window."""
    for name, policy in CONTEXTS.items():
        for window in (FULL,) if name == "full" else WINDOWS:
            runs = [solve(task, model_for(task), policy, window) for task in TASKS]
            solved = sum(done for done, _, _ in runs)
            used = [usage for _, usage, _ in runs]
            dollars = "–"
            if prices is not None:
                dollars = f"{sum(prices.usage_cost(usage) for usage in used):.2f}"
            yield (
                name,
                f"{window:,}",
                f"{solved} of {len(TASKS)}",
                f"{sum(usage.sent for usage in used):,}",
                f"{sum(usage.said for usage in used):,}",
                dollars,
                str(sum(compactions for _, _, compactions in runs)),
            )


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--model", help="such as openai:gpt-5-mini; by default a script")
    asked = parser.parse_args()
    console = wide()
    tell(console, f"{len(TASKS)} tasks; model: {asked.model or 'a script'}")
    model_for: Callable[[Task], Any] = scripted
    prices = None
    if asked.model:
        model = resolve_model(asked.model)
        prices = known_prices(model.name)

        def model_for(task: Task) -> Any:
            return model

    heads = ("context", "window", "solved", "tokens sent", "tokens said", "dollars", "compactions")
    table = Table(*heads)
    for row in rows(model_for, prices):
        table.add_row(*row)
    console.print(table)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
