"""Requests to compact, answered here instead of by a provider.

Both providers let a client have its conversation compacted and go on from one item that
stands for it. Here the item holds no words: a random token names a record of the session,
which says which positions of its log the item stands for. The session is compacted; its originals
stay. When the item comes back, the list is made whole again from the log, and goes upstream
as the session's view.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hmac import compare_digest
from typing import Any, Literal

import msgspec

from steno.adapters.resent.sessions import ListSessions
from steno.adapters.resent.thread import ResentThread
from steno.core.errors import BadInput, NotHere
from steno.providers.shared.plain_json import get_field
from steno.proxy.body import JsonPiece, PieceFormat, RequestBody
from steno.session.session import Session
from steno.store.names import name_digest

COMPACT_PATH = "/responses/compact"
MARK = "steno1."
"""Beginning of every item of ours: a provider's own has another."""
ITEM_KIND = "compaction item"
"""Kind of the record that an item names."""
EDIT_TYPE = "compact_20260112"
EDIT_TRIGGER = 150_000
"""Tokens from which that edit compacts, if it does not say."""
EMPTY_BLOCK = {"type": "compaction", "content": None}
Event = dict[str, Any]
Kind = Literal["compact", "trigger", "messages"]


class WrongItem(BadInput):
    """An item that looks like ours and cannot be opened here."""


@dataclass(frozen=True)
class CompactionAnswer:
    """What a client that asked for a compaction gets."""

    kind: Kind
    reply: Event
    streamed: bool
    session: str

    def body(self) -> tuple[str, bytes]:
        """Return the type and the bytes of the answer."""
        if self.streamed:
            return "text/event-stream", stream_text(reply_events(self.kind, self.reply))
        return "application/json", msgspec.json.encode(self.reply)


def note_item(thread: ResentThread) -> str:
    """Keep that an item stands for the caller's list of now; return the item's text.

    By positions, which never change: the list may be another one when the item comes back.
    """
    host, token = thread.session.host, secrets.token_hex(16)
    # Not by `host.records.add`, which may take a random token for a secret.
    text = msgspec.json.encode({"token": token, "spans": thread.spans}).decode()
    host.store.record(host.key, ITEM_KIND, text)
    # Not the session's id: ids count the sessions of all users.
    return f"{MARK}{name_digest(host.key)}.{token}"


def open_item(sessions: ListSessions, text: str, form: PieceFormat) -> list[tuple[bytes, bytes]]:
    """Return the messages that an item stands for; raise WrongItem if they are not here."""
    id, _, token = text.removeprefix(MARK).partition(".")

    def spans_of(session: Session) -> list[Any] | None:
        for _, kept in session.host.records.of(ITEM_KIND):
            if compare_digest(kept["token"].encode(), token.encode()):
                # Earlier versions kept a count of the first messages.
                return kept.get("spans") or [(0, kept["messages"])]
        return None

    try:
        return sessions.past_of(id, form, spans_of)
    except NotHere as gone:
        raise WrongItem(
            "this compaction was not made by a proxy over this store for this user, "
            f"or what it stands for is gone: {gone}"
        ) from None


def kind_of(path: str, body: RequestBody) -> Kind | None:
    """Tell how a request asks for a compaction, if it does."""
    if path.rstrip("/").endswith(COMPACT_PATH):
        return "compact"
    if body.get("compaction") and "messages" in body:
        return "messages"
    items = body.pieces("input")
    if items and get_field(items[-1].plain, "type") == "compaction_trigger":
        return "trigger"
    return None


def focus_of(body: RequestBody) -> str:
    """Return what a request wants kept above all, if it says so."""
    return str(get_field(body.get("compaction"), "instructions") or "").strip()


def without_trigger(messages: Sequence[Any]) -> list[Any]:
    return [piece for piece in messages if get_field(piece.plain, "type") != "compaction_trigger"]


def item_in(piece: Any) -> tuple[str, list[Any]] | None:
    """Return the text of an item of ours in a message, and what else the message says."""
    # Most messages hold none, and reading their JSON takes time.
    if not isinstance(piece, JsonPiece) or MARK.encode() not in piece.raw:
        return None
    plain = piece.plain
    if _is_ours(plain):
        return plain["encrypted_content"], []
    content = piece.content
    if not isinstance(content, list):
        return None
    # Of two, the newer stands for the older as well.
    for place in range(len(content) - 1, -1, -1):
        if _is_ours(content[place]):
            rest: list[Any] = []
            if content[place + 1 :]:
                rest = [plain | {"content": content[place + 1 :]}]
            return content[place]["encrypted_content"], rest
    return None


@dataclass(frozen=True)
class CompactionEdit:
    """A request's wish to be compacted on the way, once it is so long."""

    trigger: int
    """Tokens from which it is."""
    focus: str = ""
    pauses: bool = False
    """Whether the client wants the compaction back before the model answers."""


def edit_of(body: RequestBody) -> CompactionEdit | None:
    """Return how a request wants to be compacted on the way, if it does.

    Only where that is the one edit it asks for: others are the provider's.
    """
    edits = get_field(body.get("context_management"), "edits")
    if not isinstance(edits, list) or [get_field(edit, "type") for edit in edits] != [EDIT_TYPE]:
        return None
    [edit] = edits
    tokens = get_field(edit, "trigger", "value")
    if not isinstance(tokens, int):
        tokens = EDIT_TRIGGER
    focus = str(edit.get("instructions") or "").strip()
    return CompactionEdit(tokens, focus, edit.get("pause_after_compaction") is True)


def compaction_reply(kind: Kind, item: str, model: str, tokens: int) -> Event:
    """Return the answer that came whole."""
    number = secrets.token_hex(12)
    now = int(time.time())
    usage = {"input_tokens": tokens, "output_tokens": 0}
    if kind == "messages":
        block = {
            "type": "compaction",
            "content": "The conversation up to here is kept by Steno, whose proxy puts it back.",
            "encrypted_content": item,
        }
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [block],
            "stop_reason": "compaction",
            "stop_sequence": None,
            "usage": usage,
        }
    output = {"id": f"cmp_{number}", "type": "compaction", "encrypted_content": item}
    usage_details = {
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens,
    }
    reply = {
        "id": f"resp_{number}",
        "object": "response.compaction",
        "created_at": now,
        "output": [output],
        "usage": usage | usage_details,
    }
    if kind == "trigger":
        reply |= {
            "object": "response",
            "model": model,
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }
    return reply


def reply_events(kind: Kind, reply: Event, empty: Event = EMPTY_BLOCK) -> Iterator[Event]:
    """Yield the events in which the same answer is streamed; `empty` is how a block begins."""
    if kind == "messages":
        [block] = reply["content"]
        begun = reply | {"content": [], "stop_reason": None}
        delta = {**block, "type": f"{block['type']}_delta"}
        stop = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
        yield {"type": "message_start", "message": begun}
        yield {"type": "content_block_start", "index": 0, "content_block": empty}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        yield {"type": "message_delta", "delta": stop, "usage": reply["usage"]}
        yield {"type": "message_stop"}
        return
    begun = reply | {"status": "in_progress", "output": [], "usage": None}
    place = {"output_index": 0, "item": reply["output"][0]}
    events: list[Event] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", **place},
        {"type": "response.output_item.done", **place},
        {"type": "response.completed", "response": reply},
    ]
    for number, event in enumerate(events):
        yield event | {"sequence_number": number}


def stream_text(events: Iterator[Event]) -> bytes:
    """Return events as a provider writes them."""
    texts = []
    for event in events:
        texts.append(b"event: " + event["type"].encode() + b"\ndata: ")
        texts.append(msgspec.json.encode(event) + b"\n\n")
    return b"".join(texts)


def _is_ours(value: Any) -> bool:
    if get_field(value, "type") not in ("compaction", "compaction_summary"):
        return False
    return str(value.get("encrypted_content") or "").startswith(MARK)
