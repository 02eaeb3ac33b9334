"""`steno store`: import, export, change and forget sessions; copy and check stores."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from steno.cli import options as cli
from steno.cli.output import (
    QUIET,
    STDOUT,
    TerminalPage,
    check_output_path,
    print_done,
    print_json,
    print_note,
    print_report,
    write_output,
)
from steno.cli.source import (
    STDIN,
    chosen_session,
    input_file,
    is_store,
    load_conversations,
    open_store,
    open_stored_session,
    refuse_other_file,
    store_conversation,
)
from steno.core.errors import BadInput
from steno.core.log import Commit, Log
from steno.core.message import Message
from steno.core.store import Deletion, join_names, session_names
from steno.inspector.conversation import LoadedConversation, load_stored
from steno.inspector.describe import Json, plural
from steno.inspector.reader import outline
from steno.memory.merge import live_memories
from steno.providers import json_text, parse_json
from steno.session.session import Session
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
        report = _commit(opened, lambda: opened.undo(where))
    done = f"{where} is shown again"
    if where is None:
        done = "commit {reverts} is reverted".format_map(report)
    note = "{session}: commit {commit} records it; nothing was deleted".format_map(report)
    print_done(report, as_json, f"{done}: {_tokens(report)}", note)


def _commit(session: Session, make: Callable[[], Commit]) -> Json:
    """Make a commit; return its number, and the load before and after."""
    before = session.load
    commit = make()
    return {
        "session": session.name,
        "commit": commit.number,
        "reverts": commit.reverts,
        "before": before,
        "after": session.load,
    }


def _tokens(report: Json) -> str:
    return "{before:,} → {after:,} tokens".format_map(report)


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
    state = "is pinned"
    if remove:
        state = "may be covered again"
    report = {"session": name, "position": position, "pinned": not remove}
    print_done(report, as_json, f"{name}: [{position}] {state}")


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
        edited = partial(opened.host.edit_summary, position, text, author="user")
        report = _commit(opened, edited)
    done = f"the summary is written again: {_tokens(report)}"
    note = "{session}: commit {commit}; undo it with steno store undo".format_map(report)
    print_done(report, as_json, done, note)


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
        report: Json = {
            "session": forked.name,
            "parent": parent.name,
            "messages": len(forked.log.messages),
            "commits": len(forked.log.commits),
            "load": forked.load,
        }
    count = report["messages"]
    shared = f"{plural(count, 'message')} and {plural(report['commits'], 'commit')}"
    print_done(
        report | {"at": count},
        as_json,
        f"{report['session']} begins as {report['parent']} at {count:,}",
        f"it shares {shared}",
        f"see it: steno show {without_password(path)} --session {report['session']}",
    )


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
    gone = ["no session is that old"] * (not deleted)
    for name, size in deleted.items():
        gone.append(f"{name} is deleted: {plural(size.messages, 'message')}, {size.bytes:,} bytes")
    kept = shown = ""
    if told:
        shown = f"memories from them were shown in {join_names(list(told))}, whose logs have them"
    if forked:
        kept = f"kept, because newer sessions were forked from them: {join_names(forked)}"
    print_done(
        {"deleted": deleted, "told": list(told), "kept": forked},
        as_json,
        gone[0],
        *gone[1:],
        f"nothing of {plural(len(deleted), 'session')} is left in {without_password(path)} or its "
        "index; only that they existed is kept, unnamed",
        shown,
        kept,
    )


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
    before = ""
    if copied.there_before:
        before = f"{plural(len(copied.there_before), 'session')} there before, and equal"
    proof = "every one of them has the same hash in both stores"
    done = f"copied {_sizes(copied)} to {without_password(target)}"
    print_done(copied, as_json, done, proof, before)


def check(path: cli.DatabaseArgument, as_json: cli.JsonOption = False) -> int:
    """Read everything in a store; exit code 1 if anything is damaged or belongs to no session.

    Examples

      steno store check agent.db
    """
    with open_store(path) as opened:
        # The rows of deleted and replaced memories stay, without their words.
        checked = check_store(opened, standing=live_memories)
    notes = [f"damaged: {damage}" for damage in checked.damaged]
    if checked.orphans:
        notes.append(f"{plural(checked.orphans, 'row')} of no session")
    code = cli.exit_code(not notes)
    if not notes:
        notes = ["whole: every hash and seal is right, no row is left over"]
    if checked.missing:
        notes.append(f"note: {checked.missing}")
    done = f"{without_password(path)}: {_sizes(checked)}, {checked.bytes:,} bytes"
    print_done(checked, as_json, done, *notes)
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
        with closing(open_store_at(db)) as store:
            # One transaction: a file whose last conversation is bad stores none of them.
            stored = store.transaction(
                lambda: [_store_session(store, each, user) for each in chain([first], found)]
            )
    report = {"db": without_password(db), "sessions": stored}
    print_report(report, as_json, partial(_print_import, without_password(db), stored))


def _print_import(place: str, stored: list[Json], page: TerminalPage) -> None:
    """Print the sessions that are in the store now."""
    for row in stored:
        words = plural(row["messages"], "message")
        if row["commits"]:
            words += f" and {plural(row['commits'], 'commit')}"
        if row["stored_before"]:
            words += ", stored before"
        page.line((row["session"], "bold"), f" · {words}")
    command = f"steno show {place} --session {stored[0]['session']}"
    page.line((f"stored in {place}; see it: ", QUIET), (command, "cyan"))


def _with_names(
    found: Iterator[LoadedConversation], name: str | None
) -> Iterator[LoadedConversation]:
    """Give each conversation the name it gets in the store; refuse one without a window."""
    if name is not None and (not name or not name.isprintable()):
        raise BadInput(f"a session's name is one line of text, got {name!r}")
    for number, loaded in enumerate(found):
        loaded.require_budget()
        print_note(*loaded.warnings)
        if name is not None:
            loaded = replace(loaded, name=name + f"-{number}" * bool(number))
        yield loaded


def _store_session(store: SQLStore, loaded: LoadedConversation, user: str) -> Json:
    name, known = store_conversation(store, loaded, user)
    return outline(store.session_info(name)) | {"stored_before": known}


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
        loaded = load_stored(store, chosen_session(store, session))
    texts = list(_message_texts(loaded, view))
    if as_json and to is None:
        print_json(list(map(parse_json, texts)))
        return
    write_output((text + "\n" for text in texts), to, overwrite=overwrite)
    if to is not None:
        report = {"session": loaded.name, "out": str(to), "messages": len(texts)}
        count = plural(len(texts), "message")
        print_done(report, as_json, f"{loaded.name} · {count} written to {to}")


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
