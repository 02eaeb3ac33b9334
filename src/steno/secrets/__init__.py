"""Find secrets in texts, and mask them.

A summary quotes what tools wrote, and a key that stood once in an old result must not be repeated
by every compaction. So these quotes are masked. The originals stay as they are: taking secrets
out of those is what `redact=` is for, which finds them by this room too.
"""

from __future__ import annotations

from collections.abc import Iterator

from steno.secrets.keys import SecretSpan, find_keys
from steno.secrets.names import named_secrets, secret_names
from steno.secrets.shapes import column_secrets, inserted_secrets, json_secrets

MASK = "[secret]"


def find_named_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield where secrets stand that a name, a table or the shape of JSON gives away."""
    sites = list(secret_names(text))
    yield from named_secrets(text, sites)
    yield from column_secrets(text, sites)
    if sites and "insert" in text.lower():
        yield from inserted_secrets(text)
    yield from json_secrets(text, _find_in_command)


def _find_in_command(text: str) -> Iterator[SecretSpan]:
    yield from find_keys(text)
    yield from named_secrets(text, secret_names(text))


def mask_secrets(text: str) -> str:
    """Return a text with a mark in place of each secret in it."""
    parts: list[str] = []
    at = 0
    for start, stop, _ in sorted((*find_keys(text), *find_named_secrets(text))):
        if text[start:stop] == MASK:
            continue
        if start >= at:
            parts += (text[at:start], MASK)
        at = max(at, stop)
    return "".join((*parts, text[at:]))
