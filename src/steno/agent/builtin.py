"""The built-in tools: files under one root, and a shell if it is allowed."""

from __future__ import annotations

import os

from steno.agent.files import file_tools
from steno.agent.root import RootFolder
from steno.agent.shell import shell_tool
from steno.agent.tools import Tool


def builtin_tools(root: str | os.PathLike[str], *, shell: bool = False) -> list[Tool]:
    """Return tools to read, write, edit, list and search files under `root`.

    shell: add a tool that runs commands in `root`.
    """
    ground = RootFolder(root)
    tools = file_tools(ground)
    if shell:
        tools.append(shell_tool(ground))
    return tools
