"""A safe set of tools: files under one root; a shell and the web only where they are allowed."""

from __future__ import annotations

import os

from steno.agent.builtin.fetch import fetch_tool
from steno.agent.builtin.files import file_tools
from steno.agent.builtin.root import Root
from steno.agent.builtin.shell import shell_tool
from steno.agent.tool import Tool


def builtin_tools(root: str | os.PathLike[str], *, shell: bool = False, fetch: bool = False) -> list[Tool]:
    """Read, write, edit, list and search under `root`; where allowed, also a shell and the web."""
    ground = Root(root)
    tools = file_tools(ground)
    if shell:
        tools.append(shell_tool(ground))
    if fetch:
        tools.append(fetch_tool())
    return tools
