"""Read recorded sessions, for `steno replay` and `steno price`, from any kind of file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from steno.cli.archive import is_archive, load_archive
from steno.cli.conversation import LoadedConversation
from steno.cli.source import (
    TranscriptConversation,
    is_store,
    iter_conversations,
    join_names,
    load_from_store,
    open_store,
    show_progress,
)
from steno.core.errors import BadInput
from steno.core.store import session_names
from steno.core.wire import Wire
from steno.lab.recorded import RecordedSession, SessionOrigin
from steno.summary.reimport import reimport_messages
from steno.transcripts import Entry, Transcript, decode_entries, open_lines, open_transcript
from steno.wires import get_wire

_TIMESTAMP = re.compile(r'"timestamp"\s*:\s*"([0-9T:.+Z-]{10,40})"')


def load_recorded_sessions(path: Path, session: str | None) -> list[RecordedSession]:
    """Read every session of a file, or the one named."""
    if is_store(path):
        found = list(_from_store(path, session))
    elif is_archive(path):
        loaded = load_archive(path)
        found = []
        if session in (None, loaded.name):
            found = list(_from_log(loaded, path, None))
    else:
        found = list(_from_transcript(path, session))
    if found:
        return found
    if session is None:
        raise BadInput(f"{path} holds no message")
    raise BadInput(f"{path} holds no session {session!r}")


def _from_store(path: Path, session: str | None) -> Iterator[RecordedSession]:
    with open_store(path) as store:
        names = session_names(store)
        several = len(names) > 1
        if session is not None:
            if session not in names:
                raise BadInput(
                    f"no session of {path} is named {session!r}; there are: {join_names(names)}"
                )
            names = [session]
        for name in names:
            origin_name = None
            if several:
                origin_name = name
            yield from _from_log(load_from_store(store, name), path, origin_name)


def _from_log(
    loaded: LoadedConversation, path: Path, session: str | None
) -> Iterator[RecordedSession]:
    """Record the messages of a log; positions without a message are skipped, not renumbered."""
    present = {}
    for at, message in enumerate(loaded.log.messages):
        if message.role != "absent":
            present[at] = message
    if present:
        origin = SessionOrigin(str(path), session, tuple(present))
        messages = tuple(present.values())
        calls = tuple(call for commit in loaded.log.commits for call in commit.asked)
        yield RecordedSession(
            loaded.name, messages, wire=loaded.wire.name, origin=origin, system_calls=calls
        )


def _from_transcript(path: Path, session: str | None) -> Iterator[RecordedSession]:
    # Also what the agent's own compactions covered: it was said and used all the same.
    transcript = open_transcript(path, whole=True)
    wire = get_wire(transcript.format.wire)
    newest = _entries_since_compaction(path, transcript)
    found: list[tuple[int, RecordedSession, Sequence[int | None]]] = []
    names: list[str] = []
    for conversation in iter_conversations(transcript, show_progress(transcript, path)):
        names.append(conversation.name)
        if session is not None and session not in (conversation.name, str(conversation.number)):
            continue
        messages = decode_entries(wire, conversation.entries)
        if messages:
            recorded = RecordedSession(
                conversation.name, tuple(messages), _entry_times(conversation), wire.name
            )
            positions = _positions(wire, conversation.entries, newest)
            found.append((conversation.number, recorded, positions))
    for number, recorded, positions in found:
        name: str | None = recorded.name
        if len(names) == 1:
            name = None
        elif names.count(recorded.name) > 1:
            # Two conversations of one name can only be told apart by their numbers.
            name = str(number)
        yield replace(recorded, origin=SessionOrigin(str(path), name, positions))


def _entries_since_compaction(path: Path, transcript: Transcript) -> list[Entry] | None:
    """Return the entries since the agent's own newest compaction; None if there was none."""
    if not transcript.format.covered_lines(open_lines(path)):
        return None
    entries = []
    for conversation in iter_conversations(open_transcript(path)):
        entries += conversation.entries
    return entries


def _positions(
    wire: Wire, entries: Sequence[Entry], newest: Sequence[Entry] | None
) -> Sequence[int | None]:
    """Return the position at which `steno open` has each entry.

    `steno open` counts from the agent's own newest compaction on, and counts the
    messages that a summary of Steno's stands for.
    """
    shown = entries
    if newest is not None:
        shown = newest
    messages = decode_entries(wire, shown)
    # By identity: two messages may be equal.
    numbers = {id(message): at for at, message in enumerate(reimport_messages(messages).messages)}
    found: list[int | None] = []
    # Both lists end alike: walk back until they differ.
    pairs = zip(reversed(entries), reversed(shown), reversed(messages), strict=False)
    for entry, other, message in pairs:
        if entry.message != other.message:
            break
        found.append(numbers.get(id(message)))
    found += [None] * (len(entries) - len(found))
    return tuple(reversed(found))


def _entry_times(conversation: TranscriptConversation) -> tuple[float | None, ...]:
    """Return the time of each entry, or nothing if the file has no times."""
    times = tuple(map(_entry_time, conversation.entries))
    if any(time is not None for time in times):
        return times
    return ()


def _entry_time(entry: Entry) -> float | None:
    if not entry.lines:
        return None
    found = _TIMESTAMP.search(entry.lines[-1])
    if found is None:
        return None
    try:
        return datetime.fromisoformat(found[1]).timestamp()
    except ValueError:
        return None
