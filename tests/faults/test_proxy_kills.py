"""Proxies and clients killed at any instant: what was in an answered request is in the store.

`STENO_KILLS=1000` for a full run.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import socket
import threading
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

import steno
from steno.proxy.conversations import Conversations
from steno.proxy.run import RunningProxy
from steno.proxy.server import Proxy, ProxySettings
from steno.proxy.upstreams import read_upstreams
from steno.session.options import SessionOptions
from tests.support.loopback import Heard, Loopback, Say

KILLS = int(os.environ.get("STENO_KILLS", "10"))
LIVES_OF_A_SESSION = 12
LONGEST = 0.3
"""Seconds that a proxy lives at most once it listens."""
PATIENCE = 20.0
"""Seconds to wait for the first answer of a proxy, on a busy machine."""
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])


def serve(path: str, upstream: str, told: Connection) -> None:
    settings = ProxySettings(read_upstreams([upstream], {}), user="ann")
    proxy = Proxy(settings, Conversations(path, SessionOptions(window=4_000)))
    with RunningProxy(proxy) as running:
        told.send(running.address)
        threading.Event().wait()


def answer(heard: Heard) -> Say:
    return Say("noted", sent=len(heard.raw) // 4, pause=0.001)


class Client:
    """One conversation, and what of it was acknowledged."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.talk: list[dict[str, str]] = []
        self.known: list[str] = []

    def body(self) -> bytes:
        asked = {"model": "claude-opus-5-5", "max_tokens": 9, "stream": True}
        return json.dumps(asked | {"messages": self.talk}).encode()

    def speak(self, address: str, tally: Counter[str]) -> None:
        """Say one thing after the other until the proxy is gone."""
        with httpx2.Client(base_url=address, headers={"steno-session": self.name}) as http:
            while True:
                if not self.talk or self.talk[-1]["role"] != "user":
                    words = f"step {len(self.talk)}: " + "word " * 150
                    self.talk.append({"role": "user", "content": words})
                try:
                    with http.stream("POST", "/v1/messages", content=self.body()) as reply:
                        assert reply.status_code == 200
                        self.known = [one["content"] for one in self.talk]
                        tally["acknowledged"] += 1
                        reply.read()
                except httpx2.TransportError:
                    return
                self.talk.append({"role": "assistant", "content": "noted"})

    def leave(self, address: str) -> None:
        """Send the same once more, and be gone before the answer."""
        parts = urlsplit(address)
        content = self.body()
        head = f"POST /v1/messages HTTP/1.1\r\nhost: {parts.netloc}\r\nsteno-session: {self.name}"
        head += f"\r\ncontent-length: {len(content)}\r\n\r\n"
        with socket.create_connection((parts.hostname or "", parts.port or 0)) as line:
            line.sendall(head.encode() + content)


@pytest.mark.slow
def test_killed_proxies_and_clients_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(int(os.environ.get("STENO_SEED", "20")))
    tally: Counter[str] = Counter()
    path = str(tmp_path / "agent.db")
    client = Client("job")
    with Loopback(answer) as provider:
        while tally["killed"] < KILLS:
            if tally["killed"] % LIVES_OF_A_SESSION == 0:
                client = Client(f"job-{tally['killed']}")
            told, tells = FORKS.Pipe(duplex=False)
            life = FORKS.Process(target=serve, args=(path, provider.anthropic, tells))
            life.start()
            assert told.poll(60)
            address = told.recv()
            speaking = threading.Thread(target=client.speak, args=(address, tally))
            before = tally["acknowledged"]
            speaking.start()
            # A third is killed while it serves its first request, the others after that.
            end = time.monotonic() + PATIENCE
            while (
                tally["killed"] % 3 and tally["acknowledged"] == before and time.monotonic() < end
            ):
                time.sleep(0.005)
            time.sleep(chance.uniform(0, LONGEST))
            if client.talk and chance.random() < 0.3:
                client.leave(address)
                tally["left"] += 1
            life.kill()
            life.join()
            speaking.join(60)
            tally["killed"] += 1
            if client.known:
                with steno.Session(path, name=f"ann:{client.name}", user="ann") as session:
                    kept = [message.text for message in session.log.messages]
                assert kept[: len(client.known)] == client.known
    print(dict(tally))
    assert tally["acknowledged"] > KILLS // 2
