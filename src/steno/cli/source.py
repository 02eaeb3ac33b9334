"""Find out what a path holds, and read the conversations in it.

A path is a store or a transcript, distinguished by content and not by name. Reading
changes nothing: a store is not created, not written and not given other limits by
looking at it. The formats of transcripts are in `steno.transcripts`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from steno.cli.output import print_note
from steno.core.errors import BadInput, StoreFailed
from steno.core.log import Commit, Edit, Log
from steno.core.message import Message, Span
from steno.core.store import NAMES_LISTED, SessionInfo, join_names, session_names
from steno.inspector.actions import open_stored
from steno.inspector.conversation import (
    LoadedConversation,
    build_conversation,
    load_stored,
    message_reader,
    record_session,
)
from steno.inspector.describe import plural
from steno.lab.recorded import RecordedSession
from steno.meters import find_model
from steno.providers import get_wire
from steno.session.session import Session
from steno.session.settings import StoredSettings
from steno.store.names import find_session, given_name, stored_name
from steno.store.open import is_address, open_store_at, store_path, without_password
from steno.store.schema import APPLICATION
from steno.store.sql import SQLStore
from steno.summary.reimport import made_again, reimport_messages
from steno.transcripts import (
    Entry,
    ReadPiece,
    Transcript,
    conversations,
    decode_entries,
    entry_positions,
    open_transcript,
)
from steno.transcripts.usage import reported_usage

STDIN = "-"
NO_LIMITS = StoredSettings()
"""For a conversation under its own limits, or without any."""
AGENTS = {"claude-code": "Claude Code", "codex": "Codex"}
"""Names of the agents that compact by themselves, by the format of their files."""
SQLITE_MAGIC = b"SQLite format 3\0"
WARNINGS_MOST = 5
"""Damaged lines of a transcript that are named; the others are counted."""
MODEL_SEARCH_MOST = 2_000
"""Pieces of a transcript, from the end, that are searched for the name of a model."""
_MODEL_NAME = re.compile(r'"model(?:_name)?"\s*:\s*"([^"]+)"')
_TIMESTAMP = re.compile(r'"timestamp"\s*:\s*"([0-9T:.+Z-]{10,40})"')
_CONVERSATION_ID = re.compile(r'"id"\s*:\s*"([^"\\]+)"')


@contextmanager
def input_file(path: str, *, strict: bool = False) -> Iterator[Path]:
    """Give the file to read; `strict` refuses a transcript with a damaged line."""
    with _local_file(path) as file:
        if strict and not is_store(file):
            # Before anything is done with it: a reader may stop early, or leave lines out.
            for _ in open_transcript(file, past="include", strict=True):
                pass
        yield file


@contextmanager
def _local_file(path: str) -> Iterator[Path]:
    """Give a file; stdin and pipes are copied, because a file is read more than once."""
    if path == STDIN:
        if sys.stdin is None or sys.stdin.isatty():
            raise BadInput("nothing is piped into stdin: name a file instead of -")
    elif is_address(path) or not Path(path).is_fifo():
        yield store_path(path)
        return
    with TemporaryDirectory(prefix="steno-") as folder:
        copy = Path(folder) / "stdin"
        if path == STDIN:
            copy.write_bytes(sys.stdin.buffer.read())
        else:
            copy.write_bytes(Path(path).read_bytes())
        if is_store(copy):
            raise BadInput("a store cannot be read from stdin: name its file")
        yield copy


def is_store(path: Path) -> bool:
    """Tell whether a file is one of Steno's stores; raise for another program's SQLite file."""
    if is_address(path):
        return True
    head = _read_head(path)
    if not head.startswith(SQLITE_MAGIC):
        return False
    # SQLite keeps the application id that a program sets at offset 68 of the file.
    ours = int.from_bytes(head[68:72], "big") == APPLICATION
    # A store that was not closed may have everything, the mark included, in its -wal file.
    if not ours and not path.with_name(path.name + "-wal").exists():
        raise StoreFailed(f"{path} is a SQLite file, but not one of Steno's")
    return True


def _read_head(path: Path) -> bytes:
    if path.is_fifo():
        raise BadInput(f"{path} is a pipe, and a store is a file")
    try:
        with path.open("rb") as file:
            return file.read(100)
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise BadInput(f"{path} is a directory; name a file in it") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}") from None


def refuse_other_file(path: str) -> None:
    """Raise if a store is to be made where another kind of file is."""
    if is_address(path):
        return
    file = Path(path)
    # An empty file may become a store: SQLite takes it for an empty database.
    if file.exists() and file.stat().st_size and not is_store(file):
        raise BadInput(f"{path} exists and is not a store of Steno's: name another file")


def require_store(path: str | Path) -> None:
    """Raise if a path is no store."""
    if not is_store(store_path(path)):
        raise BadInput(
            f"{path} is not a store of Steno's; steno store import makes one from a transcript"
        )


@contextmanager
def open_store(path: str | Path) -> Iterator[SQLStore]:
    """Open a store that exists; raise instead of creating one."""
    require_store(path)
    with closing(open_store_at(path)) as store:
        yield store


def chosen_session(store: SQLStore, name: str | None) -> SessionInfo:
    """Return the session with this name, or the only one.

    The name may be given without the user: `work` is `ann:work`, if no other user has a `work`.
    """
    names = session_names(store)
    if name is not None:
        found = [info.name for info in store.sessions() if _is_named(info, name)]
        if name in found or not found:
            found = [name]
        if len(found) > 1:
            raise BadInput(
                f"{len(found)} users have a session {name!r}, choose one: {join_names(found)}"
            )
        return store.session_info(found[0])
    if not names:
        raise BadInput(f"{store.place} holds no session yet")
    if len(names) > 1:
        raise BadInput(
            f"{store.place} holds {len(names)} sessions, choose one with --session: "
            f"{join_names(names)}"
        )
    return store.session_info(names[0])


def _is_named(info: SessionInfo, name: str) -> bool:
    """Tell whether a session has this name, as it is stored or as it was given."""
    # A long name is stored as its hash.
    return name == given_name(info.name) or info.name in (name, stored_name(info.user, name))


@contextmanager
def open_stored_session(path: str, name: str | None) -> Iterator[Session]:
    """Open a session of an existing store, to change it."""
    with open_store(path) as store, open_stored(store, chosen_session(store, name)) as session:
        yield session


def load_conversation(
    path: Path, session: str | None, limits: StoredSettings = NO_LIMITS
) -> LoadedConversation:
    """Read the conversation with this name or number, or the only one."""
    if is_store(path):
        with open_store(path) as store:
            return load_stored(store, chosen_session(store, session)).with_limits(limits)
    loaded = load_conversations(path, session, limits)
    # Two are enough to know that one must be named; a file may hold very many.
    found = list(islice(loaded, 2))
    if len(found) == 1:
        return found[0]
    # One more than is listed, so that the error can say that there are others.
    names = [info.name for info in islice(list_sessions(path), NAMES_LISTED + 1)]
    if found:
        raise BadInput(
            f"{path} holds several conversations, choose one with --session: {join_names(names)}"
        )
    if session is None:
        raise BadInput(f"{path} holds no message")
    raise BadInput(
        f"no conversation of {path} is named {session!r}; there are: {join_names(names)}"
    )


def load_conversations(
    path: Path,
    session: str | None = None,
    limits: StoredSettings = NO_LIMITS,
    wire: str | None = None,
) -> Iterator[LoadedConversation]:
    """Read the conversations of a file of any kind, or the one with this name or number."""
    if is_store(path):
        with open_store(path) as store:
            names = session_names(store)
            if session is not None:
                names = [session]
            for name in names:
                yield load_stored(store, chosen_session(store, name)).with_limits(limits)
        return
    transcript = open_transcript(path, past="mark")
    for conversation in iter_conversations(transcript):
        names = [conversation.name, str(conversation.number)]
        if conversation.entries and (session is None or session in names):
            yield conversation.load(transcript, limits, wire)
            if session is not None:
                return


def load_recorded_sessions(
    paths: Iterable[str], session: str | None, *, strict: bool = False, usage: bool = False
) -> Iterator[RecordedSession]:
    """Read every session of files as it was recorded, or the one named.

    With `usage`, each has what its file says was billed, if it says so.
    """
    taken: set[str] = set()
    for path in paths:
        with input_file(path, strict=strict) as file:
            loaded = list(load_conversations(file, session))
            billed = None
            if usage and not is_store(file):
                billed = reported_usage(file)
        found = list(_record(path, loaded, session))
        if not found and session is None:
            raise BadInput(f"{path} holds no message")
        if not found:
            raise BadInput(f"{path} holds no session {session!r}")
        for recorded in found:
            # Two files may hold sessions of the same name; each gets its own row.
            name, number = recorded.name, 2
            while name in taken:
                name = f"{recorded.name} ({number})"
                number += 1
            taken.add(name)
            yield replace(recorded, name=name, billed=billed or recorded.billed)


def _record(
    path: str, loaded: Sequence[LoadedConversation], session: str | None
) -> Iterator[RecordedSession]:
    """Give each conversation that has messages, with where they can be opened again."""
    names = [each.name for each in loaded]
    for number, each in enumerate(loaded):
        print_note(*each.damage)
        name = session
        if session is None and len(names) > 1:
            name = each.name
            # Two conversations of one name can only be distinguished by their numbers.
            if names.count(name) > 1:
                name = str(number)
        recorded = record_session(each, without_password(path), name)
        if path == STDIN or Path(path).is_fifo():
            recorded = replace(recorded, origin=None)
        if recorded.messages:
            yield recorded


def list_sessions(path: Path) -> Iterator[SessionInfo]:
    """List the sessions of a file of any kind, without decoding their messages."""
    if is_store(path):
        with open_store(path) as store:
            yield from store.sessions()
        return
    transcript = open_transcript(path)
    if not transcript.format.many:
        # Known without reading it.
        yield SessionInfo(file_stem(path), transcript.format.wire, 0, 0)
        return
    for conversation in iter_conversations(transcript):
        count = len(conversation.entries)
        yield SessionInfo(conversation.name, transcript.format.wire, count, 0)


def store_conversation(
    store: SQLStore, loaded: LoadedConversation, user: str = ""
) -> tuple[str, bool]:
    """Store a session, or what it has grown by; return its name, and whether it was there."""
    name, info = find_session(store, user, loaded.name)
    messages = tuple(loaded.log.messages)
    stored: tuple[Message, ...] = ()
    if info is not None:
        stored = tuple(store.load(name, message_reader(info)).messages)
        both = min(len(stored), len(messages))
        if stored[:both] != messages[:both] or info.user != user:
            raise BadInput(
                f"{store.place} has another session named {name!r} already: "
                "choose another name with --name"
            )
    else:
        # Written row by row, so that messages, times and commits are exactly those of the file.
        store.create(name, loaded.wire.name, str(loaded.settings), user=user)
    new = messages[len(stored) :]
    if new:
        store.append(name, new, times=loaded.message_times[len(stored) :])
    if info is None:
        for commit in loaded.log.commits:
            store.commit(name, commit)
    return name, info is not None


@dataclass(frozen=True)
class TranscriptConversation:
    """The pieces of one conversation in a transcript."""

    name: str
    number: int
    pieces: list[ReadPiece]

    @property
    def entries(self) -> list[Entry]:
        """Pieces that are messages."""
        return [piece for piece in self.pieces if isinstance(piece, Entry)]

    @property
    def warnings(self) -> tuple[str, ...]:
        found = [warning for piece in self.pieces for warning in piece.warnings]
        more = len(found) - WARNINGS_MOST
        if more > 0:
            found[WARNINGS_MOST:] = [f"and {plural(more, 'more line')} that cannot be read"]
        return tuple(found)

    @property
    def model(self) -> str | None:
        """The newest model that the file names and whose window is known."""
        for piece in islice(reversed(self.pieces), MODEL_SEARCH_MOST):
            for line in piece.lines:
                name = _MODEL_NAME.search(line)
                if name and find_model(name[1]) is not None:
                    return name[1]
        return None

    def load(
        self, transcript: Transcript, limits: StoredSettings, wire_name: str | None = None
    ) -> LoadedConversation:
        """Decode it; the model that the file names counts its tokens, unless `limits` has one."""
        wire = get_wire(wire_name or transcript.format.wire)
        entries = self.entries
        messages = decode_entries(wire, entries)
        hidden = sum(entry.hidden for entry in entries)
        log = Log()
        if hidden:
            # What the agent's own compaction hid is there, and hidden by a commit.
            cover = Edit(Span(0, hidden), (), "agent", level=1)
            log = log.with_messages(messages[:hidden])
            log = log.with_commit(Commit(0, hidden, "resent", (cover,)))
        log = reimport_messages(messages[hidden:], log)
        made = {at + hidden for at in made_again(messages[hidden:])}
        arrived = [entry for at, entry in enumerate(entries) if at not in made]
        placed = dict(zip(entry_positions(log), arrived, strict=True))
        if limits.model is None:
            limits = limits.with_changes(model=self.model)
        repeated: frozenset[int] = frozenset()
        if transcript.survey.covered and not transcript.format.many:
            # The history that a compaction put in the place of rows repeats what they say.
            repeated = frozenset(at for at, entry in placed.items() if entry.part == "item")
        return build_conversation(
            self.name,
            transcript.format.name,
            wire,
            log,
            limits,
            texts={at: entry.lines for at, entry in placed.items()},
            times={at: time for at, entry in placed.items() if (time := entry_time(entry))},
            repeated=repeated,
            damage=self.warnings,
            survey=tuple(survey_notes(transcript, len(entries), hidden)),
        )


def survey_notes(transcript: Transcript, count: int, hidden: int) -> list[str]:
    """Say where the agent compacted by itself, and which branches it left."""
    survey, agent = transcript.survey, AGENTS.get(transcript.format.name, transcript.format.name)
    notes = []
    if survey.covered:
        notes.append(
            f"{agent} compacted this session at line {survey.covered:,}: its model sees "
            f"{count - hidden:,} of these {count:,} messages"
        )
    if survey.left:
        notes.append(
            f"{plural(len(survey.left), 'line')} on a branch that was rewound or rolled back: "
            "left out"
        )
    return notes


def entry_time(entry: Entry) -> float | None:
    """Return when a message was written down, if its row says so."""
    if not entry.lines:
        return None
    found = _TIMESTAMP.search(entry.lines[-1])
    if found is not None:
        with suppress(ValueError):
            return datetime.fromisoformat(found[1]).timestamp()
    return None


def iter_conversations(
    transcript: Transcript, pieces: Iterable[ReadPiece] | None = None
) -> Iterator[TranscriptConversation]:
    """Read the conversations of a file, one at a time.

    Pieces before the first conversation belong to it. Asides are dropped unless all `pieces` are
    given: only a file that is written again needs them, and they may be most of it.
    """
    many = transcript.format.many
    number = 0
    before: list[ReadPiece] = []
    if pieces is None:
        pieces = filter(_is_relevant, transcript)
    for found in conversations(transcript.format, pieces):
        # A file of several conversations may begin with lines that belong to none of them.
        if many and not before and not any(piece.part == "head" for piece in found):
            before = found
            continue
        name = file_stem(transcript.path)
        if many:
            name = _conversation_name(found) or str(number)
        yield TranscriptConversation(name, number, before + found)
        before = []
        number += 1
    if before:
        yield TranscriptConversation(file_stem(transcript.path), number, before)


def _is_relevant(piece: ReadPiece) -> bool:
    """Keep messages, warnings, the start of a conversation, and lines that name a model."""
    if isinstance(piece, Entry) or piece.part != "row" or piece.warnings:
        return True
    return any(_MODEL_NAME.search(line) for line in piece.lines)


def _conversation_name(pieces: Sequence[ReadPiece]) -> str | None:
    for piece in pieces:
        if piece.part == "head":
            found = _CONVERSATION_ID.search(piece.lines[0])
            return found and found[1]
    return None


def file_stem(path: Path) -> str:
    """Return a file's name without its extension."""
    name = path.name.removesuffix(".gz")
    return name.rpartition(".")[0] or name
