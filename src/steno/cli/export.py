"""`steno export` and `steno import`: sessions out of a store and into one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from steno.cli.describe import plural
from steno.cli.options import DONE
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
    LoadedConversation,
    archive_lines,
    input_file,
    is_archive,
    is_store,
    iter_conversations,
    limit_options,
    load_archive,
    load_from_store,
    open_store,
    show_progress,
)
from steno.core.errors import BadInput
from steno.core.log import Log
from steno.core.message import Message
from steno.core.store import session_names
from steno.session.session import Session
from steno.session.settings import StoredSettings
from steno.store.sqlite import SQLiteStore
from steno.transcripts import open_transcript
from steno.wires import json_text, parse_json


def export(
    path: str,
    name: str | None,
    out: str | None,
    *,
    view: bool = False,
    with_commits: bool = False,
    overwrite: bool = False,
    as_json: bool = False,
) -> int:
    if view and with_commits:
        raise BadInput(
            "--view is what the model sees, --with-commits is everything: say one of them"
        )
    to = (
        None
        if out in (None, STDOUT)
        else check_output_path(Path(str(out)), source=Path(path), overwrite=overwrite)
    )
    with open_store(path) as store:
        held = load_from_store(store, name)
    if as_json and to is None:
        if with_commits:
            raise BadInput("an archive is lines: name a file for it with -o, or leave --json out")
        print_json([parse_json(text) for text in _message_texts(held, view)])
        return DONE
    write_output(
        archive_lines(held)
        if with_commits
        else (text + "\n" for text in _message_texts(held, view)),
        to,
    )
    if to is not None:
        _print_export(held, to, with_commits=with_commits, as_json=as_json)
    return DONE


def _message_texts(held: LoadedConversation, view: bool) -> Iterator[str]:
    """A JSON text for each message, on one line."""
    shown = held.view.visible_messages if view else messages_to_export(held.log)
    for message in shown:
        for text in held.wire.encode(message):
            yield text if "\n" not in text else json_text(parse_json(text))


def messages_to_export(log: Log) -> Iterator[Message]:
    """Everything that was said; where the words are elsewhere, the trace that came for them."""
    traces = {
        edit.span.start: edit.shows
        for commit in log.commits
        if commit.why == "resent"
        for edit in commit.edits
    }
    for at, message in enumerate(log.messages):
        yield from traces.get(at, ()) if message.role == "absent" else (message,)


def _print_export(held: LoadedConversation, to: Path, *, with_commits: bool, as_json: bool) -> None:
    counts = {"messages": len(held.log.messages), "commits": len(held.log.commits)}
    if as_json:
        print_json({"session": held.name, "out": str(to), "archive": with_commits} | counts)
        return
    words = plural(counts["messages"], "message")
    words += f" and {plural(counts['commits'], 'commit')}" if with_commits else ""
    TerminalPage().line((held.name, "bold"), f" · {words} ", (f"written to {to}", QUIET))


def import_sessions(
    path: str,
    db: str,
    name: str | None,
    told: StoredSettings,
    *,
    wire: str | None = None,
    as_json: bool = False,
) -> int:
    """`steno import`; the word is taken."""
    with input_file(path) as file:
        if is_store(file):
            raise BadInput(
                f"{path} is a store already: steno export --with-commits one of its sessions first"
            )
        if Path(db).exists() and Path(db).stat().st_size and not is_store(Path(db)):
            raise BadInput(f"{db} is there and is not a store of Steno's: name another file")
        found = _read_sessions(file, name, told, wire)
        first = next(
            found, None
        )  # read before a store is made: what cannot be read leaves none behind
        if first is None:
            raise BadInput(f"{path} holds no message")
        store = SQLiteStore(db)
        try:
            with store.transaction():  # a file whose last conversation is bad leaves nothing behind
                made = [_store_session(store, held) for held in _with_first(first, found)]
        finally:
            store.close()
    if as_json:
        print_json({"db": db, "sessions": made})
        return DONE
    page = TerminalPage()
    for each_made in made:
        commits = f" and {plural(each_made['commits'], 'commit')}" if each_made["commits"] else ""
        page.line(
            (each_made["session"], "bold"),
            f" · {plural(each_made['messages'], 'message')}{commits}",
        )
    page.line(
        (f"kept in {db}; see it: ", QUIET),
        (f"steno show {db} --session {made[0]['session']}", "cyan"),
    )
    return DONE


def _with_first(
    first: LoadedConversation, rest: Iterator[LoadedConversation]
) -> Iterator[LoadedConversation]:
    yield first
    yield from rest


def _read_sessions(
    file: Path, name: str | None, told: StoredSettings, wire: str | None
) -> Iterator[LoadedConversation]:
    """What a file holds, as sessions to be kept under a name."""
    if is_archive(file):
        held = load_archive(file).with_limits(told)
        yield replace(held, name=name or held.name)
        return
    transcript = open_transcript(file)
    for conversation in iter_conversations(transcript, show_progress(transcript, file)):
        if not conversation.entries:
            continue
        held = conversation.load(transcript, told, wire)
        if held.budget is None:
            raise BadInput(
                "say how much the model holds: --window 32k, or --model with a known name"
            )
        for warning in held.warnings:
            print_note(warning)
        many = transcript.format.many and (name is None or conversation.number > 0)
        called = (
            name
            if name and not many
            else f"{name}-{conversation.number}"
            if name
            else conversation.name
        )
        yield replace(held, name=called)


def _store_session(store: SQLiteStore, held: LoadedConversation) -> dict[str, Any]:
    if held.name in session_names(store):
        raise BadInput(f"{store.path} has a session named {held.name!r} already: say --name")
    if held.kind == "archive":
        store.create(held.name, held.wire.name, str(held.told))
        store.append(held.name, held.log.messages)
        for commit in held.log.commits:
            store.commit(held.name, commit)
    else:
        Session(
            store=store, name=held.name, wire=held.wire, log=held.log, **limit_options(held.told)
        )
    card = store.session_info(held.name)
    return {
        "session": card.name,
        "wire": card.wire,
        "messages": card.messages,
        "commits": card.commits,
    }
