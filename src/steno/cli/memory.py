"""`steno memory`: list, change or learn what is known of a user.

An edited or deleted memory stays in the store, marked as no longer valid.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

from steno.cli.describe import plural
from steno.cli.options import DONE, JsonOption, StrictOption, UserOption, argument, option
from steno.cli.output import QUIET, TerminalPage, print_json, print_note
from steno.cli.source import (
    input_file,
    is_store,
    load_conversations,
    open_store,
    refuse_other_file,
)
from steno.core.errors import BadInput
from steno.core.store import (
    GONE_MEMORY,
    Memory,
    MemoryUpdate,
    join_names,
    session_names,
    user_names,
)
from steno.memory.extract import MemoryCandidate
from steno.memory.merge import (
    add_memory,
    delete_memory,
    edit_memory,
    learn_memories,
    live_memories,
)
from steno.memory.offer import day_of
from steno.providers import get_wire
from steno.redact import Redactor
from steno.session.session import Session
from steno.session.settings import StoredSettings
from steno.store.in_process import MemoryStore
from steno.store.open import open_store_at
from steno.store.sql import SQLStore

ACTIONS = "list, add TEXT, edit ID TEXT, delete ID, learn [FILE]"
READING_WINDOW = 128_000
"""Window of a session that is only read; nothing is compacted in it."""
FILE_PREFIX = "file:"
"""Marks the source of a memory that is not a session of the store."""


def memory(
    path: Annotated[str, argument("DB", "A store; learn FILE creates one if needed.")],
    words: Annotated[list[str] | None, argument("[ACTION]", ACTIONS + ".")] = None,
    user: UserOption = None,
    session: Annotated[
        str | None, option("--session -s", "NAME", "Learn from this session alone.")
    ] = None,
    writer: Annotated[
        str | None, option("--writer", "MODEL", "Ask this model too when learning.")
    ] = None,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> int:
    """List what is known of a user from all sessions, change it, or learn it.

    Standing rules and preferences, facts, decisions with their reasons, an agent's notes: each
    with who said it, where and when. A new session with memory=True is shown the most useful of
    them. An edited or deleted memory stays stored and is not shown any more; steno store forget
    deletes a session with every memory that came from it alone.

    `learn` reads what lasts from the user's sessions in the store, or from a transcript. Only what
    a person typed counts as theirs; text of a tool, a page or a file is left out. The newest
    statement about a subject replaces the older. Learning from the same text again changes
    nothing.

    Examples

      steno memory agent.db                               the only user
      steno memory agent.db learn --user ann              from her sessions
      steno memory agent.db learn session.jsonl --user ann
      steno memory agent.db add "We use Postgres 16." --user ann
      steno memory agent.db edit 3 "I live in Bern." --user ann
      steno memory agent.db delete 3 --user ann --json
    """
    action, *rest = words or ["list"]
    if action == "learn" and len(rest) < 2:
        learned = _learn(path, rest, user, session, writer, strict=strict)
        if as_json:
            print_json({"learned": learned})
            return DONE
        changed = f"{plural(len(learned), 'memory', 'memories')} learned"
        _print_memories(learned, changed)
        return DONE
    with open_store(path) as store:
        name = resolve_user(store, user)
        changed = _change(store, name, action, rest)
        known = live_memories(store.memories(name))
    if as_json:
        print_json({"user": name, "memories": known})
    else:
        if not known and not changed:
            changed = f"Nothing is known of {name}."
        _print_memories(known, changed)
    return DONE


def resolve_user(store: SQLStore, user: str | None) -> str:
    """Return the user named, or the only one."""
    if user is not None:
        return user
    users = dict.fromkeys((*store.users_with_memories(), *user_names(store)))
    known = [name for name in users if name]
    if len(known) == 1:
        return known[0]
    if not known:
        raise BadInput(f"{store.place} names no user yet; add --user")
    raise BadInput(
        f"{store.place} holds {len(known)} users: {join_names(known)}; choose one with --user"
    )


def _change(store: SQLStore, user: str, action: str, words: list[str]) -> str:
    """Carry out an action and return what was done."""
    now = time.time()
    match action, words:
        case "list", []:
            return ""
        case "add", [_, *_]:
            text = _without_secrets(store, user, " ".join(words))
            # A function, which the store calls within its transaction: nothing comes between.
            new = store.update_memories(user, lambda stored: add_memory(stored, text, now))
            if new:
                return f"({new[0].id}) is remembered"
            return "that is known already"
        case "edit", [number, _, *_]:
            text = _without_secrets(store, user, " ".join(words[1:]))
            id = _parse_id(number)
            new = store.update_memories(user, lambda stored: edit_memory(stored, id, text, now))
            return f"({new[0].id}) replaces ({number})"
        case "delete", [number]:
            id = _parse_id(number)
            store.update_memories(user, lambda stored: delete_memory(stored, id, now))
            return f"({number}) is not remembered any more"
    raise BadInput(f"memory takes {ACTIONS}; got {' '.join((action, *words))!r}")


def _without_secrets(store: SQLStore, user: str, text: str) -> str:
    """Return the text as the user's sessions keep it."""
    if any(StoredSettings.parse(info.setup).redacted for info in store.sessions(user)):
        return Redactor().text(text)
    return text


def _parse_id(text: str) -> int:
    # Nine digits fit SQLite's integers with room to spare.
    if not text.isdecimal() or len(text) > 9:
        raise BadInput(f"{text!r} is not the number of a memory: steno memory lists them")
    return int(text)


def _learn(
    path: str,
    files: list[str],
    user: str | None,
    session: str | None,
    writer: str | None,
    *,
    strict: bool,
) -> list[Memory]:
    """Learn from a transcript, or from the user's sessions in the store."""
    changes: list[Memory] = []
    if not files:
        with open_store(path) as store:
            user = resolve_user(store, user)
            names = session_names(store, user)
            if session is not None and session not in names:
                known = join_names(names) or "none"
                raise BadInput(f"{user!r} has no session named {session!r}; there are: {known}")
            if session is not None:
                names = [session]
            for name in names:
                wire = get_wire(store.session_info(name).wire)
                opened = Session(store=store, name=name, wire=wire, writer=writer, redact=False)
                changes += opened.learn()
    else:
        if not user:
            raise BadInput("a memory belongs to a user: add --user")
        with input_file(files[0], strict=strict) as file:
            if is_store(file):
                raise BadInput(f"{files[0]} is a store: steno memory {files[0]} learn")
            refuse_other_file(path)
            # Everything is read before the store is opened: a bad file must not create one.
            updates = list(_file_updates(file, session, writer))
        with closing(open_store_at(path)) as store:
            for update in updates:
                changes += store.update_memories(user, update)
    return [memory for memory in changes if memory.kind != GONE_MEMORY]


def _file_updates(file: Path, session: str | None, writer: str | None) -> Iterator[MemoryUpdate]:
    """Read what lasts from each conversation of a file, in a session that is held in memory."""
    when = file.stat().st_mtime
    none = True
    for loaded in load_conversations(file, session):
        none = False
        for warning in loaded.warnings:
            print_note(warning)
        options: dict[str, Any] = {"wire": loaded.wire, "window": READING_WINDOW, "writer": writer}
        with (
            closing(MemoryStore(dated=False)) as store,
            Session(store=store, name="read", log=loaded.log, **options) as opened,
        ):
            found = opened.host.memory_candidates()
        yield _learner(found, f"{FILE_PREFIX}{loaded.name}", when)
    if none:
        raise BadInput(f"{file.name} holds no message")


def _learner(found: list[MemoryCandidate], source: str, when: float) -> MemoryUpdate:
    # A transcript may have no time for a message: all get the time of the file.
    return lambda stored: learn_memories(stored, found, source, lambda position: when, time.time())


def _print_memories(known: Sequence[Memory], first: str) -> None:
    page = TerminalPage()
    if first:
        page.line((first, "bold"))
    for found in known:
        day = day_of(found.when)
        author: str = found.trust
        if author == "person":
            author = "user"
        place = "typed as a memory"
        if found.source and found.position is None:
            place = f"edited, first said in {found.source}"
        elif found.source:
            place = f"{found.source} {found.position}"
        page.line((f"({found.id}) ", "bold"), found.text)
        page.line((f"{found.kind} · {author} · {day} · {place}", QUIET), indent=4)
