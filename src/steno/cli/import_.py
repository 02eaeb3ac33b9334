"""`steno import`: store a transcript or an archive as sessions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Annotated, Any

from steno.cli.conversation import LoadedConversation
from steno.cli.describe import plural
from steno.cli.options import (
    DONE,
    FromCompactionOption,
    JsonOption,
    ModelOption,
    ReserveOption,
    StrictOption,
    WindowOption,
    WireOption,
    argument,
    option,
)
from steno.cli.output import QUIET, TerminalPage, print_json, print_note
from steno.cli.source import (
    input_file,
    is_store,
    load_conversations,
    message_reader,
    refuse_other_file,
)
from steno.core.errors import BadInput
from steno.core.store import session_names
from steno.session.constraints import CONSTRAINT_KIND
from steno.session.settings import StoredSettings
from steno.store.open import open_store_at, without_password
from steno.store.sql import SQLStore


def import_(
    path: Annotated[str, argument("FILE", "A transcript or an archive (- reads stdin).")],
    db: Annotated[str, argument("DB", "A store; created if it does not exist.")],
    name: Annotated[str | None, option("--name -n", "NAME", "The name of the session.")] = None,
    window: WindowOption = None,
    model: ModelOption = None,
    reserve: ReserveOption = None,
    wire: WireOption = None,
    from_compaction: FromCompactionOption = False,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> int:
    """Store a transcript, or an archive, as a session; the store is created if needed.

    A file of several conversations becomes several sessions. Importing the same file again changes
    nothing.

    Examples

      steno import session.jsonl agent.db --window 200k   a transcript
      steno import agent.steno other.db --name restored   an archive
    """
    limits = StoredSettings(window=window, model=model, reserve=reserve)
    with input_file(path, strict=strict) as file:
        if is_store(file):
            raise BadInput(
                f"{path} is a store already: steno export --with-commits one of its sessions first"
            )
        refuse_other_file(db)
        loaded = load_conversations(file, None, limits, wire, from_compaction=from_compaction)
        found = _named(loaded, name)
        # Read one session before the store is created: a bad file must not leave an empty store.
        first = next(found, None)
        if first is None:
            raise BadInput(f"{path} holds no message")
        store = open_store_at(db)
        try:
            # One transaction: a file whose last conversation is bad stores none of them.
            stored = store.transaction(
                lambda: [_store_session(store, each) for each in chain([first], found)]
            )
        finally:
            store.close()
    if as_json:
        print_json({"db": without_password(db), "sessions": stored})
        return DONE
    page = TerminalPage()
    for row in stored:
        words = plural(row["messages"], "message")
        if row["commits"]:
            words += f" and {plural(row['commits'], 'commit')}"
        if row["stored_before"]:
            words += ", stored before and left as it is"
        page.line((row["session"], "bold"), f" · {words}")
    place = without_password(db)
    command = f"steno show {place} --session {stored[0]['session']}"
    page.line((f"stored in {place}; see it: ", QUIET), (command, "cyan"))
    return DONE


def _named(found: Iterator[LoadedConversation], name: str | None) -> Iterator[LoadedConversation]:
    """Give each conversation the name it gets in the store; refuse one without a window."""
    for number, loaded in enumerate(found):
        if loaded.budget is None and loaded.kind != "archive":
            raise BadInput("no window is known: add --window 32k, or --model with a known name")
        for warning in loaded.warnings:
            print_note(warning)
        if name is None:
            yield loaded
        elif number:
            yield replace(loaded, name=f"{name}-{number}")
        else:
            yield replace(loaded, name=name)


def _store_session(store: SQLStore, loaded: LoadedConversation) -> dict[str, Any]:
    known = loaded.name in session_names(store)
    if known and not _is_stored(store, loaded):
        raise BadInput(
            f"{store.place} has another session named {loaded.name!r} already: "
            "choose another name with --name"
        )
    if not known:
        _write_session(store, loaded)
    info = store.session_info(loaded.name)
    return {
        "session": info.name,
        "wire": info.wire,
        "messages": info.messages,
        "commits": info.commits,
        "stored_before": known,
    }


def _is_stored(store: SQLStore, loaded: LoadedConversation) -> bool:
    """Tell whether a session begins with these very messages: it was imported before."""
    info = store.session_info(loaded.name)
    stored = store.load(loaded.name, message_reader(info)).messages
    return tuple(stored[: len(loaded.log.messages)]) == tuple(loaded.log.messages)


def extend_session(store: SQLStore, loaded: LoadedConversation, *, user: str) -> None:
    """Store a session of `user`, or add what a transcript has grown by since it was stored."""
    if loaded.name not in session_names(store):
        _write_session(store, loaded, user)
        return
    info = store.session_info(loaded.name)
    stored = tuple(store.load(loaded.name, message_reader(info)).messages)
    messages = tuple(loaded.log.messages)
    if messages[: len(stored)] != stored:
        raise BadInput(f"{store.place} has another session named {loaded.name!r} already")
    new = messages[len(stored) :]
    if new:
        store.append(loaded.name, new, times=loaded.message_times[len(stored) :])


def _write_session(store: SQLStore, loaded: LoadedConversation, user: str = "") -> None:
    # Written row by row, so that messages, times and commits are exactly those of the file.
    store.create(loaded.name, loaded.wire.name, str(loaded.settings), user=user)
    store.append(loaded.name, loaded.log.messages, times=loaded.message_times)
    for commit in loaded.log.commits:
        store.commit(loaded.name, commit)
    for given in loaded.given:
        text = json.dumps({"id": given.id, "text": given.text})
        store.record(loaded.name, CONSTRAINT_KIND, text)
