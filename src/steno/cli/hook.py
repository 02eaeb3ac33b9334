"""`steno hook`: what a coding agent's hooks call, before and after its own compaction.

Agents write a hook's occasion to stdin as JSON and read what it says from stdout. A hook
must never stop its agent: whatever goes wrong here is one line on stderr, and exit code 0.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from steno.adapters.agent_hooks import (
    as_context,
    handover_of,
    handover_of_messages,
    memory_offer,
)
from steno.cli.options import argument
from steno.cli.source import (
    load_conversation,
    load_from_store,
    open_store,
    store_conversation,
)
from steno.core.errors import BadInput, NotHere, StenoError
from steno.memory.merge import live_memories
from steno.session.session import Session
from steno.session.settings import StoredSettings
from steno.store.open import is_address, open_store_at

USER = "local"
"""Whose sessions those of this machine's agents are."""
WINDOW = 200_000
LEARN_SECONDS = 5.0
HANDED_OVER = "STENO_HANDED_OVER"
"""Variable that the plugin of Claude Code sets if its answer to a compaction is the handover."""


def hook(db: Annotated[str, argument("DB", "The store that sessions are kept in.")]) -> None:
    """Answer a hook of Claude Code or Codex, or a plugin's request for a summary.

    The plugins that steno install gives call this; the occasion comes on stdin. On PreCompact the
    transcript is stored as a session. On SessionStart it prints what a compaction left, or what
    earlier sessions taught. A plugin sends {"hook_event_name": "Compact", "messages": […]} and
    gets their summary as text; with the "session_id" of a transcript of Claude Code the session is
    stored as well. The exit code is always 0, so that no agent stops for it.

    Examples

      echo '{"hook_event_name": "SessionStart"}' | steno hook agent.db > c.json
    """
    try:
        occasion = json.loads(sys.stdin.read() or "{}")
        if not isinstance(occasion, dict):
            raise BadInput("a hook's occasion is a JSON object")
        said = _answer(db, occasion)
    except (StenoError, OSError, ValueError) as failure:
        sys.stderr.write(f"steno hook: {failure}\n")
        return
    if said:
        sys.stdout.write(said + "\n")


def _answer(db: str, occasion: Mapping[str, Any]) -> str:
    match occasion.get("hook_event_name"):
        case "PreCompact":
            _store_transcript(db, occasion)
            return ""
        case "SessionStart" if occasion.get("source") == "compact":
            if os.environ.get(HANDED_OVER):
                return ""
            return as_context(_handover(db, str(occasion.get("session_id") or "")))
        case "SessionStart":
            return as_context(_offer(db, str(occasion.get("cwd") or "")))
        case "Compact":
            name = str(occasion.get("session_id") or "")
            path = _claude_transcript(name)
            if path is None:
                return handover_of_messages(occasion.get("messages"))
            _store_transcript(db, {"session_id": name, "transcript_path": path})
            return _handover(db, name)
    return ""


def _handover(db: str, name: str) -> str:
    with open_store(db) as store:
        loaded = load_from_store(store, name)
    return handover_of(loaded.name, loaded.log, loaded.wire)


def _claude_transcript(name: str) -> Path | None:
    """Return the file in which Claude Code writes a session down."""
    home = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    if not re.fullmatch(r"[\w-]+", name):
        return None
    return next(home.glob(f"projects/*/{name}.jsonl"), None)


def _store_transcript(db: str, occasion: Mapping[str, Any]) -> None:
    name = str(occasion.get("session_id") or "")
    path = Path(str(occasion.get("transcript_path") or ""))
    if not name or not path.is_file():
        raise BadInput("the occasion names no session and transcript that can be read")
    loaded = replace(load_conversation(path, None, StoredSettings(window=WINDOW)), name=name)
    if not is_address(db):
        Path(db).parent.mkdir(parents=True, exist_ok=True)
    with closing(open_store_at(db)) as store:
        store.transaction(lambda: store_conversation(store, loaded, USER))
    with Session(db, name=name, user=USER, memory=True, window=WINDOW) as session:
        session.learn(LEARN_SECONDS)


def _offer(db: str, folder: str) -> str:
    try:
        with open_store(db) as store:
            return memory_offer(live_memories(store.memories(USER)), folder)
    except (NotHere, BadInput):
        # Nothing is stored yet.
        return ""
