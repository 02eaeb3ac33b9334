"""From a caller's objects to plain JSON, and its text.

Dicts, lists and SDK objects (anything with `model_dump`) become plain values. A
value that JSON cannot hold is an error that names its place.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from steno.core.errors import BadMessage

Json = dict[str, Any]
JsonView = Mapping[str, Any]
"""An object that is only read: JSON, or what an SDK holds in its place."""
DEPTH_MOST = 64
"""Levels of nesting; deeper values would exhaust the stack elsewhere."""

BYTES_KEYS = ("bytes", "redactedContent")
"""Keys under which a client holds bytes."""
TEXT_KEYS = ("content", "text")
TEXT_DEPTH = 3
"""Keys, and levels down to which they are a message's own; deeper ones are a tool's arguments."""
DIGITS_MOST = 4_000
BITS_MOST = 13_000
"""Digits and bits of a number that Python reads and writes; it refuses 4,300 digits."""


def to_plain(value: object, where: str, depth: int = 0) -> Any:
    """Return the value with JSON types alone."""
    # By exact type, and first: almost every value of a message ends here.
    if value is None or type(value) in (str, bool):
        return value
    # Subclasses of str and int, such as enums, which the encoder does not take.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        if value.bit_length() > BITS_MOST:
            # Python refuses to write its digits. A model may have called a tool with it, and
            # what it called must be kept.
            return hex(value)
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise BadMessage(where, f"{value} is not JSON")
        return value
    if depth > DEPTH_MOST:
        raise BadMessage(where, f"nested deeper than {DEPTH_MOST} levels")
    if type(value) is dict or isinstance(value, Mapping):
        plain: Json = {}
        for key, inner in value.items():
            # Most values are strings: to say where they stand would take longer than to read them.
            if type(inner) is not str:
                inner = _value_of(key, inner, f"{where}.{key}", depth + 1)
            plain[_string_key(key, where)] = inner
        return plain
    if isinstance(value, list | tuple):
        return [to_plain(inner, f"{where}[{at}]", depth + 1) for at, inner in enumerate(value)]
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        # The SDKs themselves do this when a response object is sent back.
        return to_plain(dump(mode="json", exclude_unset=True, by_alias=True), where, depth + 1)
    raise BadMessage(where, f"a {type(value).__name__} is neither JSON nor an SDK object")


def _value_of(key: object, value: object, where: str, depth: int) -> Any:
    # Bedrock's clients take and return bytes; in JSON they are base64, as in its API.
    if isinstance(value, bytes | bytearray) and key in BYTES_KEYS:
        return base64.b64encode(value).decode()
    # As a text it would pass for what was said.
    is_text = key in TEXT_KEYS and depth <= TEXT_DEPTH
    if is_text and isinstance(value, int) and value.bit_length() > BITS_MOST:
        raise BadMessage(where, f"must be a text, got {type(value).__name__}")
    return to_plain(value, where, depth)


def _string_key(key: object, where: str) -> str:
    if not isinstance(key, str):
        raise BadMessage(where, f"a key is a {type(key).__name__}, not a string")
    return key


def required_text(part: Json, key: str, where: str) -> str:
    found = part.get(key)
    if not isinstance(found, str):
        raise BadMessage(f"{where}.{key}", f"must be a string, got {type(found).__name__}")
    return found


def json_text(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (UnicodeEncodeError, OverflowError):
        # Lone surrogates and numbers past 64 bits; the standard library writes them in ASCII.
        return json.dumps(value, separators=(",", ":"))
    except ValueError:
        return json.dumps(to_plain(value, ""), separators=(",", ":"))


class NestedTooDeeply(ValueError, RecursionError):
    """JSON whose brackets are nested deeper than a parser goes; one kind of JSON that is wrong."""


def parse_json(raw: str) -> Any:
    """Return the plain value of JSON text; raise ValueError if it is none."""
    try:
        try:
            return msgspec.json.decode(raw)
        except msgspec.DecodeError:
            # Lone surrogates and numbers past 64 bits, which the standard library reads.
            return json.loads(raw, parse_int=whole_number)
    except RecursionError:
        raise NestedTooDeeply("nested too deeply to be read") from None


def parse_json_texts(texts: list[str]) -> list[Any]:
    # As one list: a long view is read a fifth faster than message by message.
    whole = ",".join(texts)
    try:
        return list(msgspec.json.decode(f"[{whole}]"))
    except (msgspec.DecodeError, RecursionError):
        return list(map(parse_json, texts))


def whole_number(digits: str) -> int | str:
    """Return a number, or its digits if Python would refuse to read so many."""
    if len(digits) > DIGITS_MOST:
        return digits
    return int(digits)


def get_field(value: Any, *keys: str) -> Any:
    """Return an entry of a mapping, or an attribute of a client's object; None without one.

    With several keys, each leads on from what the one before it found.
    """
    for key in keys:
        if isinstance(value, Mapping):
            value = value.get(key)
        else:
            value = getattr(value, key, None)
    return value


def text_at(value: Any, *keys: str) -> str | None:
    """Return the string that keys lead to; None if there is none."""
    found = get_field(value, *keys)
    if isinstance(found, str):
        return found
    return None


def list_at(value: Any, *keys: str) -> list[Any]:
    """Return the list that keys lead to; an empty one if there is none."""
    found = get_field(value, *keys)
    if isinstance(found, list | tuple):
        return list(found)
    return []


def count_at(value: Any, *keys: str) -> int:
    """Return the count that keys lead to; 0 if it is missing or no number above 0."""
    found = get_field(value, *keys)
    if isinstance(found, int) and not isinstance(found, bool) and found > 0:
        return found
    return 0
