"""Writing Claude Code's rows, so that the chain of them holds.

Each row names its parent, and Claude Code resumes a session by walking from the
last row back. A row that stands for others takes the uuid of the last of them,
so the rows after it stay as they are to the byte; only a row whose parent is
gone and has no such heir has its `parentUuid` replaced in its text. A changed
message keeps its rows, with other content. A new row gets a uuid made of its
content, and the rows after it follow on it. Nothing reads a clock: a new row
has the time of the row it stands for, or of the one before.

Claude Code's session files: one content block a row, a chain of rows by uuid.

Rows of one reply (`message.id`) are one message, as the model said it. Rows the
model never sees (progress, sidechains, snapshots, titles, system rows, failures
of the API) are asides; meta rows are what Claude Code tells the model unseen, so
they are messages. What stood before the newest compact boundary is an aside too.
Branches that were left by a rewind are not told apart. Writing is in `claude_chain`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from hashlib import blake2b
from typing import Any
from uuid import UUID

from steno.transcripts.format import Aside, Change, Entry, Json, Piece, ReadPiece
from steno.transcripts.lines import (
    JsonRow,
    OutputLine,
    head_objects,
    join_lines,
    line_ending,
    line_value,
    rows,
)
from steno.wires.plain_json import json_text

ENVELOPE = (
    "isSidechain",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "slug",
)
ROLES = ("user", "assistant")
_PARENT = re.compile(r'("parentUuid"\s*:\s*)"([^"]*)"')
_HAS_UUID = re.compile(r'"uuid"\s*:\s*"')


def message_of(value: Any) -> Json | None:
    """The message of a row, if the model sees it."""
    if not isinstance(value, dict) or value.get("type") not in ROLES or value.get("isSidechain"):
        return None
    message = value.get("message")
    if (
        not isinstance(message, dict)
        or message.get("role") not in ROLES
        or value.get("isApiErrorMessage")
    ):
        return None
    if isinstance(message.get("content"), str | list):
        return message
    return None


class RowChain:
    """The rows written so far, as far as the next ones must know."""

    def __init__(self) -> None:
        self._moved: dict[str, str | None] = {}
        self._newest = ""
        """The text of the last row that is a link, read only when somebody asks."""

    def lines(self, piece: Piece) -> Iterator[OutputLine]:
        match piece:
            case Entry(_, lines) | Aside(lines):
                yield from map(self._keep, lines)
            case Change((message,), (entry,)) if message.get("role") == entry.message.get("role"):
                yield from self._change(entry, message)
            case Change(messages, ()):
                for message in messages:
                    yield self._append(message)
            case Change(messages, instead):
                yield from self._cover(messages, instead)

    def _keep(self, text: str) -> OutputLine:
        if self._moved:
            text = _PARENT.sub(self._repoint, text)
        return self._link(OutputLine(text))

    def _link(self, line: OutputLine) -> OutputLine:
        if _HAS_UUID.search(line.text):
            self._newest = line.text
        return line

    def _repoint(self, found: re.Match[str]) -> str:
        if found[2] in self._moved:
            return found[1] + json_text(self._heir(found[2]))
        return found[0]

    def _heir(self, uuid: str | None) -> str | None:
        """Who stands for a row that is gone."""
        for _ in range(len(self._moved)):
            if uuid is None or uuid not in self._moved:
                break
            uuid = self._moved[uuid]
        return uuid

    def _tip(self) -> Json:
        """The newest link of the main chain."""
        tip = line_value(self._newest)
        if isinstance(tip, dict):
            return tip
        return {}

    def _make(self, row: Json, end: str) -> OutputLine:
        return self._link(OutputLine(json_text(row) + end, made=True))

    def _append(self, message: Json) -> OutputLine:
        """A row after the newest one; whoever follows that one now follows this."""
        tip = self._tip()
        before = tip.get("uuid")
        row = _row(message, tip, before, _new_uuid(before, message), tip.get("timestamp"))
        if before is not None:
            self._moved[before] = row["uuid"]
        return self._make(row, line_ending(self._newest))

    def _change(self, entry: Entry, message: Json) -> Iterator[OutputLine]:
        """The rows of a message with other content; one that says nothing now is left out."""
        read = [(text, line_value(text)) for text in entry.lines]
        own = [at for at, (_, value) in enumerate(read) if message_of(value) is not None]
        contents: list[Any] = [message["content"]]
        if len(own) > 1:
            contents = _share_out(
                [read[at][1]["message"]["content"] for at in own], message["content"]
            )
        given = dict(zip(own, contents, strict=True))
        for at, (text, value) in enumerate(read):
            if at not in given or content_blocks(given[at]) == content_blocks(
                value["message"]["content"]
            ):
                yield self._keep(text)
            elif given[at] == [] and len(own) > 1:
                self._moved[value["uuid"]] = self._heir(value.get("parentUuid"))
            else:
                said = value["message"] | {"content": given[at]}
                yield self._make(value | self._parent(value) | {"message": said}, line_ending(text))

    def _parent(self, value: Json) -> Json:
        if "parentUuid" in value:
            return {"parentUuid": self._heir(value["parentUuid"])}
        return {}

    def _cover(
        self, messages: tuple[Json, ...], instead: tuple[Entry, ...]
    ) -> Iterator[OutputLine]:
        read = [(text, line_value(text)) for entry in instead for text in entry.lines]
        gone = [value for _, value in read if message_of(value) is not None]
        last, end = gone[-1], line_ending(instead[-1].lines[-1])
        parent = self._heir(gone[0].get("parentUuid"))
        for at, message in enumerate(messages, start=1):
            uuid = last.get("uuid") if at == len(messages) else _new_uuid(parent, message)
            yield self._make(_row(message, gone[0], parent, uuid, last.get("timestamp")), end)
            parent = uuid
        heir = last.get("uuid") if messages else parent
        self._moved |= {
            value["uuid"]: heir for value in gone if "uuid" in value and value["uuid"] != heir
        }
        for text, value in read:
            if message_of(value) is None:
                yield self._keep(text)


def content_blocks(content: Any) -> list[Any]:
    """Return the blocks of a content, which may be one text."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    blocks: list[Any] = content
    return blocks


def _new_uuid(before: str | None, message: Json) -> str:
    said = f"{before}\n{json_text(message)}".encode("utf-8", "surrogatepass")
    return str(UUID(bytes=blake2b(said, digest_size=16).digest(), version=4))


def _row(message: Json, like: Json, parent: str | None, uuid: str | None, time: str | None) -> Json:
    role = "assistant" if message.get("role") == "assistant" else "user"
    said: Json = {"role": role, "content": message["content"]}
    if role == "assistant":
        usage = {"input_tokens": 0, "output_tokens": 0}
        said = (
            {"id": f"msg_steno_{uuid}", "type": "message", "model": "<synthetic>"}
            | said
            | {"usage": usage}
        )
    kept = {key: like[key] for key in ENVELOPE if key in like}
    row = {"parentUuid": parent} | kept | {"type": role, "message": said, "uuid": uuid}
    return row | ({} if time is None else {"timestamp": time})


def _share_out(before: list[Any], content: Any) -> list[list[Any]]:
    """The new blocks of a message, each to the row that had it or what it was before."""
    old = [
        (json_text(block), at) for at, each in enumerate(before) for block in content_blocks(each)
    ]
    new = content_blocks(content)
    shares: list[list[Any]] = [[] for _ in before]
    if len(old) == len(new):
        for (_, at), block in zip(old, new, strict=True):
            shares[at].append(block)
        return shares
    match = SequenceMatcher(
        None, [text for text, _ in old], [json_text(block) for block in new], autojunk=False
    )
    for _, from_old, to_old, from_new, to_new in match.get_opcodes():
        for offset, block in enumerate(new[from_new:to_new]):
            at = min(from_old + offset, max(from_old, to_old - 1), len(old) - 1)
            shares[old[at][1]].append(block)
    return shares


LOOK_AHEAD = 1_000
"""Rows of other kinds among the rows of one reply, after which it counts as ended."""


class ClaudeCodeFormat:
    name = "claude-code"
    wire = "anthropic"
    many = False
    looks_for = "rows with type, uuid and sessionId"

    def recognises(self, head: Sequence[str]) -> str | None:
        for number, value in head_objects(head):
            kind = value.get("type")
            if "uuid" in value and "sessionId" in value and isinstance(kind, str):
                return f"line {number} is a row of type {kind!r} with uuid and sessionId"
            if (kind == "summary" and "leafUuid" in value) or kind == "file-history-snapshot":
                return f"line {number} is a row of type {kind!r}"
        return None

    def covered_lines(self, lines: Iterable[str]) -> int:
        newest = 0
        for number, text in enumerate(lines, start=1):
            if '"compact_boundary"' in text and any(
                _is_boundary(row.value) for row in rows([text], "", False)
            ):
                newest = number
        return newest

    def read(
        self,
        lines: Iterable[str],
        *,
        name: str = "transcript",
        strict: bool = False,
        covered: int = 0,
    ) -> Iterator[ReadPiece]:
        held: list[JsonRow] = []
        seen = False
        for row in rows(lines, name, strict):
            seen = (
                seen or row.number > covered or (row.number == covered and _is_boundary(row.value))
            )
            message = message_of(row.value) if seen else None
            if (
                held
                and len(held) < LOOK_AHEAD
                and (message is None or _reply_id(message) == _reply_id(held[0].value))
            ):
                held.append(row)
                continue
            yield from _merge_rows(held)
            held = []
            if message is None:
                yield row.aside
            elif _reply_id(message) is None:
                yield Entry(_api_message(message, [message]), (row.text,))
            else:
                held = [row]
        yield from _merge_rows(held)

    def write(self, pieces: Iterable[Piece]) -> Iterator[str]:
        chain = RowChain()
        return join_lines(line for piece in pieces for line in chain.lines(piece))


def _is_boundary(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("subtype") == "compact_boundary"
        and not value.get("isSidechain")
    )


def _reply_id(value: Json) -> str | None:
    """The id of the reply that a message or its row belongs to."""
    message = value.get("message", value)
    id = message.get("id")
    if isinstance(id, str) and message.get("role") == "assistant":
        return id
    return None


def _merge_rows(held: list[JsonRow]) -> Iterator[ReadPiece]:
    """The rows of a reply as one entry; what only came after it follows as it came."""
    said = [at for at, row in enumerate(held) if message_of(row.value) is not None]
    if not said:
        return
    messages = [held[at].value["message"] for at in said]
    last = said[-1] + 1
    yield Entry(_api_message(messages[0], messages), tuple(row.text for row in held[:last]))
    for row in held[last:]:
        yield Aside((row.text,), warning=row.warning)


def _api_message(first: Json, messages: list[Json]) -> Json:
    """What the API is sent of a message."""
    if len(messages) == 1:
        return {"role": first["role"], "content": first["content"]}
    return {
        "role": first["role"],
        "content": [block for message in messages for block in content_blocks(message["content"])],
    }
