"""Measure what a search costs in a store of a million messages.

    python -m bench recall --scale FOLDER [--messages N]

Sessions of generated messages (passages of the standard library's sources, some 400 characters
each): long ones of 10,000 messages, and many of 100. Timed: indexing; a search within one long
session, in a small and in a full store, also by the agent's tool, which shows 20 hits; a search
across all sessions; opening a session. A query is three to six words of a message drawn at random,
so that there is something to find. FOLDER is filled and kept; a second run continues with it.
"""

from __future__ import annotations

import json
import random
import statistics
import sysconfig
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import steno
from steno.core.store import session_names
from steno.providers import decode_messages, get_wire
from steno.store.sqlite import SQLiteStore

LONG, SHORT = 10_000, 100
LENGTH = 400
ASKED = 200
VECTORS = 384
LIMITS = {"words": 30.0, "fused": 60.0, "across": 300.0, "opened": 50.0, "flat": 1.5}
"""Milliseconds for 95 of 100; how much longer a search in a full store may take than alone."""
INDEXED_LEAST = 2.0
"""Megabytes of text a second."""


def texts(dice: random.Random) -> Iterator[str]:
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    whole = "\n".join(file.read_text("utf-8", "ignore") for file in files)
    while True:
        start = dice.randrange(len(whole) - LENGTH)
        yield whole[start : start + LENGTH]


class Drawn:
    """Random vectors as long as MiniLM's: the search is timed, not the model."""

    name, dimensions = "drawn", VECTORS

    def __init__(self) -> None:
        import numpy

        self._dice = numpy.random.default_rng(7)

    def embed(self, texts: Any) -> Any:
        return self._dice.standard_normal((len(texts), VECTORS), "float32")


def fill(path: Path, names: list[tuple[str, int]]) -> int:
    """Make the sessions that are not there; return how many messages that were."""
    store = SQLiteStore(path, durable=False)
    known = set(session_names(store))
    said = texts(random.Random(11 + len(known)))
    wire = get_wire("openai")
    for name, count in names:
        if name in known:
            continue
        roles = ("user", "assistant")
        plain = [{"role": roles[at % 2], "content": next(said)} for at in range(count)]
        store.create(name, "openai", json.dumps({"window": 1_000_000}), user="one")
        store.append(name, decode_messages(wire, plain))
    store.close()
    return sum(count for name, count in names if name not in known)


def index(path: Path, messages: int) -> None:
    """Index so many new messages, and print how fast."""
    store = SQLiteStore(path)
    with steno.Session(store=store, name=session_names(store)[0]) as session:
        recall = session._parts.recall
        began, busy = time.perf_counter(), time.process_time()
        recall.fill(where="user")
        wall, cpu = time.perf_counter() - began, time.process_time() - busy
    store.close()
    size = messages * LENGTH / 1e6
    print(
        f"{path.name}: indexed {size / wall:.2f} MB/s, processor {size / cpu:.2f} MB/s   "
        f"≥ {INDEXED_LEAST}: {size / wall >= INDEXED_LEAST} / {size / cpu >= INDEXED_LEAST}",
        flush=True,
    )


def queries(path: Path, name: str | None, dice: random.Random) -> list[str]:
    """Return words of messages that exist."""
    store = SQLiteStore(path)
    asked = []
    read = get_wire("openai")
    names = session_names(store)
    while len(asked) < ASKED:
        chosen = name or dice.choice(names)
        at = dice.randrange(store.session_info(chosen).messages)
        text = store.messages_from(
            chosen, lambda raw: read.decode(json.loads(raw), raw, ""), at, 1
        )[0].message.text
        words = [word for word in text.split() if word.isidentifier() and len(word) > 2]
        if len(words) > 8:
            asked.append(" ".join(dice.sample(words, dice.randint(3, 6))))
    store.close()
    return asked


@dataclass(frozen=True)
class Times:
    """Milliseconds by the wall clock, and by the processor, which other programs do not change."""

    wall: list[float]
    cpu: list[float]
    queued: list[float]
    """How much of the wall clock's time other programs had the processor."""

    def at(self, share: float, *, cpu: bool = False) -> float:
        spent = sorted(self.cpu if cpu else self.wall)
        return spent[int(len(spent) * share)]


def timed(look: Callable[[str], Any], asked: list[str]) -> Times:
    look(asked[0])
    times = Times([], [], [])
    for query in asked:
        waited = time_in_queue()
        began, busy = time.perf_counter(), time.process_time()
        look(query)
        times.wall.append(1e3 * (time.perf_counter() - began))
        times.cpu.append(1e3 * (time.process_time() - busy))
        times.queued.append(time_in_queue() - waited)
    return times


def time_in_queue() -> float:
    """Return for how many milliseconds this thread waited for a processor; 0 if none tells."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e6
    except OSError:
        return 0.0


def row(what: str, times: Times, limit: float) -> None:
    wall, cpu = times.at(0.95), times.at(0.95, cpu=True)
    both = f"p50 {times.at(0.5):7.1f} ms  p95 {times.at(0.95):7.1f} ms"
    busy = f"processor p50 {times.at(0.5, cpu=True):6.1f}  p95 {times.at(0.95, cpu=True):6.1f}"
    queued = f"queued {statistics.mean(times.queued):5.1f}"
    print(
        f"{what:<52} {both}   {busy}   {queued}   "
        f"p95 ≤ {limit:.0f}: {wall <= limit} / {cpu <= limit}",
        flush=True,
    )


def recall_call(query: str) -> dict[str, Any]:
    """Return the call that an agent makes to search."""
    function = {"name": "recall", "arguments": json.dumps({"query": query})}
    return {"id": "call", "type": "function", "function": function}


def within(path: Path, where: str) -> list[Times]:
    """Search a long session by words, and by words and vectors."""
    asked = queries(path, "long-0", random.Random(5))
    with steno.Session(path, name="long-0") as session:
        words = timed(lambda query: session.recall(query, mode="words"), asked)
        tool = timed(lambda query: session.handle(recall_call(query)), asked)
    row(f"within 10,000 messages, full text, {where}", words, LIMITS["words"])
    row(f"within 10,000 messages, the agent's tool, {where}", tool, LIMITS["words"])
    with steno.Session(path, name="long-0", embedder=Drawn()) as session:
        session._parts.recall.fill()
        both = timed(lambda query: session.recall(query), asked)
    row(f"within 10,000 messages, fused, {where}", both, LIMITS["fused"])
    return [words, both]


def across(path: Path) -> None:
    asked = queries(path, None, random.Random(6))
    with steno.Session(path, name="short-0") as session:
        found = timed(
            lambda query: session.recall(query, where="user", mode="words", seconds=30), asked
        )
    row("across all, full text", found, LIMITS["across"])


def opened(path: Path) -> None:
    def look(name: str) -> None:
        with steno.Session(path, name=name):
            pass

    row(
        "opening a session of 100 messages",
        timed(look, [f"short-{at}" for at in range(50)]),
        LIMITS["opened"],
    )


def measure_scale(folder: Path, messages: int) -> int:
    """Fill a folder's stores with so many messages, and time searches in them."""
    long = messages // (2 * LONG)
    names = [(f"long-{at}", LONG) for at in range(long)]
    names += [(f"short-{at}", SHORT) for at in range((messages - long * LONG) // SHORT)]
    few, many = folder / "few.db", folder / "many.db"
    for path, filled in ((few, [names[0]]), (many, names)):
        if new := fill(path, filled):
            index(path, new)
    alone = within(few, "alone")
    crowded = within(many, f"among {messages:,}")
    for what, before, after in zip(("full text", "fused"), alone, crowded, strict=True):
        times = after.at(0.95, cpu=True) / before.at(0.95, cpu=True)
        print(
            f"{what}: {times:.2f} × the processor's time alone, ≤ {LIMITS['flat']}: "
            f"{times <= LIMITS['flat']}"
        )
    across(many)
    opened(many)
    for path in (many, many.with_name("many.db-recall")):
        print(f"{path.name}: {path.stat().st_size / 1e6:,.0f} MB")
    return 0
