"""Keys that identify a message when it is sent again.

A caller without a session resends everything, and the text is not always the same: a cache mark
has moved, an SDK has filled in its defaults. The canonical key is the same for all of these. A
chain key identifies a message and everything before it.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

from steno.core.message import Message

KEY_SIZE = 16
EMPTY_CHAIN = bytes(KEY_SIZE)
"""The chain key of an empty list."""
IGNORED_FIELDS = frozenset({"cache_control"})
ARGUMENTS = frozenset({"input", "args", "arguments"})
"""Fields that hold what a call says."""
TEXT_TYPES = frozenset({"input_text", "output_text"})
"""Other names for the type `text`."""
SDK_DEFAULTS: dict[str, tuple[Any, ...]] = {
    "is_error": (False,),
    "annotations": ([],),
    "citations": ([],),
    "caller": ({"type": "direct"},),
    "tool_calls": ([],),
    "logprobs": ([],),
    "status": ("completed",),
}
"""Values that SDKs fill in by default."""


def message_key(message: Message) -> bytes:
    """Return the canonical key of one message."""
    if message.raw is None:
        text = repr((message.role, message.blocks))
    else:
        said = _canonical_value(json.loads(message.raw))
        text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_SIZE).digest()


def next_chain_key(before: bytes, message: Message) -> bytes:
    """Return the chain key of a message after the chain key before it."""
    return blake2b(before + message_key(message), digest_size=KEY_SIZE).digest()


def _canonical_value(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {
            # What a call says is the model's own, whatever its fields are called.
            key: inner if key in ARGUMENTS else _canonical_value(inner)
            for key, inner in value.items()
            # An SDK may write a field that is not set as null, or leave it out.
            if inner is not None
            and key not in IGNORED_FIELDS
            and inner not in SDK_DEFAULTS.get(key, ())
        }
        if kept.get("type") in TEXT_TYPES:
            kept["type"] = "text"
        # Only where the API takes both forms for the same thing: in a message and in a result.
        if isinstance(kept.get("content"), str) and (
            "role" in kept or kept.get("type") == "tool_result"
        ):
            kept["content"] = [{"text": kept["content"], "type": "text"}]
        return kept
    if isinstance(value, list):
        return [_canonical_value(inner) for inner in value]
    return value
