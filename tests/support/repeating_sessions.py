"""Sessions of an agent that looks at things again: files, commands, plans, failures.

Owns what such a session holds and how both providers write it. What may be hidden
of it is the laws' business.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import strategies as st

from tests.support.provider_json import Wire

Json = dict[str, Any]
VERBS = ("parse", "load", "merge", "check", "write", "close", "route", "trim")


@dataclass(frozen=True)
class Deed:
    """A call and its result."""

    name: str
    arguments: Json
    result: str
    failed: bool = False


@dataclass
class _World:
    """Files that change while an agent reads them."""

    random: Random
    files: dict[str, list[str]]
    steps: int = 0

    def line(self) -> str:
        verb, number = self.random.choice(VERBS), self.random.randrange(100_000)
        return f"    {verb}_{number} = ledger.{verb}(limit={number})"

    def deed(self) -> Deed:
        self.steps += 1
        path = self.random.choice(list(self.files))
        return self.random.choice(
            (self.reads, self.reads, self.peeks, self.edits, self.writes, *self.others())
        )(path)

    def others(self) -> tuple[Any, ...]:
        return self.looks, self.looks, self.plans, self.plans, self.fails, self.tests

    def reads(self, path: str) -> Deed:
        return Deed("read_file", {"path": path}, numbered(self.files[path]))

    def peeks(self, path: str) -> Deed:
        start = self.random.randrange(0, 8)
        some = numbered(self.files[path][start : start + 12], start + 1)
        return Deed("read_file", {"path": path, "offset": start + 1, "limit": 12}, some)

    def edits(self, path: str) -> Deed:
        at = self.random.randrange(len(self.files[path]))
        old, new = self.files[path][at], self.line()
        self.files[path][at] = new
        return Deed("edit_file", {"path": path, "old": old, "new": new}, "edited")

    def writes(self, path: str) -> Deed:
        if self.random.random() < 0.5:
            self.files[path] = [self.line() for _ in range(20)]
        content = "\n".join(self.files[path])
        failed = self.random.random() < 0.2
        done = "Error: the file is locked by somebody else" if failed else f"wrote {path}"
        return Deed("write_file", {"path": path, "content": content}, done, failed)

    def looks(self, path: str) -> Deed:
        listing = "\n".join(
            f"{name}: {len(''.join(lines))} bytes as of today" for name, lines in self.files.items()
        )
        return Deed(
            "run",
            {"command": "ls -la src"},
            "\n".join((listing, *(f"src/{verb}/" for verb in VERBS * 6))),
        )

    def plans(self, path: str) -> Deed:
        todos = [{"content": f"{verb} the ledger of {path}", "status": "pending"} for verb in VERBS]
        todos[self.steps % len(todos)]["status"] = "completed"
        return Deed("TodoWrite", {"todos": todos}, "ok")

    def fails(self, path: str) -> Deed:
        why = [
            f"error: {path}:{n}: expected an indented block after line {n}"
            for n in range(self.steps % 3, 12)
        ]
        return Deed(
            "run", {"command": "cat src/all.log"}, "\n".join(why), failed=self.random.random() < 0.6
        )

    def tests(self, path: str) -> Deed:
        ran = [f"tests/test_{verb}.py::test_that_it_does PASSED" for verb in VERBS * 2]
        return Deed(
            "run",
            {"command": "make test"},
            "\n".join((*ran, f"16 passed in {self.steps}.31s of the time")),
        )


def numbered(lines: list[str], start: int = 1) -> str:
    return "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, start=start))


def deeds(seed: int, many: int) -> list[Deed]:
    world = _World(Random(seed), {})
    for name in ("main", "store"):
        world.files[f"src/{name}.py"] = [world.line() for _ in range(20)]
    return [world.deed() for _ in range(many)]


class Lived(list[Json]):
    """A provider's list that prints as what it was made of."""

    def __init__(self, seed: int, many: int, wire: Wire) -> None:
        super().__init__(written(deeds(seed, many), wire))
        self.made_of = seed, many, wire

    def __repr__(self) -> str:
        return f"Lived{self.made_of}"


def written(done: list[Deed], wire: Wire) -> list[Json]:
    """A user's wish, then calls with their results, in a provider's words."""
    messages: list[Json] = [
        {"role": "user", "content": "Make the importer faster and keep its tests green."}
    ]
    for n, deed in enumerate(done):
        messages += exchange(f"c{n}", deed, wire)
    return messages


def exchange(id: str, deed: Deed, wire: Wire) -> list[Json]:
    if wire == "openai":
        called = {"name": deed.name, "arguments": json.dumps(deed.arguments)}
        return [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": id, "type": "function", "function": called}],
            },
            {"role": "tool", "tool_call_id": id, "content": deed.result},
        ]
    use = {"type": "tool_use", "id": id, "name": deed.name, "input": deed.arguments}
    result: Json = {"type": "tool_result", "tool_use_id": id, "content": deed.result}
    if deed.failed:
        result["is_error"] = True
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def sessions(wire: Wire, *, least: int = 8, most: int = 40) -> st.SearchStrategy[Lived]:
    return st.builds(Lived, st.integers(0, 2**16), st.integers(least, most), st.just(wire))
