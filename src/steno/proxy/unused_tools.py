"""Definitions of tools that a session does not use, left out on request.

The list of tools stands before all messages, so that leaving one out makes the provider write
its whole cache again. It is therefore decided where a commit changes the request anyway, by what
the log says up to there, and holds until the next commit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from steno.core.log import COMPACTS, Log

PLAIN_TYPES = (None, "function", "custom")
"""Types of tools that a model calls by name; a provider's own tools may be used without a call."""
FREE_CHOICES = (None, "auto", {"type": "auto"})
"""Values of `tool_choice` that demand no tool."""


def unused_tools(log: Log, tools: Iterable[Any], replies: int) -> frozenset[str]:
    """Return the tools that none of so many replies before the newest compaction called.

    None are unused before the first one, or if the session had fewer replies by then.
    """
    seen = max((commit.at for commit in log.commits if commit.why in COMPACTS), default=0)
    called: set[str] = set()
    for message in reversed(log.messages[:seen]):
        if message.role == "assistant":
            replies -= 1
            called |= {call.name for call in message.calls}
        if not replies:
            return frozenset(filter(None, map(tool_name, tools))) - called
    return frozenset()


def tool_name(tool: Any) -> str:
    """Return the name by which a model calls a tool; empty if it has none of its own."""
    if not isinstance(tool, dict) or tool.get("type") not in PLAIN_TYPES:
        return ""
    function = tool.get("function")
    if isinstance(function, dict):
        tool = function
    return str(tool.get("name") or "")
