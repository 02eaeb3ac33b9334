"""`steno recall`: search what was said in a transcript, a session or a whole store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

from steno.cli import options as cli
from steno.cli.output import QUIET, TerminalPage, print_note, print_report
from steno.cli.source import chosen_session, input_file, is_store, load_conversation, open_store
from steno.core.errors import BadInput
from steno.core.store import Store, join_names, session_names, user_names
from steno.inspector.conversation import message_reader
from steno.inspector.describe import plural
from steno.recall.described import HITS, LOOKED_AT, START_LEAST, describe_hits, hit_place
from steno.recall.query import HITS_MOST, Found, Hit, Query
from steno.recall.recall import Recall
from steno.store.in_process import MemoryStore
from steno.store.names import require_own
from steno.store.open import without_password
from steno.store.sql import SQLStore

FILL_SECONDS = 2.0
"""Time to bring an index up to date before the user is told that it takes longer."""


def recall(
    path: cli.SourceArgument,
    query: Annotated[str, cli.argument("QUERY", "What to look for; '' with a filter lists all.")],
    session: cli.SessionOption = None,
    user: cli.UserOption = None,
    mode: Annotated[str, cli.option("--mode", "MODE", "auto, words or exact.")] = "auto",
    kind: Annotated[
        str | None, cli.option("--kind", "KIND", "Only messages that state a decision, an error, …")
    ] = None,
    role: Annotated[str | None, cli.option("--role", "ROLE", "Only messages of this role.")] = None,
    tool: Annotated[str | None, cli.option("--tool", "TOOL", "Only its calls and results.")] = None,
    touched: Annotated[
        str | None, cli.option("--path", "PATH", "Only calls on this file, and their results.")
    ] = None,
    since: Annotated[
        str | None, cli.option("--since", "TIME", "2026-11-15, or with a time.")
    ] = None,
    until: Annotated[str | None, cli.option("--until", "TIME", "The same, for the end.")] = None,
    most: Annotated[
        int, cli.option("--most -n", "N", "Messages to find at most.", min=1, max=HITS_MOST)
    ] = HITS,
    strict: cli.StrictOption = False,
    as_json: cli.JsonOption = False,
) -> None:
    """Search what was said, in a transcript, a session, or all sessions of a store.

    By words (stems, parts of names, Chinese) and by "quotes" word for word; the results are
    merged. Each hit says where it can be opened. Filters narrow the search; with '' as the query
    they list everything that passes.

    Examples

      steno recall session.jsonl "slow query"                 in a transcript
      steno recall agent.db "why SQLite" --kind decision      in all sessions
      steno recall agent.db --mode exact "ERR-47" --tool bash
      steno recall agent.db "" --path src/auth.py  everything that touched a file
    """
    with (
        input_file(path, strict=strict) as file,
        _open_search(file, session, user) as (store, name, where),
    ):
        if isinstance(store, MemoryStore) and not store.dated and (since or until):
            raise BadInput(f"{path} has no times for its messages: leave out --since and --until")
        search = Recall(store, name, message_reader)
        # A person at a terminal wants the whole answer.
        if not search.fill(where, FILL_SECONDS):
            print_note(f"indexing {plural(len(session_names(store)), 'session')}, once")
            search.fill(where)
        asked = Query.of(
            query,
            where=where,
            mode=mode,
            kind=kind,
            role=role,
            tool=tool,
            path=touched,
            since=since,
            until=until,
            # Those that say much the same are shown as one.
            most=most if as_json else min(most * LOOKED_AT, HITS_MOST),
        )
        found = search.find(asked)
    print_report(asdict(found), as_json, partial(_print_hits, found, path, most))


@contextmanager
def _open_search(
    file: Path, session: str | None, user: str | None
) -> Iterator[tuple[Store, str, str]]:
    """Open a store; give a session of it, and whether to search that or all of its user's."""
    if is_store(file):
        with open_store(file) as store:
            yield store, *_search_scope(store, session, user)
        return
    loaded = load_conversation(file, session)
    print_note(*loaded.warnings)
    with closing(MemoryStore(dated=bool(loaded.times))) as memory:
        memory.create(loaded.name, loaded.wire.name)
        memory.append(loaded.name, list(loaded.log.messages), times=loaded.message_times)
        yield memory, loaded.name, "session"


def _search_scope(store: SQLStore, session: str | None, user: str | None) -> tuple[str, str]:
    if session is not None and user is not None:
        return store.session_info(require_own(store, user, session)).name, "session"
    if session is not None:
        return chosen_session(store, session).name, "session"
    users = user_names(store)
    if user is None and len(users) > 1:
        raise BadInput(
            f"{store.place} holds sessions of {len(users)} users, choose one with --user: "
            f"{join_names(users)}"
        )
    if user is None:
        user = (users or [""])[0]
    names = session_names(store, user)
    if not names:
        raise BadInput(f"{store.place} holds no session" + f" of {user!r}" * bool(user))
    # Any session of the user will do: the search goes over all of them.
    return names[0], "user"


def _print_hits(found: Found, path: str, most: int, page: TerminalPage) -> None:
    if found.note:
        print_note(found.note)
    if not found.hits:
        page.quiet("Nothing found.")
        return
    names = {hit.session for hit in found.hits}

    def place_of(hit: Hit) -> str:
        # It counts in the message that holds the words, not in the call or result beside it.
        if hit.start >= START_LEAST:
            return f"{hit.place}@{hit.start}"
        return hit_place(hit)

    def label(hit: Hit) -> str:
        if len(names) == 1:
            return place_of(hit)
        return f"{hit.session} {place_of(hit)}"

    more = found.more + len(found.hits)
    for hit in describe_hits(found.hits, most, label):
        page.line((f"[{hit.place}]", "bold"), (f" {hit.author}:", "cyan"), f" {hit.words}")
        more -= hit.stands_for
    if more:
        page.quiet(f"{plural(more, 'more message')} at least: raise --most")
    first = found.hits[0]
    command = f"steno open {without_password(path)} {place_of(first)}"
    if len(names) > 1:
        command += f" --session {first.session}"
    page.line(("open one: ", QUIET), (command, "cyan"))
