"""Secrets that the shape of JSON gives away: a name beside, above or before a value."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Any

from steno.core.words import word_tuple, words_of
from steno.facts.named_secrets import Named, is_secret_value, secret_names, what_it_names

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
_MAY_TELL = re.compile(
    r'"-|(?i:pass|pwd|pw|secret|token|key|cred|psk|pin|otp|auth|code)|[^\0-\x7f]'
)
"""What a text has that names or hands over a secret."""
_JSON_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"')
_DEPTH_MOST = 64

Span = tuple[int, int, str]


def name_of_member(value: dict[str, Any], key: str, under: str) -> str:
    """Return what names a member: in `{"name": …, "value": …}` the name beside it."""
    if key in HOLDS_VALUE:
        beside = [name for name in map(value.get, NAMES_VALUE) if isinstance(name, str)]
        for name in (*beside, under):
            # What a selector means stands somewhere in it: `input[name=password]`.
            for site in secret_names(name[:NAME_MOST]):
                return name[site.start : site.stop]
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


def json_secrets(text: str, find_in: Callable[[str], Iterable[Span]]) -> Iterator[Span]:
    """Yield where secrets stand in a text that is JSON; `find_in` finds those of a command."""
    if not _BEGINS_JSON.match(text) or not _MAY_TELL.search(text):
        return
    try:
        # A number of thousands of digits is refused as an integer.
        read = json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        return
    found = dict(_told(read, find_in))
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


def _told(read: Any, find_in: Callable[[str], Iterable[Span]]) -> Iterator[tuple[str, Span]]:
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
                yield from _in_command(value, find_in)
        for each, name in members:
            if isinstance(each, str):
                names = what_it_names(name)
                if names is not None and is_secret_value(each, names, in_marks=False):
                    yield each, (0, len(each), names.value)
            elif depth < _DEPTH_MOST:
                left.append((each, name, depth + 1))


def _in_command(
    words: list[str], find_in: Callable[[str], Iterable[Span]]
) -> Iterator[tuple[str, Span]]:
    """Yield the words of a command that hold a secret."""
    starts = list(accumulate((len(word) + 1 for word in words), initial=0))
    for start, stop, kind in find_in(" ".join(words)):
        at = bisect_right(starts, start) - 1
        if stop <= starts[at] + len(words[at]):
            yield words[at], (start - starts[at], stop - starts[at], kind)


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
