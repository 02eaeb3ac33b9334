"""Keys that identify a message when it is sent again.

A caller without a session resends everything, and the text is not always the same: a cache mark
has moved, an SDK has filled in its defaults. The canonical key is the same for all of these, and
for nothing that anyone said: two lists with equal keys may be of two callers. A chain key
identifies a message and everything before it.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import Any

from steno.core.message import Message
from steno.core.word_tables import words_of

KEY_SIZE = 16
EMPTY_CHAIN = bytes(KEY_SIZE)
"""The chain key of an empty list."""
ENVELOPE = words_of(
    "content parts additional_kwargs tool_calls function function_call function_response"
    " functionCall functionResponse toolUse toolResult reasoningContent reasoningText"
    " citationsContent searchResult guardContent image document source inlineData inline_data"
    " fileData file_data citations annotations summary action results output"
)
"""Fields whose objects are the provider's own. What any other field holds is what somebody said:
the arguments of a call, a result as JSON, metadata."""
CACHE_MARK = "cache_control"
_CACHE_TIME = re.compile(r"[0-9]{1,6}[smhd]")
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
    """Return an object of the provider's, or a list of them, without what says nothing."""
    if isinstance(value, dict):
        kept = {
            key: _canonical_value(inner) if key in ENVELOPE else inner
            for key, inner in value.items()
            # An SDK may write a field that is not set as null, or leave it out.
            if inner is not None
            and not (key == CACHE_MARK and _is_cache_mark(inner))
            and inner not in SDK_DEFAULTS.get(key, ())
        }
        kind = kept.get("type")
        if isinstance(kind, str) and kind in TEXT_TYPES:
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


def _is_cache_mark(value: Any) -> bool:
    """Tell whether a value is a mark as providers define it: any other may hold words."""
    if not isinstance(value, dict) or value.get("type") != "ephemeral":
        return False
    time = value.get("ttl")
    return value.keys() <= {"type", "ttl"} and (
        time is None or (isinstance(time, str) and _CACHE_TIME.fullmatch(time) is not None)
    )
