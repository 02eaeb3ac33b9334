"""An inspector that runs over a store, and requests to it as any program can make them."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import steno
from steno.inspector.reader import StoreReader
from steno.inspector.server import Inspector
from steno.proxy.run import RunningProxy
from steno.store.open import open_store_at
from tests.support.coding_sessions import session as coding_session

TOKEN = "token-of-the-page"
WINDOW = 6_000
TOOLS = [
    {"type": "function", "function": {"name": "read", "description": "Reads a file. " * 20}},
    {"type": "function", "function": {"name": "edit", "description": "Edits a file. " * 20}},
]


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Served:
    """A running inspector."""

    running: RunningProxy
    path: Path
    said: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"{self.running.address}/{TOKEN}/"

    def ask(
        self,
        path: str,
        query: dict[str, Any] | None = None,
        *,
        method: str = "GET",
        body: Any = None,
        token: str = TOKEN,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Send a request; a body is sent as JSON."""
        given = {"content-type": "application/json"} if body is not None else {}
        target = f"/{token}/{path}" + (f"?{urlencode(query)}" if query else "")
        content = json.dumps(body) if body is not None else None
        with closing(http.client.HTTPConnection("127.0.0.1", self.running.port)) as connection:
            connection.request(method, target, content, given | (headers or {}))
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, found, answer.read())

    def read(self, what: str, **query: Any) -> Any:
        answer = self.ask(f"inspect/{what}", query)
        assert answer.status == 200, answer.body
        return answer.json

    def act(self, do: str, **what: Any) -> Answer:
        return self.ask("inspect/act", method="POST", body={"do": do, **what})


@contextmanager
def inspect(path: Path | str) -> Iterator[Served]:
    """Run an inspector over a store."""
    said: list[str] = []
    with closing(open_store_at(path)) as store:
        inspector = Inspector(StoreReader(lambda: [store]), TOKEN, said.append)
        with RunningProxy(inspector) as running:
            yield Served(running, Path(path), said)


def write_session(
    path: Path, name: str, turns: int = 30, window: int = WINDOW, **more: Any
) -> None:
    """Store a coding session that was compacted on its way."""
    with steno.Session(path, wire="openai", window=window, name=name, **more) as session:
        session.request(system="You are careful. " * 20, tools=TOOLS)
        for message in coding_session(len(name), turns):
            session.add(message)
            if message["role"] == "tool":
                session.messages()
