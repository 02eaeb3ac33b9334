"""`steno recall` and `steno forget`: find what was said, or remove a session for good.

A store is searched by the index beside it, which a search fills and which may be
deleted at any time; a transcript by one that is made for it and goes again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from steno.cli.describe import plural
from steno.cli.options import DONE
from steno.cli.output import QUIET, TerminalPage, print_json, print_note
from steno.cli.source import input_file, is_store, join_names, load_conversation, open_store
from steno.cli.window_map import KIND_STYLES
from steno.core.errors import BadInput
from steno.core.store import MessageReader, SessionInfo, Store, session_names, user_names
from steno.recall.embedders import Embedder
from steno.recall.hits import Found, Hit
from steno.recall.query import Query
from steno.recall.recall import Recall
from steno.session.settings import StoredSettings
from steno.session.user_memory import OFFERED_KIND
from steno.store.memory import MemoryStore
from steno.store.sqlite import SQLiteStore
from steno.wires import get_wire, parse_json


@dataclass(frozen=True)
class RecallOptions:
    path: str
    query: str
    session: str | None
    user: str | None
    how: dict[str, Any]
    """Mode, filters and bounds, as `Session.recall` takes them; None for what was not said."""
    minilm: str | None = None
    as_json: bool = False


def recall(asked: RecallOptions) -> int:
    how = {key: value for key, value in asked.how.items() if value is not None}
    with input_file(asked.path) as file, _open_search(file, asked) as (store, name, where):
        wanted = Query.of(asked.query, where=where, **how)
        search = Recall(store, name, _message_reader, _embedder(asked.minilm))
        found = search.find(wanted)
    if asked.as_json:
        print_json(asdict(found))
    else:
        _print_hits(found, asked, several=where == "user")
    return DONE


@contextmanager
def _open_search(file: Path, asked: RecallOptions) -> Iterator[tuple[Store, str, str]]:
    """A store, one of its sessions, and whether that or all of its user's are searched."""
    if is_store(file):
        with open_store(file) as store:
            yield store, *_search_scope(store, asked)
        return
    held = load_conversation(file, asked.session, StoredSettings())
    if asked.how.get("since") or asked.how.get("until"):
        raise BadInput(
            f"{asked.path} does not say when its messages were said: leave --since and --until out"
        )
    memory = MemoryStore(dated=False)
    try:
        memory.create(held.name, held.wire.name)
        memory.append(held.name, list(held.log.messages))
        yield memory, held.name, "session"
    finally:
        memory.close()


def _search_scope(store: SQLiteStore, asked: RecallOptions) -> tuple[str, str]:
    if asked.session is not None:
        if asked.user is not None and store.session_info(asked.session).user != asked.user:
            raise BadInput(
                f"the session {asked.session!r} belongs to another user than {asked.user!r}"
            )
        return asked.session, "session"
    users = user_names(store)
    if asked.user is None and len(users) > 1:
        raise BadInput(
            f"{store.path} holds sessions of {len(users)} users, say --user: {join_names(users)}"
        )
    names = session_names(store, asked.user if asked.user is not None else (users or [""])[0])
    if not names:
        raise BadInput(
            f"{store.path} holds no session" + (f" of {asked.user!r}" if asked.user else " yet")
        )
    return names[0], "user"


def _message_reader(card: SessionInfo) -> MessageReader:
    wire = get_wire(card.wire)
    return lambda raw: wire.decode(parse_json(raw), raw, "a kept message")


def _embedder(folder: str | None) -> Embedder | None:
    if folder is None:
        return None
    from steno.recall.embedders.minilm import MiniLM

    return MiniLM(folder)


def _print_hits(found: Found, asked: RecallOptions, *, several: bool) -> None:
    if found.note:
        print_note(found.note)
    page = TerminalPage()
    if not found.hits:
        page.line(("Nothing was found.", QUIET))
    for hit in found.hits:
        _print_hit(page, hit, several=several)
    if found.more:
        page.line((f"{plural(found.more, 'more message')} at least: say --most to see them", QUIET))
    if found.hits:
        named = f" --session {found.hits[0].session}" if several else ""
        page.line(
            ("open one: ", QUIET), (f"steno open {asked.path} {found.hits[0].place}{named}", "cyan")
        )


def _print_hit(page: TerminalPage, hit: Hit, *, several: bool) -> None:
    style = KIND_STYLES.get(hit.role, ("", ""))[1]
    when = "" if hit.when is None else datetime.fromtimestamp(hit.when).strftime("  %Y-%m-%d %H:%M")
    tool = f" {hit.tool}" if hit.tool else ""
    place = f"{hit.session} {hit.place}" if several else hit.place
    page.line(
        (place, "bold"), (f"  {hit.role}{tool}", style), (f"  {', '.join(hit.why)}{when}", QUIET)
    )
    trust = f"(words of a {hit.trust}) " if hit.trust == "tool" and hit.role != "tool" else ""
    page.line((trust, QUIET), hit.snippet, indent=2)


def forget(path: str, session: str, *, yes: bool, as_json: bool = False) -> int:
    if not yes:
        raise BadInput(f"this removes {session!r} for good, and cannot be undone: say --yes")
    with open_store(path) as store:
        told = _sessions_with_its_memories(store, session)
        gone = store.delete(session)
    if as_json:
        print_json(asdict(gone) | {"told": told})
        return DONE
    page = TerminalPage()
    page.line(
        (f"{session} is forgotten", "bold"),
        f": {plural(gone.messages, 'message')}, {gone.bytes:,} bytes",
    )
    page.line(
        (
            f"nothing of it is left in {path} or its index; that it was there is kept, unnamed",
            QUIET,
        ),
        indent=2,
    )
    if told:
        page.line(
            (
                f"what it taught was told to {join_names(told)}, whose own logs keep that they were",
                QUIET,
            ),
            indent=2,
        )
    return DONE


def _sessions_with_its_memories(store: SQLiteStore, session: str) -> list[str]:
    """The sessions that were told what only this one taught."""
    if session not in session_names(store):
        return []
    whose = store.session_info(session).user
    ids = {each.id for each in store.memories(whose) if each.source == session}
    others = [name for name in session_names(store, whose) if name != session] if ids else []
    return [name for name in others if ids.intersection(_offered_ids(store, name))]


def _offered_ids(store: SQLiteStore, name: str) -> list[int]:
    return [
        id for jot in store.records(name) if jot.kind == OFFERED_KIND for id in json.loads(jot.text)
    ]
