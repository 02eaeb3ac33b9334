"""Measure the proxy: bytes that must not change, and the time it adds to a direct connection.

    python -m bench proxy [DATA] [--every 20]        real conversations as both providers' JSON
    python -m bench proxy --only speed               overhead alone

The provider is a server of its own process on loopback that answers at once, so that what is
measured is the way through the proxy. Each figure stands beside the direct connection of the same
run.
"""

from __future__ import annotations

import json
import multiprocessing
import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
from rich.table import Table

from bench.ground import arguments, tell, verdict, wide
from bench.plain import CALLERS, conversations, files
from steno.proxy.conversations import Conversations
from steno.proxy.run import RunningProxy
from steno.proxy.server import Proxy, ProxySettings
from steno.proxy.surfaces import find_surface
from steno.proxy.upstreams import read_upstreams
from steno.session.options import SessionOptions

ROUNDS = 60
EVENTS = 400
PAUSES = (0.0005, 0.005)
"""Seconds between two events: as the fastest providers stream, and as most do."""
WIDE_WINDOW = 100_000_000
MODELS = {"openai": "gpt-5", "anthropic": "claude-opus-5-5"}
FIRST_BYTE_MOST = 5.0
SESSION_MOST = 20.0
STREAM_MOST = 1.01
EVENT = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
EVENT += b'"delta":{"type":"text_delta","text":"some words"}}\n\n'


def main() -> int:
    parser = arguments(__doc__, data=True)
    parser.add_argument("--every", type=int, default=20, help="every n-th request of a session")
    parser.add_argument("--only", choices=("bytes", "speed"))
    options = parser.parse_args()
    console = wide()
    tell(console, "real conversations; a provider that answers at once")
    missed: list[str] = []
    if options.only != "speed":
        sent, changed, failed = compare_bytes(options.data, options.every)
        console.print(
            f"requests {sent:,}, not the same bytes {changed}, passed by a fault {failed}"
        )
        if changed:
            missed.append("identical upstream bytes without pressure")
        if failed:
            missed.append(f"every request has a session: {failed} passed by a fault of Steno")
    if options.only != "bytes":
        table, late = measure_speed()
        console.print(table)
        missed += late
    return verdict(console, missed)


def compare_bytes(folder: Path, every: int) -> tuple[int, int, int]:
    """Send each conversation's requests as both providers' JSON; count bodies that changed."""
    sent = changed = failed = 0
    paths = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
    for body, wire in _bodies(folder, every):
        conversations_now = _fresh(wire)
        surface = find_surface("POST", paths[wire])
        assert surface is not None
        out = conversations_now.prepare(surface, "", body, None, "bench")
        sent += 1
        changed += out.content != body
        failed += bool(out.passed)
    return sent, changed, failed


_KEPT: dict[str, Conversations] = {}


def _fresh(wire: str) -> Conversations:
    """Return the sessions of a wire; they are kept, as a proxy keeps them."""
    if wire not in _KEPT:
        _KEPT[wire] = Conversations(None, SessionOptions(window=WIDE_WINDOW))
    return _KEPT[wire]


def _bodies(folder: Path, every: int) -> Iterator[tuple[bytes, str]]:
    for file in files(folder):
        for conversation in conversations(file):
            for wire in ("openai", "anthropic"):
                given = CALLERS[wire](conversation.rows)
                ends = [at for at, one in enumerate(given.messages) if one["role"] == "assistant"]
                for end in [*ends[:: max(1, every)], len(given.messages)]:
                    body: dict[str, Any] = {"model": MODELS[wire], "messages": given.messages[:end]}
                    if given.system is not None:
                        body["system"] = given.system
                    yield json.dumps(body, ensure_ascii=end % 2 == 0).encode(), wire


class _Provider(BaseHTTPRequestHandler):
    """Answers every request with the same stream, at once."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *what: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        # The first part of the path is the pause; a burst would measure the burst.
        pause = float(self.path.split("/")[1])
        for _ in range(EVENTS):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(EVENT), EVENT))
            time.sleep(pause)
        self.wfile.write(b"0\r\n\r\n")


def _serve(port: Any) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Provider)
    port.put(server.server_address[1])
    server.serve_forever()


def _serve_proxy(ports: Any, upstream: str) -> None:
    settings = ProxySettings(read_upstreams([upstream], {}))
    proxy = Proxy(settings, Conversations(None, SessionOptions(window=WIDE_WINDOW)))
    with RunningProxy(proxy) as running:
        ports.put(running.address)
        threading.Event().wait()


def measure_speed() -> tuple[Table, list[str]]:
    context = multiprocessing.get_context("forkserver")
    ports: Any = context.Queue()
    provider = context.Process(target=_serve, args=(ports,), daemon=True)
    provider.start()
    upstream = f"http://127.0.0.1:{ports.get()}"
    proxy = context.Process(target=_serve_proxy, args=(ports, upstream), daemon=True)
    proxy.start()
    addresses = upstream, ports.get()
    table = Table("request", "direct ms", "through ms", "added", "target", title="medians")
    missed = []
    with httpx2.Client(timeout=60) as http:
        for tokens, most in ((50, FIRST_BYTE_MOST), (100_000, SESSION_MOST)):
            for pause in PAUSES:
                name = f"{tokens:,} tokens, {1 / pause:,.0f} events a second"
                direct, through = _times(http, addresses, tokens, pause)
                added, ratio = through[0] - direct[0], through[1] / direct[1]
                figures = [f"{value:.2f}" for value in (direct[0], through[0], added)]
                table.add_row(f"{name}: first byte", *figures, f"≤ {most} ms")
                figures = [f"{direct[1]:.1f}", f"{through[1]:.1f}", f"{ratio:.3f} ×"]
                table.add_row(f"{name}: whole stream", *figures, f"≤ {STREAM_MOST} ×")
                if added > most:
                    missed.append(f"{name}: first byte {added:.1f} ms, {most} allowed")
                if tokens == 50 and ratio > STREAM_MOST:
                    missed.append(f"{name}: whole stream {ratio:.3f} ×, {STREAM_MOST} allowed")
    for process in (provider, proxy):
        process.kill()
    return table, missed


def _times(
    http: httpx2.Client, addresses: Sequence[str], tokens: int, pause: float
) -> list[tuple[float, float]]:
    """Return the median milliseconds to the first byte and to the last, as a session grows.

    Each turn goes to every address, so that a busy machine slows all of them alike.
    """
    talk = [{"role": "user", "content": "word " * tokens}]
    taken: dict[str, list[tuple[float, float]]] = {address: [] for address in addresses}
    for turn in range(min(ROUNDS, int(0.03 / pause))):
        talk.append({"role": "assistant", "content": f"step {turn}"})
        talk.append({"role": "user", "content": f"and then {turn}?"})
        body = json.dumps({"model": MODELS["anthropic"], "max_tokens": 9, "messages": talk})
        for address in addresses:
            taken[address].append(_time(http, f"{address}/{pause}", body.encode()))
    medians = []
    for times in taken.values():
        firsts, wholes = zip(*times, strict=True)
        medians.append((statistics.median(firsts) * 1_000, statistics.median(wholes) * 1_000))
    return medians


def _time(http: httpx2.Client, address: str, body: bytes) -> tuple[float, float]:
    began = time.perf_counter()
    with http.stream("POST", f"{address}/v1/messages", content=body) as answer:
        chunks = answer.iter_raw()
        next(chunks)
        first = time.perf_counter() - began
        for _ in chunks:
            pass
    return first, time.perf_counter() - began
