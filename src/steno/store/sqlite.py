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

from steno.core.chain import START, chained
from steno.core.error import AlreadyThere, BadEdit, NotHere, Stale, StoreFailed
from steno.core.log import Commit
from steno.core.message import Message
from steno.core.store import Card, Jot, Kept, Read, refuse_facts_of_nothing
from steno.store.failure import Damaged, told
from steno.store.row import digest, message_of, sealed, sound, unsealed, written
from steno.store.schema import SHIFT, migrated

BUSY_SECONDS = 10.0
CACHE_KIB = 512
"""Of pages in memory: a log is read once, in order."""
_ROW = (1 << SHIFT) - 1


class SQLiteStore:
    def __init__(self, path: str | os.PathLike[str], *, durable: bool = True) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        with told(self.path):
            self._db = _opened(self.path, durable)

    def create(self, name: str, wire: str, setup: str = "{}", *, parent: str | None = None, fork: int = 0) -> None:
        with self._writing() as db:
            if db.execute("SELECT 1 FROM session WHERE name = ?", (name,)).fetchone():
                raise AlreadyThere(name)
            origin = None if parent is None else self._id(parent)
            if origin is not None and not 0 <= fork <= self._count(origin):
                raise NotHere(f"cannot fork at {fork}: the log holds positions 0 to {self._count(origin)}")
            inherits = 0 if origin is None else self._until(origin, fork)
            jots = 0 if origin is None else sum(jot.at <= fork for jot in self._jots(origin))
            given = (name, wire, setup, origin, None if parent is None else fork, inherits, jots)
            db.execute(
                "INSERT INTO session (name, wire, setup, parent, fork, inherits, jots) VALUES (?, ?, ?, ?, ?, ?, ?)",
                given,
            )

    def append(self, name: str, messages: Sequence[Message], keys: Sequence[bytes] = ()) -> int:
        """Keep more messages; `keys` are their chain keys where a caller's list has others than its messages."""
        with self._writing() as db:
            session = self._id(name)
            start = self._count(session)
            chain = self._chain(session, start)
            for position, message in enumerate(messages, start=start):
                chain = keys[position - start] if keys else chained(chain, message)
                form, text = written(message)
                row = (session << SHIFT | position, self._body(db, text), form, message.by, chain)
                db.execute("INSERT INTO message (id, body, form, by, chain) VALUES (?, ?, ?, ?, ?)", row)
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
            return self._card(self._id(name))

    def names(self) -> list[str]:
        with self._reading() as db:
            return [name for (name,) in db.execute("SELECT name FROM session ORDER BY id").fetchall()]

    def holding(self, keys: Sequence[bytes], most: int) -> list[tuple[str, int]]:
        """The newest sessions that hold the latest of these chain keys which any holds, and its index."""
        newest = "SELECT id >> ?, id & ? FROM message WHERE chain = ? ORDER BY id DESC LIMIT ?"
        with self._reading() as db:
            for at in range(len(keys) - 1, -1, -1):
                rows = db.execute(newest, (SHIFT, _ROW, keys[at], most)).fetchall()
                found = [session for session, position in rows if position == at]
                if found:
                    return [(self._card(session).name, at) for session in found]
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

    def close(self) -> None:
        with self._lock:
            self._db.close()

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

    def _id(self, name: str) -> int:
        found = self._db.execute("SELECT id FROM session WHERE name = ?", (name,)).fetchone()
        if found is None:
            names = [known for (known,) in self._db.execute("SELECT name FROM session ORDER BY id LIMIT 10")]
            raise NotHere(f"no session is named {name!r}; there are: {', '.join(names) or 'none'}")
        return int(found[0])

    def _origin(self, session: int) -> tuple[int | None, int]:
        """The session it was forked from, and where; an unforked one begins at 0."""
        parent, fork = self._db.execute("SELECT parent, fork FROM session WHERE id = ?", (session,)).fetchone()
        return parent, fork or 0

    def _count(self, session: int) -> int:
        """How many messages a session has, its parent's included."""
        last = self._last(session, "message")
        return self._origin(session)[1] if last is None else last + 1

    def _commits(self, session: int) -> int:
        last = self._last(session, "commits")
        return self._inherits(session) if last is None else last + 1

    def _last(self, session: int, table: str) -> int | None:
        ends = (session << SHIFT, session << SHIFT | _ROW)
        (last,) = self._db.execute(f"SELECT max(id) FROM {table} WHERE id BETWEEN ? AND ?", ends).fetchone()
        return None if last is None else last & _ROW

    def _chain(self, session: int, position: int) -> bytes:
        """The chain key after `position` messages."""
        if position == 0:
            return START
        parent, fork = self._origin(session)
        if position <= fork and parent is not None:
            return self._chain(parent, position)
        row = (session << SHIFT | (position - 1),)
        return bytes(self._db.execute("SELECT chain FROM message WHERE id = ?", row).fetchone()[0])

    def _messages(self, session: int, start: int, stop: int = _ROW) -> Iterator[tuple[str, str, str]]:
        parent, fork = self._origin(session)
        if parent is not None and start < fork:
            yield from self._messages(parent, start, min(stop, fork))
        ends = (session << SHIFT | max(start, fork), session << SHIFT | stop)
        for form, by, text, hash in self._db.execute(
            "SELECT form, by, text, hash FROM message LEFT JOIN body ON body.id = message.body "
            "WHERE message.id >= ? AND message.id < ? ORDER BY message.id",
            ends,
        ):
            yield form, sound(text, hash), by

    def _row(self, session: int, position: int) -> int:
        """The id of the message at a position, which may be a parent's."""
        parent, fork = self._origin(session)
        return session << SHIFT | position if parent is None or position >= fork else self._row(parent, position)

    def _facts(self, session: int, vocabulary: int, stop: int = _ROW) -> Iterator[tuple[int, bytes]]:
        parent, fork = self._origin(session)
        if parent is not None:
            yield from self._facts(parent, vocabulary, min(stop, fork))
        ends = (session << SHIFT | fork, session << SHIFT | stop, vocabulary)
        for row, kept in self._db.execute(
            "SELECT id, facts FROM fact WHERE id >= ? AND id < ? AND vocabulary = ? ORDER BY id", ends
        ):
            facts = unsealed(row, vocabulary, kept)
            if facts is not None:
                yield row & _ROW, facts

    def _until(self, session: int, position: int) -> int:
        """How many commits a session had when it held that many messages."""
        bodies = self._commit_bodies(session)
        late = (n for n, body in enumerate(bodies) if msgspec.json.decode(body, type=Commit).at > position)
        return next(late, len(bodies))

    def _setup(self, session: int) -> str:
        return str(self._db.execute("SELECT setup FROM session WHERE id = ?", (session,)).fetchone()[0])

    def _inherits(self, session: int) -> int:
        return int(self._db.execute("SELECT inherits FROM session WHERE id = ?", (session,)).fetchone()[0])

    def _commit_bodies(self, session: int, start: int = 0, stop: int = _ROW) -> list[bytes]:
        """The commits from one on; what is not asked for is not read."""
        parent, inherits = self._origin(session)[0], self._inherits(session)
        before = [] if parent is None else self._commit_bodies(parent, start, min(stop, inherits))
        ends = (session << SHIFT | max(start, inherits), session << SHIFT | stop)
        own = self._db.execute("SELECT body, hash FROM commits WHERE id >= ? AND id < ? ORDER BY id", ends)
        return before + [sound(body, hash) for body, hash in own]

    def _jotted(self, session: int) -> int:
        """How many jots a session has, those it inherits included."""
        last = self._last(session, "jot")
        if last is not None:
            return last + 1
        return int(self._db.execute("SELECT jots FROM session WHERE id = ?", (session,)).fetchone()[0])

    def _jots(self, session: int, after: int = 0) -> list[Jot]:
        parent, _ = self._origin(session)
        (many,) = self._db.execute("SELECT jots FROM session WHERE id = ?", (session,)).fetchone()
        before = [] if parent is None or after >= many else self._jots(parent, after)[: many - after]
        ends = (session << SHIFT | after, session << SHIFT | _ROW)
        own = self._db.execute("SELECT id, kind, text, at FROM jot WHERE id BETWEEN ? AND ? ORDER BY id", ends)
        return before + [Jot(row & _ROW, kind, text, at) for row, kind, text, at in own]

    def _card(self, session: int) -> Card:
        name, wire, setup, parent, fork = self._db.execute(
            "SELECT s.name, s.wire, s.setup, p.name, s.fork FROM session s "
            "LEFT JOIN session p ON p.id = s.parent WHERE s.id = ?",
            (session,),
        ).fetchone()
        return Card(name, wire, self._count(session), self._commits(session), parent, fork, setup)

    @staticmethod
    def _body(db: sqlite3.Connection, text: str) -> int:
        hash = digest(text)
        found = db.execute("SELECT id FROM body WHERE hash = ?", (hash,)).fetchone()
        if found is None:
            return int(db.execute("INSERT INTO body (hash, text) VALUES (?, ?)", (hash, text)).lastrowid or 0)
        return int(found[0])


def _opened(path: Path, durable: bool) -> sqlite3.Connection:
    if "\0" in str(path):
        raise StoreFailed(f"{str(path)!r} is no path")
    if path.is_dir():
        raise IsADirectoryError
    if not path.exists():
        # Made by us so that it is ours alone from its first byte; SQLite gives its side files the same mode.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        migrated(db, path)  # first, so that somebody else's file is refused as it is
        _write_ahead(db)
        db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        db.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        db.close()
        raise
    return db


def _write_ahead(db: sqlite3.Connection) -> None:
    """Switch to WAL; SQLite does not wait here for others who open the file at the same moment, so we do."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.005)
