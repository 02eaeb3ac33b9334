"""`steno hook`: what a coding agent's hooks call, before and after its own compaction.

Agents write a hook's occasion to stdin as JSON and read what it says from stdout. A hook
must never stop its agent: whatever goes wrong here is one line on stderr, and exit code 0.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from steno.cli.options import DONE, argument
from steno.cli.source import (
    load_conversation,
    open_store,
    open_stored_session,
    store_conversation,
)
from steno.core.errors import BadInput, NotHere, StenoError
from steno.core.fence import Fence
from steno.core.log import Log
from steno.core.message import Message
from steno.facts.memory_offer import OFFER_KIND
from steno.memory.merge import live_memories
from steno.memory.offer import render_offer
from steno.session.session import Session
from steno.session.settings import StoredSettings
from steno.store.open import open_store_at

USER = "local"
"""Whose sessions those of this machine's agents are."""
WINDOW = 200_000
HANDOVER_WINDOW = 8_000
"""Window that a handover is made for; its text takes a third of it."""
TEXT_MOST = 9_000
"""Characters of a handover: hosts keep 10,000 of what a hook says."""
OFFER_ROOM = 600
"""Tokens of what earlier sessions taught."""
FOLDERS_READ = 2
"""Last parts of the working folder that memories are compared with."""
LEARN_SECONDS = 5.0


def hook(db: Annotated[str, argument("DB", "The store that sessions are kept in.")]) -> int:
    """Answer a hook of Claude Code or Codex, or a plugin's request for a summary.

    steno install writes the hooks that call this; the occasion comes on stdin. On PreCompact the
    transcript is stored as a session. On SessionStart it prints what a compaction left, or what
    earlier sessions taught. A plugin sends {"hook_event_name": "Compact", "messages": […]} and
    gets their summary as text. The exit code is always 0, so that no agent stops for it.

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
        return DONE
    if said:
        sys.stdout.write(said + "\n")
    return DONE


def _answer(db: str, occasion: Mapping[str, Any]) -> str:
    match occasion.get("hook_event_name"):
        case "PreCompact":
            _store_transcript(db, occasion)
            return ""
        case "SessionStart" if occasion.get("source") == "compact":
            return _context(_handover_of(db, str(occasion.get("session_id") or "")))
        case "SessionStart":
            return _context(_offer(db, str(occasion.get("cwd") or "")))
        case "Compact":
            return _handover(_plugin_session(occasion), "")
    return ""


def _context(text: str) -> str:
    """Return a text in the form in which both hosts take it as context."""
    if not text:
        return ""
    said = {"hookEventName": "SessionStart", "additionalContext": text}
    return json.dumps({"hookSpecificOutput": said})


def _store_transcript(db: str, occasion: Mapping[str, Any]) -> None:
    name = str(occasion.get("session_id") or "")
    path = Path(str(occasion.get("transcript_path") or ""))
    if not name or not path.is_file():
        raise BadInput("the occasion names no session and transcript that can be read")
    loaded = replace(load_conversation(path, None, StoredSettings(window=WINDOW)), name=name)
    store = open_store_at(db)
    try:
        store.transaction(lambda: store_conversation(store, loaded, USER))
    finally:
        store.close()
    with Session(db, name=name, user=USER, memory=True, window=WINDOW) as session:
        session.learn(LEARN_SECONDS)


def _handover_of(db: str, name: str) -> str:
    with open_stored_session(db, name) as stored:
        wire, log = stored.host.wire, stored.log
    note = f"Kept by Steno as session {name!r}: recall(positions=…) of its MCP server opens it."
    # All that was said, also what the agent's own compactions hid before.
    said = map(_without_compaction, log.messages)
    session = Session(log=Log().with_messages(said), wire=wire, window=HANDOVER_WINDOW)
    # The agent has them over MCP, so the text may name them.
    session.tools()
    return _handover(session, note)


def _without_compaction(message: Message) -> Message:
    """Return a message, or an empty one in its place for an item that stands for all before it."""
    if any(getattr(block, "kind", "") == "compaction" for block in message.blocks):
        return Message(message.role, ())
    return message


def _plugin_session(occasion: Mapping[str, Any]) -> Session:
    messages = occasion.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadInput("a request for a summary has a list of messages")
    session = Session(wire="openai", window=HANDOVER_WINDOW)
    session.add(*messages)
    return session


def _handover(session: Session, note: str) -> str:
    """Return what a compaction tells of a session, in as many lines as a host takes."""
    commit = session.compact()
    if commit is None:
        return ""
    kept = [note]
    room = TEXT_MOST - len(note)
    texts = [commit.summary_text]
    if session.view.head is not None:
        texts.insert(0, session.view.head.text)
    for line in "\n\n".join(texts).splitlines():
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join(kept).strip()


def _offer(db: str, folder: str) -> str:
    """Return what is known of the user; of the session nothing is known yet but its folder."""
    try:
        with open_store(db) as store:
            known = live_memories(store.memories(USER))
    except (NotHere, BadInput):
        # Nothing is stored yet.
        return ""
    about = " ".join(Path(folder).parts[-FOLDERS_READ:])
    text, _ = render_offer(known, about, OFFER_ROOM, lambda words: len(words) // 4)
    # In a fence, so that Steno takes its own words for no rule when the host sends them on.
    return str(Fence({"kind": OFFER_KIND}, text)) if text else ""
