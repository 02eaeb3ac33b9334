"""Cut messages into chunks: the text of their blocks, in pieces about one thing.

A chunk knows its block and where in it it begins, its tool and the paths that the call
touches; a result has those of the call that it answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from steno.core.fence import NOTES_SHOWN_KIND, Fence
from steno.core.message import Block, Call, Message, Opaque, Result, Text
from steno.core.store import StoredMessage
from steno.facts.artifacts import call_touches
from steno.facts.authorship import typed_text
from steno.facts.memory_offer import OFFER_KIND
from steno.facts.vocabulary import canonical_path
from steno.recall.query import PROGRAM
from steno.recall.rows import CHUNKS_MOST, TextChunk

CHUNK_LENGTH = 1_800
"""Characters of a chunk: some 300 words."""
CHUNK_OVERLAP = 120
"""Characters that two chunks share, so that a quote across their border is in one of them."""
PATHS_MOST = 16
CALL_MOST = 300
"""Characters of a call that its result is found by."""
DEPTH_MOST = 20
"""Levels of a call's arguments that are searched."""

Calls = dict[str, Call]
"""Calls by id, for the results that answer them."""


def chunks_of(messages: Iterable[StoredMessage], calls: Calls) -> Iterator[TextChunk]:
    """Cut messages into chunks in order; add their calls to `calls`."""
    for stored in messages:
        if stored.message.role == "absent" or _repeats_others(stored.message):
            continue
        remember_calls([stored], calls)
        yield from _message_chunks(stored, calls)


def _repeats_others(message: Message) -> bool:
    """Tell whether Steno repeats what is found under who said it: earlier sessions, or notes."""
    if message.by != "steno" or "<steno-" not in message.text:
        return False
    fence = Fence.parse(message.text)
    return fence is not None and fence.label.get("kind") in (OFFER_KIND, NOTES_SHOWN_KIND)


def remember_calls(messages: Iterable[StoredMessage], calls: Calls) -> None:
    """Add the calls of messages to `calls`, by id."""
    for stored in messages:
        for call in stored.message.calls:
            if call.id:
                calls[call.id] = call


def searchable_text(block: Block) -> str:
    """Return the text of a block that a search can find."""
    match block:
        case Text(text) | Opaque(_, text):
            return text
        case Call(_, name, arguments):
            return f"{name}\n{_flatten(arguments)}"
        case Result():
            return block.text
    return ""


def _message_chunks(stored: StoredMessage, calls: Calls) -> Iterator[TextChunk]:
    message = stored.message
    author: str = message.role
    # A skill or a notice of the agent's program is long, and would rank before what people typed.
    if message.role == "user" and message.by == "caller" and not typed_text(message):
        author = PROGRAM
    texts = [searchable_text(block) for block in message.blocks]
    # A message has a limited number of chunks; if it is very long, they are longer.
    needed = 2 * sum(len(text) for text in texts) // CHUNKS_MOST + CHUNK_OVERLAP
    length = max(CHUNK_LENGTH, needed)
    room = CHUNKS_MOST
    for at, (block, text) in enumerate(zip(message.blocks, texts, strict=True)):
        tool = ""
        paths = ""
        called = ""
        call = _call_of(block, calls)
        if call is not None:
            tool = call.name
            paths = _paths(call)
        if call is not None and isinstance(block, Result):
            called = searchable_text(call)[:CALL_MOST]
        # Anthropic puts results into user messages; a search by role means who wrote the words.
        role = author
        if isinstance(block, Result):
            role = "tool"
        for start, part in _cut(text, length):
            if room == 0:
                return
            room -= 1
            yield TextChunk(
                stored.position, at, start, part, role, tool, paths, stored.when, called
            )


def _call_of(block: Block, calls: Calls) -> Call | None:
    """Return the call that a block is, or that it answers."""
    match block:
        case Call():
            return block
        case Result(call):
            return calls.get(call or "")
    return None


def _paths(call: Call) -> str:
    """Return the paths of a call, a line each, between slashes so that whole parts match."""
    paths: list[str] = []
    for touch in call_touches(call):
        for path in (touch.key, canonical_path(touch.to or "")):
            # Commands, searches and addresses are artifacts too, and marked so.
            if path and not path.startswith(("$ ", "? ", "@ ")) and path not in paths:
                paths.append(path)
    return "".join(f"/{path.strip('/')}/\n" for path in paths[:PATHS_MOST])


def _flatten(arguments: str) -> str:
    """Return arguments as lines of text; JSON would hide their words behind escapes."""
    try:
        value = msgspec.json.decode(arguments)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        # Arguments may hold half of a character, which no JSON is made of.
        return arguments.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return "\n".join(_lines(value, 0))
    return arguments


def _lines(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and value and depth < DEPTH_MOST:
        for key, inner in value.items():
            yield f"{key}: " + "\n".join(_lines(inner, depth + 1))
    elif isinstance(value, list) and value and depth < DEPTH_MOST:
        for inner in value:
            yield from _lines(inner, depth + 1)
    elif isinstance(value, str):
        yield value
    else:
        # As the caller wrote it: true, null, an empty list.
        yield msgspec.json.encode(value).decode()


def _cut(text: str, length: int) -> Iterator[tuple[int, str]]:
    """Cut a text at lines or words, each part overlapping the one before."""
    start = 0
    while start < len(text):
        stop = _border(text, start, length)
        yield start, text[start:stop]
        if stop >= len(text):
            return
        # Always forward, however short the part was.
        start = max(start + 1, stop - CHUNK_OVERLAP)


def _border(text: str, start: int, length: int) -> int:
    stop = start + length
    # What is left would hardly be more than the overlap.
    if stop + CHUNK_OVERLAP >= len(text):
        return len(text)
    for mark in ("\n", " "):
        found = text.rfind(mark, start + length // 2, stop)
        if found > 0:
            return found + 1
    return stop
