"""What a text holds, as the measures of a replay see it.

Fixed on purpose, so that figures of different versions can be compared, and so that the
measures share no code with what they measure. What Steno itself reads in messages is in
`facts`, and may improve.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from steno.core.message import Call, Message, Opaque, Result, Text, Thinking
from steno.facts.changes import strings_in
from steno.facts.equipment import LINE_NUMBER

CHARACTERS_PER_TOKEN = 4
"""In every figure of a replay."""
NAME_LEAST = 6
RUN_LINES = 3
"""Lines that must stand one after another to count as something that was read."""
RUN_LEAST = 60
"""Characters of a run; shorter ones (braces, blank fields) are repeated by chance."""
LIST_LEAST = 3
LIST_BARE = 0.8
"""Share of single words from which on a line with commas is a bare list."""
PATCH_BEGINS = "*** Begin Patch"
BLOB_LEAST = 1_000
"""Characters without a break from which on they are data, and no name."""
_BLOB = re.compile(rf"[A-Za-z0-9_.\-/:]{{{BLOB_LEAST},}}+")
# Nothing is tried twice: each part takes all it can, and what follows it is of another kind.
_NAME = re.compile(
    r"https?://[^\s\"'<>)\]}]+"  # an address
    r"|[A-Za-z0-9_.\-]*+(?:/[A-Za-z0-9_.\-]++)++"  # a path
    r"|[A-Za-z_](?:[A-Za-z0-9_]*+(?:[.\-:][A-Za-z0-9_]++)++"  # a dotted or dashed name
    r"|[A-Za-z0-9]*+_[A-Za-z0-9_]++)"  # the same with underscores alone
    r"|[A-Za-z][a-z]*+[A-Z][A-Za-z0-9]+"  # a name in camel case
    r"|[A-Za-z]*+\d[A-Za-z0-9]{5,}"  # a hash or an id
    r"|\b\d{4,}\b"
)
_HUNK_HEAD = re.compile(r"^(?:@@|\*\*\* )")
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
MACHINE_OPENINGS = (
    "<command-",
    "<local-command",
    "<system-reminder",
    "<task-notification",
    "<bash-",
    "base directory for this skill",
    "caveat:",
    "[request interrupted",
    "this session is being continued",
)
"""How a program begins what it sends in the name of the user, in small letters."""
_WHOLE_TAG = re.compile(r"<([a-z][\w-]*)>.*</\1>", re.DOTALL)
"""A message in one tag: an agent's note on its surroundings, not what a person types."""


def full_text(message: Message) -> str:
    """Return all text of a message: its words, its thinking and its calls, decoded."""
    thought = [block.text for block in message.blocks if isinstance(block, Thinking)]
    called = []
    for call in message.calls:
        values = "\n".join(argument_values(call.arguments))
        called.append(f"{call.name} {values}")
    return "\n".join((spoken_text(message), "\n".join(thought), *called))


def spoken_text(message: Message) -> str:
    """Return what a message says or what its results say, without thinking and calls."""
    said = [block.text for block in message.blocks if isinstance(block, Text | Result | Opaque)]
    return "\n".join(said)


def argument_values(arguments: str) -> list[str]:
    """Return the strings in the arguments of a call; arguments that are no JSON are one string."""
    try:
        read = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return [arguments]
    return list(strings_in(read))


def names_in(text: str) -> set[str]:
    """Return the paths, identifiers, hashes, numbers and addresses in a text."""
    stripped = (found.strip(".:-") for found in _NAME.findall(_BLOB.sub(" ", text)))
    return {name for name in stripped if len(name) >= NAME_LEAST}


def plain_lines(text: str) -> list[str]:
    """Return the lines that are not empty, without indents and line numbers of a tool."""
    lines = []
    for line in text.split("\n"):
        plain = LINE_NUMBER.sub("", line).strip()
        if plain:
            lines.append(plain)
    return lines


def line_runs(lines: Sequence[str]) -> list[str]:
    """Return every few lines that stand one after another, if they are long enough to mean it."""
    found = []
    for start in range(len(lines) - RUN_LINES + 1):
        run = "\n".join(lines[start : start + RUN_LINES])
        if len(run) - (RUN_LINES - 1) >= RUN_LEAST:
            found.append(run)
    return found


def tells_something(line: str) -> bool:
    """Return whether a line is more than a list of names."""
    parts = [part.strip(" -*•[]0123456789–") for part in line.split(",")]
    if len(parts) < LIST_LEAST:
        return True
    single = sum(" " not in part for part in parts)
    return single <= LIST_BARE * len(parts)


def old_texts(call: Call) -> Iterator[str]:
    """Yield what an edit says stands in a file: each old text, or each hunk of a patch."""
    try:
        read = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        read = call.arguments
    patch = read
    if isinstance(read, dict):
        yield from _replaced_texts(read)
        patch = _patch_in(read)
    if isinstance(patch, str) and PATCH_BEGINS in patch:
        yield from _hunks(patch)


def _replaced_texts(read: dict[str, Any]) -> Iterator[str]:
    edits = [read]
    listed = read.get("edits")
    if isinstance(listed, list):
        edits += [each for each in listed if isinstance(each, dict)]
    for edit in edits:
        old = edit.get("old_string")
        if isinstance(old, str):
            yield old


def _patch_in(read: dict[str, Any]) -> str:
    for value in read.values():
        if isinstance(value, str) and PATCH_BEGINS in value:
            return value
    return ""


def _hunks(patch: str) -> Iterator[str]:
    """Yield the removed and the unchanged lines of each hunk."""
    lines: list[str] = []
    for line in patch.split("\n"):
        if _HUNK_HEAD.match(line):
            yield "\n".join(lines)
            lines = []
        elif line[:1] in (" ", "-"):
            lines.append(line[1:])
    yield "\n".join(lines)


def typed_words(message: Message) -> str | None:
    """Return what a person typed; None if a program wrote the message or a tool answered."""
    if message.role != "user":
        return None
    text = _REMINDER.sub("", message.text).strip()
    if not text or text.lower().startswith(MACHINE_OPENINGS):
        return None
    if _WHOLE_TAG.fullmatch(text):
        return None
    return text
