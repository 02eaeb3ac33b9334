"""A store in a SQL database: many sessions, durable when `append` returns.

Owns what is written; `rows` owns the reads, `sqlite` and `postgres` transactions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

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
    announce_closed,
    announce_deleted,
)
from steno.store import memory_rows
from steno.store.database import POSITION_MASK, SHIFT, Access, Database, MessageRow, row_span
from steno.store.deletion import finish_deletion, remove_rows
from steno.store.file import DamagedRow
from steno.store.rows import SessionRows, digest, encode_message, seal_facts, seal_row, seal_session
from steno.store.rules import number_memories, require_messages_for_facts

P = ParamSpec("P")
T = TypeVar("T")
StoreMethod = Callable[Concatenate["SQLStore", P], T]


def _in_write(
    method: Callable[Concatenate[SQLStore, str, P], T],
) -> Callable[Concatenate[SQLStore, str, P], T]:
    """Run a method in a write transaction.

    The first argument is what it writes to: a session or a user. Writers of the same wait for
    each other at once: a transaction that begins by reading could be refused when it writes,
    because another process wrote in between.
    """

    @wraps(method)
    def run(store: SQLStore, key: str, /, *args: P.args, **options: P.kwargs) -> T:
        return store.run("write", lambda: method(store, key, *args, **options), key)

    return run


def _in_snapshot(method: StoreMethod[P, T]) -> StoreMethod[P, T]:
    """Run a method so that a write of another process is seen whole or not at all."""

    @wraps(method)
    def run(store: SQLStore, /, *args: P.args, **options: P.kwargs) -> T:
        return store.run("read", lambda: method(store, *args, **options))

    return run


class SQLStore:
    """Sessions, facts and memories in a SQL database, shared by threads and processes."""

    def __init__(self, database: Database) -> None:
        self.database = self._db = database
        """What the rows are in, for what is kept beside them."""
        self._rows = SessionRows(database)
        self.path: Path | None = database.path
        self.place = database.place
        """Where it is, for a person to read."""

    @_in_write
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
        db = self._db
        if self._rows.find_id(name) is not None:
            raise AlreadyThere(name)
        origin = at = None
        commits = records = 0
        if parent is not None:
            origin, at = self._rows.id_of(parent), fork
            count = self._rows.message_count(origin)
            if not 0 <= fork <= count:
                raise NotHere(f"cannot fork at {fork}: the log holds positions 0 to {count}")
            # Only what had landed by then: later commits cover messages that the fork lacks.
            commits = self._rows.commits_before(origin, fork)
            records = sum(record.at <= fork for record in self._rows.records(origin))
            user = self._rows.user(origin)
        made = db.execute(
            'INSERT INTO session (id, name, wire, setup, "user", parent, fork, inherits, jots) '
            f"VALUES ({db.new_id}, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
            (name, wire, setup, user, origin, at, commits, records),
        ).fetchone()
        # It was not found above, and yet it is there: it belongs to a user who is hidden.
        if made is None:
            raise AlreadyThere(name)
        seal_session(db, made[0])

    @_in_write
    def append(
        self,
        name: str,
        messages: Sequence[Message],
        keys: Sequence[bytes] = (),
        times: Sequence[float] = (),
    ) -> int:
        """Keep more messages and return the position of the first.

        `keys` are their chain keys, if the caller knows its messages by other keys than ours.
        `times` say when they were written, if that was not now.
        """
        # The key stands for the whole history up to here, so the next one is computed from it.
        session, start, chain = self._rows.tip(name)
        now = time.time()
        rows: list[MessageRow] = []
        for offset, message in enumerate(messages):
            chain = keys[offset] if keys else next_chain_key(chain, message)
            said = times[offset] if times else now
            form, text = encode_message(message)
            row = session << SHIFT | start + offset
            rows.append(MessageRow(row, form, message.by, text, chain, said))
        self._db.add_messages(rows)
        return start

    @_in_write
    def commit(self, name: str, commit: Commit) -> Commit:
        db = self._db
        session = self._rows.id_of(name)
        newest = self._rows.commit_count(session)
        count = self._rows.message_count(session)
        # Two processes may compact at once; the second must look at what the first covered.
        if commit.base != newest:
            raise Stale(commit.base, newest)
        if commit.at > count:
            raise BadEdit(f"the commit saw {commit.at} messages, the log holds {count}")
        # Messages may have come while it was drafted: `at` is what it saw, `landed` what there is.
        commit = msgspec.structs.replace(commit, landed=commit.landed or count)
        body = msgspec.json.encode(commit)
        row = session << SHIFT | newest
        db.execute(
            "INSERT INTO commits (id, at, why, reverts, hash, body) VALUES (?, ?, ?, ?, ?, ?)",
            (row, commit.at, commit.why, commit.reverts, digest(body), body),
        )
        return commit

    @_in_snapshot
    def load(
        self, name: str, read: MessageReader, *, messages: int = 0, commits: int = 0
    ) -> LoadedLog:
        session = self._rows.id_of(name)
        loaded = list(self._rows.messages(session, read, messages))
        # A row that is missing in the middle would shift every position after it.
        count = max(0, self._rows.message_count(session) - messages)
        if len(loaded) != count:
            raise DamagedRow(f"of {count} messages of session {name!r} {len(loaded)} are left")
        return LoadedLog(loaded, self._rows.commits(session, commits), self._rows.settings(session))

    @_in_snapshot
    def messages_from(
        self, name: str, read: MessageReader, start: int, most: int
    ) -> list[StoredMessage]:
        return self._rows.own_messages(self._rows.id_of(name), read, start, most)

    @_in_snapshot
    def session_info(self, name: str) -> SessionInfo:
        return self._rows.info_of(name)

    @_in_snapshot
    def sessions(self, user: str | None = None) -> list[SessionInfo]:
        return self._rows.infos(user)

    @_in_snapshot
    def sessions_with_chain(self, keys: Sequence[bytes], most: int) -> list[tuple[str, int]]:
        """Find the sessions that begin with the longest of these histories, newest first.

        `keys[n]` is the chain key of the first n + 1 messages. Return names, each with n.
        """
        query = "SELECT id >> ?, id & ? FROM message WHERE chain = ? ORDER BY id DESC LIMIT ?"
        db = self._db
        # The longest history first: most callers send a list that grew by a message or two.
        for at in reversed(range(len(keys))):
            rows = db.execute(query, (SHIFT, POSITION_MASK, keys[at], most)).fetchall()
            found = [session for session, position in rows if position == at]
            if found:
                return [(info.name, at) for info in self._rows.infos_of(found)]
        return []

    @_in_write
    def change_settings(self, name: str, change: Callable[[str], str]) -> str:
        db = self._db
        session = self._rows.id_of(name)
        setup = change(self._rows.settings(session))
        db.execute("UPDATE session SET setup = ? WHERE id = ?", (setup, session))
        seal_session(db, session)
        return setup

    @_in_write
    def record(self, name: str, kind: str, text: str) -> Record:
        db = self._db
        session = self._rows.id_of(name)
        number = self._rows.record_count(session)
        record = Record(number, kind, text, self._rows.message_count(session))
        values = (session << SHIFT | number, kind, text, record.at)
        db.execute(
            "INSERT INTO jot (id, kind, text, at, seal) VALUES (?, ?, ?, ?, ?)",
            (*values, seal_row(*values)),
        )
        return record

    @_in_snapshot
    def records(self, name: str, after: int = 0) -> list[Record]:
        return self._rows.records(self._rows.id_of(name), after)

    @_in_write
    def keep_facts(self, name: str, vocabulary: int, facts: Mapping[int, bytes]) -> None:
        db = self._db
        session = self._rows.id_of(name)
        require_messages_for_facts(facts, self._rows.message_count(session))
        for position, found in facts.items():
            row = self._rows.row_of(session, position)
            db.execute(
                "INSERT INTO fact (id, vocabulary, facts) VALUES (?, ?, ?) ON CONFLICT (id) "
                "DO UPDATE SET vocabulary = excluded.vocabulary, facts = excluded.facts",
                (row, vocabulary, seal_facts(row, vocabulary, found)),
            )

    @_in_snapshot
    def facts(self, name: str, vocabulary: int, start: int = 0) -> dict[int, bytes]:
        return dict(self._rows.facts(self._rows.id_of(name), vocabulary, start))

    @_in_write
    def keep_snapshot(self, name: str, upto: int, body: bytes) -> None:
        db = self._db
        session = self._rows.id_of(name)
        chain = self._rows.chain_key(session, upto)
        db.execute("DELETE FROM folded WHERE id BETWEEN ? AND ?", row_span(session))
        db.execute(
            "INSERT INTO folded (id, version, chain, hash, body) VALUES (?, ?, ?, ?, ?)",
            (session << SHIFT | upto, b"", chain, digest(body), body),
        )

    @_in_snapshot
    def snapshot(self, name: str) -> tuple[int, bytes] | None:
        return self._rows.snapshot(self._rows.id_of(name))

    @_in_snapshot
    def memories(self, user: str) -> list[Memory]:
        return memory_rows.read_memories(self._db, user)

    @_in_write
    def update_memories(self, user: str, learn: MemoryUpdate) -> list[Memory]:
        kept = memory_rows.read_memories(self._db, user)
        new = number_memories(learn(kept), len(kept))
        memory_rows.write_memories(self._db, user, new)
        return new

    @_in_snapshot
    def users_with_memories(self) -> list[str]:
        """Return the users of whom any memory was ever kept."""
        query = 'SELECT DISTINCT "user" FROM memory ORDER BY "user"'
        return [user for (user,) in self._db.execute(query)]

    def delete(self, name: str) -> Deletion:
        with self._db.errors():
            self._db.remove_session(lambda: remove_rows(self._db, name), name)
        # The rows go first: another process that fills an index at this moment reads
        # the messages and writes their words in one transaction, and finds none now.
        announce_deleted(self, name)
        with self._db.errors():
            # Only now: a deletion that was interrupted before this can be repeated.
            return self._db.erase(
                lambda: self.run("write", lambda: finish_deletion(self._db, name), name)
            )

    def secret(self) -> bytes:
        """Return the random key that seals what must not be tested by guessing."""
        return self._db.secret()

    def close(self) -> None:
        self._db.close()
        announce_closed(self)

    def transaction(self, work: Callable[[], T]) -> T:
        """Do some work; keep everything that it writes, or nothing."""
        return self._db.run("write", work)

    def run(self, access: Access, work: Callable[[], T], lock: str = "") -> T:
        """Do some work with the database; turn its failures into `StoreFailed`."""

        def guarded_work() -> T:
            with self._db.errors():
                return work()

        return self._db.run(access, guarded_work, lock)
