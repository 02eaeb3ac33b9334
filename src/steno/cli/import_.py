"""`steno import`: store a transcript as sessions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Annotated

import msgspec

from steno.cli import options as cli
from steno.cli.output import QUIET, TerminalPage, print_json, print_note
from steno.cli.source import (
    input_file,
    is_store,
    load_conversations,
    refuse_other_file,
    store_conversation,
)
from steno.core.errors import BadInput
from steno.inspector.conversation import LoadedConversation
from steno.inspector.describe import plural
from steno.session.settings import StoredSettings
from steno.store.open import open_store_at, without_password
from steno.store.sql import SQLStore


class ImportedSession(msgspec.Struct, frozen=True):
    """A session that is in the store now."""

    session: str
    wire: str
    messages: int
    commits: int
    stored_before: bool


def import_(
    path: Annotated[str, cli.argument("FILE", "A transcript (- reads stdin).")],
    db: Annotated[str, cli.argument("DB", "A store; created if it does not exist.")],
    name: Annotated[str | None, cli.option("--name -n", "NAME", "The name of the session.")] = None,
    user: Annotated[str, cli.option("--user", "NAME", "Whose session it is.")] = "",
    window: cli.WindowOption = None,
    model: cli.ModelOption = None,
    reserve: cli.ReserveOption = None,
    wire: cli.WireOption = None,
    strict: cli.StrictOption = False,
    as_json: cli.JsonOption = False,
) -> None:
    """Store a transcript as a session; the store is created if needed.

    A file of several conversations becomes several sessions. Importing the same file again changes
    nothing; of a file that has grown, what is new is added.

    Examples

      steno import session.jsonl agent.db --window 200k
      steno import session.jsonl agent.db -w 200k --name monday
    """
    limits = StoredSettings(window=window, model=model, reserve=reserve)
    with input_file(path, strict=strict) as file:
        if is_store(file):
            raise BadInput(f"{path} is a store already: steno store copy copies its sessions")
        refuse_other_file(db)
        loaded = load_conversations(file, None, limits, wire)
        found = _with_names(loaded, name)
        # Read one session before the store is created: a bad file must not leave an empty store.
        first = next(found, None)
        if first is None:
            raise BadInput(f"{path} holds no message")
        store = open_store_at(db)
        try:
            # One transaction: a file whose last conversation is bad stores none of them.
            stored = store.transaction(
                lambda: [_store_session(store, each, user) for each in chain([first], found)]
            )
        finally:
            store.close()
    if as_json:
        print_json({"db": without_password(db), "sessions": stored})
        return
    page = TerminalPage()
    for row in stored:
        words = plural(row.messages, "message")
        if row.commits:
            words += f" and {plural(row.commits, 'commit')}"
        if row.stored_before:
            words += ", stored before"
        page.line((row.session, "bold"), f" · {words}")
    place = without_password(db)
    command = f"steno show {place} --session {stored[0].session}"
    page.line((f"stored in {place}; see it: ", QUIET), (command, "cyan"))


def _with_names(
    found: Iterator[LoadedConversation], name: str | None
) -> Iterator[LoadedConversation]:
    """Give each conversation the name it gets in the store; refuse one without a window."""
    for number, loaded in enumerate(found):
        loaded.require_budget()
        for warning in loaded.warnings:
            print_note(warning)
        if name is None:
            yield loaded
        elif number:
            yield replace(loaded, name=f"{name}-{number}")
        else:
            yield replace(loaded, name=name)


def _store_session(store: SQLStore, loaded: LoadedConversation, user: str) -> ImportedSession:
    known = store_conversation(store, loaded, user)
    info = store.session_info(loaded.name)
    return ImportedSession(info.name, info.wire, info.messages, info.commits, known)
