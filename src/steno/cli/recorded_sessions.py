"""Read recorded sessions, for `steno replay` and `steno price`, from any kind of file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from steno.cli.archive import is_archive, load_archive
from steno.cli.conversation import LoadedConversation
from steno.cli.output import print_note
from steno.cli.source import (
    entry_time,
    is_store,
    iter_conversations,
    load_from_store,
    open_store,
    show_progress,
)
from steno.core.errors import BadInput
from steno.core.store import join_names, session_names
from steno.lab.recorded import RecordedSession, SessionOrigin
from steno.providers import get_wire
from steno.transcripts import Entry, decode_entries, open_transcript


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
            loaded.name,
            messages,
            wire=loaded.wire.name,
            origin=origin,
            log=loaded.log,
            system_calls=calls,
        )


def _from_transcript(path: Path, session: str | None) -> Iterator[RecordedSession]:
    # Also what the agent's own compactions covered: it was said and used all the same.
    transcript = open_transcript(path, past="mark")
    wire = get_wire(transcript.format.wire)
    survey = transcript.survey
    found: list[tuple[int, RecordedSession, tuple[int | None, ...]]] = []
    names: list[str] = []
    for conversation in iter_conversations(transcript, show_progress(transcript, path)):
        names.append(conversation.name)
        if session is not None and session not in (conversation.name, str(conversation.number)):
            continue
        for warning in conversation.warnings:
            print_note(warning)
        # The history that a compaction put in the place of rows repeats what they say.
        entries = [
            entry
            for entry in conversation.entries
            if transcript.format.many or not survey.covered or entry.part != "item"
        ]
        messages = decode_entries(wire, entries)
        if messages:
            times = _entry_times(entries)
            log = conversation.to_log(wire)
            recorded = RecordedSession(
                conversation.name, tuple(messages), times, wire.name, log=log
            )
            # Where `steno open` has each entry; by identity, because two may be equal.
            at = {}
            for position, entry in conversation.placed_entries(log).items():
                # A summary that came with the list stands where the original is absent.
                if log.messages[position].role != "absent":
                    at[id(entry)] = position
            positions = tuple(at.get(id(entry)) for entry in entries)
            found.append((conversation.number, recorded, positions))
    for number, recorded, positions in found:
        name: str | None = recorded.name
        if len(names) == 1:
            name = None
        elif names.count(recorded.name) > 1:
            # Two conversations of one name can only be told apart by their numbers.
            name = str(number)
        yield replace(recorded, origin=SessionOrigin(str(path), name, positions))


def _entry_times(entries: Sequence[Entry]) -> tuple[float | None, ...]:
    """Return the time of each entry, or nothing if the file has no times."""
    times = tuple(map(entry_time, entries))
    if any(time is not None for time in times):
        return times
    return ()
