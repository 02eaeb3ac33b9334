"""SQLite as the database of a store: one file, one connection, one writer at a time.

Owns transactions and what only SQLite has; `sql` owns the statements, `schema` the tables. With
`durable=False` a crash of the process still loses nothing, and the file opens either way.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

from steno.core.arguments import check_arguments
from steno.core.errors import StoreFailed
from steno.store.database import Access, MessageRow, Rows, row_span
from steno.store.file import (
    MOVED,
    DamagedRow,
    file_errors,
    file_identity,
    key_beside,
    refuse_address,
    truncate_wal,
)
from steno.store.rows import digest, seal_row
from steno.store.schema import open_file
from steno.store.sql import SQLStore

T = TypeVar("T")

# A write takes the lock at once: a transaction that begins by reading can be refused when
# it writes, because another process wrote in between.
BEGIN: dict[Access, str] = {"read": "BEGIN", "write": "BEGIN IMMEDIATE"}
_UNUSED = "id IN (SELECT body FROM gone) AND id NOT IN (SELECT body FROM message)"


class SQLiteFile:
    """A store's file, open."""

    messages = (
        "SELECT seal, message.id, body, form, by, text, hash, chain, said "
        "FROM message LEFT JOIN body ON body.id = message.body"
    )

    size = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"

    # SQLite gives the highest id again once its row is deleted.
    new_id = (
        "(SELECT 1 + max(coalesce((SELECT max(id) FROM session), 0), "
        "coalesce((SELECT max(session) FROM forgotten), 0)))"
    )

    def __init__(self, path: str | os.PathLike[str], *, durable: bool = True) -> None:
        refuse_address(path)
        self.path = Path(path)
        self.place = str(path)
        # Guards the one connection. Reentrant: a write within a transaction joins it.
        self._lock = threading.RLock()
        self._open = False
        """Whether a transaction of ours is open, for writes within it to join."""
        with self.errors():
            self._db = open_file(self.path, durable)
        # As SQLite does: the program may go to another folder meanwhile.
        self._named = str(self.path.absolute())
        # SQLite has its log beside the file itself, not beside a link to it.
        self._real = os.path.realpath(self._named)
        self._opened = file_identity(self._real, follow=False)

    def missing(self) -> str:
        return ""

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Rows:
        return self._db.execute(statement, values)

    def errors(self) -> AbstractContextManager[None]:
        return file_errors(self.path)

    def run(self, access: Access, work: Callable[[], T], lock: str = "") -> T:
        """Do some work in a transaction, or in the one that is open.

        A function and no context manager: an interrupt (Ctrl-C) can come between the entry of
        a context manager and its block, and its exit is not called then.
        """
        with self._lock:
            with self.errors():
                joins = self._open and self._db.in_transaction
                if self._db.in_transaction and not joins:
                    # An interrupt stopped the cleaning up of an earlier one.
                    self._db.execute("ROLLBACK")
            if joins:
                return work()
            try:
                with self.errors():
                    self._db.execute(BEGIN[access])
                self._open = True
                made = work()
                with self.errors():
                    self._require_file()
                    self._db.execute("COMMIT")
                return made
            finally:
                self._open = False
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def _require_file(self) -> None:
        """Raise if the file at the path is not the one that is open."""
        named = file_identity(self._named)
        real = file_identity(self._real, follow=False)
        if (named, real) != (self._opened, self._opened):
            raise StoreFailed(f"{self.path} {MOVED}")

    def find_session(self, query: str, name: str) -> Any:
        found = self._db.execute(f"{query} = ?", (name,)).fetchone()
        if found is None:
            # Or a damaged index would let the name be given a second time.
            query = "SELECT 1 FROM session NOT INDEXED WHERE name = ?"
            if self._db.execute(query, (name,)).fetchone() is not None:
                raise DamagedRow("a name is not in its index")
        return found

    def add_messages(self, rows: Sequence[MessageRow]) -> None:
        for row in rows:
            values = (row.id, self._body_id(row.text), row.form, row.by)
            self._db.execute(
                "INSERT INTO message (id, body, form, by, chain, said, seal) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*values, row.chain, row.said, seal_row(*values)),
            )

    def _body_id(self, text: str) -> int:
        """Return the row of a text; add it if it is new."""
        hash = digest(text)
        found = self._db.execute("SELECT id FROM body WHERE hash = ?", (hash,)).fetchone()
        if found is not None:
            return int(found[0])
        inserted = self._db.execute("INSERT INTO body (hash, text) VALUES (?, ?)", (hash, text))
        return inserted.lastrowid or 0

    def remove_session(self, work: Callable[[], None], name: str) -> None:
        with self._lock:
            db = self._db
            # No temporary file may be left with the words: VACUUM copies everything through one.
            db.execute("PRAGMA temp_store = MEMORY")
            db.execute("PRAGMA secure_delete = ON")
            try:
                # With foreign keys on, SQLite would look up the messages of every body one by one.
                db.execute("PRAGMA foreign_keys = OFF")
                self.run("write", work)
            finally:
                db.execute("PRAGMA foreign_keys = ON")

    def remove_messages(self, session: int) -> tuple[int, int]:
        db = self._db
        span = row_span(session)
        db.execute(
            "CREATE TEMP TABLE gone AS SELECT DISTINCT body FROM message WHERE id BETWEEN ? AND ?",
            span,
        )
        messages = db.execute("DELETE FROM message WHERE id BETWEEN ? AND ?", span).rowcount
        size = "SELECT coalesce(sum(length(CAST(text AS BLOB))), 0) FROM body"
        (bytes_removed,) = db.execute(f"{size} WHERE {_UNUSED}").fetchone()
        db.execute(f"DELETE FROM body WHERE {_UNUSED}")
        db.execute("DROP TABLE gone")
        db.execute("DELETE FROM change WHERE session = ?", (session,))
        return messages, bytes_removed

    def erase(self, finish: Callable[[], T]) -> T:
        """Rewrite the file without the removed rows, and empty its write-ahead log."""
        with self._lock:
            self._db.execute("VACUUM")
            truncate_wal(self._db)
            finished = finish()
            truncate_wal(self._db)
            return finished

    def secret(self) -> bytes:
        """Return the key from the file beside this one."""
        with self.errors():
            return key_beside(self.path)

    def close(self) -> None:
        with self._lock:
            self._db.close()


class SQLiteStore(SQLStore):
    """Sessions, facts and memories in one SQLite file, shared by threads and processes."""

    @check_arguments
    def __init__(self, path: str | os.PathLike[str], *, durable: bool = True) -> None:
        super().__init__(SQLiteFile(path, durable=durable))
