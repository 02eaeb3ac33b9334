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

from steno.core.errors import AlreadyThere, BadEdit, NotHere, Stale
from steno.core.log import Commit
from steno.core.message import Message
from steno.core.message_key import next_chain_key
from steno.core.store import (
    Deletion,
    LoadedLog,
    Memory,
    MemoryUpdate,
    MessageReader,
    Record,
    SessionInfo,
    StoredMessage,
    number_memories,
    require_messages_for_facts,
)
from steno.store import memory_rows
from steno.store.errors import DamagedRow, file_errors
from steno.store.forget import erase_bytes, list_forgotten, remove_session
from steno.store.index import Index
from steno.store.rows import (
    POSITION_MASK,
    Rows,
    decode_message,
    digest,
    encode_message,
    seal_facts,
    verify_hash,
)
from steno.store.schema import SHIFT, open_file


class SQLiteStore(Rows):
    def __init__(self, path: str | os.PathLike[str], *, durable: bool = True) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        with file_errors(self.path):
            self._db = open_file(self.path, durable)
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
                raise NotHere(
                    f"cannot fork at {fork}: the log holds positions 0 to {self._count(origin)}"
                )
            inherits = 0 if origin is None else self._until(origin, fork)
            jots = 0 if origin is None else sum(jot.at <= fork for jot in self._jots(origin))
            whose = user if origin is None else self._user(origin)
            given = (
                name,
                wire,
                setup,
                origin,
                None if parent is None else fork,
                inherits,
                whose,
                jots,
            )
            columns = "name, wire, setup, parent, fork, inherits, user, jots"
            db.execute(f"INSERT INTO session ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", given)

    def append(self, name: str, messages: Sequence[Message], keys: Sequence[bytes] = ()) -> int:
        """Keep more messages; `keys` are their chain keys where a caller's list has others than its messages."""
        with self._writing() as db:
            session = self._id(name)
            start = self._count(session)
            chain, now = self._chain(session, start), time.time()
            for position, message in enumerate(messages, start=start):
                chain = keys[position - start] if keys else next_chain_key(chain, message)
                form, text = encode_message(message)
                row = (
                    session << SHIFT | position,
                    self._body(db, text),
                    form,
                    message.by,
                    chain,
                    now,
                )
                db.execute(
                    "INSERT INTO message (id, body, form, by, chain, said) VALUES (?, ?, ?, ?, ?, ?)",
                    row,
                )
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
            row = (
                session << SHIFT | newest,
                commit.at,
                commit.why,
                commit.reverts,
                digest(body),
                body,
            )
            db.execute(
                "INSERT INTO commits (id, at, why, reverts, hash, body) VALUES (?, ?, ?, ?, ?, ?)",
                row,
            )
            return commit

    def load(
        self, name: str, read: MessageReader, *, messages: int = 0, commits: int = 0
    ) -> LoadedLog:
        with self._reading():
            session = self._id(name)
            said = [
                decode_message(form, text, by, read)
                for form, text, by in self._messages(session, messages)
            ]
            if len(said) != max(0, self._count(session) - messages):
                raise DamagedRow(f"{len(said)} messages are left")
            made = [
                msgspec.json.decode(body, type=Commit)
                for body in self._commit_bodies(session, commits)
            ]
            return LoadedLog(said, made, self._setup(session))

    def keep_facts(self, name: str, vocabulary: int, facts: Mapping[int, bytes]) -> None:
        with self._writing() as db:
            session = self._id(name)
            require_messages_for_facts(facts, self._count(session))
            rows = ((self._row(session, position), read) for position, read in facts.items())
            db.executemany(
                "INSERT OR REPLACE INTO fact (id, vocabulary, facts) VALUES (?, ?, ?)",
                ((row, vocabulary, seal_facts(row, vocabulary, read)) for row, read in rows),
            )

    def facts(self, name: str, vocabulary: int) -> dict[int, bytes]:
        with self._reading():
            return dict(self._facts(self._id(name), vocabulary))

    def session_info(self, name: str) -> SessionInfo:
        with self._reading():
            return self._cards("id", self._id(name))[0]

    def session_infos(self, user: str) -> list[SessionInfo]:
        with self._reading():
            return self._cards("user", user)

    def names(self, user: str | None = None) -> list[str]:
        where, given = ("", ()) if user is None else (" WHERE user = ?", (user,))
        with self._reading() as db:
            return [
                name
                for (name,) in db.execute(
                    f"SELECT name FROM session{where} ORDER BY id", given
                ).fetchall()
            ]

    def users(self) -> list[str]:
        with self._reading() as db:
            return [
                user
                for (user,) in db.execute(
                    "SELECT DISTINCT user FROM session ORDER BY user"
                ).fetchall()
            ]

    def messages_from(
        self, name: str, read: MessageReader, start: int, most: int
    ) -> list[StoredMessage]:
        with self._reading() as db:
            session = self._id(name)
            ends = (session << SHIFT | max(0, start), session << SHIFT | POSITION_MASK, most)
            rows = db.execute(
                "SELECT message.id, form, by, text, hash, said FROM message LEFT JOIN body ON body.id = message.body "
                "WHERE message.id BETWEEN ? AND ? ORDER BY message.id LIMIT ?",
                ends,
            )
            return [
                StoredMessage(
                    row & POSITION_MASK,
                    decode_message(form, verify_hash(text, key), by, read),
                    when,
                )
                for row, form, by, text, key, when in rows
            ]

    def chain_key(self, name: str, position: int) -> bytes:
        with self._reading():
            session = self._id(name)
            if position > self._count(session):
                raise NotHere(f"{name!r} holds {self._count(session)} messages, not {position}")
            return self._chain(session, position)

    def delete(self, name: str) -> Deletion:
        """The messages first: what fills the index looks them up in the same breath, and finds nothing more."""
        with self._lock, file_errors(self.path):
            remove_session(self._db, name)
        if self._index is not None or Index.exists_beside(self.path):
            self.index.forget(name)
        with self._lock, file_errors(self.path):
            return erase_bytes(self._db, name)

    def deletions(self) -> list[Deletion]:
        with self._reading() as db:
            return list_forgotten(db)

    def holding(self, keys: Sequence[bytes], most: int) -> list[tuple[str, int]]:
        """The newest sessions that hold the latest of these chain keys which any holds, and its index."""
        newest = "SELECT id >> ?, id & ? FROM message WHERE chain = ? ORDER BY id DESC LIMIT ?"
        with self._reading() as db:
            for at in range(len(keys) - 1, -1, -1):
                rows = db.execute(newest, (SHIFT, POSITION_MASK, keys[at], most)).fetchall()
                found = [session for session, position in rows if position == at]
                if found:
                    return [(self._cards("id", session)[0].name, at) for session in found]
        return []

    def change_settings(self, name: str, change: Callable[[str], str]) -> str:
        with self._writing() as db:
            session = self._id(name)
            setup = change(self._setup(session))
            db.execute("UPDATE session SET setup = ? WHERE id = ?", (setup, session))
            return setup

    def record(self, name: str, kind: str, text: str) -> Record:
        with self._writing() as db:
            session = self._id(name)
            jot = Record(self._jot_count(session), kind, text, self._count(session))
            row = (session << SHIFT | jot.number, kind, text, jot.at)
            db.execute("INSERT INTO jot (id, kind, text, at) VALUES (?, ?, ?, ?)", row)
            return jot

    def records(self, name: str, after: int = 0) -> list[Record]:
        with self._reading():
            return self._jots(self._id(name), after)

    def memories(self, user: str) -> list[Memory]:
        with self._reading() as db:
            return memory_rows.read_memories(db, user)

    def update_memories(self, user: str, learn: MemoryUpdate) -> list[Memory]:
        with self._writing() as db:
            kept = memory_rows.read_memories(db, user)
            new = number_memories(learn(kept), len(kept))
            memory_rows.write_memories(db, user, new)
            return new

    def users_with_memories(self) -> list[str]:
        """The users of whom something was ever kept."""
        with self._reading() as db:
            return memory_rows.users_with_memories(db)

    def close(self) -> None:
        with self._lock:
            self._db.close()
            if self._index is not None:
                self._index.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written within is kept, or nothing; what else goes wrong within is not the file's fault."""
        with self._lock:
            with file_errors(self.path):
                self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                with file_errors(self.path):
                    self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, or part of the one that is open: all of it is kept, or nothing."""
        with self._lock, file_errors(self.path):
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
        with self._lock, file_errors(self.path):
            if self._db.in_transaction:
                yield self._db
                return
            self._db.execute("BEGIN")
            try:
                yield self._db
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
