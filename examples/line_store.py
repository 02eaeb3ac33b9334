"""A store of your own: sessions as lines of JSON in one file, for one process.

It answers from memory, writes every change as a line, and replays the file when it opens. It
writes to memory before the file, so a refused write is never stored. What must be the same after
reopening is in the line: the time of each message, and the history that its chain keys begin
with, by which recall knows what it has read. Facts are read from the messages again.
"""

from __future__ import annotations

import json
import time
from functools import partialmethod
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from uuid import uuid4

import msgspec

import steno
from steno.core.log import Commit
from steno.core.message import Message
from steno.store.in_process import MemoryStore
from steno.testing import StoreContract

READ = {  # what the second argument was before it became JSON
    "append": lambda stored: msgspec.convert(stored, list[Message]),
    "commit": lambda stored: msgspec.convert(stored, Commit),
    "change_settings": lambda stored: lambda old: stored,
}


def keep_lines(file: Path, names: set[str]) -> None:
    """Rewrite the file with the lines of these sessions alone."""
    lines = file.read_text().splitlines(keepends=True)
    new = file.with_suffix(".new")
    new.write_text("".join(line for line in lines if json.loads(line)[1][0] in names))
    new.replace(file)


class LineStore(MemoryStore):
    """Sessions in a file of lines."""

    memories: Any = None  # it keeps none: a session with memory=True is refused
    update_memories: Any = None

    def __init__(self, file: str | Path) -> None:
        super().__init__()
        self.file = Path(file)
        self.file.touch()
        for line in self.file.read_text().splitlines():
            self._do(*json.loads(line))

    def _do(self, method: str, values: Any, options: Any) -> Any:
        if method in READ:
            values = values[0], READ[method](values[1])
        return getattr(super(), method)(*values, **options)

    def _write(self, method: str, key: str, *values: Any, **options: Any) -> Any:
        answer = self._do(method, (key, *values), options)
        line = method, (str(key), *values), options  # a key holds an id beside the name
        with self.file.open("a") as file:  # a durable store would also call os.fsync
            file.write(json.dumps(msgspec.to_builtins(line)) + "\n")
        return answer

    def create(self, *values: Any, **options: Any) -> None:
        self._write("create", *values, history=uuid4().hex, **options)

    def append(self, name: str, messages: Any, *_: Any, **__: Any) -> Any:
        return self._write("append", name, messages, times=[time.time()] * len(messages))

    def change_settings(self, name: str, change: Any) -> Any:
        return self._write("change_settings", name, change(self.session_info(name).setup))

    commit: Any = partialmethod(_write, "commit")
    record: Any = partialmethod(_write, "record")

    def delete(self, name: str) -> Any:
        try:
            return super().delete(name)
        finally:  # also if a search index could not be reached, which can be repeated
            keep_lines(self.file, {info.name for info in self.sessions()})


class TestLineStore(StoreContract):
    """What a session relies on; pytest collects it, and so does the loop below."""

    def make_store(self) -> LineStore:
        return LineStore(f"{mkdtemp()}/contract.jsonl")

    def reopen_store(self, store: Any) -> LineStore:
        return LineStore(store.file)


if __name__ == "__main__":
    tests = [name for name in dir(TestLineStore) if name.startswith("test_")]
    for name in tests:
        getattr(TestLineStore(), name)()
    said = [{"role": "user", "content": f"Hour {n}: the harbour is calm. " * 40} for n in range(60)]
    with steno.Session(
        store=LineStore("agent.jsonl"), name="watch", wire="openai", window=8_000
    ) as s:
        s.add(*said)
        s.request()
    with steno.Session(store=LineStore("agent.jsonl"), name="watch") as s:
        print(f"{len(s.log.messages)} messages, {len(s.log.commits)} commits after reopening")
    LineStore("agent.jsonl").delete("watch")
    left = "harbour" in Path("agent.jsonl").read_text()
    print(f"{len(tests)} tests of the contract; a word of the deleted session is left: {left}")
