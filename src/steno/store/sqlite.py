"""Logs in one SQLite file: many sessions, durable when `append` returns.

WAL with `synchronous=FULL`: what was appended survives a crash of the machine.
`durable=False` is NORMAL: a crash of the process still loses nothing, a crash of
the machine may lose the newest entries, and the file opens either way. The
schema and how it came about are in `schema`; every failure of the file becomes
one `StoreFailed` that says what to do.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from steno.core.chain import chained
from steno.core.error import AlreadyThere, BadEdit, NotHere, Stale
from steno.core.log import Commit
from steno.core.message import Message
from steno.core.store import (
    Card,
    Forgotten,
    Jot,
    Kept,
    Learn,
    Memory,
    Read,
    Said,
    numbered,
    refuse_facts_of_nothing,
)
from steno.store import remembered
from steno.store.failure import Damaged, told
from steno.store.forget import finished, forgotten, removed
from steno.store.index import Index
from steno.store.opened import opened
from steno.store.row import digest, message_of, sealed, sound, written
from steno.store.rows import ROW, Rows
from steno.store.schema import SHIFT


class SQLiteStore(Rows):
    def __init__(self, path: str | os.PathLike[str], *, durable: bool = True) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        with told(self.path):
            self._db = opened(self.path, durable)
        self._index: Index | None = None

    @property
    def index(self) -> Index:
        """What recall searches, in a file beside this one; made when it is first wanted."""
        with self._lock:
            if self._index is None:
                self._index = Index.beside(self.path)
            return self._index

    def create(
        self,
        name: str,
        wire: str,
        setup: str = "{}",
        *,
        parent: str | None = None,
        fork: int = 0,
        user: str = "",
    ) -> None:
        with self._writing() as db:
            if db.execute("SELECT 1 FROM session WHERE name = ?", (name,)).fetchone():
                raise AlreadyThere(name)
            origin = None if parent is None else self._id(parent)
            if origin is not None and not 0 <= fork <= self._count(origin):
                raise NotHere(f"cannot fork at {fork}: the log holds positions 0 to {self._count(origin)}")
            inherits = 0 if origin is None else self._until(origin, fork)
            jots = 0 if origin is None else sum(jot.at <= fork for jot in self._jots(origin))
            whose = user if origin is None else self._user(origin)
            given = (name, wire, setup, origin, None if parent is None else fork, inherits, whose, jots)
            columns = "name, wire, setup, parent, fork, inherits, user, jots"
            db.execute(f"INSERT INTO session ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", given)

    def append(self, name: str, messages: Sequence[Message], keys: Sequence[bytes] = ()) -> int:
        """Keep more messages; `keys` are their chain keys where a caller's list has others than its messages."""
        with self._writing() as db:
            session = self._id(name)
            start = self._count(session)
            chain, now = self._chain(session, start), time.time()
            for position, message in enumerate(messages, start=start):
                chain = keys[position - start] if keys else chained(chain, message)
                form, text = written(message)
                row = (session << SHIFT | position, self._body(db, text), form, message.by, chain, now)
                db.execute("INSERT INTO message (id, body, form, by, chain, said) VALUES (?, ?, ?, ?, ?, ?)", row)
            return start

    def commit(self, name: str, commit: Commit) -> Commit:
        with self._writing() as db:
            session = self._id(name)
            newest = self._commits(session)
            count = self._count(session)
            if commit.base != newest:
                raise Stale(commit.base, newest)
            if commit.at > count:
                raise BadEdit(f"the commit saw {commit.at} messages, the log holds {count}")
            commit = msgspec.structs.replace(commit, landed=commit.landed or count)
            body = msgspec.json.encode(commit)
            row = (session << SHIFT | newest, commit.at, commit.why, commit.reverts, digest(body), body)
            db.execute("INSERT INTO commits (id, at, why, reverts, hash, body) VALUES (?, ?, ?, ?, ?, ?)", row)
            return commit

    def load(self, name: str, read: Read, *, messages: int = 0, commits: int = 0) -> Kept:
        with self._reading():
            session = self._id(name)
            said = [message_of(form, text, by, read) for form, text, by in self._messages(session, messages)]
            if len(said) != max(0, self._count(session) - messages):
                raise Damaged(f"{len(said)} messages are left")
            made = [msgspec.json.decode(body, type=Commit) for body in self._commit_bodies(session, commits)]
            return Kept(said, made, self._setup(session))

    def keep_facts(self, name: str, vocabulary: int, facts: Mapping[int, bytes]) -> None:
        with self._writing() as db:
            session = self._id(name)
            refuse_facts_of_nothing(facts, self._count(session))
            rows = ((self._row(session, position), read) for position, read in facts.items())
            db.executemany(
                "INSERT OR REPLACE INTO fact (id, vocabulary, facts) VALUES (?, ?, ?)",
                ((row, vocabulary, sealed(row, vocabulary, read)) for row, read in rows),
            )

    def facts(self, name: str, vocabulary: int) -> dict[int, bytes]:
        with self._reading():
            return dict(self._facts(self._id(name), vocabulary))

    def card(self, name: str) -> Card:
        with self._reading():
            return self._cards("id", self._id(name))[0]

    def cards(self, user: str) -> list[Card]:
        with self._reading():
            return self._cards("user", user)

    def names(self, user: str | None = None) -> list[str]:
        where, given = ("", ()) if user is None else (" WHERE user = ?", (user,))
        with self._reading() as db:
            return [name for (name,) in db.execute(f"SELECT name FROM session{where} ORDER BY id", given).fetchall()]

    def users(self) -> list[str]:
        with self._reading() as db:
            return [user for (user,) in db.execute("SELECT DISTINCT user FROM session ORDER BY user").fetchall()]

    def said(self, name: str, read: Read, start: int, most: int) -> list[Said]:
        with self._reading() as db:
            session = self._id(name)
            ends = (session << SHIFT | max(0, start), session << SHIFT | ROW, most)
            rows = db.execute(
                "SELECT message.id, form, by, text, hash, said FROM message LEFT JOIN body ON body.id = message.body "
                "WHERE message.id BETWEEN ? AND ? ORDER BY message.id LIMIT ?",
                ends,
            )
            return [
                Said(row & ROW, message_of(form, sound(text, key), by, read), when)
                for row, form, by, text, key, when in rows
            ]

    def chain(self, name: str, position: int) -> bytes:
        with self._reading():
            session = self._id(name)
            if position > self._count(session):
                raise NotHere(f"{name!r} holds {self._count(session)} messages, not {position}")
            return self._chain(session, position)

    def forget(self, name: str) -> Forgotten:
        """The messages first: what fills the index looks them up in the same breath, and finds nothing more."""
        with self._lock, told(self.path):
            removed(self._db, name)
        if self._index is not None or Index.is_beside(self.path):
            self.index.forget(name)
        with self._lock, told(self.path):
            return finished(self._db, name)

    def forgotten(self) -> list[Forgotten]:
        with self._reading() as db:
            return forgotten(db)

    def holding(self, keys: Sequence[bytes], most: int) -> list[tuple[str, int]]:
        """The newest sessions that hold the latest of these chain keys which any holds, and its index."""
        newest = "SELECT id >> ?, id & ? FROM message WHERE chain = ? ORDER BY id DESC LIMIT ?"
        with self._reading() as db:
            for at in range(len(keys) - 1, -1, -1):
                rows = db.execute(newest, (SHIFT, ROW, keys[at], most)).fetchall()
                found = [session for session, position in rows if position == at]
                if found:
                    return [(self._cards("id", session)[0].name, at) for session in found]
        return []

    def note(self, name: str, change: Callable[[str], str]) -> str:
        with self._writing() as db:
            session = self._id(name)
            setup = change(self._setup(session))
            db.execute("UPDATE session SET setup = ? WHERE id = ?", (setup, session))
            return setup

    def jot(self, name: str, kind: str, text: str) -> Jot:
        with self._writing() as db:
            session = self._id(name)
            jot = Jot(self._jotted(session), kind, text, self._count(session))
            row = (session << SHIFT | jot.number, kind, text, jot.at)
            db.execute("INSERT INTO jot (id, kind, text, at) VALUES (?, ?, ?, ?)", row)
            return jot

    def jots(self, name: str, after: int = 0) -> list[Jot]:
        with self._reading():
            return self._jots(self._id(name), after)

    def memories(self, user: str) -> list[Memory]:
        with self._reading() as db:
            return remembered.read(db, user)

    def memorize(self, user: str, learn: Learn) -> list[Memory]:
        with self._writing() as db:
            kept = remembered.read(db, user)
            new = numbered(learn(kept), len(kept))
            remembered.write(db, user, new)
            return new

    def remembering(self) -> list[str]:
        """The users of whom something was ever kept."""
        with self._reading() as db:
            return remembered.users(db)

    def close(self) -> None:
        with self._lock:
            self._db.close()
            if self._index is not None:
                self._index.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """All that is written within is kept, or nothing; what else goes wrong within is not the file's fault."""
        with self._lock:
            with told(self.path):
                self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                with told(self.path):
                    self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, or part of the one that is open: all of it is kept, or nothing."""
        with self._lock, told(self.path):
            if self._db.in_transaction:
                yield self._db
                return
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """One snapshot: what others write meanwhile is not half seen."""
        with self._lock, told(self.path):
            if self._db.in_transaction:
                yield self._db
                return
            self._db.execute("BEGIN")
            try:
                yield self._db
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
