"""The rows of a store's file: how a message lies in one, and which rows a session has.

Owns every read of messages, commits, facts and records, those a fork inherits included.
It runs within the transaction that the store has open; `sql` owns the writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, TypeVar
from warnings import warn

import msgspec

from steno.core.decoders import json_decoder
from steno.core.log import Commit
from steno.core.message import ABSENT, Message, Value
from steno.core.message_key import EMPTY_CHAIN
from steno.core.store import (
    MessageReader,
    Record,
    SessionInfo,
    StoredMessage,
    no_session,
    require_same_session,
)
from steno.store.database import POSITION_MASK, SHIFT, Database, row_span
from steno.store.file import DamagedRow

HASH_BYTES = 16

_NEWEST_IN = f"WHERE id BETWEEN s.id << {SHIFT} AND s.id << {SHIFT} | {POSITION_MASK}"
_SESSION = ("id", "name", "wire", "setup", "parent", "fork", "inherits", "jots", '"user"')
_SESSION_ROW = f"SELECT seal, {', '.join(_SESSION)} FROM session"
# Not by joins: PostgreSQL would read every message of everybody to find the newest one.
_TIP = (
    f"SELECT s.seal, {', '.join(f's.{column}' for column in _SESSION)}, "
    f"(SELECT max(id) FROM message {_NEWEST_IN}), "
    f"(SELECT chain FROM message {_NEWEST_IN} ORDER BY id DESC LIMIT 1)"
)
_INFOS = (
    f"{_TIP}, (SELECT p.name FROM session p WHERE p.id = s.parent), "
    f"(SELECT max(id) FROM commits {_NEWEST_IN}) FROM session s"
)

_MESSAGES = json_decoder(Message)
_COMMITS = json_decoder(Commit)

Body = TypeVar("Body", str, bytes)


def digest(body: str | bytes) -> bytes:
    """Return the hash that a body is kept beside."""
    if isinstance(body, str):
        body = body.encode("utf-8", "surrogatepass")
    return blake2b(body, digest_size=HASH_BYTES).digest()


def verify_hash(body: Body, hash: bytes) -> Body:
    """Return the body if it is what was written; raise `DamagedRow` if not."""
    if body is None or digest(body) != hash:
        raise DamagedRow("a body does not match its hash")
    return body


def seal_row(*values: object) -> bytes:
    """Return the hash that a row is kept beside, so that its columns belong together."""
    return digest(msgspec.json.encode(values))


def verify_row(seal: bytes | None, *values: object) -> None:
    """Raise `DamagedRow` if a row is not what was written; a row of before has no seal."""
    if seal is not None and seal_row(*values) != seal:
        raise DamagedRow("a row does not match its seal")


def seal_session(db: Database, session: int) -> None:
    """Seal the row of a session as it is now."""
    _, *values = db.execute(f"{_SESSION_ROW} WHERE id = ?", (session,)).fetchone()
    db.execute("UPDATE session SET seal = ? WHERE id = ?", (seal_row(*values), session))


def encode_message(message: Message) -> tuple[str, str]:
    """Return the form and the text to keep: the provider's own JSON if it still holds."""
    if message.role == "absent":
        return "absent", ""
    if message.raw is not None and not message.patches:
        return "wire", message.raw
    return "steno", msgspec.json.encode(message).decode()


def decode_message(form: str, text: str, by: str, read: MessageReader) -> Message:
    """Read a message as it was kept."""
    match form:
        case "wire":
            message = read(text)
            if by in ("caller", message.by):
                return message
            return msgspec.structs.replace(message, by=by)
        case "steno":
            return _MESSAGES.decode(text)
        case "absent":
            return ABSENT
    raise DamagedRow(f"no message is kept as {form!r}")


def seal_facts(row: int, vocabulary: int, facts: bytes) -> bytes:
    """Put facts behind a hash that binds them to their row and vocabulary."""
    return digest(b"%d %d " % (row, vocabulary) + facts) + facts


def unseal_facts(row: int, vocabulary: int, sealed: bytes) -> bytes | None:
    """Return the facts of a row, or None if they are not what was written there."""
    facts = sealed[HASH_BYTES:]
    if seal_facts(row, vocabulary, facts) == sealed:
        return facts
    return None


class SessionRows(Value):
    """Reads the rows of sessions, and of the sessions they were forked from."""

    db: Database

    def names(self) -> list[str]:
        return [name for (name,) in self.db.execute("SELECT name FROM session ORDER BY id")]

    def find_id(self, name: str) -> int | None:
        found = self.db.find_session(f"{_SESSION_ROW} WHERE name", name)
        if found is None:
            return None
        verify_row(*found)
        require_same_session(name, str(found[1]))
        return int(found[1])

    def _row(self, session: int) -> dict[str, Any]:
        """Return the columns of a session, by their names in `_SESSION`."""
        found = self.db.execute(f"{_SESSION_ROW} WHERE id = ?", (session,)).fetchone()
        if found is None:
            raise DamagedRow(f"there is no session {session}")
        verify_row(*found)
        return dict(zip(_SESSION, found[1:], strict=True))

    def id_of(self, name: str) -> int:
        """Return the id of a session; raise `NotHere` if there is none."""
        session = self.find_id(name)
        if session is None:
            raise no_session(name, self.names())
        return session

    def tip(self, name: str) -> tuple[int, int, bytes]:
        """Return the id of a session, how many messages it has, and their chain key."""
        # One statement for all three: an append waits for each of them.
        found = self.db.find_session(f"{_TIP} FROM session s WHERE s.name", name)
        if found is None:
            raise no_session(name, self.names())
        info = _info((*found, None, None))
        require_same_session(name, info.id)
        session = int(found[1])
        if info.chain:
            return session, info.messages, info.chain
        return session, info.messages, self.chain_key(session, info.messages)

    def origin(self, session: int) -> tuple[int | None, int]:
        """Return the parent and how many of its messages are inherited."""
        own = self._row(session)
        return own["parent"], own["fork"] or 0

    def row_of(self, session: int, position: int) -> int:
        """Return the row id of a message, which may be a parent's."""
        parent, fork = self.origin(session)
        if parent is None or position >= fork:
            return session << SHIFT | position
        return self.row_of(parent, position)

    def settings(self, session: int) -> str:
        return str(self._row(session)["setup"])

    def user(self, session: int) -> str:
        return str(self._row(session)['"user"'])

    def message_count(self, session: int) -> int:
        """Count the messages, inherited ones included."""
        return self._count(session, "message", "fork")

    def commit_count(self, session: int) -> int:
        """Count the commits, inherited ones included."""
        return self._count(session, "commits", "inherits")

    def record_count(self, session: int) -> int:
        """Count the records, inherited ones included."""
        return self._count(session, "jot", "jots")

    def _spans(self, session: int, inherited: str, start: int, stop: int) -> list[tuple[int, int]]:
        """Return ranges of row ids, those of parents first.

        inherited: the column that says how many rows of its parent a session begins with.
        """
        own, first = self._row(session), session << SHIFT
        fork = own[inherited] or 0
        spans = [(first + max(start, fork), first + stop)]
        if own["parent"] is not None and start < fork:
            spans = [*self._spans(own["parent"], inherited, start, min(stop, fork)), *spans]
        return spans

    def chain_key(self, session: int, position: int) -> bytes:
        """Return the key of the first `position` messages."""
        if position == 0:
            return EMPTY_CHAIN
        row = self.row_of(session, position - 1)
        query = "SELECT chain FROM message WHERE id = ?"
        return bytes(self.db.execute(query, (row,)).fetchone()[0])

    def messages(
        self, session: int, read: MessageReader, start: int = 0, stop: int = POSITION_MASK
    ) -> Iterator[Message]:
        """Read the messages from `start` on, inherited ones first."""
        query = f"{self.db.messages} WHERE message.id >= ? AND message.id < ? ORDER BY message.id"
        for span in self._spans(session, "fork", start, stop):
            for columns in self.db.execute(query, span):
                yield self._message(columns, read)

    def own_messages(
        self, session: int, read: MessageReader, start: int, most: int
    ) -> list[StoredMessage]:
        """Read up to `most` of the session's own messages from `start` on."""
        first, last = row_span(session)
        rows = self.db.execute(
            f"{self.db.messages} WHERE message.id BETWEEN ? AND ? ORDER BY message.id LIMIT ?",
            (first + max(0, start), last, most),
        )
        messages: list[StoredMessage] = []
        for columns in rows:
            _, row, _, _, _, _, _, chain, when = columns
            message = self._message(columns, read)
            messages.append(StoredMessage(row & POSITION_MASK, message, when, chain))
        return messages

    def commits(self, session: int, start: int = 0, stop: int = POSITION_MASK) -> list[Commit]:
        """Read the commits from `start` on, inherited ones first."""
        query = "SELECT id, body, hash FROM commits WHERE id >= ? AND id < ? ORDER BY id"
        commits: list[Commit] = []
        for span in self._spans(session, "inherits", start, stop):
            for row, body, hash in self.db.execute(query, span):
                try:
                    commits.append(_COMMITS.decode(verify_hash(body, hash)))
                except (DamagedRow, msgspec.MsgspecError) as error:
                    raise self._damage("commit", row, error) from error
        return commits

    def commits_before(self, session: int, position: int) -> int:
        """Count the commits that were made when the session held that many messages."""
        commits = self.commits(session)
        for number, commit in enumerate(commits):
            if commit.at > position:
                return number
        return len(commits)

    def facts(
        self, session: int, vocabulary: int, start: int = 0, stop: int = POSITION_MASK
    ) -> Iterator[tuple[int, bytes]]:
        """Read the facts by position, inherited ones first; leave out damaged ones."""
        query = "SELECT id, facts FROM fact WHERE id >= ? AND id < ? AND vocabulary = ? ORDER BY id"
        for span in self._spans(session, "fork", start, stop):
            for row, sealed in self.db.execute(query, (*span, vocabulary)):
                facts = unseal_facts(row, vocabulary, sealed)
                if facts is not None:
                    yield row & POSITION_MASK, facts

    def snapshot(self, session: int) -> tuple[int, bytes] | None:
        """Read what was added up of a session's first messages, and of how many."""
        query = "SELECT id, chain, hash, body FROM folded WHERE id BETWEEN ? AND ?"
        found = self.db.execute(query, row_span(session)).fetchone()
        if found is None:
            return None
        row, chain, hash, body = found
        upto = row & POSITION_MASK
        # Of another history, or damaged: it is added up again.
        if not self._has_all_before(session, upto) or self.chain_key(session, upto) != chain:
            return None
        return (upto, body) if digest(body) == hash else None

    def _has_all_before(self, session: int, position: int) -> bool:
        """Tell whether no row of the session's own messages before a position is missing."""
        _, fork = self.origin(session)
        first, _ = row_span(session)
        query = "SELECT count(*) FROM message WHERE id >= ? AND id < ?"
        (count,) = self.db.execute(query, (first + fork, first + position)).fetchone()
        return int(count) == max(0, position - fork)

    def records(self, session: int, after: int = 0) -> list[Record]:
        """Read the records from number `after` on, inherited ones first."""
        query = "SELECT seal, id, kind, text, at FROM jot WHERE id >= ? AND id < ? ORDER BY id"
        records: list[Record] = []
        for span in self._spans(session, "jots", after, POSITION_MASK):
            for seal, row, kind, text, at in self.db.execute(query, span):
                try:
                    verify_row(seal, row, kind, text, at)
                except DamagedRow as error:
                    raise self._damage("record", row, error) from error
                records.append(Record(row & POSITION_MASK, kind, text, at))
        return records

    def info_of(self, name: str) -> SessionInfo:
        """Return what is known of a session; raise `NotHere` if there is none."""
        found = self.db.find_session(f"{_INFOS} WHERE s.name", name)
        if found is None:
            raise no_session(name, self.names())
        info = _info(found)
        require_same_session(name, info.id)
        return info

    def infos_of(self, sessions: Sequence[int]) -> Iterator[SessionInfo]:
        """Return what is known of sessions, in their order."""
        query = f"{_INFOS} WHERE s.id = ?"
        return self._readable(self.db.execute(query, (each,)).fetchone() for each in sessions)

    def infos(self, user: str | None = None) -> list[SessionInfo]:
        # One statement for all of them: a search over a user's sessions begins with this.
        if user is None:
            rows = self.db.execute(f"{_INFOS} ORDER BY s.id")
        else:
            rows = self.db.execute(f'{_INFOS} WHERE s."user" = ? ORDER BY s.id', (user,))
        return list(self._readable(rows))

    def _readable(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[SessionInfo]:
        """Read rows of sessions; one that is damaged must not hide the others."""
        for row in rows:
            try:
                yield _info(row)
            except DamagedRow as error:
                warn(
                    f"session {row[2]!r} is left out: {error}; see: steno store check", stacklevel=2
                )

    def _message(self, columns: tuple[Any, ...], read: MessageReader) -> Message:
        # The chain key is not sealed: it may be replaced, and is only ever compared.
        seal, row, body, form, by, text, hash, _, _ = columns
        try:
            verify_row(seal, row, body, form, by)
            return decode_message(form, verify_hash(text, hash), by, read)
        except (DamagedRow, msgspec.MsgspecError) as error:
            raise self._damage("message", row, error) from error

    def _damage(self, what: str, row: int, error: Exception) -> DamagedRow:
        """Return the error for a row that cannot be read: which one it is, and of which session."""
        query = "SELECT name FROM session WHERE id = ?"
        found = self.db.execute(query, (row >> SHIFT,)).fetchone()
        name = "that is not there"
        if found is not None:
            name = repr(found[0])
        return DamagedRow(f"{what} {row & POSITION_MASK} of session {name}: {error}")

    def _count(self, session: int, table: str, inherited: str) -> int:
        # The last id tells the count; count(*) would read every row.
        query = f"SELECT max(id) FROM {table} WHERE id BETWEEN ? AND ?"
        (last,) = self.db.execute(query, row_span(session)).fetchone()
        if last is None:
            return int(self._row(session)[inherited] or 0)
        return (int(last) & POSITION_MASK) + 1


def _info(columns: tuple[Any, ...]) -> SessionInfo:
    *sealed, last_message, chain, parent, last_commit = columns
    verify_row(*sealed)
    _, session, name, wire, setup, _, fork, inherits, _, user = sealed
    messages = fork or 0
    if last_message is not None:
        messages = (last_message & POSITION_MASK) + 1
    commits = inherits
    if last_commit is not None:
        commits = (last_commit & POSITION_MASK) + 1
    tip = (chain or b"", str(session), inherits)
    return SessionInfo(name, wire, messages, commits, parent, fork, setup, user, *tip)
