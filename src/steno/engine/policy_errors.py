"""Say what is wrong with a policy: the key, what it holds, and what it may hold.

msgspec finds the errors and says them in its own terms; people read them in a TOML file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin

TYPE_WORDS = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "null": "nothing",
    "object": "a table",
    "str": "text",
}
_PLACE = re.compile(r"(?P<words>.*) - at `\$\.?(?P<key>.*)`", re.S)
_TYPES = re.compile(r"`([\w |]+)`")
_UNKNOWN_KEY = re.compile(r"Object contains unknown field `(.*)`", re.S)
_MISSING_KEY = re.compile(r"Object missing required field `(.*)`", re.S)
_UNKNOWN_WORD = re.compile(r"Invalid enum value (.*)", re.S)


def plain_error(error: str, hints: Mapping[str, Any], hidden: Iterable[str] = ()) -> str:
    """Return an error of msgspec's in the words of a file; `hints` are the types of all keys."""
    found = _PLACE.fullmatch(error)
    key, words = "", error
    if found is not None:
        key, words = found["key"], found["words"]
    unknown = _UNKNOWN_KEY.fullmatch(words)
    if unknown is not None:
        return _unknown_key(key, unknown[1], [name for name in hints if name not in set(hidden)])
    missing = _MISSING_KEY.fullmatch(words)
    if missing is not None:
        return f"{key}: the key {missing[1]} is missing"
    wrong = _UNKNOWN_WORD.fullmatch(words)
    if wrong is not None:
        allowed = ", ".join(dict.fromkeys(_words_of(hints.get(key.partition("[")[0]))))
        return f"{key}: {wrong[1]} is none of its words: {allowed}"
    words = _TYPES.sub(lambda kind: _type_words(kind[1]), words)
    words = words.replace("Expected ", "expected ")
    if not key:
        return words
    return f"{key}: {words}"


def _unknown_key(place: str, name: str, keys: list[str]) -> str:
    if place:
        return f"{place}: there is no key {name}"
    near = get_close_matches(name, keys, n=1)
    if near:
        return f"there is no key {name}; did you mean {near[0]}?"
    return f"there is no key {name}; the keys are {', '.join(keys)}"


def _type_words(kinds: str) -> str:
    return " or ".join(TYPE_WORDS.get(kind, kind) for kind in kinds.split(" | "))


def _words_of(hint: Any) -> Iterator[str]:
    """Yield the words that a type allows, however deep they stand in it."""
    if get_origin(hint) is Literal:
        yield from map(str, get_args(hint))
        return
    for part in get_args(hint):
        yield from _words_of(part)
