"""Measure what a file costs: a durable `add`, opening a long session, and its memory.

Four questions: how long `add` takes until a message is on the disk, beside a single row committed
by sqlite3 and beside the disk alone; how long a session of 400,000 tokens takes to open and show;
how much memory that takes, against its text; and whether all three hold in a file of 1,000
sessions. Opening is measured in a new process each time, after the import and with the vocabulary
loaded; the file is in the system's cache, as it is when an agent continues.

    python -m bench store [--dir DIR]
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median, quantiles

from rich.console import Console
from rich.table import Table

import steno
from bench.ground import arguments, tell, verdict, wide
from bench.plain import Json
from steno.providers import decode_messages, get_wire
from steno.store.sqlite import SQLiteStore

MODEL, WIRE, ROOMY = "gpt-4o", "openai", 10_000_000
TOKENS, LONG = 500, 400_000
ADDED, ROUND = 400, 20
OTHERS, EACH, CHUNKS = 999, 20, 40
OPENED = 7
ADD_MOST, OPEN_MOST, MEMORY_MOST, CROWDED_MOST = 0.002, 0.3, 4.0, 2.0


@dataclass(frozen=True)
class Times:
    each: list[float]

    def __str__(self) -> str:
        return " / ".join(f"{1_000 * number:.2f}" for number in (self.p50, self.p95, self.p99))

    @property
    def p50(self) -> float:
        return median(self.each)

    @property
    def p95(self) -> float:
        return quantiles(self.each, n=100)[94]

    @property
    def p99(self) -> float:
        return quantiles(self.each, n=100)[98]


@dataclass(frozen=True)
class Opening:
    """A session opened in new processes; the median of each figure."""

    seconds: float
    grown: int
    """Bytes of memory more at the highest, from opening until its view was built."""
    kept: int
    """Bytes of memory more while it is held."""


@dataclass(frozen=True)
class Report:
    table: Table
    missed: list[str] = field(default_factory=list)

    def row(
        self, what: str, number: str, note: str = "", target: str = "", *, met: bool = True
    ) -> None:
        colour = "green" if met else "red"
        self.table.add_row(what, number, note, f"[{colour}]{target}[/]" if target else "")
        if not met:
            self.missed.append(f"{what}: {target}, but {number}")


def main() -> int:
    asked = arguments(__doc__)
    asked.add_argument(
        "--dir", type=Path, default=Path.cwd(), help="where the files are made; the disk to measure"
    )
    asked.add_argument("--opened", nargs=2, metavar=("FILE", "NAME"), help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.opened:
        print(json.dumps(opened(*given.opened)))
        return 0
    console = wide()
    tell(console, f"the standard library's own sources, in messages of {TOKENS} tokens")
    with tempfile.TemporaryDirectory(dir=given.dir, prefix="bench-store-") as folder:
        said_of_the_disk(console, Path(folder))
        report = Report(
            Table(title="in milliseconds where nothing else is said", title_justify="left")
        )
        for head in ("what", "number", "note", "target"):
            report.table.add_column(head)
        measure(report, Path(folder))
    console.print(report.table)
    return verdict(console, report.missed)


def said_of_the_disk(console: Console, folder: Path) -> None:
    load = ", ".join(f"{number:.1f}" for number in os.getloadavg())
    disk = subprocess.run(
        ["df", "--output=source,fstype", folder], capture_output=True, text=True
    ).stdout
    console.print(
        f"[bold]disk[/]     {' '.join(disk.split()[2:])}; SQLite {sqlite3.sqlite_version}",
        highlight=False,
    )
    console.print(
        f"[bold]load[/]     {load} (1, 5, 15 minutes) on {os.cpu_count()} cores", highlight=False
    )


def measure(report: Report, folder: Path) -> None:
    messages = spoken()
    long, added = worth(LONG, messages), list(islice(messages, 2 * ADDED))
    rest = list(islice(messages, OTHERS * EACH))
    alone = adding(report, folder, added)
    report.table.add_section()
    single = folder / "single.db"
    fill(single, {"long": long})
    seen = opening(report, single, long, "alone in its file")
    report.table.add_section()
    crowd = folder / "crowd.db"
    fill(crowd, {"long": long, **{f"s{n}": rest[n * EACH : (n + 1) * EACH] for n in range(OTHERS)}})
    crowded(report, crowd, long, seen, added, alone)


def spoken() -> Iterator[Json]:
    """Yield messages of about 500 tokens, all different: users, calls with results, answers."""
    from bench.talk import (  # reads the library; who only opens a file does without
        openai,
        talk,
        texts,
    )

    return map(openai, (each.anew() for each in talk(texts(steno.meter_for(MODEL).count))))


def worth(tokens: int, messages: Iterator[Json]) -> list[Json]:
    """Return as many messages as weigh that many tokens together."""
    count = steno.meter_for(MODEL).count
    taken: list[Json] = []
    while tokens > 0:
        taken.append(next(messages))
        tokens -= count(taken[-1]["content"])
    return taken


def adding(report: Report, folder: Path, added: list[Json]) -> Times:
    """Time each kind in turns with the others, so that a busy disk is busy for all."""
    full = steno.Session(folder / "full.db", model=MODEL, window=ROOMY)
    normal = steno.Session(folder / "normal.db", model=MODEL, window=ROOMY, durable=False)
    peer, bare = _peer(folder / "peer.db"), (folder / "bare").open("ab", buffering=0)
    ways: dict[str, Callable[[Json], object]] = {
        "write + fdatasync, no database": lambda message: _bare(bare.fileno(), message),
        "sqlite3 alone: INSERT one row, commit (WAL, FULL)": lambda message: _insert(peer, message),
        "steno: add, FULL": full.add,
        "steno: add, NORMAL (durable=False)": normal.add,
    }
    took: dict[str, list[float]] = {name: [] for name in ways}
    for start in range(0, ADDED, ROUND):
        for name, add in ways.items():
            took[name] += [_seconds(add, message) for message in added[start : start + ROUND]]
    for held in (full, normal, peer, bare):
        held.close()
    times = {name: Times(each[ROUND:]) for name, each in took.items()}
    by_peer = times["sqlite3 alone: INSERT one row, commit (WAL, FULL)"]
    for name, each in times.items():
        ours = name == "steno: add, FULL"
        note = (
            f"p50 {each.p50 / by_peer.p50:.2f} × the peer's, p95 {each.p95 / by_peer.p95:.2f} ×"
            if ours
            else ""
        )
        target = f"p95 ≤ {1_000 * ADD_MOST:.0f} ms" if ours else ""
        report.row(
            name, f"p50 / p95 / p99  {each}", note, target, met=not ours or each.p95 <= ADD_MOST
        )
    return times["steno: add, FULL"]


def _peer(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE message (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    return db


def _insert(db: sqlite3.Connection, message: Json) -> None:
    db.execute("INSERT INTO message (text) VALUES (?)", (json.dumps(message),))


def _bare(file: int, message: Json) -> None:
    os.write(file, json.dumps(message).encode())
    os.fdatasync(file)


def fill(path: Path, sessions: dict[str, list[Json]]) -> None:
    """Fill all sessions as if they had run side by side: a part of each, then the next."""
    store = SQLiteStore(path, durable=False)
    for name in sessions:
        store.create(name, WIRE, json.dumps({"window": ROOMY, "model": MODEL}))
    for chunk in range(CHUNKS):
        for name, messages in sessions.items():
            part = messages[len(messages) * chunk // CHUNKS : len(messages) * (chunk + 1) // CHUNKS]
            if part:
                store.append(name, decode_messages(get_wire(WIRE), part))
    store.close()


def opening(report: Report, path: Path, long: list[Json], where: str) -> Opening:
    runs = [_fresh(path) for _ in range(OPENED)]
    found = Opening(*(median(run[key] for run in runs) for key in ("seconds", "grown", "kept")))  # type: ignore[arg-type]
    text = sum(len(json.dumps(message, ensure_ascii=False).encode()) for message in long)
    report.row(
        f"open {LONG:,} tokens and build the view, {where}",
        f"{1_000 * found.seconds:.0f}",
        f"{len(long):,} messages, {runs[0]['tokens']:,} tokens; least "
        f"{1_000 * min(r['seconds'] for r in runs):.0f}",
        f"≤ {1_000 * OPEN_MOST:.0f} ms",
        met=found.seconds <= OPEN_MOST,
    )
    report.row(
        f"memory for that, {where}",
        f"{found.grown / text:.2f} × the text",
        f"{found.grown / 1e6:.1f} MB at the highest, {found.kept / 1e6:.1f} MB held; "
        f"text {text / 1e6:.1f} MB",
        f"≤ {MEMORY_MOST:.0f} × the text",
        met=found.grown <= MEMORY_MOST * text,
    )
    return found


def crowded(
    report: Report, path: Path, long: list[Json], alone: Opening, added: list[Json], adds: Times
) -> None:
    where = f"among {OTHERS + 1:,} sessions ({path.stat().st_size / 1e6:.0f} MB)"
    found = opening(report, path, long, where)
    with steno.Session(path, name="long") as session:
        times = Times(
            [_seconds(session.add, message) for message in added[ADDED : 2 * ADDED]][ROUND:]
        )
    for what, ratio in (
        ("opening", found.seconds / alone.seconds),
        ("memory", found.grown / alone.grown),
        ("add, FULL (p50)", times.p50 / adds.p50),
    ):
        target = f"≤ {CROWDED_MOST:.0f} ×"
        report.row(f"{what} {where}", f"{ratio:.2f} × alone", "", target, met=ratio <= CROWDED_MOST)


def _fresh(path: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "bench", "store", "--opened", str(path), "long"]
    found: dict[str, float] = json.loads(
        subprocess.run(command, check=True, capture_output=True).stdout
    )
    return found


def opened(path: str, name: str) -> dict[str, float]:
    """Open a session in a process of its own, and return what that took."""
    with steno.Session(model=MODEL, window=ROOMY) as warm:
        warm.add({"role": "user", "content": "warm"})
        warm.messages()
    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text(
        "5", encoding="ascii"
    )  # the highest is counted from here
    began = time.perf_counter()
    with steno.Session(path, name=name) as session:
        tokens = session.load
        took = time.perf_counter() - began
        grown, kept = _memory("VmHWM") - before, _memory("VmRSS") - before
        return {"seconds": took, "grown": grown, "kept": kept, "tokens": tokens}


def _memory(which: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1_024 for line in lines if line.startswith(which))


def _seconds(do: Callable[[Json], object], message: Json) -> float:
    began = time.perf_counter()
    do(message)
    return time.perf_counter() - began
