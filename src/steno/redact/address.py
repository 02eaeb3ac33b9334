"""Take secrets out of the address of a request, part by part."""

from __future__ import annotations

from urllib.parse import parse_qsl, quote, unquote, urlencode

from steno.redact.redactor import Redactor

CREDENTIALS = frozenset(("key", "api_key", "api-key", "access_token"))
"""Names under which an address itself holds what a client signs in with, as Gemini's does."""


def redact_path(path: str, redactor: Redactor | None) -> str:
    """Return the path of an address to send, each part of it without secrets."""
    if redactor is None:
        return path
    parts = []
    for part in path.split("/"):
        given = unquote(part)
        clean = redactor.text(given)
        if clean != given:
            part = quote(clean, safe="")
        parts.append(part)
    return "/".join(parts)


def redact_query(query: str, redactor: Redactor | None) -> str:
    """Return what stands behind the `?` of an address to send; a provider's key stays."""
    if redactor is None:
        return query
    given = parse_qsl(query, keep_blank_values=True)
    clean = []
    for name, value in given:
        if name not in CREDENTIALS:
            value = redactor.plain(value, key=name)
        clean.append((redactor.plain(name), value))
    if clean == given:
        return query
    return urlencode(clean, quote_via=quote)
