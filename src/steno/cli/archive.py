"""An archive: a session as lines of JSON, from which it comes back exactly.

The first line is the head: session, wire, limits and counts. Then come messages
and commits in the order they were written. A message stands in its line as the
provider's own text, byte for byte, so these lines are read by a pattern and not
by a JSON decoder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from steno.cli.conversation import LoadedConversation, build_conversation
from steno.core.constraint import Constraint
from steno.core.log import Commit, Log
from steno.core.message import ABSENT, Message
from steno.core.wire import Wire
from steno.session.settings import StoredSettings
from steno.summary.read_back import with_summaries
from steno.transcripts import BadTranscript, open_lines
from steno.wires import get_wire, json_text, parse_json

ARCHIVE_VERSION = 1
ARCHIVE_HEAD = '{"type":"steno-archive",'
_MESSAGE_LINE = re.compile(
    r'\{"type":"message","by":"(caller|program|steno)","message":(.*)\}\s*', re.S
)


class ArchiveHead(msgspec.Struct, tag_field="type", tag="steno-archive"):
    """The first line of an archive."""

    version: int
    session: str
    wire: str
    setup: StoredSettings
    messages: int
    commits: int
    constraints: tuple[Constraint, ...] = ()
    """Those that were given and are in force."""


class CommitLine(msgspec.Struct, tag_field="type", tag="commit"):
    commit: Commit


class OwnLine(msgspec.Struct, tag_field="type", tag="own"):
    """A message without the provider's text: Steno wrote or patched it."""

    message: Message


class AbsentLine(msgspec.Struct, tag_field="type", tag="absent"):
    """A position whose message was never in this session."""


OtherLine = CommitLine | OwnLine | AbsentLine


def archive_lines(session: LoadedConversation) -> Iterator[str]:
    """Write a session as an archive, one line at a time."""
    head = {
        "version": ARCHIVE_VERSION,
        "session": session.name,
        "wire": session.wire.name,
        "setup": msgspec.to_builtins(session.settings),
        "messages": len(session.log.messages),
        "commits": len(session.log.commits),
    }
    if session.given:
        head["constraints"] = msgspec.to_builtins(session.given)
    # The type stands first, so that `is_archive` need not read JSON.
    yield ARCHIVE_HEAD + json.dumps(head, separators=(",", ":"))[1:] + "\n"
    commits = list(session.log.commits)
    for at, message in enumerate(session.log.messages):
        # Not its `at`: messages may have come while the commit was drafted.
        while commits and commits[0].landed <= at:
            yield _commit_line(commits.pop(0))
        yield _message_line(message)
    yield from map(_commit_line, commits)


def _message_line(message: Message) -> str:
    if message.role == "absent":
        return '{"type":"absent"}\n'
    if message.raw is None or message.patches:
        return f'{{"type":"own","message":{msgspec.json.encode(message).decode()}}}\n'
    raw = message.raw
    # An archive has one line a message; JSON needs no line breaks.
    if "\n" in raw:
        raw = json_text(parse_json(raw))
    return f'{{"type":"message","by":"{message.by}","message":{raw}}}\n'


def _commit_line(commit: Commit) -> str:
    return f'{{"type":"commit","commit":{msgspec.json.encode(commit).decode()}}}\n'


def is_archive(path: Path) -> bool:
    try:
        return next(open_lines(path)).startswith(ARCHIVE_HEAD)
    except BadTranscript:
        return False


def load_archive(path: Path) -> LoadedConversation:
    """Read the session that an archive holds."""
    rows = enumerate(open_lines(path), start=1)
    head = _parse_head(next(rows)[1], path)
    wire = get_wire(head.wire)
    messages: list[Message] = []
    commits: list[Commit] = []
    for number, line in rows:
        if not line.strip():
            continue
        where = f"{path.name}:{number}"
        try:
            read = _parse_line(line, wire, where)
        except (ValueError, TypeError, msgspec.ValidationError) as error:
            raise BadTranscript(where, f"not a line of an archive: {error}") from None
        if isinstance(read, Commit):
            commits.append(read)
        else:
            messages.append(read)
    # A file of lines that was cut off looks whole; only the counts tell.
    if (len(messages), len(commits)) != (head.messages, head.commits):
        raise BadTranscript(
            path.name,
            f"the archive is cut off: the head says {head.messages} messages and {head.commits} "
            f"commits, the file has {len(messages)} and {len(commits)}",
        )
    log = Log().with_messages(messages)
    for commit in commits:
        log = log.with_commit(commit)
    return build_conversation(
        head.session, "archive", wire, log, head.setup, given=head.constraints
    )


def _parse_head(line: str, path: Path) -> ArchiveHead:
    try:
        head = msgspec.convert(parse_json(line), ArchiveHead)
    except (ValueError, TypeError, msgspec.ValidationError) as error:
        raise BadTranscript(f"{path.name}:1", f"not the head of an archive: {error}") from None
    if head.version > ARCHIVE_VERSION:
        raise BadTranscript(
            path.name, f"written by a newer Steno (version {head.version}): upgrade Steno"
        )
    return head


def _parse_line(line: str, wire: Wire, where: str) -> Message | Commit:
    found = _MESSAGE_LINE.fullmatch(line)
    if found is not None:
        message = wire.decode(parse_json(found[2]), found[2], where)
        if found[1] in ("caller", message.by):
            return message
        return msgspec.structs.replace(message, by=found[1])
    row = msgspec.convert(parse_json(line), OtherLine)
    match row:
        case CommitLine(commit):
            return with_summaries(commit)
        case OwnLine(message):
            return message
    return ABSENT
