"""From whatever a caller holds to plain JSON, and its text.

Dicts, lists and SDK objects (anything with `model_dump`) become plain values;
what JSON cannot say, or a part does not have, is refused with its place.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from steno.core.errors import BadMessage

DEPTH_MOST = 64


def to_plain(value: object, where: str, depth: int = 0) -> Any:
    """The value as JSON types alone."""
    if value is None or type(value) in (str, bool, int):
        return value
    if isinstance(value, str | int):  # subclasses, which the encoder does not take
        if isinstance(value, str):
            return str.__str__(value)
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise BadMessage(where, f"{value} is not JSON")
        return value
    if depth > DEPTH_MOST:
        raise BadMessage(where, f"nested deeper than {DEPTH_MOST} levels")
    if isinstance(value, Mapping):
        return {
            _string_key(key, where): to_plain(each, f"{where}.{key}", depth + 1)
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [to_plain(each, f"{where}[{at}]", depth + 1) for at, each in enumerate(value)]
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        # What the SDKs themselves do when a response object is sent back.
        return to_plain(dump(mode="json", exclude_unset=True, by_alias=True), where, depth + 1)
    raise BadMessage(where, f"a {type(value).__name__} is neither JSON nor an SDK object")


def _string_key(key: object, where: str) -> str:
    if not isinstance(key, str):
        raise BadMessage(where, f"a key is a {type(key).__name__}, not a string")
    return key


def required_text(part: dict[str, Any], key: str, where: str) -> str:
    """The string that a part must have under this key."""
    found = part.get(key)
    if not isinstance(found, str):
        raise BadMessage(f"{where}.{key}", f"must be a string, got {type(found).__name__}")
    return found


def json_text(value: Any) -> str:
    """JSON text; escaped to ASCII only where UTF-8 cannot say it."""
    try:
        return msgspec.json.encode(value).decode()
    except (UnicodeEncodeError, OverflowError):
        return json.dumps(value, separators=(",", ":"))


def parse_json(raw: str) -> Any:
    """The plain value of JSON text."""
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError:
        # Lone surrogates and numbers past 64 bits, which the standard library reads.
        return json.loads(raw)
