"""Writing Claude Code's rows, so that the chain of them holds.

Each row names its parent, and Claude Code resumes a session by walking from the
last row back. A row that stands for others takes the uuid of the last of them,
so the rows after it stay as they are to the byte; only a row whose parent is
gone and has no such heir has its `parentUuid` replaced in its text. A changed
message keeps its rows, with other content. A new row gets a uuid made of its
content, and the rows after it follow on it. Nothing reads a clock: a new row
has the time of the row it stands for, or of the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from hashlib import blake2b
from typing import Any
from uuid import UUID

from steno.transcript.lines import Line, ending, value_in
from steno.transcript.piece import Aside, Change, Entry, Json, Piece
from steno.wire.plain import text_of

ENVELOPE = ("isSidechain", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug")
ROLES = ("user", "assistant")
_PARENT = re.compile(r'("parentUuid"\s*:\s*)"([^"]*)"')
_LINKED = re.compile(r'"uuid"\s*:\s*"')


def message_of(value: Any) -> Json | None:
    """The message of a row, if the model sees it."""
    if not isinstance(value, dict) or value.get("type") not in ROLES or value.get("isSidechain"):
        return None
    message = value.get("message")
    if not isinstance(message, dict) or message.get("role") not in ROLES or value.get("isApiErrorMessage"):
        return None
    return message if isinstance(message.get("content"), str | list) else None


class Chain:
    """The rows written so far, as far as the next ones must know."""

    def __init__(self) -> None:
        self._moved: dict[str, str | None] = {}
        self._newest = ""
        """The text of the last row that is a link, read only when somebody asks."""

    def lines(self, piece: Piece) -> Iterator[Line]:
        match piece:
            case Entry(_, lines) | Aside(lines):
                yield from map(self._kept, lines)
            case Change((message,), (entry,)) if message.get("role") == entry.message.get("role"):
                yield from self._changed(entry, message)
            case Change(messages, ()):
                for message in messages:
                    yield self._new(message)
            case Change(messages, instead):
                yield from self._covering(messages, instead)

    def _kept(self, text: str) -> Line:
        if self._moved:
            text = _PARENT.sub(self._repointed, text)
        return self._linked(Line(text))

    def _linked(self, line: Line) -> Line:
        if _LINKED.search(line.text):
            self._newest = line.text
        return line

    def _repointed(self, found: re.Match[str]) -> str:
        return found[1] + text_of(self._heir(found[2])) if found[2] in self._moved else found[0]

    def _heir(self, uuid: str | None) -> str | None:
        """Who stands for a row that is gone."""
        for _ in range(len(self._moved)):
            if uuid is None or uuid not in self._moved:
                break
            uuid = self._moved[uuid]
        return uuid

    def _tip(self) -> Json:
        """The newest link of the main chain."""
        tip = value_in(self._newest)
        return tip if isinstance(tip, dict) else {}

    def _made(self, row: Json, end: str) -> Line:
        return self._linked(Line(text_of(row) + end, made=True))

    def _new(self, message: Json) -> Line:
        """A row after the newest one; whoever follows that one now follows this."""
        tip = self._tip()
        before = tip.get("uuid")
        row = _row(message, tip, before, _fresh(before, message), tip.get("timestamp"))
        if before is not None:
            self._moved[before] = row["uuid"]
        return self._made(row, ending(self._newest))

    def _changed(self, entry: Entry, message: Json) -> Iterator[Line]:
        """The rows of a message with other content; one that says nothing now is left out."""
        read = [(text, value_in(text)) for text in entry.lines]
        own = [at for at, (_, value) in enumerate(read) if message_of(value) is not None]
        contents: list[Any] = [message["content"]]
        if len(own) > 1:
            contents = _shared_out([read[at][1]["message"]["content"] for at in own], message["content"])
        given = dict(zip(own, contents, strict=True))
        for at, (text, value) in enumerate(read):
            if at not in given or blocks(given[at]) == blocks(value["message"]["content"]):
                yield self._kept(text)
            elif given[at] == [] and len(own) > 1:
                self._moved[value["uuid"]] = self._heir(value.get("parentUuid"))
            else:
                said = value["message"] | {"content": given[at]}
                yield self._made(value | self._parent(value) | {"message": said}, ending(text))

    def _parent(self, value: Json) -> Json:
        return {"parentUuid": self._heir(value["parentUuid"])} if "parentUuid" in value else {}

    def _covering(self, messages: tuple[Json, ...], instead: tuple[Entry, ...]) -> Iterator[Line]:
        read = [(text, value_in(text)) for entry in instead for text in entry.lines]
        gone = [value for _, value in read if message_of(value) is not None]
        last, end = gone[-1], ending(instead[-1].lines[-1])
        parent = self._heir(gone[0].get("parentUuid"))
        for at, message in enumerate(messages, start=1):
            uuid = last.get("uuid") if at == len(messages) else _fresh(parent, message)
            yield self._made(_row(message, gone[0], parent, uuid, last.get("timestamp")), end)
            parent = uuid
        heir = last.get("uuid") if messages else parent
        self._moved |= {value["uuid"]: heir for value in gone if "uuid" in value and value["uuid"] != heir}
        for text, value in read:
            if message_of(value) is None:
                yield self._kept(text)


def blocks(content: Any) -> list[Any]:
    """Content as a list."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _fresh(before: str | None, message: Json) -> str:
    said = f"{before}\n{text_of(message)}".encode("utf-8", "surrogatepass")
    return str(UUID(bytes=blake2b(said, digest_size=16).digest(), version=4))


def _row(message: Json, like: Json, parent: str | None, uuid: str | None, time: str | None) -> Json:
    role = "assistant" if message.get("role") == "assistant" else "user"
    said: Json = {"role": role, "content": message["content"]}
    if role == "assistant":
        usage = {"input_tokens": 0, "output_tokens": 0}
        said = {"id": f"msg_steno_{uuid}", "type": "message", "model": "<synthetic>"} | said | {"usage": usage}
    kept = {key: like[key] for key in ENVELOPE if key in like}
    row = {"parentUuid": parent} | kept | {"type": role, "message": said, "uuid": uuid}
    return row | ({} if time is None else {"timestamp": time})


def _shared_out(before: list[Any], content: Any) -> list[list[Any]]:
    """The new blocks of a message, each to the row that had it or what it was before."""
    old = [(text_of(block), at) for at, each in enumerate(before) for block in blocks(each)]
    new = blocks(content)
    shares: list[list[Any]] = [[] for _ in before]
    if len(old) == len(new):
        for (_, at), block in zip(old, new, strict=True):
            shares[at].append(block)
        return shares
    match = SequenceMatcher(None, [text for text, _ in old], [text_of(block) for block in new], autojunk=False)
    for _, from_old, to_old, from_new, to_new in match.get_opcodes():
        for offset, block in enumerate(new[from_new:to_new]):
            at = min(from_old + offset, max(from_old, to_old - 1), len(old) - 1)
            shares[old[at][1]].append(block)
    return shares
