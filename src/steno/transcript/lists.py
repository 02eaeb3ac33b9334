"""Lists of messages as a provider's client takes them: JSON, or one a line.

Three shapes: a message a line; a document that is a list, or an object with
`messages` or `input`; and such an object a line. Whose messages they are is told
by what only one provider writes; where nothing is, they are OpenAI's, whose form
every provider took over. A document is read whole, the two others line by line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from steno.core.error import BadTranscript
from steno.transcript.array import Array, Listing, array_in
from steno.transcript.lines import BLANK, BOM, LINE_MOST, Line, ending, joined, rows
from steno.transcript.piece import Aside, Change, Entry, Json, Piece, Read
from steno.transcript.recognise import values
from steno.wire.anthropic import Anthropic
from steno.wire.openai_chat import OpenAIChat
from steno.wire.openai_responses import HELD, OpenAIResponses
from steno.wire.plain import text_of, value_of

Shape = Literal["lines", "document", "conversations"]
NAMES: dict[Shape, str] = {
    "lines": "messages-jsonl",
    "document": "messages-json",
    "conversations": "conversations-jsonl",
}
KEYS = ("messages", "input")
ROLES = ("system", "developer", "user", "assistant", "tool", "function")
SHARED = ("system", "developer")
"""Roles that two wires of OpenAI have: no sign of either."""


@dataclass(frozen=True, slots=True)
class MessageList:
    shape: Shape = "lines"
    wire: str = "openai"

    looks_for = "messages with a role, as a JSON list, in an object under 'messages' or 'input', or one a line"

    @property
    def name(self) -> str:
        return NAMES[self.shape]

    @property
    def many(self) -> bool:
        return self.shape == "conversations"

    def recognises(self, head: Sequence[str]) -> str | None:
        shape = shape_of(head)
        return f"its shape is {MessageList(shape).name!r}" if shape else None

    def covered(self, lines: Iterable[str]) -> int:
        return 0

    def read(
        self, lines: Iterable[str], *, name: str = "transcript", strict: bool = False, covered: int = 0
    ) -> Iterator[Read]:
        if self.shape == "document":
            yield from listed(_document(lines, name), name)
            return
        for row in rows(lines, name, strict):
            where = f"{name}:{row.number}"
            if row.value is None:
                yield row.aside
            elif self.shape == "lines":
                yield Entry(_message(row.value, where), (row.text,))
            else:
                yield from listed(_array(row.text, where), where)

    def write(self, pieces: Iterable[Piece]) -> Iterator[str]:
        return written(pieces, _said)


def _said(message: Json, instead: Entry | None) -> Json:
    return message


def list_of(lines: Iterable[str], head: Sequence[str]) -> MessageList | None:
    """The list that a file is, if it is one; reads on until something tells whose it is."""
    shape = shape_of(head)
    if shape is None:
        return None
    found = (told_by(message) for message in _messages(shape, lines))
    return MessageList(shape, next((wire for wire in found if wire), "openai"))


def shape_of(head: Sequence[str]) -> Shape | None:
    first = next((line for line in head if line.strip(BLANK)), "").lstrip(BLANK)
    if first.startswith("["):
        return "document"
    seen = next((value for _, value in values(head)), None)
    if seen is None:
        return "document" if first.rstrip() == "{" else None
    if any(isinstance(seen.get(key), list) for key in KEYS):
        return "conversations"
    return "lines" if _is_message(seen) else None


def _is_message(value: Json) -> bool:
    kind = value.get("type")
    item = isinstance(kind, str) and (kind == "reasoning" or kind.endswith(("_call", "_call_output")))
    return value.get("role") in ROLES or (item and "role" not in value)


def told_by(message: Json) -> str | None:
    """The wire that alone would write this message."""
    if message.get("role") in SHARED and "tool_calls" not in message:
        return "openai-responses" if OpenAIResponses().signs(message) else None
    wires = (OpenAIResponses(), Anthropic(), OpenAIChat())
    return next((wire.name for wire in wires if wire.signs(message)), None)


def _messages(shape: Shape, lines: Iterable[str]) -> Iterator[Json]:
    """The messages of a file, as far as they can be read: complaints are for who reads them for good."""
    try:
        for piece in MessageList(shape).read(lines):
            if isinstance(piece, Entry):
                yield piece.message
    except BadTranscript:
        return


def _document(lines: Iterable[str], name: str) -> Array:
    texts: list[str] = []
    size = 0
    for line in lines:
        texts.append(line)
        size += len(line)
        if size > LINE_MOST:
            raise BadTranscript(name, f"one JSON document of more than {LINE_MOST >> 20} MB: write a message a line")
    text = "".join(texts)
    try:
        value_of(text.lstrip(BOM))
    except (ValueError, RecursionError) as error:
        raise BadTranscript(name, f"not JSON: {error}") from None
    return _array(text, name)


def _array(text: str, where: str) -> Array:
    found = array_in(text) or next((each for key in KEYS if (each := array_in(text, key))), None)
    if found is None:
        raise BadTranscript(where, f"neither a list of messages nor an object with {' or '.join(map(repr, KEYS))}")
    around = json.loads((found.head + found.tail).lstrip("\ufeff"))
    if isinstance(around, dict) and around.get("previous_response_id"):
        raise BadTranscript(where, HELD.format("previous_response_id"))
    return found


def _message(value: Any, where: str) -> Json:
    if not isinstance(value, dict):
        raise BadTranscript(where, f"a message must be an object, got {type(value).__name__}")
    return value


def listed(array: Array, where: str) -> Iterator[Read]:
    yield Aside((array.head,), part="head")
    for at, (text, value) in enumerate(array.items):
        yield Entry(_message(value, f"{where}: message {at}"), (text,), part="item")
    yield Aside((array.tail,), part="tail")


def written(pieces: Iterable[Piece], said: Any) -> Iterator[str]:
    """The lines of a list; `said(message, instead)` is a message in the words of the format."""
    return joined(_lines(pieces, said))


def _lines(pieces: Iterable[Piece], said: Any) -> Iterator[Line]:
    listing: Listing | None = None
    end = "\n"
    for piece in pieces:
        if isinstance(piece, Change):
            alone = piece.instead[0] if len(piece.instead) == len(piece.messages) == 1 else None
            end = ending(piece.instead[-1].lines[-1]) if piece.instead else end
            for message in piece.messages:
                text = text_of(said(message, alone))
                yield Line(listing.made(text)) if listing else Line(text + end, made=True)
        elif piece.part == "item" and listing:
            yield Line(listing.kept(piece.lines[0]))
        else:
            listing = Listing() if piece.part == "head" else None
            end = ending(piece.lines[-1])
            yield from map(Line, piece.lines)
