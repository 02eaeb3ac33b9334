"""Read recorded sessions, for `steno replay` and `steno probe`, from any kind of file."""

from __future__ import annotations

from pathlib import Path

from steno.cli.output import print_note
from steno.cli.source import load_conversations
from steno.core.errors import BadInput
from steno.inspector.conversation import record_session
from steno.lab.recorded import RecordedSession


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
        recorded = record_session(each, str(path), name)
        if recorded.messages:
            found.append(recorded)
    if found:
        return found
    if session is None:
        raise BadInput(f"{path} holds no message")
    raise BadInput(f"{path} holds no session {session!r}")
