"""Definitions of tools that a session does not use, left out on request.

The list of tools stands before all messages, so that leaving one out makes the provider write
its whole cache again. It is therefore decided where a commit changes the request anyway, by what
the log says up to there, and holds until the next commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steno.core.log import COMPACTS
from steno.session.session import Session

OFFERS_KIND = "offered tools"
"""Kind of the record that holds the names of tools, written when they are first offered."""
PLAIN_TYPES = (None, "function", "custom")
"""Types of tools that a model calls by name; a provider's own tools may be used without a call."""
FREE_CHOICES = (None, "auto", {"type": "auto"})
"""Values of `tool_choice` that demand no tool."""


def unused_tools(
    session: Session, tools: Sequence[Any], choice: Any, replies: int
) -> frozenset[str]:
    """Return the tools that none of so many replies before the newest compaction called.

    None are before the first compaction, or if the client demands a tool. Nor is a tool that was
    not offered yet for the first of these replies. An empty list would be refused: then all stay.
    """
    if not replies:
        return frozenset()
    log = session.log
    names = set(map(tool_name, tools))
    first_offers = _first_offers(session, names)
    seen = max((commit.at for commit in log.commits if commit.why in COMPACTS), default=0)
    called: set[str] = set()
    for at in reversed(range(seen)):
        if log.messages[at].role == "assistant":
            replies -= 1
            called |= {call.name for call in log.messages[at].calls}
        if not replies:
            unused = {name for name, first in first_offers.items() if first < at} - called
            # A tool that the client demands must be there.
            if choice in FREE_CHOICES and names - unused:
                return frozenset(unused)
            break
    return frozenset()


def _first_offers(session: Session, names: set[str]) -> dict[str, int]:
    """Return how many messages there were when each tool was first offered; note new ones."""
    records = session.host.records
    first = {name: record.at for record, known in records.of(OFFERS_KIND) for name in known}
    new = sorted(names - first.keys() - {""})
    if new:
        records.add(OFFERS_KIND, new)
    return first


def tool_name(tool: Any) -> str:
    """Return the name by which a model calls a tool; empty if it has none of its own."""
    if not isinstance(tool, dict) or tool.get("type") not in PLAIN_TYPES:
        return ""
    function = tool.get("function")
    if isinstance(function, dict):
        tool = function
    return str(tool.get("name") or "")
