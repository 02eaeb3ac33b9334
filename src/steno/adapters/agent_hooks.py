"""What coding agents' hooks are told: a handover after a compaction, memories at a start.

Texts in the form that the hosts take. When a hook is called, and where sessions are stored, is the
business of `steno hook`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steno.core.errors import BadInput
from steno.core.fence import Fence
from steno.core.log import Log
from steno.core.message import Message
from steno.core.store import Memory
from steno.core.wire import Wire
from steno.facts.memory_offer import OFFER_KIND
from steno.memory.offer import render_offer
from steno.session.session import Session

HANDOVER_WINDOW = 8_000
"""Window that a handover is made for; its text takes a third of it."""
TEXT_MOST = 9_000
"""Characters of a handover: hosts keep 10,000 of what a hook says."""
OFFER_ROOM = 600
"""Tokens of what earlier sessions taught."""
FOLDERS_READ = 2
"""Last parts of the working folder that memories are compared with."""


def as_context(text: str) -> str:
    """Return a text in the form in which both hosts take it as context."""
    if not text:
        return ""
    said = {"hookEventName": "SessionStart", "additionalContext": text}
    return json.dumps({"hookSpecificOutput": said})


def handover_of(name: str, log: Log, wire: Wire) -> str:
    """Return the handover of a stored session that its own agent has compacted."""
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


def handover_of_messages(messages: Any) -> str:
    """Return the summary of a list that a plugin sends."""
    if not isinstance(messages, list) or not messages:
        raise BadInput("a request for a summary has a list of messages")
    session = Session(wire="openai", window=HANDOVER_WINDOW)
    session.add(*messages)
    return _handover(session, "")


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


def memory_offer(known: Sequence[Memory], folder: str) -> str:
    """Return what is known of the user; of the session nothing is known yet but its folder."""
    about = " ".join(Path(folder).parts[-FOLDERS_READ:])
    text, _ = render_offer(known, about, OFFER_ROOM, lambda words: len(words) // 4)
    if not text:
        return ""
    # In a fence, so that Steno takes its own words for no constraint when the host sends them on.
    return str(Fence({"kind": OFFER_KIND}, text))
