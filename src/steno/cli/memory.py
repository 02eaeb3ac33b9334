"""`steno memory`: list, change or learn what is known of a user."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Annotated

from steno.cli.options import DatabaseArgument, JsonOption, UserOption, argument, option
from steno.cli.output import TerminalPage, print_report
from steno.cli.source import open_store
from steno.core.errors import BadInput
from steno.core.store import GONE_MEMORY, Memory, join_names, session_names, user_names
from steno.inspector.actions import memory_number, without_secrets
from steno.inspector.describe import plural
from steno.memory.merge import add_memory, delete_memory, edit_memory, live_memories
from steno.memory.offer import day_of
from steno.providers import get_wire
from steno.session.session import Session
from steno.store.names import require_own
from steno.store.sql import SQLStore

ACTIONS = "list, add TEXT, edit ID TEXT, delete ID, learn"


def memory(
    path: DatabaseArgument,
    words: Annotated[list[str] | None, argument("[ACTION]", ACTIONS + ".")] = None,
    user: UserOption = None,
    session: Annotated[
        str | None, option("--session -s", "NAME", "Learn from this session alone.")
    ] = None,
    writer: Annotated[
        str | None, option("--writer", "MODEL", "Ask this model too when learning.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List what is known of a user from all sessions, change it, or learn it.

    Constraints, preferences, facts, decisions and an agent's notes, each with who said it, where,
    when. A new session with memory=True is shown the most useful of them. An edited or deleted
    memory stays stored and is not shown any more; steno store forget deletes for good.

    `learn` reads what lasts from the user's sessions; steno store import --user stores a
    transcript as one. Only what a person typed counts as theirs. The newest statement about a
    subject replaces the older.

    Examples

      steno memory agent.db                               the only user
      steno memory agent.db learn --user ann              from her sessions
      steno memory agent.db add "We use Postgres 16." --user ann
      steno memory agent.db edit 3 "I live in Bern." --user ann
      steno memory agent.db delete 3 --user ann --json
    """
    action, *rest = words or ["list"]
    if action == "learn" and not rest:
        learned = _learn(path, user, session, writer)
        changed = f"{plural(len(learned), 'memory', 'memories')} learned"
        print_report({"learned": learned}, as_json, partial(_print_memories, learned, changed))
        return
    with open_store(path) as store:
        name = resolve_user(store, user)
        changed = _change(store, name, action, rest)
        known = live_memories(store.memories(name))
    if not known and not changed:
        changed = f"Nothing is known of {name}."
    report = {"user": name, "memories": known}
    print_report(report, as_json, partial(_print_memories, known, changed))


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
            text = without_secrets(store, user, " ".join(words))
            # A function, which the store calls within its transaction: nothing comes between.
            new = store.update_memories(user, lambda stored: add_memory(stored, text, now))
            if new:
                return f"({new[0].id}) is remembered"
            return "that is known already"
        case "edit", [number, _, *_]:
            text = without_secrets(store, user, " ".join(words[1:]))
            id = memory_number(number)
            new = store.update_memories(user, lambda stored: edit_memory(stored, id, text, now))
            return f"({new[0].id}) replaces ({number})"
        case "delete", [number]:
            id = memory_number(number)
            store.update_memories(user, lambda stored: delete_memory(stored, id, now))
            return f"({number}) is not remembered any more"
    raise BadInput(f"memory takes {ACTIONS}; got {' '.join((action, *words))!r}")


def _learn(path: str, user: str | None, session: str | None, writer: str | None) -> list[Memory]:
    """Learn from the user's sessions in the store, or from one of them."""
    changes: list[Memory] = []
    with open_store(path) as store:
        user = resolve_user(store, user)
        names = session_names(store, user)
        if session is not None:
            names = [require_own(store, user, session)]
        for name in names:
            info = store.session_info(name)
            wire = get_wire(info.wire)
            opened = Session(store=store, name=info.key, wire=wire, writer=writer, redact=False)
            changes += opened.learn()
    return [memory for memory in changes if memory.kind != GONE_MEMORY]


def _print_memories(known: Sequence[Memory], first: str, page: TerminalPage) -> None:
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
        page.quiet(f"{found.kind} · {author} · {day} · {place}", indent=4)
