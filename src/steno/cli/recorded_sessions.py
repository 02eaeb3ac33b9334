"""Sessions to be replayed, from whatever kind of file holds them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from steno.cli.source import (
    LoadedConversation,
    TranscriptConversation,
    is_archive,
    is_store,
    iter_conversations,
    join_names,
    load_archive,
    load_from_store,
    open_store,
    show_progress,
)
from steno.core.errors import BadInput
from steno.core.store import session_names
from steno.core.wire import Wire
from steno.lab.recorded import RecordedSession, SessionOrigin
from steno.summary.reimport import reimport_messages
from steno.transcripts import Entry, Transcript, open_lines, open_transcript
from steno.wires import decode_messages, get_wire

_TIMESTAMP = re.compile(r'"timestamp"\s*:\s*"([0-9T:.+Z-]{10,40})"')


def load_recorded_sessions(path: Path, session: str | None) -> list[RecordedSession]:
    """Every session of a file, or the one that is meant."""
    found = list(_iter_sessions(path, session))
    if not found:
        raise BadInput(
            f"{path} holds no message"
            if session is None
            else f"{path} holds no session {session!r}"
        )
    return found


def _iter_sessions(path: Path, session: str | None) -> Iterator[RecordedSession]:
    if is_store(path):
        with open_store(path) as store:
            names = session_names(store)
            if session is not None and session not in names:
                raise BadInput(
                    f"no session of {path} is named {session!r}; there are: {join_names(names)}"
                )
            for name in names if session is None else [session]:
                yield from _from_log(
                    load_from_store(store, name), path, name if len(names) > 1 else None
                )
    elif is_archive(path):
        held = load_archive(path)
        if session in (None, held.name):
            yield from _from_log(held, path, None)
    else:
        yield from _from_transcript(path, session)


def _from_log(
    held: LoadedConversation, path: Path, session: str | None
) -> Iterator[RecordedSession]:
    """What was said; a position whose words are elsewhere has nothing to live through, and keeps its number."""
    said = {at: message for at, message in enumerate(held.log.messages) if message.role != "absent"}
    if said:
        origin = SessionOrigin(str(path), session, tuple(said))
        yield RecordedSession(held.name, tuple(said.values()), wire=held.wire.name, origin=origin)


def _from_transcript(path: Path, session: str | None) -> Iterator[RecordedSession]:
    transcript = open_transcript(path, whole=True)
    wire = get_wire(transcript.format.wire)
    newest = _entries_since_compaction(path, transcript)
    found: list[tuple[int, RecordedSession, Sequence[int | None]]] = []
    names: list[str] = []
    for conversation in iter_conversations(transcript, show_progress(transcript, path)):
        names.append(conversation.name)
        if session is not None and session not in (conversation.name, str(conversation.number)):
            continue
        messages = decode_messages(wire, [entry.message for entry in conversation.entries])
        if messages:
            tale = RecordedSession(
                conversation.name, tuple(messages), _entry_times(conversation), wire.name
            )
            found.append(
                (conversation.number, tale, _positions(wire, conversation.entries, newest))
            )
    for number, tale, positions in found:
        # Of two that share a name, only their numbers say which is meant.
        name = tale.name if names.count(tale.name) == 1 else str(number)
        yield replace(
            tale, origin=SessionOrigin(str(path), name if len(names) > 1 else None, positions)
        )


def _entries_since_compaction(path: Path, transcript: Transcript) -> list[Entry] | None:
    """What the model saw since the agent's own newest compaction; None where there was none."""
    if not transcript.format.covered_lines(open_lines(path)):
        return None
    return [
        entry
        for conversation in iter_conversations(open_transcript(path))
        for entry in conversation.entries
    ]


def _positions(
    wire: Wire, entries: Sequence[Entry], newest: Sequence[Entry] | None
) -> Sequence[int | None]:
    """Where `steno open` has each message: it counts from an agent's own compaction on, and by Steno's own traces."""
    shown = entries if newest is None else newest
    messages = decode_messages(wire, [entry.message for entry in shown])
    numbers = {id(message): at for at, message in enumerate(reimport_messages(messages).messages)}
    found: list[int | None] = []
    for entry, other, message in zip(
        reversed(entries), reversed(shown), reversed(messages), strict=False
    ):
        if entry.message != other.message:
            break
        found.append(numbers.get(id(message)))
    return (*[None] * (len(entries) - len(found)), *reversed(found))


def _entry_times(found: TranscriptConversation) -> tuple[float | None, ...]:
    times = tuple(map(_entry_time, found.entries))
    if any(time is not None for time in times):
        return times
    return ()


def _entry_time(entry: Entry) -> float | None:
    said = _TIMESTAMP.search(entry.lines[-1]) if entry.lines else None
    try:
        if said:
            return datetime.fromisoformat(said[1]).timestamp()
        return None
    except ValueError:
        return None
