"""The built-in tools: files under one root, and a shell and the web if they are allowed."""

from __future__ import annotations

import os

from steno.agent.fetch import fetch_tool
from steno.agent.files import file_tools
from steno.agent.root import RootFolder
from steno.agent.shell import shell_tool
from steno.agent.tools import Tool


def builtin_tools(
    root: str | os.PathLike[str], *, shell: bool = False, fetch: bool = False, private: bool = False
) -> list[Tool]:
    """Return tools to read, write, edit, list and search files under `root`.

    shell: add a tool that runs commands in `root`.
    fetch: add a tool that fetches pages from the web.
    private: let it fetch from this machine and its network too.
    """
    ground = RootFolder(root)
    tools = file_tools(ground)
    if shell:
        tools.append(shell_tool(ground))
    if fetch:
        tools.append(fetch_tool(private=private))
    return tools
