"""Measure what a session costs as it grows, in process CPU time.

Three sessions live on, one of talk, one of tool calls, one of ten calls in each message (so that
200,000 messages hold a million calls): what does one more message, one request and one compaction
cost after so many messages, and how much memory do they take? Then cases
that once grew with the square of their size: a list compacted at once, many constraints, results in
reverse order, parallel calls on one file, reminders.

    python -m bench scale --most 200000
    python -m bench scale --most 200000 --only batches --file big.db
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count, islice, pairwise
from pathlib import Path
from statistics import median

from rich.table import Table

import steno
from bench.ground import arguments, tell, wide
from bench.plain import Json
from steno.facts.ledger import Ledger

SIZES = (1_000, 10_000, 50_000, 100_000, 150_000, 200_000)
WINDOW, LARGE = 32_000, 128_000
BATCH = 10
"""Calls of one message, and results of the next."""
EVERY = 20
"""Messages between two requests of a session that lives on."""
NEWEST = 9
"""Compactions whose median is told at each size."""
ROOMY = 100_000_000
"""A window that puts nothing under pressure."""


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="messages of the last size")
    parser.add_argument("--file", type=Path, help="keep the session in this new file; with --only")
    parser.add_argument("--only", default="", help="run the cases whose name holds this")
    asked = parser.parse_args()
    console = wide()
    tell(console, "messages of a line or six, made up; counted as a token for four characters")
    sizes = [size for size in SIZES if size <= asked.most]
    for name, (wire, window, messages) in LIVES.items():
        if asked.only in name:
            rows = _live(_session(window, wire, asked.file), messages(), sizes)
            console.print(_table(f"{name}: a session that lives on, window {window:,}", rows))
    for name, (case, most) in CASES.items():
        if asked.only in name:
            console.print(_curve(name, case, [most // 8, most // 4, most // 2, most]))
    return 0


_RUNS = count()


def talk() -> Iterator[Json]:
    """Yield questions and answers, all different, and others each time: nothing is read before."""
    run = next(_RUNS)
    turn = 0
    while True:
        part = f"part {turn % 97} of module_{turn % 31}"
        yield {"role": "user", "content": f"Question {turn} of {run}: please explain {part}."}
        yield {"role": "assistant", "content": f"The {part} parses line {turn} of {run}."}
        turn += 1


def calls() -> Iterator[Json]:
    """Yield one request, then calls and their results without an end."""
    yield {"role": "user", "content": "Read all the files and fix what is wrong."}
    turn = 0
    while True:
        yield _call(f"c{turn}", f"src/f{turn % 500}.py")
        text = f"def f{turn}(x):\n    return x + {turn}\n\ndef g{turn}():\n    return f{turn}(1)"
        yield _result(f"c{turn}", text)
        turn += 1


def batches() -> Iterator[Json]:
    """Yield messages of ten calls, each followed by one of ten results, as Anthropic has them."""
    yield {"role": "user", "content": "Read all the files and fix what is wrong."}
    turn = 0
    while True:
        numbers = range(turn, turn + BATCH)
        yield {"role": "assistant", "content": [_use(number) for number in numbers]}
        yield {"role": "user", "content": [_answer(number) for number in numbers]}
        turn += BATCH


def _use(number: int) -> Json:
    path = f"src/f{number % 500}.py"
    return {"type": "tool_use", "id": f"c{number}", "name": "read_file", "input": {"path": path}}


def _answer(number: int) -> Json:
    text = f"def f{number}(x):\n    return x + {number}"
    return {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}


LIVES = {
    "talk": ("openai", WINDOW, talk),
    "calls": ("openai", WINDOW, calls),
    "batches": ("anthropic", LARGE, batches),
}
"""The wire, the window and the messages of each session that lives on."""


def _call(*names: str) -> Json:
    """One message with a call to read a file for each name and path, in turn."""
    made = [
        {
            "id": name,
            "type": "function",
            "function": {"name": "read_file", "arguments": f'{{"path": "{path}"}}'},
        }
        for name, path in zip(names[::2], names[1::2], strict=True)
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def _result(call: str, text: str) -> Json:
    return {"role": "tool", "tool_call_id": call, "content": text}


def _live(
    session: steno.Session, messages: Iterator[Json], sizes: list[int]
) -> Iterator[tuple[str, ...]]:
    """Yield a row for each size: what the newest adds, requests and compactions cost."""
    adds: list[float] = []
    requests: list[float] = []
    commits: list[float] = []
    for number, message in enumerate(islice(messages, sizes[-1]), start=1):
        adds.append(_seconds(session.add, message))
        if number % EVERY == 1:
            before = len(session.log.commits)
            spent = _seconds(session.messages)
            landed = len(session.log.commits) > before
            (commits if landed else requests).append(spent)
        if number in sizes:
            newest = commits[-NEWEST:] or [0.0]
            yield (
                f"{number:,}",
                f"{1_000 * median(adds[-500:]):.2f}",
                f"{1_000 * median(requests[-50:]):.2f}",
                f"{1_000 * median(newest):.0f}",
                f"{1_000 * max(newest):.0f}",
                f"{len(session.log.commits):,}",
                f"{_memory():,}",
            )


def _table(title: str, rows: Iterator[tuple[str, ...]]) -> Table:
    table = Table(title=f"{title}, CPU ms", title_justify="left")
    for head in ("messages", "add", "request", "compaction", "the longest", "of", "memory, MB"):
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(*row)
    return table


def _curve(name: str, case: Callable[[int], Callable[[], object]], sizes: list[int]) -> Table:
    """Time a case at several sizes, each with what twice the size costs."""
    table = Table(title=f"{name}, CPU ms", title_justify="left")
    for size in sizes:
        table.add_column(f"{size:,}", justify="right")
    table.add_column("growth where the size doubles", justify="right")
    # Patterns are compiled and caches made by a first run, which is not told.
    case(sizes[0])()
    took = [_seconds(case(size)) for size in sizes]
    growth = [f"× {late / early:.1f}" for early, late in pairwise(took)]
    table.add_row(*(f"{1_000 * seconds:.0f}" for seconds in took), ", ".join(growth))
    return table


def _session(window: int, wire: str = "openai", file: Path | None = None) -> steno.Session:
    # Without waiting for the disk: what is measured is the processor's time.
    meter = steno.chars_per_four()
    return steno.Session(file, durable=False, wire=wire, window=window, meter=meter)


def _at_once(size: int) -> Callable[[], object]:
    messages = list(islice(talk(), size))
    meter = steno.chars_per_four()
    return lambda: steno.compact(messages, window=WINDOW, wire="openai", meter=meter)


def _constraints(size: int) -> Callable[[], object]:
    session = _session(ROOMY)
    run = next(_RUNS)
    for number in range(size):
        words = f"Never touch file_{number}_{run}.py in folder{number}."
        session.add({"role": "user", "content": words})
    return lambda: Ledger.of(session.log.messages).constraints


def _reversed_results(size: int) -> Callable[[], object]:
    session = _session(ROOMY)
    names = [text for n in range(size) for text in (f"c{n}", f"a{n}.py")]
    session.add(_call(*names))
    results = [_result(f"c{n}", f"x = {n}") for n in reversed(range(size))]
    return lambda: session.add(*results)


def _parallel(size: int) -> Callable[[], object]:
    session = _session(WINDOW)
    names = [text for n in range(size) for text in (f"c{n}", "a.py")]
    session.add(_call(*names))
    session.add(*(_result(f"c{n}", f"x = {n}\ny = {n}\nz = 1\n" * 200) for n in range(size)))
    session.add({"role": "user", "content": "Go on."})
    return session.messages


def _reminders(size: int) -> Callable[[], object]:
    text = "<system-reminder>The list of tasks has changed.</system-reminder>\n" * (size // 65)
    messages: list[Json] = [{"role": "user", "content": text}]
    messages += islice(talk(), 400)
    meter = steno.chars_per_four()
    return lambda: steno.compact(messages, window=8_000, wire="openai", meter=meter)


Case = tuple[Callable[[int], Callable[[], object]], int]
CASES: dict[str, Case] = {
    "messages compacted at once, nothing read before": (_at_once, 20_000),
    "constraints in force": (_constraints, 800),
    "results in reverse order": (_reversed_results, 1_600),
    "parallel reads of one file": (_parallel, 64),
    "characters of reminders in one message": (_reminders, 200_000),
}
"""Each with its largest size."""


def _seconds(do: Callable[..., object], *args: object) -> float:
    began = time.process_time()
    do(*args)
    return time.process_time() - began


def _memory() -> int:
    """Return what the process holds in memory, in MB; 0 where the system does not say."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    lines = status.read_text(encoding="utf-8").splitlines()
    held = next(line for line in lines if line.startswith("VmRSS"))
    return int(held.split()[1]) // 1_024
