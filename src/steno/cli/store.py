"""`steno store`: import, export, change and forget sessions; copy and check stores."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from steno.cli import options as cli
from steno.cli.output import (
    QUIET,
    STDOUT,
    TerminalPage,
    check_output_path,
    print_json,
    print_note,
    write_output,
)
from steno.cli.source import (
    STDIN,
    chosen_session,
    input_file,
    is_store,
    load_conversations,
    load_from_store,
    open_store,
    open_stored_session,
    refuse_other_file,
    store_conversation,
)
from steno.core.errors import BadInput
from steno.core.log import Log
from steno.core.message import Message
from steno.core.store import Deletion, join_names, session_names
from steno.inspector.conversation import LoadedConversation
from steno.inspector.describe import plural
from steno.providers import json_text, parse_json
from steno.session.settings import StoredSettings
from steno.session.user_memory import OFFERED_KIND
from steno.store.open import open_store_at, without_password
from steno.store.sql import SQLStore
from steno.store.upkeep import Checked, Copied, check_store, copy_store, sessions_older_than

SECONDS_IN = {"d": 86_400, "h": 3_600}


def undo(
    path: cli.DatabaseArgument,
    where: Annotated[
        str | None, cli.argument("[PLACE]", "Show only these again: 17, 17-42 or 17.2.")
    ] = None,
    session: cli.SessionOption = None,
    as_json: cli.JsonOption = False,
) -> None:
    """Revert the newest commit of a session: the model sees again what it covered.

    Nothing is deleted. The undo is a commit of its own, and the next undo reverts the commit
    before. With PLACE, the originals there are shown again and all else stays in short.

    Examples

      steno store undo agent.db                         the only session
      steno store undo agent.db --session research-42   one of several
      steno store undo agent.db 17-42                   only these messages
    """
    with open_stored_session(path, session) as opened:
        name = opened.name
        before = opened.load
        commit = opened.undo(where)
        after = opened.load
    if as_json:
        report = {"session": name, "commit": commit.number, "reverts": commit.reverts}
        print_json(report | {"before": before, "after": after})
        return
    page = TerminalPage()
    words = f"{where} is shown again"
    if where is None:
        words = f"commit {commit.reverts} is reverted"
    page.line((words, "bold"), f": {before:,} → {after:,} tokens")
    page.line((f"{name}: commit {commit.number} records it; nothing was deleted", QUIET), indent=2)


def pin(
    path: cli.DatabaseArgument,
    position: Annotated[int, cli.argument("POSITION", "The message, as `steno show` numbers it.")],
    remove: Annotated[bool, cli.flag("--remove", "Let it be covered again.")] = False,
    session: cli.SessionOption = None,
    as_json: cli.JsonOption = False,
) -> None:
    """Keep a message in view, word for word, through every compaction.

    Examples

      steno store pin agent.db 17
      steno store pin agent.db 17 --remove
    """
    with open_stored_session(path, session) as opened:
        name = opened.name
        if remove:
            opened.unpin(position)
        else:
            opened.pin(position)
    if as_json:
        print_json({"session": name, "position": position, "pinned": not remove})
        return
    state = "is pinned"
    if remove:
        state = "may be covered again"
    TerminalPage().line((f"{name}: [{position}] {state}", "bold"))


def edit(
    path: cli.DatabaseArgument,
    position: Annotated[int, cli.argument("POSITION", "A message that the summary covers.")],
    text: Annotated[str, cli.argument("TEXT", "The new words; - reads them from stdin.")],
    session: cli.SessionOption = None,
    as_json: cli.JsonOption = False,
) -> None:
    """Write a summary again by hand; the messages that it covers stay as they are.

    It is a commit of its own: `steno store undo` brings the old words back.

    Examples

      steno store edit agent.db 17 "The port is 8080, as the user said at [12]."
      steno store edit agent.db 17 - < summary.txt
    """
    if text == STDIN:
        text = sys.stdin.read()
    with open_stored_session(path, session) as opened:
        name, before = opened.name, opened.load
        commit = opened.host.edit_summary(position, text, author="user")
        after = opened.load
    if as_json:
        report = {"session": name, "commit": commit.number}
        print_json(report | {"before": before, "after": after})
        return
    page = TerminalPage()
    page.line(("the summary is written again", "bold"), f": {before:,} → {after:,} tokens")
    page.line((f"{name}: commit {commit.number}; undo it with steno store undo", QUIET), indent=2)


def fork(
    path: cli.DatabaseArgument,
    at: Annotated[int | None, cli.option("--at", "N", "How many messages it begins with.")] = None,
    name: Annotated[
        str | None, cli.option("--name -n", "NAME", "The name of the new session.")
    ] = None,
    session: cli.SessionOption = None,
    as_json: cli.JsonOption = False,
) -> None:
    """Start a session as another's log up to a position, without copying it.

    Neither session changes the other. The fork shows what the original showed at that position.

    Examples

      steno store fork agent.db -s research-42 --at 120
      steno store fork agent.db -s research-42 --at 120 --name what-if
    """
    with open_stored_session(path, session) as parent, parent.fork(at, name=name) as forked:
        parent_name, new_name = parent.name, forked.name
        count, commits = len(forked.log.messages), len(forked.log.commits)
        load = forked.load
    if as_json:
        report = {"session": new_name, "parent": parent_name, "at": count, "messages": count}
        print_json(report | {"commits": commits, "load": load})
        return
    page = TerminalPage()
    page.line((str(new_name), "bold"), f" begins as {parent_name} at {count:,}")
    shared = f"{plural(count, 'message')} and {plural(commits, 'commit')}"
    page.line((f"it shares {shared}", QUIET), indent=2)
    command = f"steno show {without_password(path)} --session {new_name}"
    page.line(("see it: ", QUIET), (command, "cyan"), indent=2)


def forget(
    path: cli.DatabaseArgument,
    session: Annotated[str | None, cli.argument("SESSION", "The session to delete.")] = None,
    older_than: Annotated[
        str | None, cli.option("--older-than", "90d", "Sessions without a message since then.")
    ] = None,
    yes: Annotated[bool, cli.flag("--yes", "Confirm: it cannot be undone.")] = False,
    as_json: cli.JsonOption = False,
) -> None:
    """Delete a session from a store for good: messages, commits, index and vectors.

    This is the only command that deletes. Nothing of the session is left in the file's bytes; the
    store keeps that a session was deleted, when, and how large it was. A session that others were
    forked from stays until those are deleted.

    Examples

      steno store forget agent.db ann:research-42 --yes
      steno store forget agent.db --older-than 90d --yes
    """
    if (session is None) == (older_than is None):
        raise BadInput("name the session to delete, or say --older-than, for example 90d")
    deleted: dict[str, Deletion] = {}
    told: dict[str, None] = {}
    forked: list[str] = []
    with open_store(path) as store:
        if older_than is None:
            names = [chosen_session(store, session or "").name]
            # What cannot be undone is done to the name that was given, never to a likely one.
            if names != [session]:
                raise BadInput(f"no session is named {session!r}: to delete {names[0]!r}, say so")
        else:
            names = list(sessions_older_than(store, time.time() - _seconds_in(older_than)))
        if names and not yes:
            raise BadInput(
                f"this deletes {join_names(names)} for good and cannot be undone: add --yes"
            )
        for name in names:
            # Asked first: once it is deleted, nothing says which memories were its own.
            informed = _sessions_with_its_memories(store, name)
            try:
                deleted[name] = store.delete(name)
            except BadInput:
                if session is not None:
                    raise
                # A newer session begins with its messages.
                forked.append(name)
                continue
            told |= dict.fromkeys(informed)
    if as_json:
        print_json({"deleted": deleted, "told": list(told), "kept": forked})
        return
    page = TerminalPage()
    for name, gone in deleted.items():
        size = f"{plural(gone.messages, 'message')}, {gone.bytes:,} bytes"
        page.line((f"{name} is deleted", "bold"), f": {size}")
    words = f"nothing of {plural(len(deleted), 'session')} is left in {without_password(path)} or "
    page.line((words + "its index; only that they existed is kept, unnamed", QUIET), indent=2)
    if told:
        words = (
            f"memories from them were shown in {join_names(list(told))}, whose logs still have them"
        )
        page.line((words, QUIET), indent=2)
    if forked:
        words = f"kept, because newer sessions were forked from them: {join_names(forked)}"
        page.line((words, QUIET), indent=2)


def _seconds_in(age: str) -> int:
    found = re.fullmatch(r"([0-9]{1,6})([dh])", age)
    if found is None:
        raise BadInput(f"--older-than takes days or hours, such as 90d or 12h, not {age!r}")
    return int(found[1]) * SECONDS_IN[found[2]]


def _sessions_with_its_memories(store: SQLStore, session: str) -> list[str]:
    """Return the sessions that were given memories learned only from this one."""
    if session not in session_names(store):
        return []
    user = store.session_info(session).user
    ids = {memory.id for memory in store.memories(user) if memory.source == session}
    found = []
    for name in session_names(store, user):
        offered = [
            json.loads(record.text) for record in store.records(name) if record.kind == OFFERED_KIND
        ]
        if name != session and any(ids.intersection(each) for each in offered):
            found.append(name)
    return found


def copy(
    source: cli.DatabaseArgument,
    target: Annotated[str, cli.argument("DB", "A file, or a postgresql:// address.")],
    session: Annotated[
        list[str] | None, cli.option("--session -s", "NAME", "Copy only this.")
    ] = None,
    as_json: cli.JsonOption = False,
) -> None:
    """Copy sessions from one store to another; copying again changes nothing.

    A copy is proved: each message, commit, record and memory is hashed in both stores.

    Examples

      steno store copy agent.db copy.db
    """
    refuse_other_file(target)
    with open_store(source) as here:
        names = [chosen_session(here, name).name for name in session or []]
        with closing(open_store_at(target)) as there:
            copied = copy_store(here, there, names)
    if as_json:
        print_json(copied)
        return
    page = TerminalPage()
    page.line((f"copied to {without_password(target)}", "bold"), f": {_sizes(copied)}")
    page.line(("every one of them has the same hash in both stores", QUIET), indent=2)
    if copied.there_before:
        words = f"{plural(len(copied.there_before), 'session')} there before, and equal"
        page.line((words, QUIET), indent=2)


def check(path: cli.DatabaseArgument, as_json: cli.JsonOption = False) -> int:
    """Read everything in a store; exit code 1 if anything is damaged or belongs to no session.

    Examples

      steno store check agent.db
    """
    with open_store(path) as opened:
        checked = check_store(opened)
    code = cli.DONE
    if checked.damaged or checked.orphans:
        code = cli.FAILED
    if as_json:
        print_json(checked)
        return code
    page = TerminalPage()
    page.line((without_password(path), "bold"), f": {_sizes(checked)}, {checked.bytes:,} bytes")
    for damage in checked.damaged:
        page.line((f"damaged: {damage}", "red"), indent=2)
    if checked.orphans:
        page.line((f"{plural(checked.orphans, 'row')} of no session", "red"), indent=2)
    if checked.missing:
        page.line((f"note: {checked.missing}", QUIET), indent=2)
    if code == cli.DONE:
        page.line(("whole: every hash and seal is right, no row is left over", QUIET), indent=2)
    return code


def _sizes(found: Copied | Checked) -> str:
    return ", ".join(
        (
            plural(found.sessions, "session"),
            plural(found.messages, "message"),
            plural(found.commits, "commit"),
            plural(found.records, "record"),
            f"{found.memories} memories",
        )
    )


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

      steno store import session.jsonl agent.db --window 200k
      steno store import session.jsonl agent.db -w 200k --name monday
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
    name, known = store_conversation(store, loaded, user)
    info = store.session_info(name)
    return ImportedSession(info.name, info.wire, info.messages, info.commits, known)


def export(
    path: cli.DatabaseArgument,
    session: cli.SessionOption = None,
    out: cli.OutOption = None,
    overwrite: cli.OverwriteOption = False,
    view: Annotated[bool, cli.flag("--view", "What the model sees, not everything.")] = False,
    as_json: cli.JsonOption = False,
) -> None:
    """Write a session as JSONL: each message in its provider's own words, one a line.

    Every original message by default; with --view what the model sees instead. To keep a session
    with its commits and limits, copy it to a store of its own: steno store copy.

    Examples

      steno store export agent.db > all.jsonl           every message
      steno store export agent.db --view -o now.jsonl   what the model sees
    """
    to = None
    if out is not None and out != STDOUT:
        to = check_output_path(Path(out), source=Path(path), overwrite=True)
    with open_store(path) as store:
        loaded = load_from_store(store, session)
    texts = list(_message_texts(loaded, view))
    if as_json and to is None:
        print_json(list(map(parse_json, texts)))
        return
    write_output((text + "\n" for text in texts), to, overwrite=overwrite)
    if as_json:
        print_json({"session": loaded.name, "out": str(to), "messages": len(texts)})
    elif to is not None:
        count = plural(len(texts), "message")
        TerminalPage().line((loaded.name, "bold"), f" · {count} ", (f"written to {to}", QUIET))


def _message_texts(loaded: LoadedConversation, view: bool) -> Iterator[str]:
    """Give one line of JSON for each message."""
    messages: Any = _messages_to_export(loaded.log)
    if view:
        messages = loaded.view.visible_messages
    for message in messages:
        for text in loaded.wire.encode(message):
            # One message a line; any other text keeps its bytes.
            if "\n" in text:
                text = json_text(parse_json(text))
            yield text


def _messages_to_export(log: Log) -> Iterator[Message]:
    """Give every message; for one that was never in this session, the summary that came for it."""
    covers = {}
    for commit in log.commits:
        if commit.why == "resent":
            for edit in commit.edits:
                covers[edit.span.start] = edit.shows
    for at, message in enumerate(log.messages):
        if message.role == "absent":
            yield from covers.get(at, ())
        else:
            yield message


app = typer.Typer(
    cls=cli.PlainGroup,
    help="Import, export and change the sessions of a store; copy stores and check them.",
    rich_markup_mode="rich",
    add_completion=False,
)
for verb in (import_, export, undo, pin, edit, fork, forget, copy, check):
    app.command(verb.__name__.rstrip("_"), cls=cli.PlainCommand, help=cli.help_text(verb))(verb)
