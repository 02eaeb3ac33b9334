"""Files as lines, and lines as rows of JSON; every complaint says file and line.

A line keeps its end, so that what was read can be written again. One line is
held at a time. What the rows mean is each format's business.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from steno.core.error import BadTranscript
from steno.transcript.piece import Aside
from steno.wire.plain import value_of

LINE_MOST = 128 * 1024 * 1024
"""Bytes of one line; a longer one is no transcript, and would not fit into memory several times over."""
GZIP = b"\x1f\x8b"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
BOM = "\ufeff"
BLANK = " \t\r\n" + BOM
_scan = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Row:
    """One JSON value and the text it stands in; None for a blank line, or for one that is cut off."""

    number: int
    text: str
    value: Any
    warning: str | None = None

    @property
    def aside(self) -> Aside:
        return Aside((self.text,), warning=self.warning)


def open_lines(path: str | Path) -> Iterator[str]:
    """The lines of a text file, gzipped or not, each with its end."""
    file = Path(path)
    try:
        with file.open("rb") as plain:
            packed = plain.read(2) == GZIP
            plain.seek(0)
            handle = cast(BinaryIO, gzip.GzipFile(fileobj=plain)) if packed else plain
            yield from _decoded(handle, file.name)
    except IsADirectoryError:
        raise BadTranscript(str(path), "is a directory; name the file of one session") from None
    except FileNotFoundError:
        raise BadTranscript(str(path), "there is no such file") from None
    except OSError as error:
        raise BadTranscript(str(path), f"cannot be read: {error.strerror or error}") from None


def _decoded(handle: BinaryIO, name: str) -> Iterator[str]:
    number = 0
    try:
        while line := handle.readline(LINE_MOST + 1):
            number += 1
            if len(line) > LINE_MOST:
                raise BadTranscript(f"{name}:{number}", f"the line is longer than {LINE_MOST >> 20} MB")
            yield _text(line, f"{name}:{number}")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadTranscript(f"{name}:{number + 1}", f"the gzip file is damaged or cut off: {error}") from None
    if number == 0:
        raise BadTranscript(name, "the file is empty")


def _text(line: bytes, where: str) -> str:
    if line.startswith(UTF_16):
        raise BadTranscript(where, "the text is UTF-16; save it as UTF-8")
    if b"\0" in line:
        raise BadTranscript(where, "this is a binary file, not text")
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        bad = line[error.start]
        raise BadTranscript(where, f"not UTF-8: byte 0x{bad:02x} at column {error.start + 1}") from None


def rows(lines: Iterable[str], name: str, strict: bool) -> Iterator[Row]:
    """The lines as JSON; two objects on one line are two rows."""
    for number, text in enumerate(lines, start=1):
        if not text.startswith("{") and text.strip(BLANK) == "":
            yield Row(number, text, None)
            continue
        try:
            yield Row(number, text, value_of(text.lstrip(BOM)))
        except RecursionError:
            raise BadTranscript(f"{name}:{number}", "nested too deeply to be read") from None
        except ValueError as error:
            yield from _pieced(number, text, f"{name}:{number}", strict, error)


def _pieced(number: int, text: str, where: str, strict: bool, error: ValueError) -> Iterator[Row]:
    """The rows of a line on which a writer forgot to end one, or which is not finished yet."""
    found: list[Row] = []
    start = at = 0
    while at < len(text):
        at += len(text[at:]) - len(text[at:].lstrip(BLANK))
        try:
            value, end = _scan(text, at)
        except ValueError:
            break
        if not isinstance(value, dict):
            break
        end = len(text) if text[end:].strip(BLANK) == "" else end
        found.append(Row(number, text[start:end], value))
        start = at = end
    if start == len(text):
        yield from found
        return
    # Only the very last line of a file has no end.
    if strict or text.endswith("\n") or not text[at:].startswith("{"):
        raise BadTranscript(where, f"not JSON: {error}")
    yield from found
    yield Row(number, text[start:], None, f"{where}: the last line is cut off; it is kept and not read")


def value_in(text: str) -> Any:
    """The JSON value of a line that was read before; None where it had none."""
    return next((row.value for row in rows([text], "", strict=False)), None)


def ending(text: str) -> str:
    """How a line ends; as most do where it has no end."""
    return "\r\n" if text.endswith("\r\n") else "\n"


@dataclass(frozen=True, slots=True)
class Line:
    """A line to write; `made` if it was not there before."""

    text: str
    made: bool = False


def joined(lines: Iterable[Line]) -> Iterator[str]:
    """The texts, a made one always on a line of its own."""
    before = Line("\n")
    for line in lines:
        if not line.text:
            continue
        if (line.made or before.made) and not before.text.endswith("\n"):
            yield "\n"
        yield line.text
        before = line
