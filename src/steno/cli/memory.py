"""`steno memory`: list or change what is known of a user.

An edited or deleted memory stays in the store, marked as no longer valid.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from steno.cli.options import DONE, DatabaseArgument, JsonOption, UserOption, argument
from steno.cli.output import QUIET, TerminalPage, print_json
from steno.cli.source import open_store
from steno.core.errors import BadInput
from steno.core.store import Memory, join_names, user_names
from steno.memory.merge import add_memory, delete_memory, edit_memory, live_memories
from steno.memory.offer import day_of
from steno.redact import Redactor
from steno.session.settings import StoredSettings
from steno.store.sql import SQLStore

ACTIONS = "list, add TEXT, edit ID TEXT, delete ID"


def memory(
    path: DatabaseArgument,
    words: Annotated[list[str] | None, argument("[ACTION]", ACTIONS + ".")] = None,
    user: UserOption = None,
    as_json: JsonOption = False,
) -> int:
    """List what is known of a user from all sessions, or change it.

    Standing rules and preferences, facts, decisions with their reasons, an agent's notes: each
    with who said it, where and when. A new session with memory=True is shown the most useful of
    them. An edited or deleted memory stays stored and is not shown any more; steno forget deletes
    a session with every memory that came from it alone.

    Examples

      steno memory agent.db                                  the only user
      steno memory agent.db add "We use Postgres 16." --user ann
      steno memory agent.db edit 3 "I live in Bern." --user ann
      steno memory agent.db delete 3 --user ann --json
    """
    action, *rest = words or ["list"]
    with open_store(path) as store:
        name = resolve_user(store, user)
        changed = _change(store, name, action, rest)
        known = live_memories(store.memories(name))
    if as_json:
        print_json({"user": name, "memories": [asdict(found) for found in known]})
    else:
        _print_memories(known, name, changed)
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


def _print_memories(known: Sequence[Memory], user: str, changed: str) -> None:
    page = TerminalPage()
    if changed:
        page.line((changed, "bold"))
    if not known:
        page.line((f"Nothing is known of {user}.", QUIET))
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
