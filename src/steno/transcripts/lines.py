"""Files as lines, and lines as rows of JSON; every complaint says file and line.

A line keeps its end, so that what was read can be written again. One line is
held at a time. What the rows mean is each format's business.

The first lines of a file as JSON objects, for formats to recognise themselves by.

A list inside a line: its items one by one, the text around them untouched.

Each item keeps the comma and the space before it, so that items, head and tail
put together are the line again. What an item means is each format's business.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any, BinaryIO, cast

from steno.core.errors import BadTranscript
from steno.transcripts.format import Aside, Json
from steno.wires.plain_json import parse_json

LINE_MOST = 128 * 1024 * 1024
"""Bytes of one line; a longer one is no transcript, and would not fit into memory several times over."""
GZIP = b"\x1f\x8b"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
BOM = "\ufeff"
BLANK = " \t\r\n" + BOM
_scan = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class JsonRow:
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
            yield from _decode_lines(handle, file.name)
    except IsADirectoryError:
        raise BadTranscript(str(path), "is a directory; name the file of one session") from None
    except FileNotFoundError:
        raise BadTranscript(str(path), "there is no such file") from None
    except OSError as error:
        raise BadTranscript(str(path), f"cannot be read: {error.strerror or error}") from None


def _decode_lines(handle: BinaryIO, name: str) -> Iterator[str]:
    number = 0
    try:
        while line := handle.readline(LINE_MOST + 1):
            number += 1
            if len(line) > LINE_MOST:
                raise BadTranscript(
                    f"{name}:{number}", f"the line is longer than {LINE_MOST >> 20} MB"
                )
            yield _decode_line(line, f"{name}:{number}")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadTranscript(
            f"{name}:{number + 1}", f"the gzip file is damaged or cut off: {error}"
        ) from None
    if number == 0:
        raise BadTranscript(name, "the file is empty")


def _decode_line(line: bytes, where: str) -> str:
    if line.startswith(UTF_16):
        raise BadTranscript(where, "the text is UTF-16; save it as UTF-8")
    if b"\0" in line:
        raise BadTranscript(where, "this is a binary file, not text")
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        bad = line[error.start]
        raise BadTranscript(
            where, f"not UTF-8: byte 0x{bad:02x} at column {error.start + 1}"
        ) from None


def rows(lines: Iterable[str], name: str, strict: bool) -> Iterator[JsonRow]:
    """The lines as JSON; two objects on one line are two rows."""
    for number, text in enumerate(lines, start=1):
        if not text.startswith("{") and text.strip(BLANK) == "":
            yield JsonRow(number, text, None)
            continue
        try:
            yield JsonRow(number, text, parse_json(text.lstrip(BOM)))
        except RecursionError:
            raise BadTranscript(f"{name}:{number}", "nested too deeply to be read") from None
        except ValueError as error:
            yield from _split_rows(number, text, f"{name}:{number}", strict, error)


def _split_rows(
    number: int, text: str, where: str, strict: bool, error: ValueError
) -> Iterator[JsonRow]:
    """The rows of a line on which a writer forgot to end one, or which is not finished yet."""
    found: list[JsonRow] = []
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
        found.append(JsonRow(number, text[start:end], value))
        start = at = end
    if start == len(text):
        yield from found
        return
    # Only the very last line of a file has no end.
    if strict or text.endswith("\n") or not text[at:].startswith("{"):
        raise BadTranscript(where, f"not JSON: {error}")
    yield from found
    yield JsonRow(
        number, text[start:], None, f"{where}: the last line is cut off; it is kept and not read"
    )


def line_value(text: str) -> Any:
    """The JSON value of a line that was read before; None where it had none."""
    return next((row.value for row in rows([text], "", strict=False)), None)


def line_ending(text: str) -> str:
    """How a line ends; as most do where it has no end."""
    if text.endswith("\r\n"):
        return "\r\n"
    return "\n"


@dataclass(frozen=True, slots=True)
class OutputLine:
    """A line to write; `made` if it was not there before."""

    text: str
    made: bool = False


def join_lines(lines: Iterable[OutputLine]) -> Iterator[str]:
    """The texts, a made one always on a line of its own."""
    before = OutputLine("\n")
    for line in lines:
        if not line.text:
            continue
        if (line.made or before.made) and not before.text.endswith("\n"):
            yield "\n"
        yield line.text
        before = line


def head_objects(head: Sequence[str]) -> Iterator[tuple[int, Json]]:
    """The objects of the first lines and their line numbers, up to the first that is none."""
    try:
        for row in rows(head, "", strict=False):
            if isinstance(row.value, dict):
                yield row.number, row.value
    except BadTranscript:
        return


SPACE = " \t\r\n"
_scan_item = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class JsonArray:
    """The text up to and with `[`, the items, and the text from `]` on."""

    head: str
    items: tuple[tuple[str, Any], ...]
    """Text with what parts it from the one before, and value."""
    tail: str


def find_array(text: str, *keys: str) -> JsonArray | None:
    """The list at these keys of a JSON text; None where there is none. Raises ValueError."""
    at = _skip(text, 0, BLANK)
    for key in keys:
        found = _member_start(text, at, key)
        if found is None:
            return None
        at = found
    if text[at : at + 1] != "[":
        return None
    start = end = at + 1
    items: list[tuple[str, Any]] = []
    while text[(at := _skip(text, end, SPACE + ",")) : at + 1] not in ("]", ""):
        value, stop = _scan_item(text, at)
        items.append((text[end:stop], value))
        end = stop
    return JsonArray(text[:start], tuple(items), text[end:])


def _skip(text: str, at: int, letters: str) -> int:
    while at < len(text) and text[at] in letters:
        at += 1
    return at


def _member_start(text: str, at: int, key: str) -> int | None:
    """Where the value of a key of the object at `at` begins."""
    if text[at : at + 1] != "{":
        return None
    at = _skip(text, at + 1, SPACE)
    while text[at : at + 1] == '"':
        name, at = scanstring(text, at + 1)
        at = _skip(text, at, SPACE + ":")
        if name == key:
            return at
        _, at = _scan_item(text, at)
        at = _skip(text, at, SPACE + ",")
    return None


def strip_separator(item: str) -> str:
    """An item without what parts it from the one before."""
    return item.lstrip(SPACE + ",")


class ArrayWriter:
    """Items as they are written: a list that lost or won some still has its commas in place."""

    def __init__(self) -> None:
        self._first = True
        self._before = ""

    def keep(self, text: str) -> str:
        """An item that was there, with what parts it from the one before."""
        item = strip_separator(text)
        before = text[: len(text) - len(item)]
        if "," in before:
            self._before = before
        return self._separate(before, item)

    def add(self, item: str) -> str:
        return self._separate(self._before, item)

    def _separate(self, before: str, item: str) -> str:
        if self._first and "," in before:
            before = before.replace(",", "").lstrip(" ")
        elif not self._first and "," not in before:
            before = self._before or ", "
        self._first = False
        return before + item
