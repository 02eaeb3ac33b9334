"""Claude Agent SDK: `ClaudeAgentOptions(**with_steno("agent.db", user="ann"))`.

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

from steno.adapters.agent_plugins import LOCAL_USER, own_command
from steno.store.open import absolute_place


def with_steno(store: str | os.PathLike[str], *, user: str = LOCAL_USER) -> dict[str, Any]:
    """Return options of an agent whose sessions are kept in `store`, as those of one person.

    user: who that is. A server for several people names each: the agent of one never meets what
        another's said.
    """
    whose = [absolute_place(store), "--user", user]
    command, *words = own_command()
    hook = {"type": "command", "command": shlex.join([command, *words, "hook", *whose])}
    hooks = {event: [{"hooks": [hook]}] for event in ("PreCompact", "SessionStart")}
    server = {"type": "stdio", "command": command, "args": [*words, "mcp", *whose]}
    return {
        "settings": json.dumps({"hooks": hooks}),
        "mcp_servers": {"steno": server},
        "allowed_tools": ["mcp__steno__recall"],
    }
