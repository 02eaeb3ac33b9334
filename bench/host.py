"""Measure what one host holds: turns a second of one core, and memory of a session.

Many sessions live side by side over one SQLite file. A turn is what an agent does next: a call, its
result of some 500 tokens, and a request. It goes through one of three doors: `Session.add` and
`Session.request`; `fit`, which is given the whole list each time; and a proxy in a process of its
own, which reads the same list as JSON and passes it to a provider that answers at once. Compactions
are part of it: after 30 turns a session outgrows its window.

    python -m bench host                                  20 sessions of 60 turns
    python -m bench host --sessions 200 --turns 20 --only session

Figures are CPU time, so a busy machine changes them little; a core does one turn after the other.
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
from rich.table import Table

import steno
from bench.ground import arguments, tell, wide
from bench.plain import Json
from bench.talk import texts
from steno.adapters.fit import Fitter
from steno.proxy.conversations import Conversations
from steno.proxy.run import RunningProxy
from steno.proxy.server import Proxy, ProxySettings
from steno.proxy.upstreams import read_upstreams
from steno.session.options import SessionOptions

MODEL, WINDOW = "gpt-4o", 16_000
CONTEXT = multiprocessing.get_context("forkserver")
_SAID = {"role": "assistant", "content": "Done."}
ANSWER = json.dumps({"choices": [{"index": 0, "finish_reason": "stop", "message": _SAID}]}).encode()


class SessionDoor:
    """Holds every session open, as a server for many agents does."""

    def __init__(self, sessions: int, folder: Path) -> None:
        path = folder / "host.db"
        self.sessions = [
            steno.Session(path, name=f"s{number}", model=MODEL, window=WINDOW)
            for number in range(sessions)
        ]

    process = property(lambda self: os.getpid())

    def turn(self, number: int, added: list[Json]) -> None:
        self.sessions[number].add(*added)
        self.sessions[number].request()


class FitDoor(SessionDoor):
    """Is given the whole list each time."""

    def __init__(self, sessions: int, folder: Path) -> None:
        self.fitter = Fitter(store=folder / "host.db", model=MODEL, window=WINDOW)
        self.lists: list[list[Json]] = [[] for _ in range(sessions)]

    def turn(self, number: int, added: list[Json]) -> None:
        self.lists[number] += added
        self.fitter.fit(self.lists[number], session=f"s{number}")


class ProxyDoor(SessionDoor):
    """Sends the whole list as JSON; what is measured is the proxy's process."""

    def __init__(self, sessions: int, folder: Path) -> None:
        provider = ThreadingHTTPServer(("127.0.0.1", 0), _Provider)
        threading.Thread(target=provider.serve_forever, daemon=True).start()
        ports: Any = CONTEXT.Queue()
        upstream = f"http://127.0.0.1:{provider.server_address[1]}"
        self.proxy = CONTEXT.Process(
            target=_serve_proxy, args=(ports, upstream, folder), daemon=True
        )
        self.proxy.start()
        self.address = ports.get(timeout=60)
        self.http = httpx2.Client(timeout=60)
        self.lists: list[list[Json]] = [[] for _ in range(sessions)]

    process = property(lambda self: self.proxy.pid)

    def turn(self, number: int, added: list[Json]) -> None:
        self.lists[number] += added
        body = {"model": MODEL, "messages": self.lists[number]}
        named = {"steno-session": f"s{number}"}
        sent = self.http.post(f"{self.address}/v1/chat/completions", json=body, headers=named)
        sent.raise_for_status()


DOORS = {"session": SessionDoor, "fit": FitDoor, "proxy": ProxyDoor}


class _Provider(BaseHTTPRequestHandler):
    """Answers every request at once."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *what: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)


def _serve_proxy(ports: Any, upstream: str, folder: Path) -> None:
    conversations = Conversations(folder / "host.db", SessionOptions(window=WINDOW))
    with RunningProxy(Proxy(ProxySettings(read_upstreams([upstream], {})), conversations)) as here:
        ports.put(here.address)
        threading.Event().wait()


def turns(number: int, size: int) -> Iterator[list[Json]]:
    """Yield what each turn of a session adds: a call and its result, all texts different."""
    said = texts(lambda text: len(text) // 4)
    request = {"role": "user", "content": f"Read every file of project {number}, then report."}
    for turn in range(size):
        function = {"name": "read", "arguments": json.dumps({"path": f"p{number}/f{turn}.py"})}
        call = {"id": f"call_{turn}", "type": "function", "function": function}
        text = f"# file {turn} of project {number}\n{next(said)}"
        made = [
            {"role": "assistant", "content": f"Reading file {turn}.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": text},
        ]
        yield made if turn else [request, *made]


def cpu_of(process: int) -> float:
    """Return the CPU seconds of a process."""
    if process == os.getpid():
        return time.process_time()
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(process: int) -> int:
    """Return the bytes that a process holds."""
    gc.collect()
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def measure(name: str, sessions: int, size: int, results: Any) -> None:
    """Measure one door, alone in its process."""
    with tempfile.TemporaryDirectory() as folder:
        door = DOORS[name](sessions + 1, Path(folder))
        # The first session loads patterns and vocabularies, which are not a session's.
        for added in turns(0, size):
            door.turn(0, added)
        memory, spent = memory_of(door.process), 0.0
        for each in zip(*(turns(number, size) for number in range(1, sessions + 1)), strict=True):
            began = cpu_of(door.process)
            for number, added in enumerate(each, start=1):
                door.turn(number, added)
            spent += cpu_of(door.process) - began
        file = (Path(folder) / "host.db").stat().st_size
        results.put((spent, memory_of(door.process) - memory, file))


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--only", choices=DOORS, help="one door alone")
    asked = parser.parse_args()
    console = wide()
    tell(console, f"{asked.sessions} sessions of {asked.turns} turns, window {WINDOW:,}")
    table = Table("door", "CPU ms a turn", "turns a second, one core", "kB a session", "kB on disk")
    for name in DOORS:
        if asked.only not in (None, name):
            continue
        results: Any = CONTEXT.Queue()
        process = CONTEXT.Process(target=measure, args=(name, asked.sessions, asked.turns, results))
        process.start()
        spent, memory, file = results.get(timeout=3_600)
        process.join()
        each = spent / asked.sessions / asked.turns
        sizes = [f"{size / asked.sessions / 1_000:,.0f}" for size in (memory, file)]
        table.add_row(name, f"{1_000 * each:.1f}", f"{1 / each:.0f}", *sizes)
    console.print(table)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
