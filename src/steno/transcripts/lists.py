"""Lists of messages as a provider's client takes them: JSON, or one message a line.

There are three shapes: one message a line; a document that is a list, or an object
with `messages`, `input` or `contents`; and one such object a line. The provider is found by
what only one of them writes. Without a sign it is OpenAI's chat form, which every
provider accepts. A document is read whole, the other two line by line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from steno.core.errors import BadTranscript
from steno.providers import DEFAULT_WIRE, PROVIDERS, json_text
from steno.providers.openai_responses.wire import STORED_BY_PROVIDER
from steno.transcripts.format import (
    AS_USUAL,
    NOTHING_COVERED,
    Aside,
    Change,
    Entry,
    Json,
    Piece,
    ReadOptions,
    ReadPiece,
    Survey,
)
from steno.transcripts.lines import (
    BLANK,
    BOM,
    ArrayWriter,
    JsonArray,
    OutputLine,
    find_array,
    head_objects,
    join_lines,
    line_ending,
    read_document,
    rows,
)

Shape = Literal["lines", "document", "conversations"]
FORMAT_NAMES: dict[Shape, str] = {
    "lines": "messages-jsonl",
    "document": "messages-json",
    "conversations": "conversations-jsonl",
}
NO_CONTENT = "a user's message needs a content"
LIST_KEYS = ("messages", "input", "contents")
ROLES = ("system", "developer", "user", "assistant", "tool", "function", "model")
SHARED_ROLES = ("system", "developer")
"""Roles that both of OpenAI's wires have, and so a sign of neither."""


@dataclass(frozen=True, slots=True)
class MessageListFormat:
    shape: Shape = "lines"
    wire: str = "openai"

    @property
    def name(self) -> str:
        return FORMAT_NAMES[self.shape]

    @property
    def many(self) -> bool:
        return self.shape == "conversations"

    def recognises(self, head: Sequence[str]) -> bool:
        return shape_of(head) is not None

    def survey(self, lines: Iterable[str]) -> Survey:
        return NOTHING_COVERED

    def read(self, lines: Iterable[str], how: ReadOptions = AS_USUAL) -> Iterator[ReadPiece]:
        if self.shape == "document":
            yield from read_array(
                _messages_array(read_document(lines, how.name), how.name), how.name
            )
            return
        for row in rows(lines, how.name, how.strict):
            where = f"{how.name}:{row.number}"
            if row.value is None:
                yield row.aside
            elif self.shape == "lines" and _says_nothing(row.value) and not how.strict:
                # As with a damaged line: the others can be read all the same.
                warning = f"{where}: {NO_CONTENT}; it is kept but not read"
                yield Aside((row.text,), warnings=(warning,))
            elif self.shape == "lines":
                message = _check_message(row.value, where)
                yield Entry(message, (row.text,), where=f"{where}: message")
            else:
                yield from read_array(_messages_array(row.text, where), where)

    def write(self, pieces: Iterable[Piece]) -> Iterator[str]:
        return join_lines(_output_lines(pieces))


def detect_list(lines: Iterable[str], head: Sequence[str]) -> MessageListFormat | None:
    """Return the format of a list; read on until a message shows the provider."""
    shape = shape_of(head)
    if shape is None:
        return None
    for message in _messages(shape, lines):
        wire = wire_name_of(message)
        if wire is not None:
            return MessageListFormat(shape, wire)
    return MessageListFormat(shape)


def shape_of(head: Sequence[str]) -> Shape | None:
    """Return the shape of a list by its first lines, or None."""
    first = next((line for line in head if line.strip(BLANK)), "").lstrip(BLANK)
    # An object that goes over several lines begins with a line that is no JSON by itself.
    if first.startswith("[") or first.rstrip() == "{":
        return "document"
    seen = next((value for _, value in head_objects(head)), None)
    if seen is None:
        return None
    if any(isinstance(seen.get(key), list) for key in LIST_KEYS):
        return "conversations"
    if _is_message(seen):
        return "lines"
    return None


def _is_message(value: Json) -> bool:
    if "role" in value:
        return value["role"] in ROLES
    kind = str(value.get("type"))
    return kind == "reasoning" or kind.endswith(("_call", "_call_output"))


def wire_name_of(message: Json) -> str | None:
    """Return the name of the only wire that writes messages like this, or None."""
    shared = message.get("role") in SHARED_ROLES and "tool_calls" not in message
    # Chat last: some of what it writes, others write as well.
    for provider in sorted(PROVIDERS.values(), key=lambda each: each.name == DEFAULT_WIRE):
        last = provider.name == DEFAULT_WIRE
        if provider.in_files and provider.wire.signs(message) and not (shared and last):
            return provider.name
    return None


def _messages(shape: Shape, lines: Iterable[str]) -> Iterator[Json]:
    """Yield the messages of a file up to the first error, which the real reading will raise."""
    try:
        for piece in MessageListFormat(shape).read(lines):
            if isinstance(piece, Entry):
                yield piece.message
    except BadTranscript:
        return


def _messages_array(text: str, where: str) -> JsonArray:
    found = find_array(text)
    for key in LIST_KEYS:
        found = found or find_array(text, key)
    if found is None:
        raise BadTranscript(
            where,
            f"neither a list of messages nor an object with {' or '.join(map(repr, LIST_KEYS))}",
        )
    # Head and tail joined are the object with an empty list.
    around = json.loads((found.head + found.tail).lstrip(BOM))
    if isinstance(around, dict) and around.get("previous_response_id"):
        raise BadTranscript(where, STORED_BY_PROVIDER.format("previous_response_id"))
    return found


def _check_message(value: Any, where: str) -> Json:
    if not isinstance(value, dict):
        raise BadTranscript(where, f"a message must be an object, got {type(value).__name__}")
    if _says_nothing(value):
        raise BadTranscript(where, NO_CONTENT)
    return value


def _says_nothing(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("role") != "user":
        return False
    return not {"content", "parts", "type"} & value.keys()


def read_array(array: JsonArray, where: str) -> Iterator[ReadPiece]:
    """Yield the pieces of a list of messages."""
    yield Aside((array.head,), part="head")
    for at, (text, value) in enumerate(array.items):
        place = f"{where}: message {at}"
        yield Entry(_check_message(value, place), (text,), part="item", where=place)
    yield Aside((array.tail,), part="tail")


def _output_lines(pieces: Iterable[Piece]) -> Iterator[OutputLine]:
    array: ArrayWriter | None = None
    end = "\n"
    for piece in pieces:
        if isinstance(piece, Change):
            if piece.instead:
                end = line_ending(piece.instead[-1].lines[-1])
            for message in piece.messages:
                text = json_text(message)
                if array is None:
                    yield OutputLine(text + end, made=True)
                else:
                    yield OutputLine(array.add(text))
        elif piece.part == "item" and array is not None:
            yield OutputLine(array.keep(piece.lines[0]))
        else:
            array = None
            if piece.part == "head":
                array = ArrayWriter()
            end = line_ending(piece.lines[-1])
            yield from map(OutputLine, piece.lines)
