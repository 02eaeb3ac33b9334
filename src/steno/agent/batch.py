"""A batch of calls, run at once and within a time.

Each call runs in a thread of its own that nobody has to wait for: a tool that
hangs must not hold the agent. What has come by the time is up is a result, what
has not is one too: it says so.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steno.agent.tool import LET_GO, Tool, said
from steno.core.ask import Fatal
from steno.core.error import StenoError
from steno.core.message import Call, Result, Text

Handle = Callable[[Call], str | None]
"""Answers a call itself, or leaves it to the tools with None."""


class Batch:
    def __init__(
        self,
        calls: Sequence[Call],
        tools: Mapping[str, Tool],
        handle: Handle,
        loop: asyncio.AbstractEventLoop | None = None,
        handled: Sequence[str] = (),
    ) -> None:
        self.calls = tuple(calls)
        self._tools, self._handle, self._loop, self._handled = tools, handle, loop, handled
        self._results: dict[int, Result] = {}
        self._fatal: list[BaseException] = []
        self._all_in = threading.Event()
        self._gone = threading.Event()
        if not calls:
            self._all_in.set()

    def start(self) -> None:
        for at, call in enumerate(self.calls):
            threading.Thread(target=self._work, args=(at, call), name=f"steno-{call.name}", daemon=True).start()

    def wait(self, seconds: float | None) -> None:
        self._all_in.wait(seconds)
        if self._fatal:
            raise self._fatal[0]

    def results(self, otherwise: str) -> tuple[Result, ...]:
        """A result for every call; `otherwise` for those that gave none yet, which nobody waits for any more."""
        self._gone.set()
        return tuple(self._results.get(at) or told(call, otherwise, error=True) for at, call in enumerate(self.calls))

    def _work(self, at: int, call: Call) -> None:
        LET_GO.set(self._gone)  # of this thread alone
        try:
            self._results[at] = self._ran(call)
        except BaseException as gone:  # noqa: BLE001 — handed to the thread that waits, which raises it
            self._fatal.append(gone)
        if len(self._results) + len(self._fatal) >= len(self.calls):
            self._all_in.set()

    def _ran(self, call: Call) -> Result:
        answered = self._handle(call)
        if answered is not None:
            return told(call, answered)
        tool = self._tools.get(call.name)
        if tool is None:
            there_are = ", ".join((*self._tools, *self._handled)) or "none"
            return told(call, f"there is no tool {call.name!r}; there are {there_are}", error=True)
        try:
            return told(call, said(self._value(tool, tool.arguments(call))))
        except (KeyboardInterrupt, *Fatal):
            raise
        except StenoError as refused:
            return told(call, str(refused), error=True)
        except BaseException as failure:  # noqa: BLE001 — the edge to somebody else's tool, which may exit or cancel
            return told(call, f"{type(failure).__name__}: {failure}", error=True)

    def _value(self, tool: Tool, arguments: dict[str, Any]) -> Any:
        value = tool.run(**arguments)
        if not inspect.isawaitable(value):
            return value

        async def awaited() -> Any:
            try:
                return await value
            except SystemExit as left:  # an event loop would end with it, and that is the caller's
                raise RuntimeError(f"SystemExit: {left}") from left

        if self._loop is None:
            return asyncio.run(awaited())
        return asyncio.run_coroutine_threadsafe(awaited(), self._loop).result()


def told(call: Call, text: str, *, error: bool = False) -> Result:
    return Result(call.id, (Text(text),), error)
