"""Content codings: the plain bytes of compressed bodies, never more than a bound."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from functools import partial

from steno.core.errors import BadInput, install_extra

READABLE_CODINGS = ("gzip", "deflate", "identity")
"""Codings of replies that can be read piece by piece; the provider is asked for no other."""


class BodyTooLong(Exception):
    """A body's plain bytes are more than the bound."""


def decompressor(coding: str, most: int) -> Callable[[bytes], bytes] | None:
    """Return what makes plain bytes of pieces of a reply, or None for an unknown coding.

    It stops past `most` bytes of a piece: a few coded bytes can stand for any number.
    """
    match coding.strip().lower():
        case "" | "identity":
            return bytes
        case "gzip":
            coded = zlib.decompressobj(zlib.MAX_WBITS | 16)
        case "deflate":
            coded = zlib.decompressobj()
        case _:
            return None
    return partial(coded.decompress, max_length=most + 1)


def plain_body(raw: bytes, coding: str, most: int) -> bytes:
    """Return the plain bytes of a request's body; raise BadInput if they cannot be read.

    Raise BodyTooLong if they are more than `most`.
    """
    if coding.strip().lower() == "zstd":
        plain = _from_zstd(raw, most)
    else:
        decompress = decompressor(coding, most)
        if decompress is None:
            raise BadInput(f"bodies with the content-encoding {coding[:40]!r} cannot be read here")
        try:
            plain = decompress(raw)
        except zlib.error:
            raise BadInput(f"a body is not {coding} as its header says") from None
    if len(plain) > most:
        raise BodyTooLong
    return plain


def _from_zstd(raw: bytes, most: int) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise BadInput(
            f"requests compressed by zstd pass unread; to read them, {install_extra('proxy')}"
        ) from None
    try:
        return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(raw)).read(most + 1)
    except zstandard.ZstdError:
        raise BadInput("a body is not zstd as its header says") from None
