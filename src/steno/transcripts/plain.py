"""The plain shape of the data folder: one conversation a line, in no provider's form.

Each line is `{"id", "source", "messages": [{"role", "content", "thinking"?,
"tool_calls"?: [{"id", "name", "arguments"}], "tool_call_id"?, …}], "labels"}`. It
is read as OpenAI chat messages; a row that marks a compaction (role `meta`) is an
aside. A changed message keeps the other keys of its row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from steno.core.errors import BadTranscript
from steno.providers.shared.parts import user_speaker
from steno.providers.shared.plain_json import parse_json
from steno.transcripts.format import (
    AS_USUAL,
    NOTHING_COVERED,
    Aside,
    Entry,
    Json,
    Piece,
    ReadOptions,
    ReadPiece,
    Survey,
)
from steno.transcripts.lines import find_array, head_objects, rows, strip_separator
from steno.transcripts.lists import write_list

OWN_KEYS = ("id", "source", "messages", "labels")


class PlainFormat:
    name = "plain"
    wire = "openai"
    many = True

    def recognises(self, head: Sequence[str]) -> str | None:
        for number, value in head_objects(head):
            if all(key in value for key in OWN_KEYS) and isinstance(value["messages"], list):
                return f"line {number} is an object with {', '.join(OWN_KEYS)}"
        return None

    def survey(self, lines: Iterable[str]) -> Survey:
        return NOTHING_COVERED

    def read(self, lines: Iterable[str], how: ReadOptions = AS_USUAL) -> Iterator[ReadPiece]:
        for row in rows(lines, how.name, how.strict):
            if row.value is None:
                yield row.aside
                continue
            found = find_array(row.text, "messages")
            if found is None:
                raise BadTranscript(
                    f"{how.name}:{row.number}", "a conversation must have a list of messages"
                )
            yield Aside((found.head,), part="head")
            for at, (text, value) in enumerate(found.items):
                yield _read_row(value, text, f"{how.name}:{row.number}: message {at}")
            yield Aside((found.tail,), part="tail")

    def write(self, pieces: Iterable[Piece]) -> Iterator[str]:
        return write_list(pieces, _to_row)


def _read_row(row: Any, text: str, where: str) -> ReadPiece:
    if not isinstance(row, dict) or not isinstance(row.get("role"), str):
        raise BadTranscript(where, "must be an object with a role")
    calls = row.get("tool_calls") or []
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        raise BadTranscript(where, "tool_calls must be a list of objects")
    if row["role"] == "meta":
        return Aside((text,), part="item")
    message: Json = {"role": row["role"], "content": row.get("content")}
    if row.get("thinking"):
        message["reasoning_content"] = row["thinking"]
    if calls:
        # The API itself answers with null where the model only calls.
        message["content"] = row.get("content") or None
        message["tool_calls"] = [_call(call) for call in calls]
    if row["role"] == "tool":
        message["tool_call_id"] = row.get("tool_call_id")
        if row.get("name"):
            message["name"] = row["name"]
    by = user_speaker(row["role"], row.get("name"))
    return Entry(message, (text,), "item", by, where=where)


def _call(call: Json) -> Json:
    function = {"name": call.get("name"), "arguments": call.get("arguments")}
    return {"id": call.get("id"), "type": "function", "function": function}


def _to_row(message: Json, instead: Entry | None) -> Json:
    """Return a chat message as a row, with the other keys of the row that it replaces."""
    row: Json = {"role": message["role"], "content": _content_text(message.get("content"))}
    if message.get("reasoning_content"):
        row["thinking"] = message["reasoning_content"]
    if message.get("tool_calls"):
        row["tool_calls"] = [
            {"id": call.get("id"), **call["function"]} for call in message["tool_calls"]
        ]
    row |= {key: message[key] for key in ("tool_call_id", "name") if key in message}
    if instead is None:
        return row
    changed: Json = parse_json(strip_separator(instead.lines[0])) | row
    # The old row must not bring back what the message has lost.
    for key in ("thinking", "tool_calls"):
        if key not in row:
            changed.pop(key, None)
    return changed


def _content_text(content: object) -> str:
    """Return a content as one text: the texts of its parts."""
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content if isinstance(part, dict))
    if isinstance(content, str):
        return content
    return ""
