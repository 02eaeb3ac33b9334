"""Long tables through tool calls: is the row that the next step needs visible, or recalled?

    git clone https://github.com/hkust-nlp/LOCA-bench && pip install pandas
    python -m bench loca LOCA-bench --window 16k

LOCA-bench (MIT) generates its tasks' data and their ground truth. A scripted agent reads all tables
of two tasks, page by page, as LOCA-bench's tools give them. Then it must write down what the ground
truth names: students whose scores dropped, with their rows of every exam; products that hardly
sell, with their entry. A row counts as visible if it stands in the next request word for word, and
as recalled if one search for its name finds it among the messages of the first ten hits. LOCA-bench
itself has more tasks, and judges what a model writes in the end: that needs a model.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.table import Table

import steno
from bench.ground import arguments, tell, wide
from bench.plain import Json
from steno.cli.options import parse_size
from steno.core.message import Message
from steno.lab.bill import ReplaySetting
from steno.lab.policies import BASELINES
from steno.lab.recorded import RecordedSession
from steno.providers import decode_messages, get_wire

SEEDS = range(5)
PAGE = 50
"""Rows of one result."""
HITS = 10
OTHERS = ("none", "sliding", "masking")
Rows = dict[str, list[str]]
"""Rows that the ground truth needs, by the name in it."""


def run(script: Path, *words: str) -> None:
    subprocess.run([sys.executable, str(script), *words], check=True, stdout=subprocess.DEVNULL)


def students(loca: Path, seed: int, folder: Path) -> tuple[dict[str, list[str]], Rows]:
    """Return the tables of the academic warning task, and the rows of the students at risk."""
    script = loca / "gem/envs/academic_warning_s2l/generate_academic_data.py"
    words = ("--num-students", "400", "--seed", str(seed), "--save-groundtruth")
    run(script, *words, "--output-dir", str(folder / "files"))
    tables = {
        file.stem: file.read_text(encoding="utf-8").splitlines()[1:]
        for file in sorted((folder / "files").glob("scores_*.csv"))
    }
    (truth,) = folder.rglob("expected_alerts.csv")
    with truth.open(encoding="utf-8") as lines:
        names = [row["student_id"] for row in csv.DictReader(lines)]
    every = [row for table in tables.values() for row in table]
    return tables, {name: [row for row in every if row.startswith(f"{name},")] for name in names}


def products(loca: Path, seed: int, folder: Path) -> tuple[dict[str, list[str]], Rows]:
    """Return the table of the products task, and the entries of those that hardly sell."""
    script = loca / "gem/envs/filter_low_selling_products_s2l/preprocess/generate_products_data.py"
    words = ("--num-low-selling", "40", "--num-normal-selling", "400", "--seed", str(seed))
    run(script, *words, "--output-dir", str(folder))
    made = json.loads((folder / "preprocess/generated_products.json").read_text(encoding="utf-8"))
    truth = folder / "groundtruth_workspace/generation_metadata.json"
    names = json.loads(truth.read_text(encoding="utf-8"))["low_selling_products"]
    table = [json.dumps(product) for product in made]
    return {"products": table}, {
        name: [row for row in table if f'"name": "{name}"' in row] for name in names
    }


TASKS = {"academic warning": students, "low selling products": products}


def talk(tables: dict[str, list[str]], task: str) -> Iterator[Json]:
    """Yield the agent's session: the task, then a call and a result for each page."""
    yield {"role": "user", "content": f"{task}: read every table, then report what it asks for."}
    for name, rows in tables.items():
        for first in range(0, len(rows), PAGE):
            arguments = json.dumps({"table": name, "offset": first, "limit": PAGE})
            call = {"name": "query", "arguments": arguments}
            made = {"id": f"{name}-{first}", "type": "function", "function": call}
            yield {"role": "assistant", "content": None, "tool_calls": [made]}
            page = "\n".join(rows[first : first + PAGE])
            yield {"role": "tool", "tool_call_id": made["id"], "content": page}
    yield {"role": "user", "content": "Now write the report."}


def shown_by(policy: str, messages: tuple[Message, ...], window: int) -> str:
    """Return all text of the last request under a policy of others."""
    setting = ReplaySetting(window=window)
    running = BASELINES[policy](RecordedSession("loca", messages), setting)
    for message in messages:
        running.add(message)
        shown = running.request()
    return "\n".join(part.text for part in shown.parts)


def share(needed: Rows, texts: dict[str, str]) -> float:
    """Return how many of the needed rows stand in the text of their name."""
    found = [row in texts[name] for name, rows in needed.items() for row in rows]
    return sum(found) / len(found)


def measure(given: list[Json], needed: Rows, window: int) -> dict[str, float]:
    """Return the share of rows by policy; Steno's also with what a search finds."""
    messages = tuple(decode_messages(get_wire("openai"), given))
    figures = {}
    for policy in OTHERS:
        figures[policy] = share(needed, dict.fromkeys(needed, shown_by(policy, messages, window)))
    with steno.Session(wire="openai", window=window) as session:
        for message in given:
            session.add(message)
            session.request()
        view = _text(session.messages())
        figures["default"] = share(needed, dict.fromkeys(needed, view))
        recalled = {}
        for name in needed:
            positions = {hit.position for hit in session.recall(name, most=HITS).hits}
            recalled[name] = view + _text(session.open(at) for at in positions)
        figures["default, with recall"] = share(needed, recalled)
    return figures


def _text(messages: Iterable[Json]) -> str:
    return "\n".join(str(message.get("content") or "") for message in messages)


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("loca", type=Path, help="folder of LOCA-bench's repository")
    parser.add_argument("--window", type=parse_size, default=16_000)
    asked = parser.parse_args()
    console = wide()
    tell(console, f"LOCA-bench's generators, seeds {SEEDS.start} to {SEEDS.stop - 1}")
    table = Table("task", "rows needed", *OTHERS, "default", "default, with recall")
    for name, make in TASKS.items():
        found: dict[str, list[float]] = {}
        count = 0
        for seed in SEEDS:
            with tempfile.TemporaryDirectory() as folder:
                tables, needed = make(asked.loca, seed, Path(folder))
            count += sum(map(len, needed.values()))
            for policy, value in measure(list(talk(tables, name)), needed, asked.window).items():
                found.setdefault(policy, []).append(value)
        cells = [
            f"{sum(shares) / len(shares):.2f} ({min(shares):.2f}–{max(shares):.2f})"
            for shares in found.values()
        ]
        table.add_row(name, f"{count:,}", *cells)
    console.print(table)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
