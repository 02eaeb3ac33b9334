"""Claude Code's session files: one content block a row, a chain of rows by uuid.

Reading. Rows of one reply (`message.id`) are one message, as the model wrote it.
Rows that the model never sees are asides: progress, sidechains, snapshots, titles,
system rows, errors of the API. Meta rows are text that Claude Code adds to the
prompt, so they are messages. The model does not see rows before the newest compact
boundary. A rewind begins a new branch at an earlier row: a person's words follow a row
that had been followed already. The rows of the branch that it left are asides.

Writing. Each row names its parent, and Claude Code resumes a session by walking
back from the last row. A row that replaces others takes the uuid of the last of
them, so that the rows after it stay the same to the byte. Only a row whose parent
is gone without a replacement gets another `parentUuid` in its text. A changed
message keeps its rows, with new content. A new row gets a uuid from its content,
and the rows after it follow it. No clock is read: a new row has the time of the
row it replaces, or of the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from hashlib import blake2b
from typing import Any
from uuid import UUID

from steno.core.message import Speaker
from steno.core.word_tables import word_tuple
from steno.providers.shared.plain_json import json_text
from steno.transcripts.format import (
    AS_USUAL,
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
    JsonRow,
    OutputLine,
    head_objects,
    join_lines,
    line_ending,
    line_value,
    rows,
)

ENVELOPE = word_tuple("isSidechain userType entrypoint cwd sessionId version gitBranch slug")
"""Keys that a new row copies from a row of the same session."""
ROLES = ("user", "assistant")
MADE_MARKS = word_tuple(
    "isMeta isCompactSummary isVisibleInTranscriptOnly isSynthetic sourceToolUseID agentId"
)
"""Keys of a user's row that Claude Code wrote itself, or a tool or an agent of it."""
LOOK_AHEAD = 1_000
"""Rows of other kinds among the rows of one reply, after which the reply counts as ended."""
# Both look at the text, so that the rest of a row stays to the byte.
_PARENT = re.compile(r'("parentUuid"\s*:\s*)"([^"]*)"')
_HAS_UUID = re.compile(r'"uuid"\s*:\s*"')


def message_of(value: Any) -> Json | None:
    """Return the message of a row, if the model sees it."""
    if not isinstance(value, dict) or value.get("type") not in ROLES:
        return None
    if value.get("isSidechain") or value.get("isApiErrorMessage"):
        return None
    message = value.get("message")
    if not isinstance(message, dict) or message.get("role") not in ROLES:
        return None
    if isinstance(message.get("content"), str | list):
        return message
    return None


def _row_speaker(value: Json) -> Speaker:
    """Return who put a row there: under the user's role, often the program itself."""
    if value.get("type") != "user":
        return "caller"
    origin = value.get("origin")
    if isinstance(origin, dict) and origin.get("kind") not in (None, "human"):
        return "program"
    if any(value.get(mark) for mark in MADE_MARKS):
        return "program"
    return "caller"


class RowChain:
    """Write rows and keep the chain of their uuids whole."""

    def __init__(self) -> None:
        self._moved: dict[str, str | None] = {}
        """For the uuid of a row that is gone or has a new successor: the uuid to follow now."""
        self._newest = ""
        """The text of the last row with a uuid; parsed only when a row is appended."""

    def lines(self, piece: Piece) -> Iterator[OutputLine]:
        """Yield the rows of one piece."""
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
        # Until something has moved, no row has to be searched.
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
        """Return the uuid that now takes the place of this one."""
        # Bounded: the uuids of a damaged file may lead in a circle.
        for _ in range(len(self._moved)):
            if uuid is None or uuid not in self._moved:
                break
            uuid = self._moved[uuid]
        return uuid

    def _tip(self) -> Json:
        """Return the newest row with a uuid."""
        tip = line_value(self._newest)
        if isinstance(tip, dict):
            return tip
        return {}

    def _make(self, row: Json, end: str) -> OutputLine:
        return self._link(OutputLine(json_text(row) + end, made=True))

    def _append(self, message: Json) -> OutputLine:
        """Return a row after the newest one; rows that followed that one now follow this."""
        tip = self._tip()
        before = tip.get("uuid")
        row = _row(message, tip, before, _new_uuid(before, message), tip.get("timestamp"))
        if before is not None:
            self._moved[before] = row["uuid"]
        return self._make(row, line_ending(self._newest))

    def _change(self, entry: Entry, message: Json) -> Iterator[OutputLine]:
        """Yield the rows of a message with new content; a row left empty is dropped."""
        read = [(text, line_value(text)) for text in entry.lines]
        own = [at for at, (_, value) in enumerate(read) if message_of(value) is not None]
        contents: list[Any] = [message["content"]]
        if len(own) > 1:
            old = [read[at][1]["message"]["content"] for at in own]
            contents = _share_out(old, message["content"])
        given = dict(zip(own, contents, strict=True))
        for at, (text, value) in enumerate(read):
            # As blocks: a string and one text block say the same, and the row can stay.
            if at not in given or content_blocks(given[at]) == content_blocks(
                value["message"]["content"]
            ):
                yield self._keep(text)
            elif given[at] == [] and len(own) > 1:
                # The row is gone without a replacement: those after it now follow its parent.
                self._moved[value["uuid"]] = self._heir(value.get("parentUuid"))
            else:
                changed = value["message"] | {"content": given[at]}
                row = value | self._parent(value) | {"message": changed}
                yield self._make(row, line_ending(text))

    def _parent(self, value: Json) -> Json:
        if "parentUuid" in value:
            return {"parentUuid": self._heir(value["parentUuid"])}
        return {}

    def _cover(
        self, messages: tuple[Json, ...], instead: tuple[Entry, ...]
    ) -> Iterator[OutputLine]:
        """Yield new rows in place of the rows of these entries."""
        read = [(text, line_value(text)) for entry in instead for text in entry.lines]
        gone = [value for _, value in read if message_of(value) is not None]
        last, end = gone[-1], line_ending(instead[-1].lines[-1])
        parent = self._heir(gone[0].get("parentUuid"))
        for at, message in enumerate(messages, start=1):
            uuid = last.get("uuid")
            if at < len(messages):
                uuid = _new_uuid(parent, message)
            yield self._make(_row(message, gone[0], parent, uuid, last.get("timestamp")), end)
            parent = uuid
        # `parent` is now the last new row, or the parent of the first gone one if none is new.
        for value in gone:
            if "uuid" in value and value["uuid"] != parent:
                self._moved[value["uuid"]] = parent
        for text, value in read:
            # Asides among the covered rows stay; their parents may be gone, which `_keep` corrects.
            if message_of(value) is None:
                yield self._keep(text)


def content_blocks(content: Any) -> list[Any]:
    """Return the blocks of a content, which may be one text."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    blocks: list[Any] = content
    return blocks


def _new_uuid(before: str | None, message: Json) -> str:
    # Not random: writing the same change twice gives the same file.
    text = f"{before}\n{json_text(message)}".encode("utf-8", "surrogatepass")
    return str(UUID(bytes=blake2b(text, digest_size=16).digest(), version=4))


def _row(message: Json, like: Json, parent: str | None, uuid: str | None, time: str | None) -> Json:
    """Return a new row for a message, with the envelope of a row `like` it."""
    content: Json = {"role": "user", "content": message["content"]}
    if message.get("role") == "assistant":
        content = {
            "id": f"msg_steno_{uuid}",
            "type": "message",
            "model": "<synthetic>",
            "role": "assistant",
            "content": message["content"],
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
    row: Json = {"parentUuid": parent}
    row |= {key: like[key] for key in ENVELOPE if key in like}
    row |= {"type": content["role"], "message": content, "uuid": uuid}
    if time is not None:
        row["timestamp"] = time
    return row


def _share_out(before: list[Any], content: Any) -> list[list[Any]]:
    """Return for each row its share of the new blocks: those that it had, or their replacements."""
    old: list[tuple[str, int]] = []
    for at, row_content in enumerate(before):
        old += [(json_text(block), at) for block in content_blocks(row_content)]
    new = content_blocks(content)
    shares: list[list[Any]] = [[] for _ in before]
    # Edited blocks keep their number, so the place of each tells its row.
    if len(old) == len(new):
        for (_, at), block in zip(old, new, strict=True):
            shares[at].append(block)
        return shares
    old_texts = [text for text, _ in old]
    new_texts = [json_text(block) for block in new]
    # `autojunk` would ignore blocks that repeat often in a long reply.
    match = SequenceMatcher(None, old_texts, new_texts, autojunk=False)
    for _, from_old, to_old, from_new, to_new in match.get_opcodes():
        for offset, block in enumerate(new[from_new:to_new]):
            at = min(from_old + offset, max(from_old, to_old - 1), len(old) - 1)
            shares[old[at][1]].append(block)
    return shares


class ClaudeCodeFormat:
    name = "claude-code"
    wire = "anthropic"
    many = False

    def recognises(self, head: Sequence[str]) -> bool:
        for _, value in head_objects(head):
            kind = value.get("type")
            if "uuid" in value and "sessionId" in value and isinstance(kind, str):
                return True
            # A file may begin with rows that are outside the chain.
            if (kind == "summary" and "leafUuid" in value) or kind == "file-history-snapshot":
                return True
        return False

    def survey(self, lines: Iterable[str]) -> Survey:
        newest = 0
        branches = _Branches()
        for number, text in enumerate(lines, start=1):
            # The cheap test first: this reads the whole file.
            if '"parentUuid"' not in text and '"compact_boundary"' not in text:
                continue
            for row in rows([text], "", False):
                branches.take(replace(row, number=number))
                if _is_boundary(row.value):
                    newest = number
        return Survey(newest, branches.left)

    def read(self, lines: Iterable[str], how: ReadOptions = AS_USUAL) -> Iterator[ReadPiece]:
        reply: list[JsonRow] = []
        covered = how.survey.covered
        visible = False
        for row in rows(lines, how.name, how.strict):
            # A line may hold two rows: one before the boundary, on its line, is covered too.
            if row.number > covered or (row.number == covered and _is_boundary(row.value)):
                if not visible:
                    # A reply does not go on beyond the boundary.
                    yield from _merge_rows(reply, how.name, hidden=True)
                    reply = []
                visible = True
            if row.number in how.survey.left:
                # Nothing of it may join the reply before it.
                yield from _merge_rows(reply, how.name, hidden=not visible)
                reply = []
                yield row.aside
                continue
            message = None
            if visible or how.mark:
                message = message_of(row.value)
            if _belongs_to(reply, message):
                reply.append(row)
                continue
            yield from _merge_rows(reply, how.name, hidden=not visible)
            reply = []
            if message is None:
                yield row.aside
            elif _reply_id(message) is None:
                by = _row_speaker(row.value)
                yield Entry(
                    _api_message([message]),
                    (row.text,),
                    by=by,
                    hidden=not visible,
                    where=f"{how.name}:{row.number}: message",
                )
            else:
                reply = [row]
        yield from _merge_rows(reply, how.name, hidden=not visible)

    def write(self, pieces: Iterable[Piece]) -> Iterator[str]:
        chain = RowChain()
        return join_lines(line for piece in pieces for line in chain.lines(piece))


class _Branches:
    """Finds the branches that a rewind left."""

    def __init__(self) -> None:
        self._lines: dict[str, int] = {}
        """The line of each row, by its uuid."""
        self._parents: dict[str, str] = {}
        self._children: dict[str, list[str]] = {}
        self._speaks: set[str] = set()
        """Rows that are more than results: a person's words, or the model's."""
        self._left: set[str] = set()

    @property
    def left(self) -> frozenset[int]:
        """Numbers of the lines that were left."""
        return frozenset(self._lines[uuid] for uuid in self._left)

    def take(self, row: JsonRow) -> None:
        """Take the next row in; if it goes on from an earlier row, find what was left."""
        value = row.value
        if not isinstance(value, dict) or value.get("isSidechain"):
            return
        uuid, parent = value.get("uuid"), value.get("parentUuid")
        if not isinstance(uuid, str) or not isinstance(parent, str):
            return
        self._lines[uuid] = row.number
        self._parents[uuid] = parent
        if _is_typed(value):
            self._speaks.add(uuid)
            # Results of parallel calls follow one row too: only a person begins a branch.
            self._leave(self._children.get(parent, []))
        elif value.get("type") == "assistant":
            self._speaks.add(uuid)
        self._children.setdefault(parent, []).append(uuid)
        if parent in self._left:
            self._return_to(uuid)

    def _leave(self, uuids: Sequence[str]) -> None:
        below = self._below(uuids)
        if below & self._speaks:
            self._left |= below

    def _below(self, uuids: Sequence[str]) -> set[str]:
        """Return these rows and all that follow them."""
        found: set[str] = set()
        waiting = list(uuids)
        while waiting:
            uuid = waiting.pop()
            if uuid not in found:
                found.add(uuid)
                waiting += self._children.get(uuid, ())
        return found

    def _return_to(self, uuid: str) -> None:
        """Take a branch up again that had been left: the one that was chosen instead is left."""
        back = {uuid}
        at = self._parents[uuid]
        while at in self._left and at not in back:
            back.add(at)
            at = self._parents[at]
        self._left -= self._below(sorted(back))
        others = [child for child in self._children.get(at, ()) if child not in back]
        self._leave(others)


def _is_typed(value: Json) -> bool:
    """Return whether a row holds a person's words."""
    message = message_of(value)
    if message is None or message["role"] != "user" or _row_speaker(value) != "caller":
        return False
    blocks = content_blocks(message["content"])
    return not any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks
    )


def _belongs_to(reply: list[JsonRow], message: Json | None) -> bool:
    """Return whether a row belongs to the open reply; rows without a message may lie between."""
    if not reply or len(reply) >= LOOK_AHEAD:
        return False
    return message is None or _reply_id(message) == _reply_id(reply[0].value)


def _is_boundary(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("isSidechain"):
        return False
    return value.get("subtype") == "compact_boundary"


def _reply_id(value: Json) -> str | None:
    """Return the id of the reply that a message or its row belongs to."""
    message = value.get("message", value)
    id = message.get("id")
    if isinstance(id, str) and message.get("role") == "assistant":
        return id
    return None


def _merge_rows(held: list[JsonRow], name: str, *, hidden: bool) -> Iterator[ReadPiece]:
    """Yield the rows of a reply as one entry, then the rows that came after it."""
    own = [at for at, row in enumerate(held) if message_of(row.value) is not None]
    if not own:
        return
    messages = [held[at].value["message"] for at in own]
    last = own[-1] + 1
    texts = tuple(row.text for row in held[:last])
    warnings = tuple(warning for row in held[:last] for warning in row.warnings)
    where = f"{name}:{held[0].number}: message"
    yield Entry(_api_message(messages), texts, hidden=hidden, warnings=warnings, where=where)
    for row in held[last:]:
        yield row.aside


def _api_message(messages: list[Json]) -> Json:
    """Return the messages of one reply as one message, with the keys that the API takes."""
    content = messages[0]["content"]
    if len(messages) > 1:
        content = [block for message in messages for block in content_blocks(message["content"])]
    return {"role": messages[0]["role"], "content": content}
