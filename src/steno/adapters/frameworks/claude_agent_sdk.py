"""Claude Agent SDK: `ClaudeAgentOptions(**with_steno("agent.db"))`.

The SDK runs Claude Code, which compacts by itself. Its hooks keep the whole transcript in the store
before that, and hand over to the agent after it; `recall` is an MCP tool. The SDK's own callbacks
have no SessionStart, so the hooks are settings that start `steno hook`. To keep every request
within a window, let the agent's requests pass `steno proxy`: `env={"ANTHROPIC_BASE_URL": address}`.
"""

from __future__ import annotations

import json
import os
import shlex
from typing import Any

from steno.adapters.agent_plugins import own_command


def with_steno(store: str | os.PathLike[str]) -> dict[str, Any]:
    """Return options of an agent whose sessions are kept in `store`."""
    path = os.path.abspath(store)
    command, *words = own_command()
    hook = {"type": "command", "command": shlex.join([command, *words, "hook", path])}
    hooks = {event: [{"hooks": [hook]}] for event in ("PreCompact", "SessionStart")}
    server = {"type": "stdio", "command": command, "args": [*words, "mcp", path]}
    return {
        "settings": json.dumps({"hooks": hooks}),
        "mcp_servers": {"steno": server},
        "allowed_tools": ["mcp__steno__recall"],
    }
