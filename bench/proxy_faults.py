"""Load the proxy and kill it: many streams at once, and SIGKILL of proxy and clients in mid-stream.

    python bench/proxy_faults.py --only streams --streams 200 --seconds 60
    python bench/proxy_faults.py --only kills --kills 200

Streams: each client holds a conversation and compares every reply with what the provider sent;
memory is that of the proxy's own process. Kills: a turn counts as acknowledged when its client
has the whole reply. After each kill the store is read: every acknowledged turn must be there,
once and in order, and the next proxy over the same store goes on with the same sessions.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx2

from ground import tell, verdict, wide
from steno.providers import get_wire, parse_json
from steno.proxy.conversations import Conversations
from steno.proxy.run import RunningProxy
from steno.proxy.server import Proxy, ProxySettings
from steno.proxy.surfaces import SURFACES
from steno.proxy.upstreams import read_upstreams
from steno.session.options import SessionOptions
from steno.store.sqlite import SQLiteStore

MODEL = "claude-opus-5-5"
WINDOW = 6_000
PIECES = 20
TURNS_MOST = 40
"""Turns of a conversation before its client begins another."""
CLIENTS = 4
PAUSE_MOST = 0.5
"""Seconds from the first byte to the kill, at most."""
GROWTH_MOST = 1.25
"""How much the proxy's memory may grow from a third of the run to its end."""
OPTIONS = SessionOptions(window=WINDOW)
# From this process, which is warm and has one thread whenever it forks.
_CONTEXT = multiprocessing.get_context("fork")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="bench/proxy_faults.py", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--only", choices=("streams", "kills"))
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    console = wide()
    tell(console, "a provider that streams 20 pieces")
    missed: list[str] = []
    warm_up()
    ports: Any = _CONTEXT.Queue()
    provider = _CONTEXT.Process(target=serve_provider, args=(ports,), daemon=True)
    provider.start()
    upstream = f"http://127.0.0.1:{ports.get()}"
    with tempfile.TemporaryDirectory() as folder:
        if options.only != "kills":
            done, wrong, memory = run_streams(upstream, Path(folder), options)
            growth = memory[-1] / memory[len(memory) // 3]
            console.print(
                f"{options.streams} streams at once for {options.seconds:.0f} s: {done:,} replies, "
                f"{wrong} lost or changed, memory {memory[len(memory) // 3]:.0f} MB after a third, "
                f"{memory[-1]:.0f} MB at the end"
            )
            if wrong:
                missed.append("no reply is lost or changed")
            if growth > GROWTH_MOST:
                missed.append(f"memory grew {growth:.2f} ×, {GROWTH_MOST} allowed")
        if options.only != "streams":
            kills = KillRun(upstream, Path(folder) / "kills.db", random.Random(options.seed))
            # Ctrl-C ends a long run with the figures so far.
            with suppress(KeyboardInterrupt):
                kills.run(options.kills)
            console.print(
                f"{kills.proxy_kills} kills of the proxy, {kills.client_kills} of clients, "
                f"{kills.acknowledged:,} turns acknowledged, {len(kills.faults)} faults"
            )
            missed += kills.faults[:5]
    provider.terminate()
    return verdict(console, missed)


def reply_to(body: bytes) -> bytes:
    """Return the events that answer a request; they tell its length, so that none is mistaken."""
    start = {"type": "message_start", "message": {"usage": {"input_tokens": len(body) // 4}}}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}
    events: list[Any] = [start, block]
    for piece in range(PIECES):
        delta = {"type": "text_delta", "text": f"{len(body)} {piece} "}
        events.append({"type": "content_block_delta", "index": 0, "delta": delta})
    events += [{"type": "content_block_stop", "index": 0}, {"type": "message_stop"}]
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


def serve_provider(ports: Any) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
                text = reply_to(await reader.readexactly(length))
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
                    b"transfer-encoding: chunked\r\n\r\n"
                )
                size = len(text) // PIECES + 1
                for at in range(0, len(text), size):
                    piece = text[at : at + size]
                    writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                    await writer.drain()
                    await asyncio.sleep(0.005)
                writer.write(b"0\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, limit=2**20)
        ports.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


def serve_proxy(ports: Any, upstream: str, store: str) -> None:
    settings = ProxySettings(read_upstreams([upstream], {}))
    running = RunningProxy(Proxy(settings, Conversations(store, OPTIONS)))
    ports.put(running.address)
    running.run()


def start_proxy(upstream: str, store: Path) -> tuple[Any, str]:
    ports: Any = _CONTEXT.Queue()
    process = _CONTEXT.Process(target=serve_proxy, args=(ports, upstream, str(store)), daemon=True)
    process.start()
    return process, ports.get(timeout=60)


def run_streams(upstream: str, folder: Path, options: Any) -> tuple[int, int, list[float]]:
    """Return whole replies, wrong ones, and the proxy's memory in MB over time."""
    process, address = start_proxy(upstream, folder / "streams.db")
    memory: list[float] = []
    counts: Counter[str] = Counter()

    async def talk(http: httpx2.AsyncClient, number: int, until: float) -> None:
        said: list[Any] = []
        while time.monotonic() < until:
            if len(said) >= TURNS_MOST * 2:
                said = []
            words = f"client {number} at {time.monotonic()} " + "word " * 20
            said.append({"role": "user", "content": words})
            body = {"model": MODEL, "max_tokens": 9, "messages": said}
            got = b""
            try:
                async with http.stream("POST", f"{address}/v1/messages", json=body) as answer:
                    async for chunk in answer.aiter_raw():
                        got += chunk
            except httpx2.HTTPError:
                counts["wrong"] += 1
                said.pop()
                continue
            text = _text_of(got)
            counts["done"] += 1
            if len(text.split()) != PIECES * 2 or b"message_stop" not in got:
                counts["wrong"] += 1
            said.append({"role": "assistant", "content": text})

    async def watch(until: float) -> None:
        while time.monotonic() < until:
            memory.append(_memory_of(process.pid))
            await asyncio.sleep(1)

    async def everybody() -> None:
        until = time.monotonic() + options.seconds
        limits = httpx2.Limits(max_connections=options.streams)
        async with httpx2.AsyncClient(timeout=120, limits=limits) as http:
            talks = (talk(http, number, until) for number in range(options.streams))
            await asyncio.gather(watch(until), *talks)

    asyncio.run(everybody())
    memory.append(_memory_of(process.pid))
    process.terminate()
    process.join()
    return counts["done"], counts["wrong"], memory


def _memory_of(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1_000
    return 0.0


def _text_of(events: bytes) -> str:
    text = ""
    for line in events.splitlines():
        if line.startswith(b"data: "):
            text += json.loads(line[6:]).get("delta", {}).get("text", "")
    return text


class KillRun:
    """Kills a proxy again and again over one store, while clients talk through it."""

    def __init__(self, upstream: str, store: Path, chance: random.Random) -> None:
        self._upstream = upstream
        self._store = store
        self._chance = chance
        self._talks: list[list[Any]] = [[] for _ in range(CLIENTS)]
        self._names = [""] * CLIENTS
        """The session of each talk, as the proxy says."""
        self.proxy_kills = self.client_kills = self.acknowledged = 0
        self.faults: list[str] = []
        self._began = threading.Event()
        # One for all: reading certificates takes longer than a run up to its kill.
        self._http = httpx2.Client(timeout=20, verify=False)

    def run(self, kills: int) -> None:
        while self.proxy_kills < kills:
            process, address = start_proxy(self._upstream, self._store)
            stop = threading.Event()
            self._began.clear()
            clients = [
                threading.Thread(target=self._talk, args=(address, number, stop), daemon=True)
                for number in range(CLIENTS)
            ]
            for client in clients:
                client.start()
            # From the first byte on: before it there is nothing to lose.
            self._began.wait(20)
            time.sleep(self._chance.uniform(0.0, PAUSE_MOST))
            os.kill(process.pid, signal.SIGKILL)
            stop.set()
            process.join()
            for client in clients:
                client.join()
            self.proxy_kills += 1
            self._check()

    def _talk(self, address: str, number: int, stop: threading.Event) -> None:
        chance = random.Random(self._chance.random())
        while not stop.is_set():
            said = self._talks[number]
            if len(said) >= TURNS_MOST * 2:
                said = self._talks[number] = []
            words = f"client {number} at {time.monotonic_ns()} " + "word " * 40
            asked = [*said, {"role": "user", "content": words}]
            leaves = chance.random() < 0.2
            try:
                text, name = self._ask(address, asked, leaves=leaves)
            except httpx2.HTTPError:
                time.sleep(0.01)
                continue
            if text is None:
                self.client_kills += 1
                continue
            self._names[number] = name
            self._talks[number] = [*asked, {"role": "assistant", "content": text}]
            self.acknowledged += 1

    def _ask(self, address: str, said: list[Any], *, leaves: bool) -> tuple[str | None, str]:
        """Return the whole reply and its session; None for the reply if this client broke off."""
        body = {"model": MODEL, "max_tokens": 9, "messages": said}
        got = b""
        with self._http.stream("POST", f"{address}/v1/messages", json=body) as answer:
            name = answer.headers["steno-session"]
            for chunk in answer.iter_raw():
                got += chunk
                self._began.set()
                if leaves and len(got) > 500:
                    return None, name
        if b"message_stop" not in got:
            raise httpx2.ReadError("the stream ended early")
        return _text_of(got), name

    def _check(self) -> None:
        """Read the talks' sessions: what was acknowledged is there, once and in order."""
        store = SQLiteStore(self._store)
        for name, said in zip(self._names, self._talks, strict=True):
            if not said:
                continue
            wire = get_wire(store.session_info(name).wire)

            def read(raw: str, wire: Any = wire) -> Any:
                return wire.decode(parse_json(raw), raw, "a stored message")

            kept = [one.text for one in store.load(name, read).messages if one.role == "user"]
            asked = [message["content"] for message in said if message["role"] == "user"]
            if kept[: len(asked)] != asked:
                self.faults.append(f"kill {self.proxy_kills}: an acknowledged turn is not kept")
        store.close()


def warm_up() -> None:
    """Import and read what a proxy does with its first request."""
    for module in ("uvicorn.protocols.http.h11_impl", "uvicorn.lifespan.on", "httpcore2"):
        import_module(module)
    body = {"model": MODEL, "messages": [{"role": "user", "content": "hello"}]}
    Conversations(None, OPTIONS).prepare(SURFACES[2], json.dumps(body).encode(), None, "bench")


if __name__ == "__main__":
    sys.exit(main())
