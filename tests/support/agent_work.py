"""A scripted agent's work, for the stories of the loops: a model that reads and writes for
hundreds of turns.

Owns what the model says at each turn, computed from the request alone, so that a
run that was cut off goes on the same way; and validators for what it is sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from steno import Script, Session
from steno.agent import ReactLoop, RunLimits
from steno.agent.loop import load_state
from steno.core.errors import ModelFailed
from steno.core.message import Call
from tests.support import legal
from tests.support.legal_responses import openai_responses

CONSTRAINT = "Never touch the folder prod."
TASK = f"Read every file and count its rows. {CONSTRAINT}"
LEGAL: dict[str, Callable[..., list[str]]] = {
    "openai": legal.openai_chat,
    "anthropic": legal.anthropic,
    "openai-responses": openai_responses,
}


def words(n: int, many: int = 60) -> str:
    return " ".join(f"row{n}x{k}" for k in range(many))


def read_rows(number: int, rows: int = 60) -> str:
    """Give the rows of a file."""
    return words(number, rows)


class Worker:
    """Calls `read_rows` so many times, two at a time now and then, and then answers."""

    def __init__(
        self,
        turns: int,
        *,
        wire: str = "openai",
        trouble: Callable[[int], Exception | None] | None = None,
    ):
        self.turns, self.wire, self.trouble = turns, wire, trouble or (lambda asked: None)
        self.asked = self.done = 0
        self.wrong: list[str] = []
        self.loads: list[int] = []

    def script(self, window: int = 16_000) -> Script:
        return Script(self._line, wire=self.wire, window=window)

    def _line(self, request: Mapping[str, Any]) -> Any:
        self.asked += 1
        self.wrong += LEGAL[self.wire](dict(request), pending_ok=False)
        trouble = self.trouble(self.asked)
        if trouble is not None:
            return trouble
        self.done += 1
        if _wants_a_plan(request):
            return "\n".join(f"{n}. read part {n}" for n in range(1, self.turns // 25 + 1))
        if self.done >= self.turns or (_is_step(request) and self.done % 25 == 0):
            return f"Done so far: {self.done} turns."
        return [f"Reading {self.done}. ", *self._calls()]

    def _calls(self) -> list[Call]:
        many = 2 if self.done % 5 == 0 else 1
        return [
            Call(f"call_{self.done}_{n}", "read_rows", json.dumps({"number": self.done * 10 + n}))
            for n in range(many)
        ]


def last_words(request: Mapping[str, Any]) -> str:
    messages = request.get("messages") or request["input"]
    return json.dumps(messages[-1])


def _wants_a_plan(request: Mapping[str, Any]) -> bool:
    return "say your plan" in last_words(request)


def _is_step(request: Mapping[str, Any]) -> bool:
    return 'kind=\\"step' in json.dumps(request.get("messages") or request["input"])


def now_and_then(asked: int) -> Exception | None:
    """Fails one time in ten, by the number alone."""
    return ModelFailed("overloaded", "busy", wait=0.0) if (asked * 7919) % 10 == 3 else None


def counts_on(turns: int) -> Callable[[Mapping[str, Any]], Any]:
    """A model that calls `effect` with one number after the other, going on from the request
    alone.
    """

    def line(request: Mapping[str, Any]) -> Any:
        said = json.dumps(request["messages"])
        n = 1 + max(map(int, re.findall(r"call_(\d+)_", said)), default=0)
        return (
            "all done"
            if n > turns
            else [Call(f"call_{n}_{k}", "effect", json.dumps({"n": 2 * n + k})) for k in (0, 1)]
        )

    return line


def lived(path: str, ledger: str, turns: int) -> None:
    """One life of an agent with side effects: it begins, or goes on, and may be killed at any
    instant.
    """

    def effect(n: int) -> str:
        """Do something that must not happen twice."""
        with open(ledger, "a", encoding="utf-8") as file:
            file.write(f"{n}\n")
        return f"did {n} " + "and said so " * 40

    loop = ReactLoop(Script(counts_on(turns)), [effect], limits=RunLimits(turns=None))
    with Session(path, wire="openai", window=4_000, durable=False) as session:
        begun = session._parts.journal.records.of("run")
        if begun and load_state(session, loop.name).outcome is not None:
            return
        told = (
            loop.resume(session) if begun else loop.stream("Do it all. Never touch prod.", session)
        )
        for _ in told:
            pass
