"""`steno mcp`: the agent's own tools on stdin and stdout, for an MCP host that starts it."""

from __future__ import annotations

from pathlib import Path

from steno.cli.options import DONE
from steno.cli.source import is_store
from steno.core.errors import BadInput
from steno.store.sqlite import SQLiteStore


def serve(
    path: str,
    session: str | None,
    user: str | None,
    *,
    agent_controlled: bool,
    redact: bool = False,
) -> int:
    """Serve until the host hangs up; what cannot be a store is refused at once."""
    from steno.adapters.mcp import McpSessions, StenoServer

    if Path(path).exists() and not is_store(Path(path)):
        raise BadInput(f"{path} is not a store of Steno's; steno import makes one of a transcript")
    sessions = McpSessions(
        lambda: _open_existing_store(path),
        session,
        user,
        agent_controlled=agent_controlled,
        redact=redact,
    )
    try:
        StenoServer(sessions).run("stdio")
    finally:
        sessions.close()
    return DONE


def _open_existing_store(path: str) -> SQLiteStore:
    """The store, once it is there: a host may start its servers before anything was said."""
    if not Path(path).exists():
        raise BadInput(f"there is no store at {path} yet")
    if not is_store(Path(path)):
        raise BadInput(f"{path} is not a store of Steno's")
    return SQLiteStore(path)
