"""Sessions to be replayed, from whatever kind of file holds them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from steno.core.error import BadInput
from steno.core.message import Message
from steno.replay.tale import Tale
from steno.service.commands.archive import archived, is_archive
from steno.service.commands.file import Conversation, each
from steno.service.commands.progress import watched
from steno.service.commands.source import is_store, kept, listed, store_at
from steno.transcript import Entry, opened
from steno.wire import chosen, decoded

_TIME = re.compile(r'"timestamp"\s*:\s*"([0-9T:.+Z-]{10,40})"')


def tales(path: Path, session: str | None) -> list[Tale]:
    """Every session of a file, or the one that is meant."""
    found = list(_all(path, session))
    if not found:
        raise BadInput(f"{path} holds no message" if session is None else f"{path} holds no session {session!r}")
    return found


def _all(path: Path, session: str | None) -> Iterator[Tale]:
    if is_store(path):
        with store_at(path) as store:
            names = store.names()
            if session is not None and session not in names:
                raise BadInput(f"no session of {path} is named {session!r}; there are: {listed(names)}")
            for name in names if session is None else [session]:
                held = kept(store, name)
                yield from _told(name, list(held.log.messages), held.wire.name)
        return
    if is_archive(path):
        held = archived(path)
        yield from _told(held.name, list(held.log.messages), held.wire.name)
        return
    yield from _conversations(path, session)


def _told(name: str, messages: list[Message], wire: str) -> Iterator[Tale]:
    said = tuple(message for message in messages if message.raw is not None)
    if said:
        yield Tale(name, said, wire=wire)


def _conversations(path: Path, session: str | None) -> Iterator[Tale]:
    transcript = opened(path, whole=True)
    wire = chosen(transcript.format.wire)
    for found in each(transcript, watched(transcript, path)):
        if session is not None and session not in (found.name, str(found.number)):
            continue
        messages = decoded(wire, [entry.message for entry in found.entries])
        if messages:
            yield Tale(found.name, tuple(messages), _times(found), wire.name)


def _times(found: Conversation) -> tuple[float | None, ...]:
    times = tuple(map(_time, found.entries))
    return times if any(time is not None for time in times) else ()


def _time(entry: Entry) -> float | None:
    said = _TIME.search(entry.lines[-1]) if entry.lines else None
    try:
        return datetime.fromisoformat(said[1]).timestamp() if said else None
    except ValueError:
        return None
