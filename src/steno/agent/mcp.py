"""The tools of an MCP server, by the official SDK over stdio.

The server runs as a process of its own; an event loop in a thread talks to it. A server
may call its tools safe; none is taken as safe here.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import threading
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from steno.agent.tools import RESULT_MOST, Tool
from steno.core.errors import BadInput, needs_extra

START_SECONDS = 30.0
CALL_SECONDS = 120.0
CLOSE_SECONDS = 10.0
TOOLS_MOST = 100
DESCRIPTION_MOST = 2_000
NAME_MOST = 64
T = TypeVar("T")


@contextmanager
def server_tools(
    command: str, *, taken: Sequence[str] = (), cwd: str | None = None
) -> Iterator[list[Tool]]:
    """Start a server and yield its tools; leaving the context stops it.

    taken: names that other tools have; these tools get different ones.
    """
    words = shlex.split(command)
    if not words:
        raise BadInput("an MCP server is started by a command, such as 'python server.py'")
    connection = _ServerConnection(words, cwd)
    try:
        yield connection.tools(taken)
    finally:
        connection.close()


class _ServerConnection:
    """A connection to a server, kept open by a thread with an event loop."""

    def __init__(self, words: list[str], cwd: str | None) -> None:
        try:
            from mcp import Client, StdioServerParameters
        except ModuleNotFoundError:
            raise needs_extra("MCP servers need the SDK", "mcp") from None
        self.command = shlex.join(words)
        self._client_class = Client
        self._server = StdioServerParameters(command=words[0], args=words[1:], cwd=cwd)
        self._loop = asyncio.new_event_loop()
        self._ready, self._leave = threading.Event(), asyncio.Event()
        self._failure: BaseException | None = None
        self._client: Any = None
        # The SDK's client is async only, and must be left in the task that entered it; tools
        # of a loop may be called from any thread.
        self._thread = threading.Thread(target=self._run_loop, name="steno-mcp", daemon=True)
        self._thread.start()
        if not self._ready.wait(START_SECONDS):
            self.close()
            raise BadInput(
                f"the MCP server {self.command!r} did not answer within {START_SECONDS:g} seconds"
            )
        if self._failure is not None:
            self._thread.join(CLOSE_SECONDS)
            raise BadInput(
                f"the MCP server {self.command!r} cannot be used: {_root_cause(self._failure)}"
            )

    def _run_loop(self) -> None:
        try:
            self._loop.run_until_complete(self._connect())
        except Exception as failure:  # noqa: BLE001 — raised in the thread that waits
            self._failure = failure
        finally:
            self._ready.set()
            self._loop.close()

    async def _connect(self) -> None:
        from mcp.client.stdio import stdio_client

        # A server's log would be printed between the words of a chat.
        with open(os.devnull, "w") as silent:
            stream = stdio_client(self._server, errlog=silent)
            async with self._client_class(stream) as self._client:
                self._ready.set()
                await self._leave.wait()

    def tools(self, taken: Sequence[str]) -> list[Tool]:
        listed = self._wait_for(self._list_tools(), START_SECONDS)
        if len(listed) > TOOLS_MOST:
            raise BadInput(
                f"the MCP server {self.command!r} has {len(listed)} tools; "
                f"at most {TOOLS_MOST} are taken"
            )
        names = set(taken)
        made: list[Tool] = []
        for tool in listed:
            name = _free_name(tool.name, names)
            names.add(name)
            description = (tool.description or tool.name)[:DESCRIPTION_MOST]
            run = self._runner(tool.name)
            made.append(Tool(name, description, dict(tool.input_schema), run))
        return made

    async def _list_tools(self) -> list[Any]:
        found: list[Any] = []
        cursor: str | None = None
        # Bounded: a server may hand out cursors for ever.
        while len(found) <= TOOLS_MOST:
            page = await self._client.list_tools(cursor=cursor)
            found += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        return found

    def _runner(self, name: str) -> Any:
        def run(**arguments: Any) -> str:
            result = self._wait_for(self._client.call_tool(name, arguments), CALL_SECONDS)
            text = "\n".join(_part_text(part) for part in result.content)[:RESULT_MOST]
            if result.is_error:
                raise BadInput(text or f"{name} failed and did not say why")
            return text

        return run

    def _wait_for(self, coming: Coroutine[Any, Any, T], seconds: float) -> T:
        try:
            future = asyncio.run_coroutine_threadsafe(coming, self._loop)
        except RuntimeError:  # the loop is closed
            # Or Python would warn of a coroutine that was never awaited.
            coming.close()
            raise BadInput(f"the MCP server {self.command!r} has gone") from None
        try:
            return future.result(seconds)
        except TimeoutError:
            future.cancel()
            raise BadInput(
                f"the MCP server {self.command!r} did not answer within {seconds:g} seconds"
            ) from None

    def close(self) -> None:
        # A server that went by itself has closed the loop.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._leave.set)
        self._thread.join(CLOSE_SECONDS)


def _free_name(name: str, taken: set[str]) -> str:
    """Return a name that providers accept and no other tool has."""
    plain = re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:NAME_MOST] or "tool"
    free = plain
    # Two servers may have a tool of the same name, and a provider refuses two of one.
    number = 2
    while free in taken:
        free = f"{plain[: NAME_MOST - 4]}_{number}"
        number += 1
    return free


def _part_text(part: Any) -> str:
    if isinstance(getattr(part, "text", None), str):
        return str(part.text)
    return f"[{getattr(part, 'type', 'content')}]"


def _root_cause(failure: BaseException) -> str:
    # The SDK's task groups wrap what went wrong, once for each group.
    while isinstance(failure, BaseExceptionGroup) and failure.exceptions:
        failure = failure.exceptions[0]
    return str(failure) or type(failure).__name__
