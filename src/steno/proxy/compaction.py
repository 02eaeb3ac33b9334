"""Requests to compact, answered here instead of by a provider.

Both providers let a client have its conversation compacted and go on from one item that
stands for it. Here the item holds no words: it names a session and a place in it, sealed
with the store's key. The session is compacted; its originals stay. When the item comes
back, the list is made whole again from the log, and goes upstream as the session's view.
"""

from __future__ import annotations

import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest
from typing import Any, Literal

import msgspec

from steno.core.errors import BadInput
from steno.core.store import SessionKey
from steno.proxy.body import JsonPiece, RequestBody

COMPACT_PATH = "/responses/compact"
MARK = "steno1."
"""Beginning of every sealed item: a provider's own has another."""
NONCE_BYTES = TAG_BYTES = 16
EDIT_TYPE = "compact_20260112"
EDIT_TRIGGER = 150_000
"""Tokens from which that edit compacts, if it does not say."""
Event = dict[str, Any]
Kind = Literal["compact", "trigger", "messages"]


class WrongSeal(BadInput):
    """An item that looks like ours and cannot be opened here."""


@dataclass(frozen=True)
class SealedPlace:
    """Where the past that an item stands for is kept."""

    session: str
    user: str
    messages: int
    """Messages of the client's list, from its beginning."""
    id: str = ""
    """The session's id: another one may have its name later."""

    @property
    def key(self) -> str:
        """Name of the session, bound to it; an item of an older Steno has the name alone."""
        if self.id:
            return SessionKey(self.session, self.id)
        return self.session


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


class Sealer:
    """Makes places unreadable for all who lack a key."""

    def __init__(self, key: bytes | None = None) -> None:
        """Use a store's key, or one that ends with this process."""
        self._key = key or secrets.token_bytes(32)

    def seal(self, place: SealedPlace) -> str:
        plain = msgspec.json.encode([place.session, place.user, place.messages, place.id])
        nonce = secrets.token_bytes(NONCE_BYTES)
        hidden = self._mask(nonce, plain)
        return MARK + urlsafe_b64encode(nonce + hidden + self._tag(nonce + hidden)).decode()

    def open(self, text: str) -> SealedPlace:
        """Return the place; raise WrongSeal if it was not sealed with this key."""
        try:
            raw = urlsafe_b64decode(text.removeprefix(MARK).encode())
        except ValueError:
            raw = b""
        sealed, tag = raw[:-TAG_BYTES], raw[-TAG_BYTES:]
        if len(sealed) < NONCE_BYTES or not compare_digest(tag, self._tag(sealed)):
            raise WrongSeal(
                "this compaction was not made by a proxy over this store, or it was changed"
            )
        nonce, hidden = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
        return SealedPlace(*msgspec.json.decode(self._mask(nonce, hidden)))

    def _mask(self, nonce: bytes, text: bytes) -> bytes:
        """Join a text with a keyed stream of bytes; twice gives the text again."""
        stream = b""
        while len(stream) < len(text):
            count = len(stream).to_bytes(8)
            stream += blake2b(nonce + count, key=self._key, person=b"steno mask").digest()
        return bytes(one ^ other for one, other in zip(text, stream, strict=False))

    def _tag(self, text: bytes) -> bytes:
        return blake2b(text, digest_size=TAG_BYTES, key=self._key, person=b"steno seal").digest()


def kind_of(path: str, body: RequestBody) -> Kind | None:
    """Tell how a request asks for a compaction, if it does."""
    if path.rstrip("/").endswith(COMPACT_PATH):
        return "compact"
    if body.get("compaction") and "messages" in body:
        return "messages"
    items = body.pieces("input")
    if items and _kind(items[-1].plain) == "compaction_trigger":
        return "trigger"
    return None


def focus_of(body: RequestBody) -> str:
    """Return what a request wants kept above all, if it says so."""
    asked = body.get("compaction")
    if isinstance(asked, Mapping):
        return str(asked.get("instructions") or "").strip()
    return ""


def without_trigger(messages: Sequence[Any]) -> list[Any]:
    return [piece for piece in messages if _kind(piece.plain) != "compaction_trigger"]


def sealed_in(piece: Any) -> tuple[str, list[Any]] | None:
    """Return the text of an item of ours in a message, and what else the message says."""
    # Most messages hold none, and reading their JSON takes time.
    if not isinstance(piece, JsonPiece) or MARK.encode() not in piece.raw:
        return None
    plain = piece.plain
    if _is_sealed(plain):
        return plain["encrypted_content"], []
    content = piece.content
    if not isinstance(content, list):
        return None
    # Of two, the newer stands for the older as well.
    for place in range(len(content) - 1, -1, -1):
        if _is_sealed(content[place]):
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
    management = body.get("context_management")
    if not isinstance(management, Mapping):
        return None
    edits = management.get("edits")
    if not isinstance(edits, list) or [_kind(edit) for edit in edits] != [EDIT_TYPE]:
        return None
    [edit] = edits
    tokens = EDIT_TRIGGER
    trigger = edit.get("trigger")
    if isinstance(trigger, Mapping) and isinstance(trigger.get("value"), int):
        tokens = trigger["value"]
    focus = str(edit.get("instructions") or "").strip()
    return CompactionEdit(tokens, focus, edit.get("pause_after_compaction") is True)


def compaction_reply(kind: Kind, sealed: str, model: str, tokens: int) -> Event:
    """Return the answer that came whole."""
    number = secrets.token_hex(12)
    now = int(time.time())
    usage = {"input_tokens": tokens, "output_tokens": 0}
    if kind == "messages":
        block = {
            "type": "compaction",
            "content": "The conversation up to here is kept by Steno, whose proxy puts it back.",
            "encrypted_content": sealed,
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
    item = {"id": f"cmp_{number}", "type": "compaction", "encrypted_content": sealed}
    usage_details = {
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens,
    }
    reply = {
        "id": f"resp_{number}",
        "object": "response.compaction",
        "created_at": now,
        "output": [item],
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


def reply_events(kind: Kind, reply: Event) -> Iterator[Event]:
    """Yield the events in which the same answer is streamed."""
    if kind == "messages":
        [block] = reply["content"]
        begun = reply | {"content": [], "stop_reason": None}
        delta = {**block, "type": "compaction_delta"}
        stop = {"stop_reason": "compaction", "stop_sequence": None}
        yield {"type": "message_start", "message": begun}
        empty = {"type": "compaction", "content": None}
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


def _is_sealed(value: Any) -> bool:
    if _kind(value) not in ("compaction", "compaction_summary"):
        return False
    return str(value.get("encrypted_content") or "").startswith(MARK)


def _kind(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value.get("type")
    return None
