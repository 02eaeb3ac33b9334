"""Sessions to be replayed, from whatever kind of file holds them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from steno.core.error import BadInput
from steno.core.resent import resent
from steno.core.wire import Wire
from steno.replay.tale import Origin, Tale
from steno.service.commands.archive import archived, is_archive
from steno.service.commands.file import Conversation, each
from steno.service.commands.progress import watched
from steno.service.commands.source import Held, is_store, kept, listed, store_at
from steno.transcript import Entry, Transcript, open_lines, opened
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
                yield from _told(kept(store, name), path, name if len(names) > 1 else None)
    elif is_archive(path):
        held = archived(path)
        if session in (None, held.name):
            yield from _told(held, path, None)
    else:
        yield from _conversations(path, session)


def _told(held: Held, path: Path, session: str | None) -> Iterator[Tale]:
    """What was said; a position whose words are elsewhere has nothing to live through, and keeps its number."""
    said = {at: message for at, message in enumerate(held.log.messages) if message.role != "absent"}
    if said:
        origin = Origin(str(path), session, tuple(said))
        yield Tale(held.name, tuple(said.values()), wire=held.wire.name, origin=origin)


def _conversations(path: Path, session: str | None) -> Iterator[Tale]:
    transcript = opened(path, whole=True)
    wire = chosen(transcript.format.wire)
    newest = _newest_sight(path, transcript)
    found: list[tuple[int, Tale, Sequence[int | None]]] = []
    names: list[str] = []
    for conversation in each(transcript, watched(transcript, path)):
        names.append(conversation.name)
        if session is not None and session not in (conversation.name, str(conversation.number)):
            continue
        messages = decoded(wire, [entry.message for entry in conversation.entries])
        if messages:
            tale = Tale(conversation.name, tuple(messages), _times(conversation), wire.name)
            found.append((conversation.number, tale, _positions(wire, conversation.entries, newest)))
    for number, tale, positions in found:
        # Of two that share a name, only their numbers say which is meant.
        name = tale.name if names.count(tale.name) == 1 else str(number)
        yield replace(tale, origin=Origin(str(path), name if len(names) > 1 else None, positions))


def _newest_sight(path: Path, transcript: Transcript) -> list[Entry] | None:
    """What the model saw since the agent's own newest compaction; None where there was none."""
    if not transcript.format.covered(open_lines(path)):
        return None
    return [entry for conversation in each(opened(path)) for entry in conversation.entries]


def _positions(wire: Wire, entries: Sequence[Entry], newest: Sequence[Entry] | None) -> Sequence[int | None]:
    """Where `steno open` has each message: it counts from an agent's own compaction on, and by Steno's own traces."""
    shown = entries if newest is None else newest
    messages = decoded(wire, [entry.message for entry in shown])
    numbers = {id(message): at for at, message in enumerate(resent(messages).messages)}
    found: list[int | None] = []
    for entry, other, message in zip(reversed(entries), reversed(shown), reversed(messages), strict=False):
        if entry.message != other.message:
            break
        found.append(numbers.get(id(message)))
    return (*[None] * (len(entries) - len(found)), *reversed(found))


def _times(found: Conversation) -> tuple[float | None, ...]:
    times = tuple(map(_time, found.entries))
    return times if any(time is not None for time in times) else ()


def _time(entry: Entry) -> float | None:
    said = _TIME.search(entry.lines[-1]) if entry.lines else None
    try:
        return datetime.fromisoformat(said[1]).timestamp() if said else None
    except ValueError:
        return None
