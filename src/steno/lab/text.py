"""Which names and lines a text holds, as the metric sees it.

Fixed on purpose, so that figures of different versions can be compared, and so that the
metric shares no code with what it measures. What Steno itself reads in messages is in
`facts`, and may improve.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from steno.core.message import Call, Message, Opaque, Result, Text, Thinking

CHARACTERS_PER_TOKEN = 4
"""In every figure of a replay."""
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
# Tools number the lines of a file; a call that uses a line again leaves the number out.
_LINE_NUMBER = re.compile(r"^\s*\d+(?:→|\t)")


def full_text(message: Message) -> str:
    """Return all text of a message: its words, its thinking and its calls."""
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
    """Return the paths, identifiers, hashes, numbers and addresses in a text."""
    stripped = (found.strip(".:-") for found in _NAME.findall(text))
    return {name for name in stripped if len(name) >= NAME_LEAST}


def split_names(text: str) -> tuple[int, str]:
    """Return how many names a text holds, short ones included, and the rest of it."""
    rest, count = _NAME.subn(" ", text)
    return count, rest


def message_lines(message: Message) -> Iterator[str]:
    """Yield the lines of a message, without line numbers that a tool added."""
    for block in message.blocks:
        if isinstance(block, Text | Result):
            for line in block.text.split("\n"):
                plain = _LINE_NUMBER.sub("", line).strip()
                if len(plain) >= LINE_LEAST:
                    yield plain


def argument_lines(arguments: str) -> set[str]:
    """Return the lines in the string arguments of a call."""
    try:
        read = msgspec.json.decode(arguments or "{}")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return set()
    if not isinstance(read, dict):
        return set()
    lines: set[str] = set()
    for value in read.values():
        if isinstance(value, str):
            lines.update(line.strip() for line in value.split("\n"))
    return {line for line in lines if len(line) >= LINE_LEAST}
