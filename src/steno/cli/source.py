"""A bar on stderr for work that takes its time, where somebody looks.

What a path holds: a store, an archive or a transcript, told by its content.

Reading commands hold one conversation as a value and change nothing: a store is
not made, not written and not put under other limits by looking at it. How each
kind of file is read is its own module's business.

Transcripts as the commands hold them: which conversation, whose messages, which model.

Reading and writing the formats is `steno.transcripts`'s business.

An archive: a session as lines of text, from which it comes back exactly.

The first line says whose it is and under which limits; then messages and
commits in the order they came. A message stands in its line as the provider's
own text, to the letter, and the line is JSON all the same.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from steno.core.budget import Budget
from steno.core.errors import BadInput, StoreFailed, UnknownModel
from steno.core.log import Commit, Log
from steno.core.message import ABSENT, Message
from steno.core.store import SessionInfo, session_names
from steno.core.view import View
from steno.core.wire import Wire
from steno.engine.policy import DEFAULT_POLICY, Policy
from steno.meters import lookup_model, meter_for
from steno.session.settings import StoredSettings
from steno.store.schema import APPLICATION
from steno.store.sqlite import SQLiteStore
from steno.summary.parse import with_summaries
from steno.summary.reimport import reimport_messages
from steno.transcripts import (
    Aside,
    BadTranscript,
    Entry,
    ReadPiece,
    Transcript,
    conversations,
    open_lines,
    open_transcript,
)
from steno.wires import decode_messages, get_wire, json_text, parse_json

WORTH_A_BAR = 5_000_000
"""Bytes of a file that takes more than a moment."""


def show_progress(pieces: Iterable[ReadPiece], path: Path) -> Iterator[ReadPiece]:
    """The pieces; how far they are is shown for a large file, in a terminal."""
    size = path.stat().st_size
    packed = path.name.endswith(".gz")
    if not sys.stderr.isatty() or size * (5 if packed else 1) < WORTH_A_BAR:
        yield from pieces
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        # How large a packed file is inside is not known before its end.
        task = bar.add_task(f"reading {path.name}", total=None if packed else size)
        done = 0
        for count, piece in enumerate(pieces):
            done += sum(map(len, piece.lines))
            if count % 64 == 0:
                bar.update(task, completed=done)
            yield piece


SQLITE_MAGIC = b"SQLite format 3\0"
STDIN = "-"
KINDS_WITH_COMMITS = ("store", "archive")
"""Kinds that hold commits."""
NAMES_MOST = 10


@dataclass(frozen=True)
class LoadedConversation:
    """One conversation, in one hand for reading."""

    name: str
    kind: str
    """What it was read from: store, archive, or the name of a transcript's format."""
    wire: Wire
    log: Log
    view: View
    told: StoredSettings
    budget: Budget | None
    """None where nobody said a window and the file names no known model."""
    texts: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """The very lines of each message, where a transcript has them."""
    warnings: tuple[str, ...] = ()
    policy: Policy = DEFAULT_POLICY

    @property
    def origin(self) -> str:
        """Whose file it is, or whose messages, for people."""
        if self.kind in KINDS_WITH_COMMITS:
            return self.wire.name
        return self.kind

    @property
    def load(self) -> int:
        """Tokens of the view; system prompt and tools are not kept in a file, and not counted."""
        return self.view.meter.load(self.view.meter.overheads.request + self.view.raw)

    @property
    def total_tokens(self) -> int:
        """Tokens of everything, were it all shown."""
        return sum(item.tokens for item in self.view.arrivals)

    def with_limits(self, told: StoredSettings) -> LoadedConversation:
        """The same under other limits."""
        over = self.told.with_changes(window=told.window, model=told.model, reserve=told.reserve)
        return replace(self, told=over, budget=budget_for(over))

    def with_policy(self, policy: Policy) -> LoadedConversation:
        """The same under another policy."""
        return replace(self, policy=policy, budget=budget_for(self.told, policy))


def build_conversation(
    name: str, kind: str, wire: Wire, log: Log, told: StoredSettings, **more: Any
) -> LoadedConversation:
    wire = wire.for_model(told.model or "")
    view = View.of(log, wire.terms, meter_for(told.model, wire.name))
    return LoadedConversation(name, kind, wire, log, view, told, budget_for(told), **more)


def budget_for(told: StoredSettings, policy: Policy = DEFAULT_POLICY) -> Budget | None:
    window = told.window
    if window is None:
        window = policy.window if told.model is None else known_window(told.model)
    if window is None:
        return None
    return policy.budget(window, told.reserve)


def limit_options(told: StoredSettings) -> dict[str, Any]:
    """What a session is told, in its own words."""
    return {"window": told.window, "model": told.model, "reserve": told.reserve, "pins": told.pins}


def known_window(model: str) -> int:
    try:
        return lookup_model(model).window
    except UnknownModel as unknown:
        near = f"; near names: {', '.join(unknown.close)}" if unknown.close else ""
        raise BadInput(
            f"no window is known for model {model!r}: say --window with its size in tokens{near}"
        ) from None


@contextmanager
def input_file(path: str) -> Iterator[Path]:
    """The file that is meant; stdin is kept aside, because a transcript is read more than once."""
    if path != STDIN and not Path(path).is_fifo():
        yield Path(path)
        return
    if path == STDIN and (sys.stdin is None or sys.stdin.isatty()):
        raise BadInput("nothing is piped into stdin: name a file instead of -")
    with TemporaryDirectory(prefix="steno-") as folder:
        spooled = Path(folder) / "stdin"
        spooled.write_bytes(sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes())
        if is_store(spooled):
            raise BadInput("a store cannot be read from stdin: name its file")
        yield spooled


def is_store(path: Path) -> bool:
    """The file is SQLite's, whatever it is called."""
    head = _read_head(path)
    if not head.startswith(SQLITE_MAGIC):
        return False
    ours = int.from_bytes(head[68:72], "big") == APPLICATION
    # Of a store that was never closed, everything may still be in the side file.
    if not ours and not path.with_name(path.name + "-wal").exists():
        raise StoreFailed(f"{path} is a SQLite file, but not one of Steno's")
    return True


def _read_head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(100)
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise BadInput(f"{path} is a directory; name a file in it") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}") from None


@contextmanager
def open_store(path: str | Path) -> Iterator[SQLiteStore]:
    """A store that is there; it is never made by looking for it."""
    if not is_store(Path(path)):
        raise BadInput(f"{path} is not a store of Steno's; steno import makes one of a transcript")
    store = SQLiteStore(path)
    try:
        yield store
    finally:
        store.close()


def session_card(store: SQLiteStore, name: str | None) -> SessionInfo:
    """The session that is meant: the one named, or the only one."""
    if name is not None:
        return store.session_info(name)
    names = session_names(store)
    if not names:
        raise BadInput(f"{store.path} holds no session yet")
    if len(names) > 1:
        raise BadInput(
            f"{store.path} holds {len(names)} sessions, say --session: {join_names(names)}"
        )
    return store.session_info(names[0])


def join_names(names: list[str]) -> str:
    return ", ".join(names[:NAMES_MOST]) + (", …" if len(names) > NAMES_MOST else "")


def load_from_store(store: SQLiteStore, name: str | None) -> LoadedConversation:
    """A session of a store, read and not opened: nothing is written."""
    card = session_card(store, name)
    told = StoredSettings.parse(card.setup)
    wire = get_wire(card.wire)

    def read(raw: str) -> Message:
        return wire.decode(parse_json(raw), raw, "a kept message")

    found = store.load(card.name, read)
    log = Log().with_messages(found.messages)
    for commit in found.commits:
        log = log.with_commit(with_summaries(commit))
    return build_conversation(card.name, "store", wire, log, told)


def load_conversation(
    path: Path, session: str | None, told: StoredSettings, wire: str | None = None
) -> LoadedConversation:
    """The one conversation that is meant, whatever kind of file it is in."""
    from steno.cli.source import is_archive, load_archive, load_from_transcript

    if is_store(path):
        with open_store(path) as store:
            return load_from_store(store, session).with_limits(told)
    if is_archive(path):
        return load_archive(path).with_limits(told)
    return load_from_transcript(path, session, told, wire)


_MODEL_NAME = re.compile(r'"model"\s*:\s*"([^"]+)"')
_CONVERSATION_ID = re.compile(r'"id"\s*:\s*"([^"\\]+)"')
MODEL_SEARCH_MOST = 2_000
"""How far back a model's name is looked for."""


@dataclass(frozen=True)
class TranscriptConversation:
    """The pieces of one conversation of a file."""

    name: str
    number: int
    pieces: list[ReadPiece]

    @property
    def entries(self) -> list[Entry]:
        return [piece for piece in self.pieces if isinstance(piece, Entry)]

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(
            piece.warning for piece in self.pieces if isinstance(piece, Aside) and piece.warning
        )

    @property
    def model(self) -> str | None:
        """The newest model that the file names and whose window is known."""
        for piece in islice(reversed(self.pieces), MODEL_SEARCH_MOST):
            for line in piece.lines:
                name = _MODEL_NAME.search(line)
                if name and _is_known(name[1]):
                    return name[1]
        return None

    def settings_over(self, told: StoredSettings) -> StoredSettings:
        """The limits that were said; where none were, those of the model that the file names."""
        if told.window or told.model:
            return told
        return told.with_changes(model=self.model)

    def to_log(self, wire: Wire) -> Log:
        return reimport_messages(decode_messages(wire, [entry.message for entry in self.entries]))

    def load(
        self, transcript: Transcript, told: StoredSettings, wire: str | None = None
    ) -> LoadedConversation:
        way = get_wire(wire or transcript.format.wire)
        log = self.to_log(way)
        texts = {
            at: entry.lines for at, entry in zip(_entry_positions(log), self.entries, strict=True)
        }
        told = self.settings_over(told)
        return build_conversation(
            self.name, transcript.format.name, way, log, told, texts=texts, warnings=self.warnings
        )


def _entry_positions(log: Log) -> list[int]:
    """The position of each entry: one whose words are elsewhere stands for several, or there is none at all."""
    inside = {
        at
        for commit in log.commits
        for edit in commit.edits
        for at in range(edit.span.start + bool(edit.shows), edit.span.stop)
    }
    return [at for at in range(len(log.messages)) if at not in inside]


def _is_known(model: str) -> bool:
    try:
        return lookup_model(model).window > 0
    except UnknownModel:
        return False


def iter_conversations(
    transcript: Transcript, pieces: Iterable[ReadPiece] | None = None, *, whole: bool = False
) -> Iterator[TranscriptConversation]:
    """The conversations of a file, one at a time; what stands before the first belongs to it.

    Asides are held only where the file is to be written again: they may be most of it.
    """
    many = transcript.format.many
    number = 0
    before: list[ReadPiece] = []
    read = transcript if pieces is None else pieces
    for found in conversations(transcript.format, read if whole else filter(_is_relevant, read)):
        if many and not before and not any(piece.part == "head" for piece in found):
            before = found
            continue
        name = _conversation_name(found) or str(number) if many else file_stem(transcript.path)
        yield TranscriptConversation(name, number, before + found)
        before = []
        number += 1
    if before:
        yield TranscriptConversation(file_stem(transcript.path), number, before)


def _is_relevant(piece: ReadPiece) -> bool:
    """It is said, warned of, begins a conversation or may name the model."""
    if isinstance(piece, Entry) or piece.part != "row" or piece.warning:
        return True
    return any(_MODEL_NAME.search(line) for line in piece.lines)


def _conversation_name(pieces: Sequence[ReadPiece]) -> str | None:
    head = next((piece.lines[0] for piece in pieces if piece.part == "head"), "")
    found = _CONVERSATION_ID.search(head)
    if found:
        return found[1]
    return None


def file_stem(path: Path) -> str:
    """A file's name without what says its kind."""
    name = path.name.removesuffix(".gz")
    return name.rpartition(".")[0] or name


def load_from_transcript(
    path: Path, name: str | None, told: StoredSettings, wire: str | None = None
) -> LoadedConversation:
    """The conversation of a transcript that is meant: by its name, its number, or as the only one."""
    transcript = open_transcript(path)
    if name is None:
        found = list(islice(iter_conversations(transcript), 2))
        if len(found) > 1:
            names = [
                conversation.name for conversation in islice(iter_conversations(transcript), 11)
            ]
            raise BadInput(
                f"{path} holds several conversations, say --session: {join_names(names)}"
            )
        if not found or not found[0].entries:
            raise BadInput(f"{path} holds no message")
        return found[0].load(transcript, told, wire)
    names = []
    for conversation in iter_conversations(transcript):
        if name in (conversation.name, str(conversation.number)):
            return conversation.load(transcript, told, wire)
        names.append(conversation.name)
    raise BadInput(f"no conversation of {path} is named {name!r}; there are: {join_names(names)}")


ARCHIVE_VERSION = 1
ARCHIVE_HEAD = '{"type":"steno-archive",'
_MESSAGE_LINE = re.compile(r'\{"type":"message","by":"(caller|steno)","message":(.*)\}\s*', re.S)


def archive_lines(session: LoadedConversation) -> Iterator[str]:
    """The archive of a session, a line at a time."""
    head = {
        "version": ARCHIVE_VERSION,
        "session": session.name,
        "wire": session.wire.name,
        "setup": msgspec.to_builtins(session.told),
        "messages": len(session.log.messages),
        "commits": len(session.log.commits),
    }
    yield ARCHIVE_HEAD + json.dumps(head, separators=(",", ":"))[1:] + "\n"
    commits = list(session.log.commits)
    for at, message in enumerate(session.log.messages):
        while commits and commits[0].landed <= at:
            yield _commit_line(commits.pop(0))
        yield _message_line(message)
    yield from map(_commit_line, commits)


def _message_line(message: Message) -> str:
    if message.role == "absent":
        return '{"type":"absent"}\n'
    if message.raw is None or message.patches:
        return f'{{"type":"own","message":{msgspec.json.encode(message).decode()}}}\n'
    raw = message.raw if "\n" not in message.raw else json_text(parse_json(message.raw))
    return f'{{"type":"message","by":"{message.by}","message":{raw}}}\n'


def _commit_line(commit: Commit) -> str:
    return f'{{"type":"commit","commit":{msgspec.json.encode(commit).decode()}}}\n'


def is_archive(path: Path) -> bool:
    try:
        return next(open_lines(path)).startswith(ARCHIVE_HEAD)
    except BadTranscript:
        return False


def load_archive(path: Path) -> LoadedConversation:
    """The session that an archive holds."""
    rows = enumerate(open_lines(path), start=1)
    head = _parse_archive_head(next(rows)[1], path)
    wire = get_wire(head["wire"])
    messages: list[Message] = []
    commits: list[Commit] = []
    for number, line in rows:
        where = f"{path.name}:{number}"
        try:
            found = _MESSAGE_LINE.fullmatch(line)
            if found is not None:
                message = wire.decode(parse_json(found[2]), found[2], where)
                messages.append(
                    message
                    if found[1] == "caller"
                    else msgspec.structs.replace(message, by="steno")
                )
            elif line.strip():
                _parse_other_line(parse_json(line), messages, commits)
        except (ValueError, KeyError, TypeError) as error:
            raise BadTranscript(where, f"not a line of an archive: {error}") from None
    if (len(messages), len(commits)) != (head["messages"], head["commits"]):
        told = f"{head['messages']} messages and {head['commits']} commits"
        raise BadTranscript(
            path.name,
            f"the archive is cut off: {told} were written, {len(messages)} and {len(commits)} are there",
        )
    log = Log().with_messages(messages)
    for commit in commits:
        log = log.with_commit(commit)
    return build_conversation(
        head["session"], "archive", wire, log, msgspec.convert(head["setup"], StoredSettings)
    )


def _parse_archive_head(line: str, path: Path) -> dict[str, Any]:
    try:
        head = parse_json(line)
        if head["version"] > ARCHIVE_VERSION:
            raise BadTranscript(
                path.name, f"written by a newer Steno (version {head['version']}): upgrade Steno"
            )
        return {key: head[key] for key in ("session", "wire", "setup", "messages", "commits")}
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, BadTranscript):
            raise
        raise BadTranscript(f"{path.name}:1", f"not the head of an archive: {error}") from None


def _parse_other_line(value: Any, messages: list[Message], commits: list[Commit]) -> None:
    match value["type"]:
        case "commit":
            commits.append(with_summaries(msgspec.convert(value["commit"], Commit)))
        case "own":
            messages.append(msgspec.convert(value["message"], Message))
        case "absent":
            messages.append(ABSENT)
        case kind:
            raise ValueError(f"a line of type {kind!r}")
