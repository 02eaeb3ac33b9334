"""A list inside a line: its items one by one, the text around them untouched.

Each item keeps the comma and the space before it, so that items, head and tail
put together are the line again. What an item means is each format's business.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from steno.transcript.lines import BLANK

SPACE = " \t\r\n"
_scan = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Array:
    """The text up to and with `[`, the items, and the text from `]` on."""

    head: str
    items: tuple[tuple[str, Any], ...]
    """Text with what parts it from the one before, and value."""
    tail: str


def array_in(text: str, *keys: str) -> Array | None:
    """The list at these keys of a JSON text; None where there is none. Raises ValueError."""
    at = _after(text, 0, BLANK)
    for key in keys:
        found = _member(text, at, key)
        if found is None:
            return None
        at = found
    if text[at : at + 1] != "[":
        return None
    start = end = at + 1
    items: list[tuple[str, Any]] = []
    while text[(at := _after(text, end, SPACE + ",")) : at + 1] not in ("]", ""):
        value, stop = _scan(text, at)
        items.append((text[end:stop], value))
        end = stop
    return Array(text[:start], tuple(items), text[end:])


def _after(text: str, at: int, letters: str) -> int:
    while at < len(text) and text[at] in letters:
        at += 1
    return at


def _member(text: str, at: int, key: str) -> int | None:
    """Where the value of a key of the object at `at` begins."""
    if text[at : at + 1] != "{":
        return None
    at = _after(text, at + 1, SPACE)
    while text[at : at + 1] == '"':
        name, at = scanstring(text, at + 1)
        at = _after(text, at, SPACE + ":")
        if name == key:
            return at
        _, at = _scan(text, at)
        at = _after(text, at, SPACE + ",")
    return None


def bare(item: str) -> str:
    """An item without what parts it from the one before."""
    return item.lstrip(SPACE + ",")


class Listing:
    """Items as they are written: a list that lost or won some still has its commas in place."""

    def __init__(self) -> None:
        self._first = True
        self._before = ""

    def kept(self, text: str) -> str:
        """An item that was there, with what parts it from the one before."""
        item = bare(text)
        before = text[: len(text) - len(item)]
        if "," in before:
            self._before = before
        return self._parted(before, item)

    def made(self, item: str) -> str:
        return self._parted(self._before, item)

    def _parted(self, before: str, item: str) -> str:
        if self._first and "," in before:
            before = before.replace(",", "").lstrip(" ")
        elif not self._first and "," not in before:
            before = self._before or ", "
        self._first = False
        return before + item
