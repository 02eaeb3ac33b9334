"""`steno export` and `steno import`: sessions out of a store and into one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from steno.core.error import BadInput
from steno.core.log import Log
from steno.core.message import Message
from steno.service.commands.archive import archived, is_archive, lines_of
from steno.service.commands.file import each
from steno.service.commands.options import DONE
from steno.service.commands.out import STDOUT, checked, write
from steno.service.commands.page import QUIET, Page, note, say_json
from steno.service.commands.progress import watched
from steno.service.commands.source import Held, given, is_store, kept, limits, store_at
from steno.service.commands.words import counted
from steno.session.session import Session
from steno.session.setup import Told
from steno.store.sqlite import SQLiteStore
from steno.transcript import opened
from steno.wire import text_of, value_of


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
        raise BadInput("--view is what the model sees, --with-commits is everything: say one of them")
    to = None if out in (None, STDOUT) else checked(Path(str(out)), source=Path(path), overwrite=overwrite)
    with store_at(path) as store:
        held = kept(store, name)
    if as_json and to is None:
        if with_commits:
            raise BadInput("an archive is lines: name a file for it with -o, or leave --json out")
        say_json([value_of(text) for text in _texts(held, view)])
        return DONE
    write(lines_of(held) if with_commits else (text + "\n" for text in _texts(held, view)), to)
    if to is not None:
        _exported(held, to, with_commits=with_commits, as_json=as_json)
    return DONE


def _texts(held: Held, view: bool) -> Iterator[str]:
    """A JSON text for each message, on one line."""
    shown = held.view.shown if view else said(held.log)
    for message in shown:
        for text in held.wire.encode(message):
            yield text if "\n" not in text else text_of(value_of(text))


def said(log: Log) -> Iterator[Message]:
    """Everything that was said; where the words are elsewhere, the trace that came for them."""
    traces = {
        edit.span.start: edit.shows for commit in log.commits if commit.why == "resent" for edit in commit.edits
    }
    for at, message in enumerate(log.messages):
        yield from traces.get(at, ()) if message.role == "absent" else (message,)


def _exported(held: Held, to: Path, *, with_commits: bool, as_json: bool) -> None:
    counts = {"messages": len(held.log.messages), "commits": len(held.log.commits)}
    if as_json:
        say_json({"session": held.name, "out": str(to), "archive": with_commits} | counts)
        return
    words = counted(counts["messages"], "message")
    words += f" and {counted(counts['commits'], 'commit')}" if with_commits else ""
    Page().line((held.name, "bold"), f" · {words} ", (f"written to {to}", QUIET))


def take(path: str, db: str, name: str | None, told: Told, *, wire: str | None = None, as_json: bool = False) -> int:
    """`steno import`; the word is taken."""
    with given(path) as file:
        if is_store(file):
            raise BadInput(f"{path} is a store already: steno export --with-commits one of its sessions first")
        if Path(db).exists() and Path(db).stat().st_size and not is_store(Path(db)):
            raise BadInput(f"{db} is there and is not a store of Steno's: name another file")
        found = _sessions(file, name, told, wire)
        first = next(found, None)  # read before a store is made: what cannot be read leaves none behind
        if first is None:
            raise BadInput(f"{path} holds no message")
        store = SQLiteStore(db)
        try:
            with store.together():  # a file whose last conversation is bad leaves nothing behind
                made = [_kept(store, held) for held in _all(first, found)]
        finally:
            store.close()
    if as_json:
        say_json({"db": db, "sessions": made})
        return DONE
    page = Page()
    for each_made in made:
        commits = f" and {counted(each_made['commits'], 'commit')}" if each_made["commits"] else ""
        page.line((each_made["session"], "bold"), f" · {counted(each_made['messages'], 'message')}{commits}")
    page.line((f"kept in {db}; see it: ", QUIET), (f"steno show {db} --session {made[0]['session']}", "cyan"))
    return DONE


def _all(first: Held, rest: Iterator[Held]) -> Iterator[Held]:
    yield first
    yield from rest


def _sessions(file: Path, name: str | None, told: Told, wire: str | None) -> Iterator[Held]:
    """What a file holds, as sessions to be kept under a name."""
    if is_archive(file):
        held = archived(file).within(told)
        yield replace(held, name=name or held.name)
        return
    transcript = opened(file)
    for conversation in each(transcript, watched(transcript, file)):
        if not conversation.entries:
            continue
        held = conversation.held(transcript, told, wire)
        if held.budget is None:
            raise BadInput("say how much the model holds: --window 32k, or --model with a known name")
        for warning in held.warnings:
            note(warning)
        many = transcript.format.many and (name is None or conversation.number > 0)
        called = name if name and not many else f"{name}-{conversation.number}" if name else conversation.name
        yield replace(held, name=called)


def _kept(store: SQLiteStore, held: Held) -> dict[str, Any]:
    if held.name in store.names():
        raise BadInput(f"{store.path} has a session named {held.name!r} already: say --name")
    if held.kind == "archive":
        store.create(held.name, held.wire.name, str(held.told))
        store.append(held.name, held.log.messages)
        for commit in held.log.commits:
            store.commit(held.name, commit)
    else:
        Session(store=store, name=held.name, wire=held.wire, log=held.log, **limits(held.told))
    card = store.card(held.name)
    return {"session": card.name, "wire": card.wire, "messages": card.messages, "commits": card.commits}
