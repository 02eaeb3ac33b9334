"""Content codings: the plain bytes of compressed bodies, never more than a bound."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

from steno.core.errors import BadInput, install_extra

READABLE_CODINGS = ("gzip", "deflate", "identity")
"""Codings of replies that can be read piece by piece; the provider is asked for no other."""
WINDOW_BITS = {"gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}
STEP = 1_024
"""Coded bytes that are read at once: so many of zstd can stand for 32 million plain ones."""


class BodyTooLong(Exception):
    """A body's plain bytes are more than the bound."""


def decompressor(coding: str, most: int) -> Callable[[bytes], bytes] | None:
    """Return what makes plain bytes of pieces of a reply, or None for an unknown coding.

    It stops past `most` bytes of a piece: a few coded bytes can stand for any number.
    """
    coding = coding.strip().lower()
    if coding in ("", "identity"):
        return bytes
    if coding not in WINDOW_BITS:
        return None
    return partial(zlib.decompressobj(WINDOW_BITS[coding]).decompress, max_length=most + 1)


def plain_body(raw: bytes, coding: str, most: int) -> bytes:
    """Return the plain bytes of a request's body; raise BadInput if they cannot be read whole.

    Raise BodyTooLong if they are more than `most`.
    """
    name = coding.strip().lower()
    if name in ("", "identity"):
        return raw
    decoder, error = _decoder(name)
    plain = bytearray()
    try:
        for start in range(0, len(raw), STEP):
            plain += decoder.decompress(raw[start : start + STEP])
            if len(plain) > most:
                raise BodyTooLong
    except error:
        raise BadInput(f"a body is not {name} as its header says") from None
    if not decoder.eof or decoder.unused_data:
        raise BadInput(f"a body is not one whole stream of {name}")
    return bytes(plain)


def _decoder(coding: str) -> tuple[Any, type[Exception]]:
    """Return an object that decodes pieces, and the error that it raises."""
    if coding in WINDOW_BITS:
        return zlib.decompressobj(WINDOW_BITS[coding]), zlib.error
    if coding != "zstd":
        raise BadInput(f"bodies with the content-encoding {coding[:40]!r} cannot be read here")
    try:
        import zstandard
    except ImportError:
        raise BadInput(
            f"requests compressed by zstd pass unread; to read them, {install_extra('proxy')}"
        ) from None
    return zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError
