"""What of a message can be found: the text of its blocks, in pieces short enough to be about one thing.

A piece knows its block and where in it it begins, its tool and the paths that a
call touches; a result has those of the call that it answers. Keeping pieces and
finding them is the store's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from steno.core.message import Block, Call, Message, Opaque, Result, Text, Thinking
from steno.core.store import StoredMessage
from steno.facts.artifacts import call_touches
from steno.facts.paths import canonical_path
from steno.recall.index import CHUNKS_MOST, TextChunk

CHUNK_LENGTH = 1_800
"""Characters of a piece: some 300 words."""
CHUNK_OVERLAP = 120
"""What two pieces of a block share, so that a quote across their border is in one of them."""
PATHS_MOST = 16
DEPTH_MOST = 20

Calls = dict[str, Call]


def chunks_of(messages: Iterable[StoredMessage], calls: Calls) -> Iterator[TextChunk]:
    """The pieces of messages in order; `calls` remembers by id whom a result answers."""
    for stored in messages:
        if stored.message.role != "absent":
            remember_calls([stored], calls)
            yield from _message_chunks(stored, calls)


def remember_calls(messages: Iterable[StoredMessage], calls: Calls) -> None:
    """Add the calls of messages to `calls`, by id."""
    for stored in messages:
        for call in stored.message.calls:
            if call.id:
                calls[call.id] = call


def _message_chunks(said: StoredMessage, calls: Calls) -> Iterator[TextChunk]:
    message = said.message
    texts = [(at, block, searchable_text(block)) for at, block in enumerate(message.blocks)]
    # A text too long for its number of pieces has longer ones.
    length = max(
        CHUNK_LENGTH, 2 * sum(len(text) for _, _, text in texts) // CHUNKS_MOST + CHUNK_OVERLAP
    )
    room = CHUNKS_MOST
    for at, block, text in texts:
        call = _call_of(block, message, calls)
        tool, paths = (call.name, _paths(call)) if call else ("", "")
        role = "tool" if isinstance(block, Result) else message.role
        for start, part in _cut(text, length):
            if room > 0:
                yield TextChunk(said.position, at, start, part, role, tool, paths, said.when)
            room -= 1


def searchable_text(block: Block) -> str:
    """What can be found of a block."""
    match block:
        case Text(text) | Thinking(text) | Opaque(_, text):
            return text
        case Call(_, name, arguments):
            return f"{name}\n{_flatten(arguments)}"
        case Result():
            return block.text
    return ""


def _call_of(block: Block, message: Message, calls: Calls) -> Call | None:
    match block:
        case Call():
            return block
        case Result(call):
            return calls.get(call or "")
    return None


def _paths(call: Call) -> str:
    """Each path between slashes on a line of its own, so that whole steps of it can be looked for."""
    keys = dict.fromkeys(
        path
        for touch in call_touches(call)
        for path in (touch.key, canonical_path(touch.to or ""))
        if _is_path(path)
    )
    return "".join(f"/{key.strip('/')}/\n" for key in list(keys)[:PATHS_MOST])


def _is_path(key: str) -> bool:
    return bool(key) and not key.startswith(("$ ", "? ", "@ "))


def _flatten(arguments: str) -> str:
    """Arguments as text, a line each: JSON would hide their words behind escapes."""
    try:
        value = msgspec.json.decode(arguments)
    except (msgspec.MsgspecError, RecursionError):
        return arguments
    if isinstance(value, dict):
        return "\n".join(_lines(value, 0))
    return arguments


def _lines(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and depth < DEPTH_MOST:
        for key, each in value.items():
            yield f"{key}: " + "\n".join(_lines(each, depth + 1))
    elif isinstance(value, list) and depth < DEPTH_MOST:
        for each in value:
            yield from _lines(each, depth + 1)
    else:
        yield value if isinstance(value, str) else str(value)


def _cut(text: str, length: int) -> Iterator[tuple[int, str]]:
    """Pieces that begin at a line or a word, each overlapping the one before."""
    start = 0
    while start < len(text):
        stop = _border(text, start, length)
        yield start, text[start:stop]
        if stop >= len(text):
            return
        start = max(start + 1, stop - CHUNK_OVERLAP)


def _border(text: str, start: int, length: int) -> int:
    stop = start + length
    if stop + CHUNK_OVERLAP >= len(text):
        return len(text)
    for mark in ("\n", " "):
        found = text.rfind(mark, start + length // 2, stop)
        if found > 0:
            return found + 1
    return stop
