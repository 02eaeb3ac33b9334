"""The tools of an MCP server, by the official SDK over stdio.

The server runs as a process of its own; an event loop in a thread talks to it. A server
may call its tools safe; none is taken as safe here.
"""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import Any

from steno.agent.tools import RESULT_MOST, Tool
from steno.core.errors import BadInput, needs_extra

START_SECONDS = 30.0
CALL_SECONDS = 120.0
TOOLS_MOST = 100
DESCRIPTION_MOST = 2_000
NAME_MOST = 64


@contextmanager
def server_tools(command: str, *, taken: Sequence[str] = ()) -> Iterator[list[Tool]]:
    """Start a server and yield its tools; leaving the context stops it.

    taken: names that other tools have; these tools get different ones.
    """
    words = shlex.split(command)
    if not words:
        raise BadInput("an MCP server is started by a command, such as 'python server.py'")
    try:
        from anyio.from_thread import start_blocking_portal
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client
    except ModuleNotFoundError:
        raise needs_extra("MCP servers need the SDK", "mcp") from None
    server = StdioServerParameters(command=words[0], args=words[1:])
    with ExitStack() as stack:
        # A server's log would be printed between the words of a chat.
        silent = stack.enter_context(open(os.devnull, "w"))
        # The SDK's client is async only, and must be left in the task that entered it; tools
        # of a loop may be called from any thread.
        portal = stack.enter_context(start_blocking_portal())
        client = Client(stdio_client(server, errlog=silent))
        try:
            opened = portal.wrap_async_context_manager(_open_client(client))
            listed = stack.enter_context(opened)
        except Exception as failure:  # noqa: BLE001 — the SDK's, or the process's
            raise BadInput(
                f"the MCP server {command!r} cannot be used: {_root_cause(failure)}"
            ) from None
        if len(listed) > TOOLS_MOST:
            raise BadInput(
                f"the MCP server {command!r} has {len(listed)} tools; "
                f"at most {TOOLS_MOST} are taken"
            )
        names = set(taken)
        tools: list[Tool] = []
        for tool in listed:
            name = _free_name(tool.name, names)
            names.add(name)
            description = (tool.description or tool.name)[:DESCRIPTION_MOST]
            run = partial(_call_tool, portal, client, command, tool.name)
            tools.append(Tool(name, description, dict(tool.input_schema), run))
        yield tools


@asynccontextmanager
async def _open_client(client: Any) -> AsyncIterator[list[Any]]:
    """Start a client and yield its server's tools; both together have `START_SECONDS`."""
    from anyio import fail_after

    with fail_after(START_SECONDS) as limit:
        async with client:
            listed = await _list_tools(client)
            limit.deadline = math.inf
            yield listed


async def _list_tools(client: Any) -> list[Any]:
    found: list[Any] = []
    cursor: str | None = None
    # Bounded: a server may hand out cursors for ever.
    while len(found) <= TOOLS_MOST:
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if not cursor:
            break
    return found


def _call_tool(portal: Any, client: Any, command: str, called: str, /, **arguments: Any) -> str:
    try:
        result = portal.call(client.call_tool, called, arguments, CALL_SECONDS)
    except RuntimeError:  # the portal is closed
        raise BadInput(f"the MCP server {command!r} has gone") from None
    text = "\n".join(_part_text(part) for part in result.content)[:RESULT_MOST]
    if result.is_error:
        raise BadInput(text or f"{called} failed and did not say why")
    return text


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
    if isinstance(failure, TimeoutError):
        return f"it did not answer within {START_SECONDS:g} seconds"
    return str(failure) or type(failure).__name__
