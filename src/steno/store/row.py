"""How a message, a commit and the facts of a message lie in a row, and whether they still do.

A disk may forget without a word, so everything is kept beside its hash. Words
and commits that do not match theirs are an error; facts are only read again.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TypeVar

import msgspec

from steno.core.message import ABSENT, Message
from steno.core.store import Read
from steno.store.failure import Damaged

HASH = 16
"""Bytes of one."""

Body = TypeVar("Body", str, bytes)


def digest(body: str | bytes) -> bytes:
    said = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    return blake2b(said, digest_size=HASH).digest()


def sound(body: Body, hash: bytes) -> Body:
    """What was written, or an error."""
    if body is None or digest(body) != hash:
        raise Damaged("a body does not match its hash")
    return body


def written(message: Message) -> tuple[str, str]:
    """How a message is kept: the provider's own text, or ours."""
    if message.role == "absent":
        return "absent", ""
    if message.raw is not None and not message.patches:
        return "wire", message.raw
    return "steno", msgspec.json.encode(message).decode()


def message_of(form: str, text: str, by: str, read: Read) -> Message:
    match form:
        case "wire":
            message = read(text)
            return message if by == "caller" else msgspec.structs.replace(message, by=by)
        case "steno":
            return msgspec.json.decode(text, type=Message)
        case "absent":
            return ABSENT
    raise Damaged(f"no message is kept as {form!r}")


def sealed(row: int, vocabulary: int, facts: bytes) -> bytes:
    """Facts behind a hash that binds them to their row and their vocabulary."""
    return digest(b"%d %d " % (row, vocabulary) + facts) + facts


def unsealed(row: int, vocabulary: int, kept: bytes) -> bytes | None:
    """The facts of a row; None where these are not the ones that were written there."""
    facts = kept[HASH:]
    return facts if sealed(row, vocabulary, facts) == kept else None
