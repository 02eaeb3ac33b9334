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

from steno.adapters.agent_plugins import LOCAL_USER
from steno.cli.options import UserOption, argument
from steno.cli.source import load_conversation, open_store, store_conversation
from steno.core.errors import BadInput, NotHere, StenoError
from steno.core.fence import Fence
from steno.core.log import Log
from steno.core.message import Message
from steno.facts.memory_offer import OFFER_KIND
from steno.inspector.conversation import load_stored
from steno.memory.merge import live_memories
from steno.memory.offer import render_offer
from steno.session.session import Session
from steno.session.settings import StoredSettings
from steno.store.names import require_own
from steno.store.open import is_address, open_store_at

WINDOW = 200_000
LEARN_SECONDS = 5.0
HANDED_OVER = "STENO_HANDED_OVER"
"""Variable that the plugin of Claude Code sets if its answer to a compaction is the handover."""
HANDOVER_TOKENS, HANDOVER_LEAST = 2_600, 500
"""Tokens of a handover, and those under which its text is cut instead."""
TEXT_MOST = 9_000
"""Characters of a handover: hosts keep 10,000 of what a hook says."""
OFFER_ROOM = 600
"""Tokens of what earlier sessions taught."""
FOLDERS_READ = 2
"""Last parts of the working folder that memories are compared with."""


def hook(
    db: Annotated[str, argument("DB", "The store that sessions are kept in.")],
    user: UserOption = LOCAL_USER,
) -> None:
    """Answer a hook of Claude Code or Codex, or a plugin's request for a summary.

    The plugins that steno install gives call this; the occasion comes on stdin. On PreCompact the
    transcript is stored as a session. On SessionStart it prints what a compaction left, or what
    earlier sessions taught. A plugin sends {"hook_event_name": "Compact", "messages": […]} and
    gets their handover as text; with the "session_id" of a transcript of Claude Code the session is
    stored as well. The exit code is always 0, so that no agent stops for it.

    Examples

      echo '{"hook_event_name": "SessionStart"}' | steno hook agent.db > c.json
    """
    try:
        occasion = json.loads(sys.stdin.read() or "{}")
        if not isinstance(occasion, dict):
            raise BadInput("a hook's occasion is a JSON object")
        said = _answer(db, user or LOCAL_USER, occasion)
    except (StenoError, OSError, ValueError, RecursionError) as failure:
        sys.stderr.write(f"steno hook: {failure}\n")
        return
    if said:
        sys.stdout.write(said + "\n")


def _answer(db: str, user: str, occasion: Mapping[str, Any]) -> str:
    match occasion.get("hook_event_name"):
        case "PreCompact":
            _store_transcript(db, user, occasion)
            return ""
        case "SessionStart" if occasion.get("source") == "compact":
            if os.environ.get(HANDED_OVER):
                return ""
            return _as_context(_handover(db, user, str(occasion.get("session_id") or "")))
        case "SessionStart":
            return _as_context(_offer(db, user, str(occasion.get("cwd") or "")))
        case "Compact":
            name = str(occasion.get("session_id") or "")
            path = _claude_transcript(name)
            if path is None:
                return _summary_of(occasion.get("messages"))
            _store_transcript(db, user, {"session_id": name, "transcript_path": path})
            return _handover(db, user, name)
    return ""


def _as_context(text: str) -> str:
    """Return a text in the form in which both hosts take it as context."""
    if not text:
        return ""
    said = {"hookEventName": "SessionStart", "additionalContext": text}
    return json.dumps({"hookSpecificOutput": said})


def _handover(db: str, user: str, name: str) -> str:
    """Return the handover of a stored session that its own agent has compacted."""
    with open_store(db) as store:
        info = store.session_info(require_own(store, user, name))
        loaded = load_stored(store, info)
    note = f"Kept by Steno as session {loaded.name!r}: "
    note += "recall(positions=…) of its MCP server opens it."
    # All that was said, also what the agent's own compactions hid before.
    said = map(_without_compaction, loaded.log.messages)
    log = Log().with_messages(said)
    return _handover_text(Session(log=log, wire=loaded.wire, window=WINDOW), note)


def _without_compaction(message: Message) -> Message:
    """Return a message, or an empty one in its place for an item that stands for all before it."""
    if any(getattr(block, "kind", "") == "compaction" for block in message.blocks):
        return Message(message.role, ())
    return message


def _summary_of(messages: Any) -> str:
    """Return the handover of a list that a plugin sends."""
    if not isinstance(messages, list) or not messages:
        raise BadInput("a request for a summary has a list of messages")
    session = Session(wire="openai", window=WINDOW)
    session.add(*messages)
    return _handover_text(session)


def _handover_text(session: Session, note: str = "") -> str:
    """Return the handover of a session, as long as a host takes; a note replaces its heading."""
    tokens = HANDOVER_TOKENS
    while True:
        heading, _, text = session.handover(tokens).partition("\n")
        text = f"{note or heading}\n{text}"
        if len(text) <= TEXT_MOST or tokens <= HANDOVER_LEAST:
            return text[:TEXT_MOST].strip()
        tokens = int(tokens * 0.8)


def _claude_transcript(name: str) -> Path | None:
    """Return the file in which Claude Code writes a session down."""
    home = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    if not re.fullmatch(r"[\w-]+", name):
        return None
    return next(home.glob(f"projects/*/{name}.jsonl"), None)


def _store_transcript(db: str, user: str, occasion: Mapping[str, Any]) -> None:
    name = str(occasion.get("session_id") or "")
    path = Path(str(occasion.get("transcript_path") or ""))
    if not name or not path.is_file():
        raise BadInput("the occasion names no session and transcript that can be read")
    loaded = replace(load_conversation(path, None, StoredSettings(window=WINDOW)), name=name)
    if not is_address(db):
        Path(db).parent.mkdir(parents=True, exist_ok=True)
    with closing(open_store_at(db)) as store:
        store.transaction(lambda: store_conversation(store, loaded, user))
    with Session(db, name=name, user=user, memory=True, window=WINDOW) as session:
        session.learn(LEARN_SECONDS)


def _offer(db: str, user: str, folder: str) -> str:
    """Return what is known of the user, as much as there is room for."""
    try:
        with open_store(db) as store:
            known = live_memories(store.memories(user))
    except (NotHere, BadInput):
        # Nothing is stored yet.
        return ""
    # Of a session that begins, nothing is known yet but its folder.
    about = " ".join(Path(folder).parts[-FOLDERS_READ:])
    text, _ = render_offer(known, about, OFFER_ROOM, lambda words: len(words) // 4)
    if not text:
        return ""
    # In a fence, so that Steno takes its own words for no constraint when the host sends them on.
    return str(Fence({"kind": OFFER_KIND}, text))
