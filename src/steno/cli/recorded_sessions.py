"""Read recorded sessions, for `steno replay` and `steno probe`, from any kind of file."""

from __future__ import annotations

from pathlib import Path

from steno.cli.conversation import LoadedConversation
from steno.cli.output import print_note
from steno.cli.source import load_conversations
from steno.core.errors import BadInput
from steno.lab.recorded import RecordedSession, SessionOrigin


def load_recorded_sessions(path: Path, session: str | None) -> list[RecordedSession]:
    """Read every session of a file, or the one named."""
    loaded = list(load_conversations(path, session))
    names = [each.name for each in loaded]
    found = []
    for number, each in enumerate(loaded):
        for warning in each.damage:
            print_note(warning)
        name: str | None = session
        if session is None and len(names) > 1:
            name = each.name
            # Two conversations of one name can only be distinguished by their numbers.
            if names.count(name) > 1:
                name = str(number)
        recorded = record(each, str(path), name)
        if recorded.messages:
            found.append(recorded)
    if found:
        return found
    if session is None:
        raise BadInput(f"{path} holds no message")
    raise BadInput(f"{path} holds no session {session!r}")


def record(loaded: LoadedConversation, path: str, session: str | None) -> RecordedSession:
    """Return what was said; positions without a message of their own are skipped."""
    present = {
        at: message
        for at, message in enumerate(loaded.log.messages)
        # Also what the agent's own compactions covered: it was said and used all the same.
        if message.role != "absent" and at not in loaded.repeated
    }
    times: tuple[float | None, ...] = ()
    if loaded.times:
        times = tuple(loaded.times.get(at) for at in present)
    return RecordedSession(
        loaded.name,
        tuple(present.values()),
        times,
        loaded.wire.name,
        origin=SessionOrigin(path, session, tuple(present)),
        log=loaded.log,
        system_calls=tuple(call for commit in loaded.log.commits for call in commit.asked),
        counted=loaded.said,
    )
