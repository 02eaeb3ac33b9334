"""Redaction: take secrets out of messages before they are kept or sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from steno.core.errors import BadInput, NotHere
from steno.providers import json_text, parse_json
from steno.redact.redactor import Redactor

__all__ = ["Redactor", "hide_secrets_in_errors", "redact_body", "redactor_of"]


def redactor_of(redact: Any) -> Redactor | None:
    """Return the redactor for the option `redact`; None for no redaction."""
    if redact is None or redact is False:
        return None
    if redact is True:
        return Redactor()
    if isinstance(redact, Redactor):
        return redact
    return Redactor(redact)


def redact_body(raw: Any, redactor: Redactor) -> bytes:
    """Return a body without its secrets; raise BadInput if it cannot be read.

    It is written from its values: of a field that came twice, only the value that was read is
    left.
    """
    if not raw:
        return b""
    try:
        # A file or another stream is no bytes.
        value = parse_json(bytes(raw).decode())
        return json_text(redactor.plain(value)).encode()
    except (TypeError, ValueError, RecursionError):
        raise BadInput("secrets can be taken out of JSON alone, and this is none") from None


@contextmanager
def hide_secrets_in_errors(redactor: Redactor | None) -> Iterator[None]:
    """Take secrets out of an error of Steno's that is raised in here: it quotes what it refuses."""
    try:
        yield
    except (BadInput, NotHere) as refused:
        if redactor is None:
            raise
        refused.args = tuple(redactor.plain(list(refused.args)))
        vars(refused).update(redactor.plain(vars(refused)))
        # What it was raised for quotes the same; some loggers print it in any case.
        refused.__context__ = None
        raise refused from None
