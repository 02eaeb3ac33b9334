"""A fact: something checkable that a message says, who wrote the words, and its kind.

The facts of a message are a pure function of it; its position in a log is not part of
them. How facts of many messages add up is computed in `ledger`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from steno.core.decoders import json_decoder
from steno.core.message import Value

FACTS_VERSION = 57
"""Version of the readers; facts stored by another version are read again."""

Trust = Literal["system", "person", "assistant", "tool"]


class Fact(Value, gc=False):
    """One checkable thing that a message says."""

    kind: str
    """Which reader found it: a name of `facts.kinds`, or `atom` for an identifier."""
    words: str
    """Exactly as said."""
    trust: Trust
    """Who wrote the words, whatever the role they came under."""
    block: int = 0
    """Which block of the message says it."""
    key: str = ""
    """Two facts of one kind and key are about the same thing."""
    note: str = ""
    """What its kind adds: an action, a state, a command, a reason."""


FactAt = tuple[int, Fact]
"""A fact and the position of the message that states it."""


def encode_facts(facts: tuple[Fact, ...]) -> bytes | None:
    """Encode facts for a store; None if JSON cannot hold one, so that they are read again."""
    try:
        return msgspec.json.encode(facts)
    # Words of a broken text may hold a lone surrogate.
    except UnicodeEncodeError:
        return None


_FACTS = json_decoder(tuple[Fact, ...])


def decode_facts(kept: bytes) -> tuple[Fact, ...] | None:
    """Decode stored facts; None if they cannot be read."""
    try:
        return _FACTS.decode(kept)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
