"""The eyes of the metric: which names and lines a text holds.

They are fixed, so that a figure of today can be held against one of tomorrow;
what Steno itself looks for in a session is elsewhere, and may get better.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from steno.core.message import Call, Message, Opaque, Result, Text, Thinking

CHARACTERS_PER_TOKEN = 4
"""To a token, in every figure of a replay."""
NAME_LEAST = 6
LINE_LEAST = 24
_NAME = re.compile(
    r"https?://[^\s\"'<>)\]}]+"  # an address
    r"|[A-Za-z0-9_.\-]*(?:/[A-Za-z0-9_.\-]+)+"  # a path
    r"|[A-Za-z_][A-Za-z0-9_]*(?:[._\-:][A-Za-z0-9_]+)+"  # a dotted or dashed name
    r"|[A-Za-z]+[A-Z][A-Za-z0-9]+"  # a name in camel case
    r"|[A-Za-z]*\d[A-Za-z0-9]{5,}"  # a hash or an id
    r"|\b\d{4,}\b"
)
_LINE_NUMBER = re.compile(r"^\s*\d+(?:→|\t)")


def full_text(message: Message) -> str:
    """All words of a message: what it says, what it thought, what it called."""
    said, thought, called = [], [], []
    for block in message.blocks:
        match block:
            case Text(text):
                said.append(text)
            case Thinking(text):
                thought.append(text)
            case Call(_, name, arguments):
                called.append(f"{name} {arguments}")
            case Result():
                said.append(block.text)
            case Opaque(_, text):
                said.append(text)
    return "".join(("\n".join(said), *thought, *called))


def names_in(text: str) -> set[str]:
    """Paths, identifiers, hashes, numbers and addresses."""
    stripped = (found.strip(".:-") for found in _NAME.findall(text))
    return {name for name in stripped if len(name) >= NAME_LEAST}


def split_names(text: str) -> tuple[int, str]:
    """How many names a text holds, however short, and what it says besides."""
    rest, count = _NAME.subn(" ", text)
    return count, rest


def message_lines(message: Message) -> Iterator[str]:
    """The lines that a message says, without the numbers that a tool put before them."""
    for block in message.blocks:
        if isinstance(block, Text | Result):
            for line in block.text.split("\n"):
                plain = _LINE_NUMBER.sub("", line).strip()
                if len(plain) >= LINE_LEAST:
                    yield plain


def argument_lines(arguments: str) -> set[str]:
    """The lines in the strings that a call was given."""
    try:
        read = msgspec.json.decode(arguments or "{}")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return set()
    strings = (
        [value for value in read.values() if isinstance(value, str)]
        if isinstance(read, dict)
        else []
    )
    return {
        line.strip()
        for value in strings
        for line in value.split("\n")
        if len(line.strip()) >= LINE_LEAST
    }
