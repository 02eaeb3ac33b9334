"""`steno forget`: delete a session of a store for good."""

from __future__ import annotations

import json
import re
import time
from dataclasses import asdict
from typing import Annotated

from steno.cli.describe import plural
from steno.cli.options import DONE, DatabaseArgument, JsonOption, argument, flag, option
from steno.cli.output import QUIET, TerminalPage, print_json
from steno.cli.source import open_store
from steno.core.errors import BadInput
from steno.core.store import Deletion, join_names, session_names
from steno.session.user_memory import OFFERED_KIND
from steno.store.open import without_password
from steno.store.sql import SQLStore
from steno.store.upkeep import sessions_older_than

SECONDS_IN = {"d": 86_400, "h": 3_600}


def forget(
    path: DatabaseArgument,
    session: Annotated[str | None, argument("SESSION", "The session to delete.")] = None,
    older_than: Annotated[
        str | None, option("--older-than", "90d", "Sessions without a message since then.")
    ] = None,
    yes: Annotated[bool, flag("--yes", "Confirm: it cannot be undone.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Delete a session from a store for good: messages, commits, index and vectors.

    This is the only command that deletes. Nothing of the session is left in the file's bytes; the
    store keeps that a session was deleted, when, and how large it was. A session that others were
    forked from stays until those are deleted.

    Examples

      steno forget agent.db research-42 --yes   asks nothing, so --yes is required
      steno forget agent.db --older-than 90d --yes
    """
    if (session is None) == (older_than is None):
        raise BadInput("name the session to delete, or say --older-than, for example 90d")
    if session is None:
        return _forget_older(path, older_than or "", yes=yes, as_json=as_json)
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


def _forget_older(path: str, age: str, *, yes: bool, as_json: bool) -> int:
    """Delete the sessions that nothing was added to for so long; say which."""
    found = re.fullmatch(r"([0-9]{1,6})([dh])", age)
    if found is None:
        raise BadInput(f"--older-than takes days or hours, such as 90d or 12h, not {age!r}")
    seconds = int(found[1]) * SECONDS_IN[found[2]]
    with open_store(path) as store:
        names = list(sessions_older_than(store, time.time() - seconds))
        if names and not yes:
            words = f"this deletes {plural(len(names), 'session')} for good"
            raise BadInput(f"{words}: {join_names(names)}; add --yes")
        deleted: dict[str, Deletion] = {}
        forked: list[str] = []
        for name in names:
            try:
                deleted[name] = store.delete(name)
            except BadInput:
                # A newer session begins with its messages.
                forked.append(name)
    if as_json:
        print_json({"deleted": {name: asdict(gone) for name, gone in deleted.items()}})
        return DONE
    page = TerminalPage()
    messages = sum(gone.messages for gone in deleted.values())
    words = f": {plural(len(deleted), 'session')}, {plural(messages, 'message')}"
    page.line(("deleted for good", "bold"), words)
    for name in deleted:
        page.line(name, indent=2)
    if forked:
        words = f"kept, because newer sessions were forked from them: {join_names(forked)}"
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
