"""Load a gateway with more calls than it can hold: is every call answered or refused?

    python bench/gateway.py                     64 clients for 30 seconds
    python bench/gateway.py --clients 8 --seconds 5

The gateway runs in a process of its own; its model takes some milliseconds a call. Half of the
calls are streamed. A reply is *lost* if it neither arrived nor was refused with a status, or if it
answers another call's prompt. Memory must not grow.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from steno.core.model import FinishedTurn
from steno.errors import ModelFailed
from steno.gateway.client import Gateway
from steno.models import Ask

SERVER = """
import sys, time
from steno import Answer
from steno.gateway.server import serve

class Echo:
    name = "echo"
    def answer(self, ask):
        time.sleep(float(sys.argv[1]))
        return Answer(f"echo {ask.prompt[:40]}", by="echo")

up = serve(Echo(), width=int(sys.argv[2]), queue=int(sys.argv[3]))
print(up.port, flush=True)
up.wait()
"""


def rss(pid: int) -> int:
    """Return the kilobytes that a process holds."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1])


def client(
    number: int, address: str, until: float, tally: Counter[str], lock: threading.Lock
) -> None:
    chance = random.Random(number)
    mine: Counter[str] = Counter()
    with Gateway(address) as gateway:
        call = 0
        while time.monotonic() < until:
            call += 1
            prompt = f"{number}-{call} " + "x" * chance.randint(0, 20_000)
            try:
                if call % 2:
                    text = gateway.answer(Ask(prompt, seconds=20.0)).text
                else:
                    *_, last = gateway.stream(Ask(prompt, seconds=20.0))
                    assert isinstance(last, FinishedTurn)
                    text = str(last.messages[0]["content"])
                mine[
                    "answered" if text.split()[1] == f"{number}-{call}" else "lost: another's reply"
                ] += 1
            except ModelFailed as failed:
                told = failed.wait is not None and failed.kind == "busy"
                mine["refused, with when to come back" if told else f"failed: {failed}"] += 1
                time.sleep(min(failed.wait or 0.05, 0.5) * chance.random())
    with lock:
        tally.update(mine)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--queue", type=int, default=16)
    parser.add_argument("--takes", type=float, default=0.02, help="seconds of a call")
    said = parser.parse_args()
    words = [sys.executable, "-c", SERVER, str(said.takes), str(said.width), str(said.queue)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = f"127.0.0.1:{int(server.stdout.readline())}"
        with Gateway(address) as warm:
            warm.answer(Ask("0-0 warm"))
        before = rss(server.pid)
        tally, lock = Counter[str](), threading.Lock()
        began = time.monotonic()
        until = began + said.seconds
        clients = [
            threading.Thread(target=client, args=(n, address, until, tally, lock))
            for n in range(said.clients)
        ]
        for each in clients:
            each.start()
        time.sleep(said.seconds / 3)
        early = rss(server.pid)
        for each in clients:
            each.join()
        took, after = time.monotonic() - began, rss(server.pid)
        server.terminate()
    print(
        f"{said.clients} clients, {took:.0f} s, {said.width} at once, {said.queue} may "
        f"wait, {said.takes:g} s a call"
    )
    for what, many in tally.most_common():
        print(f"  {many:>8,}  {what}")
    print(f"  {tally['answered'] / took:,.0f} answers a second")
    memory = (
        f"{before / 1024:.0f} MB, after a third {early / 1024:.0f}, at the end {after / 1024:.0f}"
    )
    print(f"  memory of the gateway: {memory}")


if __name__ == "__main__":
    main()
