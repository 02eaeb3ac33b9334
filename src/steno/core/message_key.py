"""Which message it is, whoever sends it again: canonical keys, and the chain of them.

A caller who keeps no session resends everything, and what comes back is not
always the same text: a cache mark has moved, an SDK has filled in its defaults,
a string has become one text block. The canonical key is the same for all of
these. A chain key stands for a message and everything before it.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

from steno.core.message import Message

KEY_SIZE = 16
EMPTY_CHAIN = bytes(KEY_SIZE)
"""The chain key of nothing said."""
IGNORED_FIELDS = frozenset({"cache_control"})
TEXT_TYPES = frozenset({"input_text", "output_text"})
"""What a text block is called by who sends it."""
SDK_DEFAULTS: dict[str, tuple[Any, ...]] = {
    "is_error": (False,),
    "annotations": ([],),
    "citations": ([],),
    "caller": ({"type": "direct"},),
    "tool_calls": ([],),
    "logprobs": ([],),
    "status": ("completed",),
}
"""What SDKs fill in where nothing was said."""


def message_key(message: Message) -> bytes:
    """The canonical key of one message."""
    said = (
        canonical_json(message.raw)
        if message.raw is not None
        else repr((message.role, message.blocks))
    )
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=KEY_SIZE).digest()


def next_chain_key(before: bytes, message: Message) -> bytes:
    """The key of a message after all that came before it."""
    return blake2b(before + message_key(message), digest_size=KEY_SIZE).digest()


def canonical_json(raw: str) -> str:
    """JSON text that two sendings of one message share."""
    return json.dumps(_canonical_value(json.loads(raw)), sort_keys=True, separators=(",", ":"))


def _canonical_value(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {
            key: _canonical_value(each)
            for key, each in value.items()
            if not _says_nothing(key, each)
        }
        if kept.get("type") in TEXT_TYPES:
            kept["type"] = "text"
        if isinstance(kept.get("content"), str) and (
            "role" in kept or kept.get("type") == "tool_result"
        ):
            kept["content"] = [{"text": kept["content"], "type": "text"}]
        return kept
    if isinstance(value, list):
        return [_canonical_value(each) for each in value]
    return value


def _says_nothing(key: str, value: Any) -> bool:
    return value is None or key in IGNORED_FIELDS or value in SDK_DEFAULTS.get(key, ())
