"""Change an input of the corpus so that it is almost right.

Owns the changes: to bytes, and to JSON by its structure, because a list of messages that is
broken in one place goes deeper than noise. All choices come from one `Random`, so that a seed
tells the input.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

ROUNDS_MOST = 5
ODD_BYTES = (
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\r\n",
    b"\xe2\x80\xa8",
    b"\xe2\x80\xae",
    b'"',
    b"\\",
    b"\\ud800",
    b"{" * 3_000,
    b"[" * 3_000,
    b"</steno-0123456789ab>",
    b"<system-reminder>",
    b"```",
    b"9" * 5_000,
    b"1e999",
    b"-1",
    b"NaN",
    b"= ",
    b"\n\n",
)
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**31,
    2**63,
    10**400,
    1.5,
    float("nan"),
    "",
    " ",
    "\x00",
    "\ud800",
    "\u202e\u2028",
    "a" * 5_000,
    "no " * 500,
    "[" * 985 + "]" * 985,
    '{"command":' + "[" * 1_200 + '"pytest"' + "]" * 1_200 + "}",
    [],
    [[]],
    {},
    {"type": "text", "text": "x"},
    [{"type": "tool_use"}],
    "tool",
    "system",
    "assistant",
    "user",
    "call-1",
)


def mutate(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
    """Return the input with a few changes."""
    for _ in range(min(chance.randint(1, ROUNDS_MOST), chance.randint(1, ROUNDS_MOST))):
        if chance.random() < 0.8:
            changed = _change_json(data, chance)
            if changed is not None:
                data = changed
                continue
        data = _change_bytes(data, others, chance)
    return data


def _change_bytes(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
    at = chance.randint(0, len(data))
    size = min(chance.choice((1, 1, 2, 8, 64, 512)), len(data) - at)
    before, piece, after = data[:at], data[at : at + size], data[at + size :]
    match chance.randint(0, 6):
        case 0:
            return before + after
        case 1:
            return before + piece * chance.choice((2, 2, 40)) + after
        case 2:
            return before + chance.choice(ODD_BYTES) + after
        case 3:
            return before + bytes(byte ^ 1 << chance.randint(0, 7) for byte in piece) + after
        case 4:
            other = chance.choice(others)
            start = chance.randint(0, len(other))
            return before + other[start : start + chance.choice((4, 40, 400))] + after
        case 5:
            lines = data.split(b"\n")
            chance.shuffle(lines)
            return b"\n".join(lines)
    return before


def _change_json(data: bytes, chance: Random) -> bytes | None:
    """Change the JSON of the input, or of one of its lines; None if there is none."""
    try:
        return _written(_changed(json.loads(data), chance))
    except (ValueError, RecursionError):
        pass
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    try:
        lines[at] = _written(_changed(json.loads(lines[at]), chance))
    except (ValueError, RecursionError):
        return None
    return b"\n".join(lines)


def _written(value: Any) -> bytes:
    return json.dumps(value).encode()


def _changed(value: Any, chance: Random) -> Any:
    places: list[tuple[Any, Any]] = []
    _collect(value, places)
    if not places:
        return chance.choice(ODD_VALUES)
    container, key = chance.choice(places)
    match chance.randint(0, 5):
        case 0:
            container[key] = chance.choice(ODD_VALUES)
        case 1:
            del container[key]
        case 2 if isinstance(container, list):
            container.insert(key, json.loads(json.dumps(container[key])))
        case 2:
            container[str(chance.choice(ODD_VALUES))[:50]] = container[key]
        case 3:
            container[key] = [container[key]]
        case 4:
            other, there = chance.choice(places)
            if there in other if isinstance(other, dict) else there < len(other):
                container[key] = json.loads(json.dumps(other[there]))
        case 5 if isinstance(container[key], str):
            text = container[key]
            at = chance.randint(0, len(text))
            odd = chance.choice(ODD_BYTES).decode("utf-8", "replace")
            container[key] = text[:at] + odd + text[at:]
        case _:
            container[key] = str(container[key])
    return value


def _collect(value: Any, places: list[tuple[Any, Any]]) -> None:
    if isinstance(value, dict | list):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        for key in keys:
            places.append((value, key))
            _collect(value[key], places)
