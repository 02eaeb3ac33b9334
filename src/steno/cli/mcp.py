"""`steno mcp`: serve the agent's own tools to an MCP host, on stdin and stdout."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

from steno.cli.options import SessionOption, UserOption, argument, flag
from steno.cli.source import require_store
from steno.core.errors import BadInput
from steno.store.open import open_store_at, store_path
from steno.store.sql import SQLStore


def mcp(
    path: Annotated[
        str, argument("[DB]", "A store of sessions; it may not exist yet.", envvar="STENO_DB")
    ],
    session: SessionOption = None,
    user: UserOption = None,
    agent_controlled: Annotated[
        bool, flag("--agent-controlled", "The agent decides when to compact.")
    ] = False,
    redact: Annotated[bool, flag("--redact", "Remove secrets from what the host writes.")] = False,
) -> None:
    """Serve the agent's own tools over MCP, on stdin and stdout: recall, remember, forget.

    For any MCP host: name this command in its configuration. A call may name its session;
    otherwise it gets the one of --session, or the newest. With --user only that user's sessions
    can be reached. Any session can be read; notes are written into the usual one alone, as the
    host's words. With --agent-controlled also compress_context, which the session's own program
    carries out. Needs the extra `mcp`.

    Examples

      steno mcp agent.db  the newest session, or as a call says
      steno mcp agent.db --session research-42      this one
      claude mcp add steno -- steno mcp agent.db    for Claude Code
    """
    # Here, because it raises without the MCP SDK, which is an extra.
    from steno.adapters.mcp import McpSessions, StenoServer

    # A wrong file is refused now; one that is not there yet may still become a store.
    if store_path(path).exists():
        require_store(path)
    sessions = McpSessions(
        lambda: _open_existing_store(path, user or ""),
        session,
        user,
        agent_controlled=agent_controlled,
        redact=redact,
    )
    with closing(sessions):
        StenoServer(sessions).run("stdio")


def _open_existing_store(path: str, user: str) -> SQLStore:
    # A host may start its servers before the first session is written.
    if not store_path(path).exists():
        raise BadInput(f"there is no store at {path} yet")
    require_store(path)
    return open_store_at(path, user=user)
