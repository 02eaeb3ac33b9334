"""How a message, a commit and the facts of a message lie in a row, and whether they still do.

A disk may forget without a word, so everything is kept beside its hash. Words
and commits that do not match theirs are an error; facts are only read again.

What lies in which rows: how a session's own, and those of the sessions it was forked from, are looked up.

Reading alone, within whatever transaction is open; who opens it, and what is written, is the store's business.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from hashlib import blake2b
from typing import TypeVar

import msgspec

from steno.core.errors import NotHere
from steno.core.log import Commit
from steno.core.message import ABSENT, Message
from steno.core.message_key import EMPTY_CHAIN
from steno.core.store import MessageReader, Record, SessionInfo
from steno.store.errors import DamagedRow
from steno.store.schema import SHIFT

HASH_BYTES = 16
"""Bytes of one."""

Body = TypeVar("Body", str, bytes)


def digest(body: str | bytes) -> bytes:
    said = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    return blake2b(said, digest_size=HASH_BYTES).digest()


def verify_hash(body: Body, hash: bytes) -> Body:
    """What was written, or an error."""
    if body is None or digest(body) != hash:
        raise DamagedRow("a body does not match its hash")
    return body


def encode_message(message: Message) -> tuple[str, str]:
    """How a message is kept: the provider's own text, or ours."""
    if message.role == "absent":
        return "absent", ""
    if message.raw is not None and not message.patches:
        return "wire", message.raw
    return "steno", msgspec.json.encode(message).decode()


def decode_message(form: str, text: str, by: str, read: MessageReader) -> Message:
    match form:
        case "wire":
            message = read(text)
            if by == "caller":
                return message
            return msgspec.structs.replace(message, by=by)
        case "steno":
            return msgspec.json.decode(text, type=Message)
        case "absent":
            return ABSENT
    raise DamagedRow(f"no message is kept as {form!r}")


def seal_facts(row: int, vocabulary: int, facts: bytes) -> bytes:
    """Facts behind a hash that binds them to their row and their vocabulary."""
    return digest(b"%d %d " % (row, vocabulary) + facts) + facts


def unseal_facts(row: int, vocabulary: int, kept: bytes) -> bytes | None:
    """The facts of a row; None where these are not the ones that were written there."""
    facts = kept[HASH_BYTES:]
    if seal_facts(row, vocabulary, facts) == kept:
        return facts
    return None


POSITION_MASK = (1 << SHIFT) - 1


class Rows:
    _db: sqlite3.Connection

    def _id(self, name: str) -> int:
        found = self._db.execute("SELECT id FROM session WHERE name = ?", (name,)).fetchone()
        if found is None:
            names = [
                known
                for (known,) in self._db.execute("SELECT name FROM session ORDER BY id LIMIT 10")
            ]
            raise NotHere(f"no session is named {name!r}; there are: {', '.join(names) or 'none'}")
        return int(found[0])

    def _origin(self, session: int) -> tuple[int | None, int]:
        """The session it was forked from, and where; an unforked one begins at 0."""
        parent, fork = self._db.execute(
            "SELECT parent, fork FROM session WHERE id = ?", (session,)
        ).fetchone()
        return parent, fork or 0

    def _count(self, session: int) -> int:
        """How many messages a session has, its parent's included."""
        last = self._last(session, "message")
        if last is None:
            return self._origin(session)[1]
        return last + 1

    def _commits(self, session: int) -> int:
        last = self._last(session, "commits")
        if last is None:
            return self._inherits(session)
        return last + 1

    def _last(self, session: int, table: str) -> int | None:
        ends = (session << SHIFT, session << SHIFT | POSITION_MASK)
        (last,) = self._db.execute(
            f"SELECT max(id) FROM {table} WHERE id BETWEEN ? AND ?", ends
        ).fetchone()
        if last is None:
            return None
        return last & POSITION_MASK

    def _chain(self, session: int, position: int) -> bytes:
        """The chain key after `position` messages."""
        if position == 0:
            return EMPTY_CHAIN
        parent, fork = self._origin(session)
        if position <= fork and parent is not None:
            return self._chain(parent, position)
        row = (session << SHIFT | (position - 1),)
        return bytes(self._db.execute("SELECT chain FROM message WHERE id = ?", row).fetchone()[0])

    def _messages(
        self, session: int, start: int, stop: int = POSITION_MASK
    ) -> Iterator[tuple[str, str, str]]:
        parent, fork = self._origin(session)
        if parent is not None and start < fork:
            yield from self._messages(parent, start, min(stop, fork))
        ends = (session << SHIFT | max(start, fork), session << SHIFT | stop)
        for form, by, text, hash in self._db.execute(
            "SELECT form, by, text, hash FROM message LEFT JOIN body ON body.id = message.body "
            "WHERE message.id >= ? AND message.id < ? ORDER BY message.id",
            ends,
        ):
            yield form, verify_hash(text, hash), by

    def _row(self, session: int, position: int) -> int:
        """The id of the message at a position, which may be a parent's."""
        parent, fork = self._origin(session)
        if parent is None or position >= fork:
            return session << SHIFT | position
        return self._row(parent, position)

    def _facts(
        self, session: int, vocabulary: int, stop: int = POSITION_MASK
    ) -> Iterator[tuple[int, bytes]]:
        parent, fork = self._origin(session)
        if parent is not None:
            yield from self._facts(parent, vocabulary, min(stop, fork))
        ends = (session << SHIFT | fork, session << SHIFT | stop, vocabulary)
        for row, kept in self._db.execute(
            "SELECT id, facts FROM fact WHERE id >= ? AND id < ? AND vocabulary = ? ORDER BY id",
            ends,
        ):
            facts = unseal_facts(row, vocabulary, kept)
            if facts is not None:
                yield row & POSITION_MASK, facts

    def _until(self, session: int, position: int) -> int:
        """How many commits a session had when it held that many messages."""
        bodies = self._commit_bodies(session)
        late = (
            n
            for n, body in enumerate(bodies)
            if msgspec.json.decode(body, type=Commit).at > position
        )
        return next(late, len(bodies))

    def _setup(self, session: int) -> str:
        return str(
            self._db.execute("SELECT setup FROM session WHERE id = ?", (session,)).fetchone()[0]
        )

    def _user(self, session: int) -> str:
        return str(
            self._db.execute("SELECT user FROM session WHERE id = ?", (session,)).fetchone()[0]
        )

    def _inherits(self, session: int) -> int:
        return int(
            self._db.execute("SELECT inherits FROM session WHERE id = ?", (session,)).fetchone()[0]
        )

    def _commit_bodies(
        self, session: int, start: int = 0, stop: int = POSITION_MASK
    ) -> list[bytes]:
        """The commits from one on; what is not asked for is not read."""
        parent, inherits = self._origin(session)[0], self._inherits(session)
        before = [] if parent is None else self._commit_bodies(parent, start, min(stop, inherits))
        ends = (session << SHIFT | max(start, inherits), session << SHIFT | stop)
        own = self._db.execute(
            "SELECT body, hash FROM commits WHERE id >= ? AND id < ? ORDER BY id", ends
        )
        return before + [verify_hash(body, hash) for body, hash in own]

    def _jot_count(self, session: int) -> int:
        """How many jots a session has, those it inherits included."""
        last = self._last(session, "jot")
        if last is not None:
            return last + 1
        return int(
            self._db.execute("SELECT jots FROM session WHERE id = ?", (session,)).fetchone()[0]
        )

    def _jots(self, session: int, after: int = 0) -> list[Record]:
        parent, _ = self._origin(session)
        (many,) = self._db.execute("SELECT jots FROM session WHERE id = ?", (session,)).fetchone()
        before = (
            [] if parent is None or after >= many else self._jots(parent, after)[: many - after]
        )
        ends = (session << SHIFT | after, session << SHIFT | POSITION_MASK)
        own = self._db.execute(
            "SELECT id, kind, text, at FROM jot WHERE id BETWEEN ? AND ? ORDER BY id", ends
        )
        return before + [Record(row & POSITION_MASK, kind, text, at) for row, kind, text, at in own]

    def _cards(self, where: str, value: str | int) -> list[SessionInfo]:
        """In one statement, however many they are."""
        rows = self._db.execute(
            "SELECT s.name, s.wire, s.setup, p.name, s.fork, s.inherits, s.user, m.id, m.chain, "
            f"(SELECT max(id) FROM commits WHERE id BETWEEN s.id << {SHIFT} AND s.id << {SHIFT} | {POSITION_MASK}) "
            "FROM session s LEFT JOIN session p ON p.id = s.parent LEFT JOIN message m ON m.id = "
            f"(SELECT max(id) FROM message WHERE id BETWEEN s.id << {SHIFT} AND s.id << {SHIFT} | {POSITION_MASK}) "
            f"WHERE s.{where} = ? ORDER BY s.id",
            (value,),
        )
        return [
            SessionInfo(
                name,
                wire,
                fork or 0 if last is None else (last & POSITION_MASK) + 1,
                inherits if newest is None else (newest & POSITION_MASK) + 1,
                parent,
                fork,
                setup,
                user,
                chain or b"",
            )
            for name, wire, setup, parent, fork, inherits, user, last, chain, newest in rows
        ]

    @staticmethod
    def _body(db: sqlite3.Connection, text: str) -> int:
        hash = digest(text)
        found = db.execute("SELECT id FROM body WHERE hash = ?", (hash,)).fetchone()
        if found is None:
            return int(
                db.execute("INSERT INTO body (hash, text) VALUES (?, ?)", (hash, text)).lastrowid
                or 0
            )
        return int(found[0])
