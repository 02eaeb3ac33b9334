"""`steno memory` and `steno remember`: what is known of a user, and learning it from what was said.

A memory is listed with who said it, where and when. What is edited or deleted
stays kept beside the word that it no longer stands.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from steno.cli.describe import plural
from steno.cli.options import DONE
from steno.cli.output import QUIET, TerminalPage, print_json, print_note
from steno.cli.source import (
    LoadedConversation,
    input_file,
    is_archive,
    is_store,
    iter_conversations,
    join_names,
    load_archive,
    open_store,
    show_progress,
)
from steno.core.errors import BadInput
from steno.core.store import GONE_MEMORY, Memory, MemoryUpdate, session_names, user_names
from steno.memory.extract import MemoryCandidate
from steno.memory.merge import add_memory, delete_memory, edit_memory, learn_memories, live_memories
from steno.session.session import Session
from steno.session.settings import StoredSettings
from steno.store.memory import MemoryStore
from steno.store.sqlite import SQLiteStore
from steno.transcripts import open_transcript
from steno.wires import get_wire

ACTIONS = "list, add TEXT, edit ID TEXT, delete ID"
READING_WINDOW = 128_000
"""Of a session that is only read: nothing is compacted in it."""
FILE_PREFIX = "file:"
"""Before the name of a source that is no session of the store."""


def memory(path: str, words: Sequence[str], user: str | None, *, as_json: bool = False) -> int:
    way, given_words = (words[0], list(words[1:])) if words else ("list", [])
    with open_store(path) as store:
        whose = _resolve_user(store, user)
        changed = _change(store, whose, way, given_words)
        known = live_memories(store.memories(whose))
    if as_json:
        print_json({"user": whose, "memories": [asdict(each) for each in known]})
    else:
        _print_memories(known, whose, changed)
    return DONE


def _change(store: SQLiteStore, whose: str, way: str, words: list[str]) -> str:
    """Do it, and say what was done."""
    now = time.time()
    match way, words:
        case "list", []:
            return ""
        case "add", [_, *_]:
            text = " ".join(words)
            new = store.update_memories(whose, lambda kept: add_memory(kept, text, now))
            if new:
                return f"({new[0].id}) is remembered"
            return "that is known already"
        case "edit", [number, _, *_]:
            text = " ".join(words[1:])
            new = store.update_memories(
                whose, lambda kept: edit_memory(kept, _parse_number(number), text, now)
            )
            return f"({new[0].id}) stands in the place of ({number})"
        case "delete", [number]:
            store.update_memories(
                whose, lambda kept: delete_memory(kept, _parse_number(number), now)
            )
            return f"({number}) is not remembered any more"
    raise BadInput(f"{' '.join((way, *words))!r} is nothing to do with memories: say {ACTIONS}")


def _parse_number(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise BadInput(f"{text!r} is no number of a memory: steno memory lists them")
    return int(text)


def _resolve_user(store: SQLiteStore, user: str | None) -> str:
    """The user who is meant: the one named, or the only one."""
    known = [
        each for each in dict.fromkeys((*store.users_with_memories(), *user_names(store))) if each
    ]
    if user is not None:
        return user
    if len(known) != 1:
        said = f"holds {len(known)} users: {join_names(known)}" if known else "names no user yet"
        raise BadInput(f"{store.path} {said}; say --user")
    return known[0]


def _print_memories(known: Sequence[Memory], whose: str, changed: str) -> None:
    page = TerminalPage()
    if changed:
        page.line((changed, "bold"))
    if not known:
        page.line((f"Nothing is known of {whose}.", QUIET))
    for each_known in known:
        day = datetime.fromtimestamp(each_known.when, UTC).date().isoformat()
        who = "user" if each_known.trust == "person" else each_known.trust
        place = (
            f"{each_known.source} {each_known.position}"
            if each_known.source
            else "typed as a memory"
        )
        page.line((f"({each_known.id}) ", "bold"), each_known.text)
        page.line((f"{each_known.kind} · {who} · {day} · {place}", QUIET), indent=4)


@dataclass(frozen=True)
class RememberOptions:
    """What is to be learned from, and where it is kept."""

    path: str
    db: str | None
    user: str | None
    session: str | None = None
    writer: str | None = None
    as_json: bool = False


def remember(lesson: RememberOptions) -> int:
    with input_file(lesson.path) as file:
        stored = is_store(file)
        if lesson.db is None and not stored:
            raise BadInput(
                f"say where to keep what is learned from {lesson.path}: --db agent.db --user NAME"
            )
        if stored and lesson.db not in (None, lesson.path):
            raise BadInput(
                f"{lesson.path} is a store already, and remembers by itself: leave --db out"
            )
        new = _learn_from_store(lesson) if stored else _learn_from_file(file, lesson)
    learned_now = [each for each in new if each.kind != GONE_MEMORY]
    if lesson.as_json:
        print_json({"learned": [asdict(each) for each in learned_now]})
        return DONE
    page = TerminalPage()
    page.line(
        (f"{plural(len(learned_now), 'memory').replace('memorys', 'memories')} learned", "bold")
    )
    for each_new in learned_now:
        page.line((f"({each_new.id}) ", "bold"), each_new.text, indent=2)
    page.line(("see all: ", QUIET), (f"steno memory {lesson.db or lesson.path}", "cyan"))
    return DONE


def _learn_from_store(lesson: RememberOptions) -> list[Memory]:
    with open_store(lesson.path) as store:
        whose = _resolve_user(store, lesson.user)
        names = session_names(store, whose)
        if lesson.session is not None and lesson.session not in names:
            raise BadInput(
                f"{whose!r} has no session named {lesson.session!r}; there are: {join_names(names) or 'none'}"
            )
        new: list[Memory] = []
        for name in names if lesson.session is None else [lesson.session]:
            wire = get_wire(store.session_info(name).wire)
            new += Session(
                store=store, name=name, wire=wire, writer=lesson.writer, redact=False
            ).learn()
        return new


def _learn_from_file(file: Path, lesson: RememberOptions) -> list[Memory]:
    if not lesson.user:
        raise BadInput("memories belong to somebody: say --user")
    if (
        lesson.db
        and Path(lesson.db).exists()
        and Path(lesson.db).stat().st_size
        and not is_store(Path(lesson.db))
    ):
        raise BadInput(f"{lesson.db} is there and is not a store of Steno's: name another file")
    when = file.stat().st_mtime
    found = [
        (held, _extract(held, lesson.writer)) for held in _load_conversations(file, lesson.session)
    ]
    if not found:
        raise BadInput(f"{lesson.path} holds no message")
    store = SQLiteStore(lesson.db or "")
    try:
        new: list[Memory] = []
        for held, durable in found:
            new += store.update_memories(
                lesson.user, _learner(durable, f"{FILE_PREFIX}{held.name}", when)
            )
        return new
    finally:
        store.close()


def _learner(found: list[MemoryCandidate], source: str, when: float) -> MemoryUpdate:
    return lambda kept: learn_memories(kept, found, source, lambda position: when)


def _load_conversations(file: Path, session: str | None) -> Iterator[LoadedConversation]:
    if is_archive(file):
        yield load_archive(file)
        return
    transcript = open_transcript(file)
    for conversation in iter_conversations(transcript, show_progress(transcript, file)):
        if conversation.entries and session in (None, conversation.name):
            held = conversation.load(transcript, StoredSettings(), None)
            for warning in held.warnings:
                print_note(warning)
            yield held


def _extract(held: LoadedConversation, writer: str | None) -> list[MemoryCandidate]:
    with _open_for_reading(held, writer) as session:
        return session.parts.memory.candidates()


@contextmanager
def _open_for_reading(held: LoadedConversation, writer: str | None) -> Iterator[Session]:
    store = MemoryStore(dated=False)
    try:
        with Session(
            store=store,
            name="read",
            wire=held.wire,
            window=READING_WINDOW,
            log=held.log,
            writer=writer,
        ) as session:
            yield session
    finally:
        store.close()
