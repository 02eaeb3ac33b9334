"""Which of its agent's conversations a request belongs to, by what the request itself says.

A coding agent has several at the same time: its own, those of its sub-agents, and side calls, which
ask about the conversation and are no part of it (a title, whether a command is safe, whether the
quota lasts). Most agents send an id of their own with each request, which names the session here.
Nothing is told from what a text says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from steno.core.word_tables import word_tuple
from steno.providers.bill import SUB_AGENT
from steno.providers.shared.plain_json import get_field
from steno.providers.shared.request import ConversationRequest

ID_HEADERS = {
    "claude-code": word_tuple("x-claude-code-session-id x-claude-code-agent-id"),
    "codex": word_tuple("session-id thread-id"),
    "opencode": word_tuple("x-parent-session-id x-session-id"),
}
"""For each agent, the headers that hold the id of the outer conversation and of the inner one.

The main conversation has one of them, or the same id in both.
"""
ID_MOST = 100
"""Characters of an id that can be part of a name."""
COPILOT_KIND = "x-interaction-type"
"""Where Copilot CLI, which sends no id, says whose request it is."""
PROVIDER_TOOLS = ("web_search", "web_fetch")
"""How the types begin of tools that a provider runs; a side call may have one."""


@dataclass(frozen=True)
class Origin:
    """The conversation inside its agent that a request comes from."""

    name: str = ""
    """Name for its session; empty if the agent sends no id."""
    parent: str = ""
    """Name of the session whose agent began this one."""
    kind: str = ""
    """SUB_AGENT, or empty for the agent's own conversation."""


def read_origin(headers: Mapping[str, str]) -> Origin:
    """Return where a request comes from, by its headers."""
    for agent, names in ID_HEADERS.items():
        given = dict.fromkeys(filter(None, map(headers.get, names)))
        if not given or not all(map(_is_id, given)):
            continue
        outer, *inner = given
        name = f"{agent}-{outer}"
        if inner:
            return Origin(f"{name}/{inner[0]}", name, SUB_AGENT)
        return Origin(name)
    if headers.get(COPILOT_KIND, "").endswith("subagent"):
        return Origin(kind=SUB_AGENT)
    return Origin()


def names_sub_agent(name: str) -> bool:
    """Tell whether a stored session is that of a sub-agent, which its agent's ids say."""
    own = name.rpartition(":")[2]
    return "/" in own and own.startswith(tuple(f"{agent}-" for agent in ID_HEADERS))


def is_side_call(request: ConversationRequest) -> bool:
    """Tell whether an agent asks about its conversation, and does not go on with it.

    It then offers no tool that it would run, and nothing was replied yet.
    """
    for tool in request.tools:
        if not str(get_field(tool, "type")).startswith(PROVIDER_TOOLS):
            return False
    return all(get_field(message, "role") == "user" for message in request.messages)


def _is_id(text: str) -> bool:
    return len(text) <= ID_MOST and text.replace("-", "").replace("_", "").isalnum()
