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

from steno.core.error import BadInput
from steno.core.store import GONE, Learn, Memory
from steno.ledger.durable import Durable
from steno.ledger.remembered import added, deleted, edited, learned, standing
from steno.service.commands.archive import archived, is_archive
from steno.service.commands.file import each
from steno.service.commands.options import DONE
from steno.service.commands.page import QUIET, Page, note, say_json
from steno.service.commands.progress import watched
from steno.service.commands.source import Held, given, is_store, listed, store_at
from steno.service.commands.words import counted
from steno.session.session import Session
from steno.session.setup import Told
from steno.store.memory import MemoryStore
from steno.store.sqlite import SQLiteStore
from steno.transcript import opened
from steno.wire import chosen

WAYS = "list, add TEXT, edit ID TEXT, delete ID"
WINDOW = 128_000
"""Of a session that is only read: nothing is compacted in it."""
FILE = "file:"
"""Before the name of a source that is no session of the store."""


def memory(path: str, words: Sequence[str], user: str | None, *, as_json: bool = False) -> int:
    way, given_words = (words[0], list(words[1:])) if words else ("list", [])
    with store_at(path) as store:
        whose = _whose(store, user)
        changed = _changed(store, whose, way, given_words)
        known = standing(store.memories(whose))
    if as_json:
        say_json({"user": whose, "memories": [asdict(each) for each in known]})
    else:
        _show(known, whose, changed)
    return DONE


def _changed(store: SQLiteStore, whose: str, way: str, words: list[str]) -> str:
    """Do it, and say what was done."""
    now = time.time()
    match way, words:
        case "list", []:
            return ""
        case "add", [_, *_]:
            text = " ".join(words)
            new = store.memorize(whose, lambda kept: added(kept, text, now))
            return f"({new[0].id}) is remembered" if new else "that is known already"
        case "edit", [number, _, *_]:
            text = " ".join(words[1:])
            new = store.memorize(whose, lambda kept: edited(kept, _number(number), text, now))
            return f"({new[0].id}) stands in the place of ({number})"
        case "delete", [number]:
            store.memorize(whose, lambda kept: deleted(kept, _number(number), now))
            return f"({number}) is not remembered any more"
    raise BadInput(f"{' '.join((way, *words))!r} is nothing to do with memories: say {WAYS}")


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise BadInput(f"{text!r} is no number of a memory: steno memory lists them")
    return int(text)


def _whose(store: SQLiteStore, user: str | None) -> str:
    """The user who is meant: the one named, or the only one."""
    known = [each for each in dict.fromkeys((*store.remembering(), *store.users())) if each]
    if user is not None:
        return user
    if len(known) != 1:
        said = f"holds {len(known)} users: {listed(known)}" if known else "names no user yet"
        raise BadInput(f"{store.path} {said}; say --user")
    return known[0]


def _show(known: Sequence[Memory], whose: str, changed: str) -> None:
    page = Page()
    if changed:
        page.line((changed, "bold"))
    if not known:
        page.line((f"Nothing is known of {whose}.", QUIET))
    for each_known in known:
        day = datetime.fromtimestamp(each_known.when, UTC).date().isoformat()
        who = "user" if each_known.trust == "person" else each_known.trust
        place = f"{each_known.source} {each_known.position}" if each_known.source else "typed as a memory"
        page.line((f"({each_known.id}) ", "bold"), each_known.text)
        page.line((f"{each_known.kind} · {who} · {day} · {place}", QUIET), indent=4)


@dataclass(frozen=True)
class Lesson:
    """What is to be learned from, and where it is kept."""

    path: str
    db: str | None
    user: str | None
    session: str | None = None
    writer: str | None = None
    as_json: bool = False


def remember(lesson: Lesson) -> int:
    with given(lesson.path) as file:
        stored = is_store(file)
        if lesson.db is None and not stored:
            raise BadInput(f"say where to keep what is learned from {lesson.path}: --db agent.db --user NAME")
        if stored and lesson.db not in (None, lesson.path):
            raise BadInput(f"{lesson.path} is a store already, and remembers by itself: leave --db out")
        new = _of_store(lesson) if stored else _of_file(file, lesson)
    learned_now = [each for each in new if each.kind != GONE]
    if lesson.as_json:
        say_json({"learned": [asdict(each) for each in learned_now]})
        return DONE
    page = Page()
    page.line((f"{counted(len(learned_now), 'memory').replace('memorys', 'memories')} learned", "bold"))
    for each_new in learned_now:
        page.line((f"({each_new.id}) ", "bold"), each_new.text, indent=2)
    page.line(("see all: ", QUIET), (f"steno memory {lesson.db or lesson.path}", "cyan"))
    return DONE


def _of_store(lesson: Lesson) -> list[Memory]:
    with store_at(lesson.path) as store:
        whose = _whose(store, lesson.user)
        names = store.names(whose)
        if lesson.session is not None and lesson.session not in names:
            raise BadInput(f"{whose!r} has no session named {lesson.session!r}; there are: {listed(names) or 'none'}")
        new: list[Memory] = []
        for name in names if lesson.session is None else [lesson.session]:
            wire = chosen(store.card(name).wire)
            new += Session(store=store, name=name, wire=wire, writer=lesson.writer, redact=False).memorize()
        return new


def _of_file(file: Path, lesson: Lesson) -> list[Memory]:
    if not lesson.user:
        raise BadInput("memories belong to somebody: say --user")
    if lesson.db and Path(lesson.db).exists() and Path(lesson.db).stat().st_size and not is_store(Path(lesson.db)):
        raise BadInput(f"{lesson.db} is there and is not a store of Steno's: name another file")
    when = file.stat().st_mtime
    found = [(held, _durable(held, lesson.writer)) for held in _conversations(file, lesson.session)]
    if not found:
        raise BadInput(f"{lesson.path} holds no message")
    store = SQLiteStore(lesson.db or "")
    try:
        new: list[Memory] = []
        for held, durable in found:
            new += store.memorize(lesson.user, _learning(durable, f"{FILE}{held.name}", when))
        return new
    finally:
        store.close()


def _learning(found: list[Durable], source: str, when: float) -> Learn:
    return lambda kept: learned(kept, found, source, lambda position: when)


def _conversations(file: Path, session: str | None) -> Iterator[Held]:
    if is_archive(file):
        yield archived(file)
        return
    transcript = opened(file)
    for conversation in each(transcript, watched(transcript, file)):
        if conversation.entries and session in (None, conversation.name):
            held = conversation.held(transcript, Told(), None)
            for warning in held.warnings:
                note(warning)
            yield held


def _durable(held: Held, writer: str | None) -> list[Durable]:
    with _read(held, writer) as session:
        return session.durable()


@contextmanager
def _read(held: Held, writer: str | None) -> Iterator[Session]:
    store = MemoryStore(dated=False)
    try:
        with Session(store=store, name="read", wire=held.wire, window=WINDOW, log=held.log, writer=writer) as session:
            yield session
    finally:
        store.close()
