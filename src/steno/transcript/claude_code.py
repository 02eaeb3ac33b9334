"""Claude Code's session files: one content block a row, a chain of rows by uuid.

Rows of one reply (`message.id`) are one message, as the model said it. Rows the
model never sees (progress, sidechains, snapshots, titles, system rows, failures
of the API) are asides; meta rows are what Claude Code tells the model unseen, so
they are messages. What stood before the newest compact boundary is an aside too.
Branches that were left by a rewind are not told apart. Writing is in `claude_chain`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from steno.transcript.claude_chain import Chain, blocks, message_of
from steno.transcript.lines import Row, joined, rows
from steno.transcript.piece import Aside, Entry, Json, Piece, Read
from steno.transcript.recognise import values

LOOK_AHEAD = 1_000
"""Rows of other kinds among the rows of one reply, after which it counts as ended."""


class ClaudeCode:
    name = "claude-code"
    wire = "anthropic"
    many = False
    looks_for = "rows with type, uuid and sessionId"

    def recognises(self, head: Sequence[str]) -> str | None:
        for number, value in values(head):
            kind = value.get("type")
            if "uuid" in value and "sessionId" in value and isinstance(kind, str):
                return f"line {number} is a row of type {kind!r} with uuid and sessionId"
            if (kind == "summary" and "leafUuid" in value) or kind == "file-history-snapshot":
                return f"line {number} is a row of type {kind!r}"
        return None

    def covered(self, lines: Iterable[str]) -> int:
        newest = 0
        for number, text in enumerate(lines, start=1):
            if '"compact_boundary"' in text and any(_is_boundary(row.value) for row in rows([text], "", False)):
                newest = number
        return newest

    def read(
        self, lines: Iterable[str], *, name: str = "transcript", strict: bool = False, covered: int = 0
    ) -> Iterator[Read]:
        held: list[Row] = []
        seen = False
        for row in rows(lines, name, strict):
            seen = seen or row.number > covered or (row.number == covered and _is_boundary(row.value))
            message = message_of(row.value) if seen else None
            if held and len(held) < LOOK_AHEAD and (message is None or _reply(message) == _reply(held[0].value)):
                held.append(row)
                continue
            yield from _merged(held)
            held = []
            if message is None:
                yield row.aside
            elif _reply(message) is None:
                yield Entry(_sent(message, [message]), (row.text,))
            else:
                held = [row]
        yield from _merged(held)

    def write(self, pieces: Iterable[Piece]) -> Iterator[str]:
        chain = Chain()
        return joined(line for piece in pieces for line in chain.lines(piece))


def _is_boundary(value: Any) -> bool:
    return isinstance(value, dict) and value.get("subtype") == "compact_boundary" and not value.get("isSidechain")


def _reply(value: Json) -> str | None:
    """The id of the reply that a message or its row belongs to."""
    message = value.get("message", value)
    id = message.get("id")
    return id if isinstance(id, str) and message.get("role") == "assistant" else None


def _merged(held: list[Row]) -> Iterator[Read]:
    """The rows of a reply as one entry; what only came after it follows as it came."""
    said = [at for at, row in enumerate(held) if message_of(row.value) is not None]
    if not said:
        return
    messages = [held[at].value["message"] for at in said]
    last = said[-1] + 1
    yield Entry(_sent(messages[0], messages), tuple(row.text for row in held[:last]))
    for row in held[last:]:
        yield Aside((row.text,), warning=row.warning)


def _sent(first: Json, messages: list[Json]) -> Json:
    """What the API is sent of a message."""
    if len(messages) == 1:
        return {"role": first["role"], "content": first["content"]}
    return {"role": first["role"], "content": [block for message in messages for block in blocks(message["content"])]}
