"""Secrets that a shape gives away: columns of a table, rows of SQL, members of JSON."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from steno.core.word_tables import word_tuple, words_of
from steno.secrets.keys import SecretSpan, compiled, stand_in
from steno.secrets.names import (
    CHOSEN,
    Named,
    NameSite,
    is_secret_value,
    secret_names,
    what_it_names,
)

_HEAD_CELL = re.compile(r"[\w \t.*`\"'/-]{0,60}")
_CELL_MARKS = " \t\r\n*`\"'"
_HEAD_NAME = re.compile(r"[\w ./-]+")
_LINE_UNDER_HEAD = re.compile(r"[\s|:+=-]*")
_CELL = r"[ \t]*(\"(?:[^\"\n]|\"\")*\"[ \t]*(?=[{0}\r\n]|\Z)|[^{0}\r\n]*)({0})?"
"""One cell of a row and what ends it."""
_SEPARATORS = (",", ";", r"\t", r"\|")
_COLUMN_VALUE = re.compile(r"[*`\"']*+(\S{4,500}?)[*`\"']{0,4}\s*+")


class _Head(NamedTuple):
    """How a table parts its cells, how many a row has, and which columns hold secrets."""

    cells: re.Pattern[str]
    width: int
    columns: Mapping[int, Named]


def column_secrets(text: str, sites: Iterable[NameSite]) -> Iterator[SecretSpan]:
    """Yield where values stand that only the head of their column names, in CSV or a table."""
    done = 0
    for site in sites:
        if site.start < done:
            continue
        start = text.rfind("\n", done, site.start) + 1 or done
        done = _line_end(text, site.start)
        head = _head(text[start:done])
        while head is not None and done < len(text):
            stop = _line_end(text, done)
            line = text[done:stop]
            row = _row(line, head.cells)
            if len(row) == head.width:
                for column, names in head.columns.items():
                    value = _COLUMN_VALUE.fullmatch(line, *row[column])
                    if value is not None and _is_secret_cell(value[1], names):
                        yield done + value.start(1), done + value.end(1), names.value
            elif not _LINE_UNDER_HEAD.fullmatch(line) or not line.strip():
                break
            done = stop


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


def _row(line: str, cells: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return where the cells of a line stand."""
    found: list[tuple[int, int]] = []
    for cell in cells.finditer(line):
        found.append(cell.span(1))
        if cell[2] is None:
            break
    return found


def _head(line: str) -> _Head | None:
    """Return what the head of a table says, None if a line is no head or names no secret."""
    for separator in _SEPARATORS:
        # Python's lists are no CSV.
        if separator == "," and "'" in line:
            continue
        cells = compiled(_CELL.format(separator))
        row = _row(line, cells)
        named = [span for span in row if line[slice(*span)].strip(_CELL_MARKS)]
        if len(named) < 2 or not all(_HEAD_CELL.fullmatch(line, *span) for span in row):
            continue
        heads = ((at, _column_kind(line[slice(*span)])) for at, span in enumerate(row))
        columns = {at: names for at, names in heads if names is not None}
        if columns:
            return _Head(cells, len(row), columns)
    return None


def _column_kind(cell: str) -> Named | None:
    """Return what the head of a column promises; `pass` may be the verdict of a test."""
    name = cell.strip(_CELL_MARKS)
    if not _HEAD_NAME.fullmatch(name):
        return None
    names = what_it_names(name) or what_it_names(name.replace(" ", "_"))
    if names is Named.PASS:
        return None
    return names


def _is_secret_cell(value: str, names: Named) -> bool:
    if names in CHOSEN:
        return len(value) >= 6 and not stand_in("cell").fullmatch(value)
    if names is Named.TOKEN:
        names = Named.KEY
    return is_secret_value(value, names, in_marks=True)


_INSERT = (
    r"(?i)\binsert\s{1,20}into\s{1,20}[\w.\"`\[\]]{1,120}\s{0,20}\(([^()]{1,2000})\)"
    r"\s{0,20}values\s{0,40}"
)
_INSERTED_ROW = (
    r"\s{0,80}\(((?:[^()'\"]|\([^()]{0,200}\)|'(?:[^'\\]|''|\\.)*+'|\"[^\"]*+\")*+)\)\s{0,20}(,?)"
)
_INSERTED_CELL = r"(?:[^,'\"(]|\([^()]*+\)|'(?:[^'\\]|''|\\.)*+'|\"[^\"]*+\")++"
_SQL_TEXT = r"\s*(?:\w{1,40}\(\s*)?[NEn]?(?:'((?:[^'\\]|''|\\.)*+)'|\"([^\"]*+)\")"


def inserted_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield where values stand that SQL puts into the column of a secret."""
    for insert in compiled(_INSERT).finditer(text):
        columns = [_column_kind(cell) for cell in insert[1].split(",")]
        row = compiled(_INSERTED_ROW).match(text, insert.end())
        while row is not None and any(columns):
            cells = compiled(_INSERTED_CELL).finditer(text, *row.span(1))
            for names, cell in zip(columns, cells, strict=False):
                value = compiled(_SQL_TEXT).match(text, *cell.span())
                if names is None or value is None or value.lastindex is None:
                    continue
                if _is_secret_cell(value[value.lastindex], names):
                    yield *value.span(value.lastindex), names.value
            if not row[2]:
                break
            row = compiled(_INSERTED_ROW).match(text, row.end())


HOLDS_VALUE = word_tuple("value Value val data plaintext text")
NAMES_VALUE = word_tuple("name key Name Key selector field label param option header element")
"""Keys of a value, and keys beside them that may name it."""
OPTION = re.compile(r"--?[A-Za-z][\w-]*")
NAME_MOST = 500
_PAIR = "[name, value]"
"""The key of a list that is one of many such pairs."""
_SCHEMA = words_of("type $ref")
_RANDOM, _MADE = "credential", "secret_key"
"""Names under which only what looks random counts, or what has a digit and is no chain of words."""
_BEGINS_JSON = re.compile(r"\s{0,80}[\[{]")
_MAY_TELL = r'"-|(?i:pass|pwd|pw|secret|token|key|cred|psk|pin|otp|auth|code)|[^\0-\x7f]'
"""What a text has that names or hands over a secret."""
_JSON_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"')
_DEPTH_MOST = 64
Find = Callable[[str], Iterable[SecretSpan]]


def json_secrets(text: str, find_in_command: Find) -> Iterator[SecretSpan]:
    """Yield where secrets stand in a text that is JSON."""
    if not _BEGINS_JSON.match(text) or not compiled(_MAY_TELL).search(text):
        return
    try:
        # A number of thousands of digits is refused as an integer.
        read = json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        return
    found = dict(_secret_texts(read, find_in_command))
    if not found:
        return
    for written in _JSON_STRING.finditer(text):
        value = written[1]
        if "\\" in value:
            value = json.loads(written[0])
        if value in found:
            start, stop, kind = found[value]
            if value != written[1]:
                start, stop = 0, len(written[1])
            yield written.start(1) + start, written.start(1) + stop, kind


def _secret_texts(read: Any, find_in_command: Find) -> Iterator[tuple[str, SecretSpan]]:
    """Yield the texts in a value that are secrets or hold one, and where in them it stands."""
    left = [(read, "", 0)]
    while left:
        value, under, depth = left.pop()
        members: Iterable[tuple[Any, str]] = ()
        if isinstance(value, dict):
            named = ((key, each, name_of_member(value, key, under)) for key, each in value.items())
            # What its own key names is found in any text.
            members = [
                (each, name)
                for key, each, name in named
                if name != key or not isinstance(each, str)
            ]
        elif isinstance(value, list):
            members = zip(value, names_of_items(value, under), strict=True)
            if is_command(value):
                yield from _in_command(value, find_in_command)
        for each, name in members:
            if isinstance(each, str):
                names = what_it_names(name)
                if names is not None and is_secret_value(each, names, in_marks=False):
                    yield each, (0, len(each), names.value)
            elif depth < _DEPTH_MOST:
                left.append((each, name, depth + 1))


def _in_command(words: list[str], find_in_command: Find) -> Iterator[tuple[str, SecretSpan]]:
    """Yield the words of a command that hold a secret."""
    starts = list(accumulate((len(word) + 1 for word in words), initial=0))
    for start, stop, kind in find_in_command(" ".join(words)):
        at = bisect_right(starts, start) - 1
        if stop <= starts[at] + len(words[at]):
            yield words[at], (start - starts[at], stop - starts[at], kind)


def name_of_member(value: dict[str, Any], key: str, under: str) -> str:
    """Return what names a member: in `{"name": …, "value": …}` the name beside it."""
    if key in HOLDS_VALUE:
        beside = [name for name in map(value.get, NAMES_VALUE) if isinstance(name, str)]
        for name in (*beside, under):
            # What a selector means stands somewhere in it: `input[name=password]`.
            for site in secret_names(name[:NAME_MOST]):
                return site.name
        if key in ("value", "Value") and beside:
            return beside[0]
    if key == "stringData" and value.get("kind") == "Secret":
        return "secrets"
    if what_it_names(key) is not None or _SCHEMA & value.keys():
        return key
    if under.lower() in ("secret", "password"):
        return _RANDOM
    return _name_of_each(under) or key


def names_of_items(items: list[Any], key: str) -> Iterator[str]:
    """Yield what names each item: the option before it, the name in its pair, or its list."""
    if key == _PAIR:
        yield from ("", items[0])
        return
    name = _name_of_each(key) or key
    before = ""
    for item in items:
        is_option = isinstance(item, str) and OPTION.match(item)
        if _is_pair(item):
            yield _PAIR
        else:
            yield before if before and not is_option else name
        before = ""
        if is_option and what_it_names(item) is not None and "=" not in item:
            before = item


def is_command(words: list[Any]) -> bool:
    """Return whether a list holds the words of a command line."""
    return all(isinstance(word, str) for word in words) and any(map(OPTION.match, words))


def _name_of_each(plural: str) -> str | None:
    """Return what names each member of `passwords`, None if they are no secrets."""
    if not plural.endswith("s"):
        return None
    one = plural[:-1]
    names = what_it_names(one)
    if one.lower().endswith("secret"):
        return _MADE
    if names in (Named.PASSWORD, Named.KEY):
        return one
    if names is Named.TOKEN:
        return _RANDOM
    return None


def _is_pair(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    name, each = value
    return isinstance(name, str) and isinstance(each, str) and what_it_names(name) is not None
