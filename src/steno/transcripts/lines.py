"""Files as lines, lines as rows of JSON, and lists inside a line item by item.

Nothing is lost on the way: a line keeps its end, and an item of a list keeps the
comma and the space before it, so that the parts joined are the file again. One
line is held at a time. Errors say file and line. What a row or an item means is
left to each format.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any, BinaryIO, cast

from steno.core.errors import BadTranscript
from steno.providers.shared.plain_json import parse_json, whole_number
from steno.transcripts.format import Aside, Json

LINE_MOST = 128 * 1024 * 1024
"""Bytes of one line: it is in memory several times while it is read."""
GZIP = b"\x1f\x8b"
BINARY = "this is a binary file, not text"
BINARY_LOOK = 1_000
"""Bytes after a line that is not UTF-8 in which a zero is looked for."""
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
BOM = "\ufeff"
SPACE = " \t\r\n"
BLANK = SPACE + BOM
# The standard library's decoder says where a value ends; msgspec refuses what follows it.
_scan = json.JSONDecoder(parse_int=whole_number).raw_decode
_PARSER_PLACE = re.compile(r"(?: at)?: line \d+ (column \d+) \(char \d+\)$")


@dataclass(frozen=True, slots=True)
class JsonRow:
    """One JSON value and its text; the value is None for a blank line or one that is cut off."""

    number: int
    text: str
    value: Any
    warnings: tuple[str, ...] = ()

    @property
    def aside(self) -> Aside:
        return Aside((self.text,), warnings=self.warnings)


def open_lines(path: str | Path) -> Iterator[str]:
    """Yield the lines of a text file, gzipped or not, each with its end."""
    file = Path(path)
    try:
        with file.open("rb") as plain:
            packed = plain.read(2) == GZIP
            plain.seek(0)
            handle: BinaryIO = plain
            if packed:
                handle = cast(BinaryIO, gzip.GzipFile(fileobj=plain))
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
        # One byte over the limit shows that a line is too long, without reading it whole.
        while line := handle.readline(LINE_MOST + 1):
            number += 1
            if len(line) > LINE_MOST:
                raise BadTranscript(
                    f"{name}:{number}", f"the line is longer than {LINE_MOST >> 20} MB"
                )
            yield _decode_line(line, f"{name}:{number}", handle)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadTranscript(
            f"{name}:{number + 1}", f"the gzip file is damaged or cut off: {error}"
        ) from None
    if number == 0:
        raise BadTranscript(name, "the file is empty")


def _decode_line(line: bytes, where: str, following: BinaryIO) -> str:
    if line.startswith(UTF_16):
        raise BadTranscript(where, "the text is UTF-16; save it as UTF-8")
    if b"\0" in line:
        raise BadTranscript(where, BINARY)
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        # The first line of a picture need not hold a zero, but its next bytes do.
        if b"\0" in following.read(BINARY_LOOK):
            raise BadTranscript(where, BINARY) from None
        bad = line[error.start]
        raise BadTranscript(
            where, f"not UTF-8: byte 0x{bad:02x} at column {error.start + 1}"
        ) from None


def rows(lines: Iterable[str], name: str, strict: bool) -> Iterator[JsonRow]:
    """Yield the lines as JSON; two objects on one line are two rows."""
    for number, text in enumerate(lines, start=1):
        # `startswith` spares almost every line the copy that `strip` makes.
        if not text.startswith("{") and text.strip(BLANK) == "":
            yield JsonRow(number, text, None)
            continue
        try:
            yield JsonRow(number, text, parse_json(text.lstrip(BOM)))
        except RecursionError:
            if strict:
                raise BadTranscript(f"{name}:{number}", "nested too deeply to be read") from None
            warning = f"{name}:{number}: nested too deeply; it is kept but not read"
            yield JsonRow(number, text, None, (warning,))
        except ValueError as error:
            yield from _split_rows(number, text, f"{name}:{number}", strict, error)


def _split_rows(
    number: int, text: str, where: str, strict: bool, error: ValueError
) -> Iterator[JsonRow]:
    """Yield the rows of a line that lacks a line break, or whose end is not written yet."""
    found: list[JsonRow] = []
    start = at = 0
    while at < len(text):
        at += len(text[at:]) - len(text[at:].lstrip(BLANK))
        try:
            value, end = _scan(text, at)
        except (ValueError, RecursionError):
            # What follows a whole row may be anything, also nested too deeply.
            break
        if not isinstance(value, dict):
            break
        if text[end:].strip(BLANK) == "":
            end = len(text)
        found.append(JsonRow(number, text[start:end], value))
        start = at = end
    if start == len(text):
        yield from found
        return
    # The parser counts lines of this text, which is one line of the file.
    problem = _PARSER_PLACE.sub(r" at \1", str(error))
    if strict:
        raise BadTranscript(where, f"not JSON: {problem}")
    yield from found
    warning = f"{where}: not JSON: {problem}"
    # The last line of a file may lack its end: the agent may be writing it now.
    if not text.endswith("\n") and text[at:].startswith("{"):
        warning = f"{where}: the last line is cut off"
    yield JsonRow(number, text[start:], None, (f"{warning}; it is kept but not read",))


def bad_json_words(error: Exception, text: str) -> str:
    """Say what is wrong with a JSON text: most often it only ends too early."""
    if isinstance(error, RecursionError):
        return "nested too deeply to be read"
    if not isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error}"
    whole = text.rstrip()
    # Only the end of the text can end a string that nothing else ended.
    if error.pos >= len(whole) or error.msg.startswith("Unterminated string"):
        line = whole.count("\n") + 1
        column = len(whole) - whole.rfind("\n") - 1
        return f"cut off: the JSON ends in the middle, after line {line:,}, column {column:,}"
    return f"not JSON: {error}"


def read_document(lines: Iterable[str], name: str) -> str:
    """Return the text of a file that is one JSON document."""
    texts: list[str] = []
    size = 0
    for line in lines:
        texts.append(line)
        size += len(line)
        if size > LINE_MOST:
            raise BadTranscript(
                name, f"one JSON document of more than {LINE_MOST >> 20} MB: write a message a line"
            )
    text = "".join(texts)
    try:
        # Only for its errors: finding a list does not notice what is broken around it.
        parse_json(text.lstrip(BOM))
    except (ValueError, RecursionError) as error:
        raise BadTranscript(name, bad_json_words(error, text)) from None
    return text


def refuse_cut_line(head: Sequence[str], name: str) -> None:
    """Raise if a file begins with a line that was meant to be JSON and is not."""
    for number, text in enumerate(head, start=1):
        if text.strip(BLANK) == "":
            continue
        if not text.lstrip(BLANK).startswith("{"):
            return
        try:
            parse_json(text.lstrip(BOM))
        except (ValueError, RecursionError) as error:
            raise BadTranscript(f"{name}:{number}", bad_json_words(error, text)) from None
        return


def line_value(text: str) -> Any:
    """Return the JSON value of a line that was read before, or None."""
    return next((row.value for row in rows([text], "", strict=False)), None)


def line_ending(text: str) -> str:
    """Return the line break that a line ends with; LF if it has none."""
    if text.endswith("\r\n"):
        return "\r\n"
    return "\n"


@dataclass(frozen=True, slots=True)
class OutputLine:
    """A line to write; `made` if it is not from the file."""

    text: str
    made: bool = False


def join_lines(lines: Iterable[OutputLine]) -> Iterator[str]:
    """Yield the texts; a made line always starts on a line of its own."""
    before = OutputLine("\n")
    for line in lines:
        if not line.text:
            continue
        # The last line of a file may lack its end.
        if (line.made or before.made) and not before.text.endswith("\n"):
            yield "\n"
        yield line.text
        before = line


def head_objects(head: Sequence[str]) -> Iterator[tuple[int, Json]]:
    """Yield the objects of the first lines with their line numbers, up to the first bad line."""
    try:
        for row in rows(head, "", strict=False):
            if isinstance(row.value, dict):
                yield row.number, row.value
    # Not raised here: recognising a format must not fail; reading it will, with the place.
    except BadTranscript:
        return


@dataclass(frozen=True, slots=True)
class JsonArray:
    """A list in a text: up to and with `[`, the items, and from `]` on."""

    head: str
    items: tuple[tuple[str, Any], ...]
    """Text, with the separator before it, and value of each."""
    tail: str


def find_array(text: str, *keys: str) -> JsonArray | None:
    """Return the list at these keys of a JSON text, or None; raise ValueError if it is no JSON."""
    # Walked by hand: parsed values would lose the spaces and the spelling of numbers.
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
    at = _skip(text, end, SPACE + ",")
    while at < len(text) and text[at] != "]":
        value, stop = _scan(text, at)
        items.append((text[end:stop], value))
        end = stop
        at = _skip(text, end, SPACE + ",")
    return JsonArray(text[:start], tuple(items), text[end:])


def _skip(text: str, at: int, letters: str) -> int:
    while at < len(text) and text[at] in letters:
        at += 1
    return at


def _member_start(text: str, at: int, key: str) -> int | None:
    """Return where the value of a key begins in the object at `at`."""
    if text[at : at + 1] != "{":
        return None
    at = _skip(text, at + 1, SPACE)
    while text[at : at + 1] == '"':
        name, at = scanstring(text, at + 1)
        at = _skip(text, at, SPACE + ":")
        if name == key:
            return at
        _, at = _scan(text, at)
        at = _skip(text, at, SPACE + ",")
    return None


def strip_separator(item: str) -> str:
    """Return an item without the separator before it."""
    return item.lstrip(SPACE + ",")


class ArrayWriter:
    """Write the items of a list that may have lost or gained some, with commas in place."""

    def __init__(self) -> None:
        self._first = True
        self._before = ""

    def keep(self, text: str) -> str:
        """Return an item of the file with the separator it needs now."""
        item = strip_separator(text)
        before = text[: len(text) - len(item)]
        if "," in before:
            self._before = before
        return self._separate(before, item)

    def add(self, item: str) -> str:
        """Return a new item with a separator like the others."""
        return self._separate(self._before, item)

    def _separate(self, before: str, item: str) -> str:
        if self._first and "," in before:
            before = before.replace(",", "").lstrip(" ")
        elif not self._first and "," not in before:
            before = self._before or ", "
        self._first = False
        return before + item
