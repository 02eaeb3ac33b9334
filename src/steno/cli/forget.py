"""`steno forget`: delete a session of a store for good."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from steno.cli.describe import plural
from steno.cli.options import DONE, DatabaseArgument, JsonOption
from steno.cli.output import QUIET, TerminalPage, print_json
from steno.cli.source import join_names, open_store
from steno.core.errors import BadInput
from steno.core.store import session_names
from steno.session.user_memory import OFFERED_KIND
from steno.store.open import without_password
from steno.store.sql import SQLStore


def forget(
    path: DatabaseArgument,
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The session to delete.")],
    yes: Annotated[bool, typer.Option("--yes", help="Confirm: it cannot be undone.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Delete a session from a store for good: messages, commits, index and vectors.

    This is the only command that deletes. Nothing of the session is left in the file's bytes; the
    store keeps that a session was deleted, when, and how large it was. A session that others were
    forked from stays until those are deleted.

    Examples

      steno forget agent.db research-42 --yes   asks nothing, so --yes is required
    """
    if not yes:
        raise BadInput(f"this deletes {session!r} for good and cannot be undone: add --yes")
    with open_store(path) as store:
        # Asked first: once it is deleted, nothing says which memories were its own.
        informed = _sessions_with_its_memories(store, session)
        gone = store.delete(session)
    if as_json:
        print_json(asdict(gone) | {"told": informed})
        return DONE
    page = TerminalPage()
    size = f"{plural(gone.messages, 'message')}, {gone.bytes:,} bytes"
    page.line((f"{session} is deleted", "bold"), f": {size}")
    place = without_password(path)
    kept = f"nothing of it is left in {place} or its index; only that it existed is kept, unnamed"
    page.line((kept, QUIET), indent=2)
    if informed:
        words = f"memories from it were shown in {join_names(informed)}, whose logs still have them"
        page.line((words, QUIET), indent=2)
    return DONE


def _sessions_with_its_memories(store: SQLStore, session: str) -> list[str]:
    """Return the sessions that were given memories learned only from this one."""
    if session not in session_names(store):
        return []
    user = store.session_info(session).user
    ids = {memory.id for memory in store.memories(user) if memory.source == session}
    if not ids:
        return []
    found = []
    for name in session_names(store, user):
        if name != session and ids & _offered_ids(store, name):
            found.append(name)
    return found


def _offered_ids(store: SQLStore, name: str) -> set[int]:
    ids: set[int] = set()
    for record in store.records(name):
        if record.kind == OFFERED_KIND:
            ids.update(json.loads(record.text))
    return ids
