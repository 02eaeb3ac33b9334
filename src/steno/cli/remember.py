"""`steno remember`: learn lasting facts from a transcript or from stored sessions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from steno.cli.archive import is_archive, load_archive
from steno.cli.conversation import LoadedConversation
from steno.cli.describe import plural
from steno.cli.memory import resolve_user
from steno.cli.options import (
    DONE,
    JsonOption,
    SessionOption,
    SourceArgument,
    StrictOption,
    UserOption,
    option,
)
from steno.cli.output import QUIET, TerminalPage, print_json, print_note
from steno.cli.source import (
    input_file,
    is_store,
    iter_conversations,
    open_store,
    refuse_other_file,
    show_progress,
)
from steno.core.errors import BadInput
from steno.core.store import GONE_MEMORY, Memory, MemoryUpdate, join_names, session_names
from steno.memory.extract import MemoryCandidate
from steno.memory.merge import learn_memories
from steno.providers import get_wire
from steno.session.session import Session
from steno.session.settings import StoredSettings
from steno.store.in_process import MemoryStore
from steno.store.open import open_store_at
from steno.transcripts import open_transcript

READING_WINDOW = 128_000
"""Window of a session that is only read; nothing is compacted in it."""
FILE_PREFIX = "file:"
"""Marks the source of a memory that is not a session of the store."""


def remember(
    path: SourceArgument,
    db: Annotated[str | None, option("--db", "DB", "The store to keep memories in.")] = None,
    user: UserOption = None,
    session: SessionOption = None,
    writer: Annotated[
        str | None, option("--writer", "MODEL", "Ask this model too: openai:gpt-5-mini, …")
    ] = None,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> int:
    """Learn what lasts from a transcript, or from the sessions of a store.

    Rules, preferences, facts, decisions and notes. Only what a person typed counts as theirs; text
    of a tool, a page or a file is left out. The newest statement about a subject replaces the
    older. Learning from the same text again changes nothing.

    Examples

      steno remember session.jsonl --db agent.db --user ann   from a transcript
      steno remember agent.db --user ann                      from all sessions of a user
      steno remember agent.db --user ann --writer openai:gpt-5-mini
    """
    with input_file(path, strict=strict) as file:
        if is_store(file):
            if db not in (None, path):
                raise BadInput(f"{path} is a store and keeps its own memories: leave out --db")
            changes = _learn_from_store(path, user, session, writer)
        else:
            if db is None:
                raise BadInput(f"name the store for memories of {path}: --db agent.db --user NAME")
            changes = _learn_from_file(file, db, user, session, writer)
    learned = [memory for memory in changes if memory.kind != GONE_MEMORY]
    if as_json:
        print_json({"learned": [asdict(memory) for memory in learned]})
        return DONE
    page = TerminalPage()
    page.line((f"{plural(len(learned), 'memory', 'memories')} learned", "bold"))
    for memory in learned:
        page.line((f"({memory.id}) ", "bold"), memory.text, indent=2)
    page.line(("see all: ", QUIET), (f"steno memory {db or path}", "cyan"))
    return DONE


def _learn_from_store(
    path: str, user: str | None, session: str | None, writer: str | None
) -> list[Memory]:
    with open_store(path) as store:
        user = resolve_user(store, user)
        names = session_names(store, user)
        if session is not None:
            if session not in names:
                known = join_names(names) or "none"
                raise BadInput(f"{user!r} has no session named {session!r}; there are: {known}")
            names = [session]
        changes: list[Memory] = []
        for name in names:
            wire = get_wire(store.session_info(name).wire)
            opened = Session(store=store, name=name, wire=wire, writer=writer, redact=False)
            changes += opened.learn()
        return changes


def _learn_from_file(
    file: Path, db: str, user: str | None, session: str | None, writer: str | None
) -> list[Memory]:
    if not user:
        raise BadInput("a memory belongs to a user: add --user")
    refuse_other_file(db)
    when = file.stat().st_mtime
    # Everything is extracted before the store is opened: a bad file must not create one.
    updates = []
    for loaded in _load_conversations(file, session):
        found = _extract(loaded, writer)
        updates.append(_learner(found, f"{FILE_PREFIX}{loaded.name}", when))
    if not updates:
        raise BadInput(f"{file.name} holds no message")
    store = open_store_at(db)
    try:
        changes: list[Memory] = []
        for update in updates:
            changes += store.update_memories(user, update)
        return changes
    finally:
        store.close()


def _learner(found: list[MemoryCandidate], source: str, when: float) -> MemoryUpdate:
    # A transcript has no time for each message: all get the time of the file.
    return lambda stored: learn_memories(stored, found, source, lambda position: when, time.time())


def _load_conversations(file: Path, session: str | None) -> Iterator[LoadedConversation]:
    if is_archive(file):
        yield load_archive(file)
        return
    transcript = open_transcript(file)
    for conversation in iter_conversations(transcript, show_progress(transcript, file)):
        if conversation.entries and session in (None, conversation.name):
            loaded = conversation.load(transcript, StoredSettings(), None)
            for warning in loaded.warnings:
                print_note(warning)
            yield loaded


def _extract(loaded: LoadedConversation, writer: str | None) -> list[MemoryCandidate]:
    """Read what lasts from a conversation, in a session that is kept in memory."""
    store = MemoryStore(dated=False)
    try:
        with Session(
            store=store,
            name="read",
            wire=loaded.wire,
            window=READING_WINDOW,
            log=loaded.log,
            writer=writer,
        ) as session:
            return session.host.memory_candidates()
    finally:
        store.close()
