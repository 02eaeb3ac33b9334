"""An archive: a session as lines of text, from which it comes back exactly.

The first line says whose it is and under which limits; then messages and
commits in the order they came. A message stands in its line as the provider's
own text, to the letter, and the line is JSON all the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from steno.core.log import Commit, Log
from steno.core.message import ABSENT, Message
from steno.service.commands.source import Held, held
from steno.session.setup import Told
from steno.transcript import BadTranscript, open_lines
from steno.wire import chosen, text_of, value_of

VERSION = 1
HEAD = '{"type":"steno-archive",'
_MESSAGE = re.compile(r'\{"type":"message","by":"(caller|steno)","message":(.*)\}\s*', re.S)


def lines_of(session: Held) -> Iterator[str]:
    """The archive of a session, a line at a time."""
    head = {
        "version": VERSION,
        "session": session.name,
        "wire": session.wire.name,
        "setup": msgspec.to_builtins(session.told),
        "messages": len(session.log.messages),
        "commits": len(session.log.commits),
    }
    yield HEAD + json.dumps(head, separators=(",", ":"))[1:] + "\n"
    commits = list(session.log.commits)
    for at, message in enumerate(session.log.messages):
        while commits and commits[0].landed <= at:
            yield _commit(commits.pop(0))
        yield _message(message)
    yield from map(_commit, commits)


def _message(message: Message) -> str:
    if message.role == "absent":
        return '{"type":"absent"}\n'
    if message.raw is None or message.patches:
        return f'{{"type":"own","message":{msgspec.json.encode(message).decode()}}}\n'
    raw = message.raw if "\n" not in message.raw else text_of(value_of(message.raw))
    return f'{{"type":"message","by":"{message.by}","message":{raw}}}\n'


def _commit(commit: Commit) -> str:
    return f'{{"type":"commit","commit":{msgspec.json.encode(commit).decode()}}}\n'


def is_archive(path: Path) -> bool:
    try:
        return next(open_lines(path)).startswith(HEAD)
    except BadTranscript:
        return False


def archived(path: Path) -> Held:
    """The session that an archive holds."""
    rows = enumerate(open_lines(path), start=1)
    head = _head(next(rows)[1], path)
    wire = chosen(head["wire"])
    messages: list[Message] = []
    commits: list[Commit] = []
    for number, line in rows:
        where = f"{path.name}:{number}"
        try:
            found = _MESSAGE.fullmatch(line)
            if found is not None:
                message = wire.decode(value_of(found[2]), found[2], where)
                messages.append(message if found[1] == "caller" else msgspec.structs.replace(message, by="steno"))
            elif line.strip():
                _other(value_of(line), messages, commits)
        except (ValueError, KeyError, TypeError) as error:
            raise BadTranscript(where, f"not a line of an archive: {error}") from None
    if (len(messages), len(commits)) != (head["messages"], head["commits"]):
        told = f"{head['messages']} messages and {head['commits']} commits"
        raise BadTranscript(
            path.name, f"the archive is cut off: {told} were written, {len(messages)} and {len(commits)} are there"
        )
    log = Log().said(messages)
    for commit in commits:
        log = log.committed(commit)
    return held(head["session"], "archive", wire, log, msgspec.convert(head["setup"], Told))


def _head(line: str, path: Path) -> dict[str, Any]:
    try:
        head = value_of(line)
        if head["version"] > VERSION:
            raise BadTranscript(path.name, f"written by a newer Steno (version {head['version']}): upgrade Steno")
        return {key: head[key] for key in ("session", "wire", "setup", "messages", "commits")}
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, BadTranscript):
            raise
        raise BadTranscript(f"{path.name}:1", f"not the head of an archive: {error}") from None


def _other(value: Any, messages: list[Message], commits: list[Commit]) -> None:
    match value["type"]:
        case "commit":
            commits.append(msgspec.convert(value["commit"], Commit))
        case "own":
            messages.append(msgspec.convert(value["message"], Message))
        case "absent":
            messages.append(ABSENT)
        case kind:
            raise ValueError(f"a line of type {kind!r}")
