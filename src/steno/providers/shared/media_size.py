"""The size of a picture or a document, read from its data.

Only the head of a picture's base64 is decoded; pixels are never read. A size that
cannot be read stays unknown: it is never guessed and never an error. The meters
decide how many tokens an unknown size counts.
"""

from __future__ import annotations

import binascii
import re
import struct
import zlib

from steno.core.message import Media

HEAD_CHARACTERS = 4_096
"""Base64 characters to read for a header."""
JPEG_HEAD = 1 << 20
"""The same for a JPEG, whose size may come after embedded thumbnails and profiles."""
PDF_LIMIT = 48 << 20
"""Base64 characters of a PDF that are searched for pages; providers refuse longer ones."""
PDF_TEXT_LIMIT = 4 << 20
"""Bytes of a PDF's unpacked pages that are read; a longer one counts as a shorter one."""

URL_SAFE = str.maketrans("-_", "+/")
PixelSize = tuple[int, int]

_DATA_URL = re.compile(r"data:[^,]{0,200},", re.IGNORECASE)
_REMOTE = re.compile(r"(?:https?|gs|s3|file):", re.IGNORECASE)
_LINEARIZED_PAGES = re.compile(rb"/Linearized\b[^>]{0,300}?/N\s+(\d{1,6})\b")
_PAGE = re.compile(rb"/Type\s{0,8}/Page(?![A-Za-z])")
_PDF_STREAM = re.compile(rb"stream\r?\n(.*?)endstream", re.DOTALL)
_PDF_SHOWS = re.compile(rb"\bT[jJ]\b")
"""The operators of a page that show text."""
_PDF_STRING = re.compile(rb"\(((?:\\.|[^\\()])*)\)|<([0-9A-Fa-f]+)>", re.DOTALL)
_MP3_KILOBITS = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0)
_JPEG_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""JPEG markers whose segment states the picture's size."""
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
"""JPEG markers without a segment; 0xFF itself is a fill byte."""


def measure_media(kind: str, media_type: str | None, data: str | None) -> Media:
    """Return a media block with the size that its base64 data or data URL states."""
    # Nothing is fetched: a remote picture counts as one of unknown size.
    if not data or _REMOTE.match(data, 0, 16):
        return Media(kind)
    start = 0
    if url := _DATA_URL.match(data):
        start = url.end()
    head = _decode_base64(data, start, HEAD_CHARACTERS)
    size = _byte_count(data, start)
    if head.startswith(b"%PDF") or "pdf" in (media_type or ""):
        pdf = _decode_base64(data, start, PDF_LIMIT)
        return Media(kind, size=size, pages=_pdf_pages(pdf), characters=_pdf_characters(pdf))
    if kind == "document" and _is_text(head):
        return Media(kind, size=size, characters=size)
    if kind in ("audio", "video"):
        # What says how long a video is may stand at its end.
        whole = _decode_base64(data, start, PDF_LIMIT)
        return Media(kind, size=size, seconds=_seconds(whole))
    if head.startswith(b"\xff\xd8"):
        # The small head is enough for most pictures, and decoding a megabyte takes time.
        extent = _jpeg_size(head) or _jpeg_size(_decode_base64(data, start, JPEG_HEAD))
    else:
        extent = _picture_size(head)
    if extent is None or 0 in extent:
        return Media(kind, size=size)
    return Media(kind, *extent, size=size)


def _decode_base64(data: str, start: int, limit: int) -> bytes:
    """Return the bytes of the first `limit` characters; none if they are not base64."""
    text = "".join(data[start : start + limit].split()).rstrip("=")
    # Four characters are three bytes: one alone is none, and two or three are padded.
    if len(text) % 4 == 1:
        text = text[:-1]
    try:
        return binascii.a2b_base64(text.translate(URL_SAFE) + "===")
    except ValueError:
        return b""


def _byte_count(data: str, start: int) -> int:
    breaks = data.count("\n", start) + data.count("\r", start)
    padding = data.count("=", max(start, len(data) - 4))
    return (len(data) - start - breaks) * 3 // 4 - padding


def _picture_size(head: bytes) -> PixelSize | None:
    """Return the size that a PNG, a GIF or a WebP states."""
    if len(head) < 30:
        return None
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return struct.unpack_from(">II", head, 16)
    if head.startswith((b"GIF87a", b"GIF89a")):
        return struct.unpack_from("<HH", head, 6)
    match head[8:16]:
        case b"WEBPVP8X":
            width = int.from_bytes(head[24:27], "little")
            height = int.from_bytes(head[27:30], "little")
            return width + 1, height + 1
        case b"WEBPVP8L":
            # Two numbers of 14 bits, each one less than the size.
            bits = int.from_bytes(head[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"WEBPVP8 ":
            # The upper two bits of each are a scale, not size.
            width, height = struct.unpack_from("<HH", head, 26)
            return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg_size(head: bytes) -> PixelSize | None:
    """Walk the segments to the one that states the size of the frame."""
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker in _JPEG_BARE:
            at += 2
            continue
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", head, at + 5)
            return width, height
        at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return None


def _is_text(head: bytes) -> bool:
    try:
        # The last character may have been cut.
        head[:-4].decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in head


def _seconds(data: bytes) -> float | None:
    """Return how long a WAV, an MP3 or an MP4 is; None for others."""
    if data.startswith(b"RIFF") and len(data) >= 44:
        rate = int.from_bytes(data[28:32], "little")
        return len(data) / rate if rate else None
    start = 0
    if data.startswith(b"ID3") and len(data) >= 10:
        # Seven bits of each byte are the size of the tag.
        for byte in data[6:10]:
            start = start << 7 | byte
        start += 10
    if data[start : start + 2] in (b"\xff\xfb", b"\xff\xfa") and len(data) > start + 2:
        rate = _MP3_KILOBITS[data[start + 2] >> 4] * 125
        return (len(data) - start) / rate if rate else None
    header = data.find(b"mvhd")
    if header < 0 or len(data) < header + 36:
        return None
    scale, length = struct.unpack_from(">II", data, header + 16)
    if data[header + 4] == 1:
        scale, length = struct.unpack_from(">IQ", data, header + 24)
    return length / scale if scale else None


def _pdf_characters(pdf: bytes) -> int | None:
    """Return how many characters the pages of a PDF show; None if no page can be read."""
    characters: int | None = None
    room = PDF_TEXT_LIMIT
    for stream in _PDF_STREAM.finditer(pdf):
        content = stream[1]
        try:
            content = zlib.decompressobj().decompress(content, room)
        except zlib.error:
            content = content[:room]
        room -= len(content)
        if _PDF_SHOWS.search(content):
            strings = _PDF_STRING.findall(content)
            shown = sum(len(plain) + len(coded) // 4 for plain, coded in strings)
            characters = (characters or 0) + shown
        if room <= 0:
            break
    return characters


def _pdf_pages(pdf: bytes) -> int | None:
    """Return the pages of a PDF; None if all are inside compressed object streams."""
    # The format puts this dictionary at the very front of a file.
    if stated := _LINEARIZED_PAGES.search(pdf, 0, 2_048):
        return int(stated[1]) or None
    return sum(1 for _ in _PAGE.finditer(pdf)) or None
