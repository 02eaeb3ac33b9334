"""Send real conversations through three wires at small windows: does a request become illegal?

Each conversation is compacted whole, as a caller without a session does, and replayed message by
message, with a request before every reply; items of OpenAI's responses only as a whole. The judges
are `tests/support/legal.py` and `legal_responses.py`, which know nothing of Steno. What they find
counts only if they find nothing in the same list untouched.

    python -m bench legal [DATA] [--windows 2000 8000 32000] [--every 1] [--only id]
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from bench.ground import arguments, tell, verdict, wide
from bench.plain import CALLERS, Conversation, conversations, files
from bench.trial import Tally, lived, once

WINDOWS = (2_000, 8_000, 32_000)
PROCESSES = 2
SHOWN = 20
OPENED_LEAST = 200
MUST_BE_NONE = ("exceptions", "newly illegal", "not opened", "changed again", "miscounted")
COLUMNS = (
    "requests",
    "exceptions",
    "newly illegal",
    "illegal before",
    "otherwise",
    "mended",
    "commits",
    "fits=False",
    "over usable",
    "avoidable",
    "opened",
)
LEGEND = """\
newly illegal   legal without compaction, illegal with it
illegal before  illegal both ways; otherwise: for another reason than before
mended          illegal without compaction, legal with it (of those that had to be judged)
fits=False      commits that stayed over their goal
over usable     requests over window − reserve; avoidable: system, a trace and the newest turn
                would have been under
opened          covered positions that were opened and compared with what was said"""

Key = tuple[str, str, int]
"""Way, wire and window."""
Task = tuple[Conversation, tuple[int, ...], bool]


def main() -> int:
    options = _options()
    folder, console = options.data, wide()
    tasks = list(_tasks(folder, tuple(options.windows), options.every, options.only))
    if not tasks:
        console.print(f"no conversation in {folder}: pass the data folder, or set STENO_DATA")
        return 1
    living = sum(lives for _, _, lives in tasks)
    tell(
        console,
        f"{len(tasks):,} conversations of {len(files(folder))} files, {living:,} of "
        "them lived through",
    )
    began = time.perf_counter()
    tallies = _run(tasks, options.processes, console)
    console.print(_table(tallies))
    _tell_reasons(console, tallies)
    console.print(f"{time.perf_counter() - began:,.0f} s in all, {options.processes} processes")
    return verdict(console, _missed(tallies))


def _options() -> argparse.Namespace:
    parser = arguments(__doc__, data=True)
    parser.add_argument("--windows", type=int, nargs="+", default=WINDOWS)
    parser.add_argument(
        "--every", type=int, default=1, help="live through every n-th conversation only; 0 for none"
    )
    parser.add_argument("--only", help="the one conversation with this id")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    return parser.parse_args()


def _tasks(folder: Path, windows: tuple[int, ...], every: int, only: str | None) -> Iterator[Task]:
    for file in files(folder):
        for number, conversation in enumerate(conversations(file)):
            if only is None or conversation.id == only:
                yield conversation, windows, every > 0 and number % every == 0


def _run(tasks: list[Task], processes: int, console: Console) -> dict[Key, Tally]:
    """Return the sum of all trials; start the longest first, so that no process ends alone."""
    tallies: dict[Key, Tally] = {}
    tasks.sort(key=_length, reverse=True)
    bar = (
        TextColumn("conversations"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with (
        multiprocessing.Pool(processes) as pool,
        Progress(*bar, console=console, transient=True) as progress,
    ):
        shown = progress.add_task("", total=len(tasks))
        for found in pool.imap_unordered(_tried, tasks):
            for key, tally in found.items():
                tallies[key] = tallies.get(key, Tally()) + tally
            progress.advance(shown)
    return dict(sorted(tallies.items()))


def _length(task: Task) -> int:
    return sum(len(row["content"]) for row in task[0].rows)


def _tried(task: Task) -> dict[Key, Tally]:
    """Try one conversation both ways, on every wire and at every window."""
    conversation, windows, lives = task
    found: dict[Key, Tally] = {}
    for wire, caller in CALLERS.items():
        given, name = caller(conversation.rows), f"{conversation.file} {conversation.id}"
        for window in windows:
            found["once", wire, window] = once(given, wire, window, name)
            if lives and wire != "openai-responses":
                found["lived", wire, window] = lived(given, wire, window, name)
    return found


def _table(tallies: dict[Key, Tally]) -> Table:
    table = Table(title="Requests, judged by tests/support/legal*.py", title_justify="left")
    for head in ("way", "wire"):
        table.add_column(head)
    for head in ("window", *COLUMNS, "seconds"):
        table.add_column(head, justify="right")
    for (way, wire, window), tally in tallies.items():
        numbers = [
            f"[red]{tally.counts[column]:,}[/]"
            if column in MUST_BE_NONE and tally.counts[column]
            else f"{tally.counts[column]:,}"
            for column in COLUMNS
        ]
        table.add_row(way, wire, f"{window:,}", *numbers, f"{tally.seconds:.1f}")
    return table


def _tell_reasons(console: Console, tallies: dict[Key, Tally]) -> None:
    total = sum(tallies.values(), Tally())
    console.print(LEGEND, highlight=False)
    console.print(
        "\n[bold]illegal with and without compaction, by rule[/]"
        + ("" if total.rules else ": none")
    )
    for rule, count in total.rules.most_common():
        console.print(f"  {count:>7,}  {rule}", highlight=False, markup=False)
    for title, found in (
        ("failures", total.failures),
        ("over the window, avoidably", total.avoidable),
    ):
        if not found:
            continue
        console.print(f"\n[bold]{title}[/], {min(len(found), SHOWN)} of {len(found)}")
        for line in sorted(found)[:: max(1, len(found) // SHOWN)][:SHOWN]:
            console.print(f"  {line}", highlight=False, markup=False)


def _missed(tallies: dict[Key, Tally]) -> list[str]:
    total = sum(tallies.values(), Tally())
    missed = [
        f"{name}: {total.counts[name]:,}, must be 0" for name in MUST_BE_NONE if total.counts[name]
    ]
    if total.counts["opened"] < OPENED_LEAST and total.counts["requests"] > OPENED_LEAST:
        missed.append(
            f"only {total.counts['opened']} covered positions were opened: at least "
            f"{OPENED_LEAST} must be"
        )
    return missed
