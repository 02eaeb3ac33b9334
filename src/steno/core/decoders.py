"""Decoders of our own types, made one at a time.

msgspec learns a class when it is first decoded, and crashes the process if another thread uses
the class meanwhile. Whatever reads a type goes through here, or holds `first_use`.
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

first_use = threading.RLock()


def json_decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    """Return a decoder of a type, which threads may share."""
    with first_use:
        return msgspec.json.Decoder(kind)


def convert(value: Any, kind: type[T]) -> T:
    """Return plain values as a type; raise `msgspec.ValidationError` for wrong ones."""
    json_decoder(kind)
    return msgspec.convert(value, kind)
