"""PostgreSQL as the database of a store: many hosts, one memory.

Owns transactions and what happens when one is lost. `sql` owns the statements,
`postgres_connections` addresses and pools, `postgres_schema` the tables and who sees which rows.
Nothing else imports the driver. A write asks for its transaction's number: if the connection is
lost while it is confirmed, the server is asked whether that transaction was kept, and the write
is repeated only if it was not. The server is waited for when rows are read, before a write is
confirmed, and at the end: an append is three trips to it.
"""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import msgspec
import psycopg
from psycopg import errors, sql
from psycopg_pool import PoolTimeout

from steno.core.errors import BadInput, StoreFailed
from steno.store.database import Access, MessageRow, Rows, row_span
from steno.store.file import CLOSED, KEY_BYTES, DamagedRow
from steno.store.postgres_connections import (
    POOLS,
    Connection,
    connect,
    escape_nul,
    place_of,
    split_address,
)
from steno.store.postgres_schema import INDEX_SHIFT, SEARCH_PATH, missing
from steno.store.rows import digest, seal_row
from steno.store.sql import SQLStore

T = TypeVar("T")

RETRY_SECONDS = 30.0
"""How long a lost connection is tried again, for instance while the server restarts."""
STATEMENT_MS, LOCK_MS, IDLE_MS = 60_000, 20_000, 60_000
"""How long the server lets a statement run, wait for a lock, and a transaction be idle."""
DEFAULT_TENANT = "default"
_BEGIN: dict[Access, str] = {
    "read": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    # Each statement sees what was committed before it: what it reads after the lock is current.
    "write": "BEGIN ISOLATION LEVEL READ COMMITTED",
}
BEYOND_LIMITS = "54"
"""Class of the server's codes for what is too large for it; to try again would not help."""
_LOCK = "pg_advisory_xact_lock(hashtextextended(%s, 0))"


class ConnectionLost(StoreFailed):
    """The server went away in a transaction, and nothing of it was kept."""


@dataclass
class _Began:
    """A transaction, and what tells later whether it was kept."""

    writes: bool
    settings: psycopg.Cursor[Any]
    """Brings the server's number of a write and when the server was started."""
    proof: tuple[int, bytes, bytes] | None = None
    """Id, chain key and seal of the last message that it adds."""
    found: dict[tuple[str, str], Any] = field(default_factory=dict)
    """Sessions that were looked up, by query and name."""

    @cached_property
    def identity(self) -> tuple[str, str]:
        """The server's number of a write, and when the server was started.

        Numbers may be given again after a crash.
        """
        *_, number, started = self.settings.fetchone() or ("", "")
        return str(number), str(started)


@lru_cache(maxsize=512)
def _translate(statement: str) -> str:
    return statement.replace("%", "%%").replace("?", "%s")


class PostgresDatabase:
    """The rows of one tenant, or of one of its users, in a PostgreSQL database."""

    path = None
    messages = "SELECT seal, id, hash, form, by, text, hash, chain, said FROM message"
    size = (
        "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c "
        "WHERE c.relnamespace = 'steno'::regnamespace AND c.relkind = 'r'"
    )

    new_id = "DEFAULT"

    def __init__(self, address: str, *, tenant: str = "", user: str = "") -> None:
        bare, options = split_address(address)
        self._conninfo = bare
        self.place = place_of(bare)
        self._tenant = tenant or options.get("steno_tenant") or DEFAULT_TENANT
        own = options.get("steno_user", "")
        if own and user and user != own:
            raise BadInput(f"{self.place}: this address is of user {own!r}, not of {user!r}")
        self._user = user or own
        self._local = threading.local()
        self._closed = False
        with self.errors():
            self._pool, role = POOLS.get(bare, self.place)
        self._settings = _settings_of(self._tenant, self._user, role)

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Rows:
        # Without values a statement is sent as it is, and then % has no meaning.
        return self._connection.execute(_translate(statement), values or None)

    def missing(self) -> str:
        return self.run("read", lambda: missing(self.execute))

    def execute_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        if len(rows) == 1:
            self.execute(statement, rows[0])
        else:
            self._connection.cursor().executemany(_translate(statement), rows)

    @property
    def _connection(self) -> Connection:
        connection: Connection = self._local.connection
        return connection

    @contextmanager
    def errors(self) -> Iterator[None]:
        try:
            yield
        except (DamagedRow, msgspec.MsgspecError) as error:
            raise StoreFailed(f"{self.place} is damaged: {error}; restore a backup") from error
        except (PoolTimeout, psycopg.InterfaceError, psycopg.OperationalError) as error:
            raise self._failure(error) from error
        except psycopg.Error as error:
            raise StoreFailed(f"{self.place} failed: {_first_line(error)}") from error

    def _failure(self, error: Exception) -> StoreFailed:
        match error:
            case errors.QueryCanceled():
                return StoreFailed(f"{self.place} took too long and was stopped; nothing was kept")
            case errors.LockNotAvailable():
                return StoreFailed(f"{self.place}: another writer holds this session; try again")
            case errors.DeadlockDetected() | errors.SerializationFailure() | PoolTimeout():
                return ConnectionLost(f"{self.place} is busy: {_first_line(error)}")
            case errors.DiskFull():
                return StoreFailed(f"{self.place} cannot grow: its disk is full; nothing was kept")
            case psycopg.Error(sqlstate=str(state)) if state.startswith(BEYOND_LIMITS):
                return StoreFailed(
                    f"{self.place} cannot keep so long a name or value; nothing was kept: "
                    f"{_first_line(error)}"
                )
        return ConnectionLost(f"{self.place} cannot be reached: {_first_line(error)}")

    def run(self, access: Access, work: Callable[[], T], lock: str = "") -> T:
        """Do some work in a transaction, or in the one that is open.

        A transaction that was lost is repeated while the server restarts. One that is not
        under a lock is not: what it does may not be repeatable.
        """
        if getattr(self._local, "connection", None) is not None:
            if lock:
                with self.errors():
                    self.lock(lock)
            return work()
        until = time.monotonic() + RETRY_SECONDS
        while True:
            try:
                with self.transaction(access, lock):
                    return work()
            except ConnectionLost:
                repeatable = lock or access == "read"
                if not repeatable or time.monotonic() > until:
                    raise
            self._wait_for_server(until)

    def _wait_for_server(self, until: float) -> None:
        """Wait until the server answers again: a pool asks it too seldom."""
        while time.monotonic() < until:
            time.sleep(random.uniform(0.02, 0.1))
            try:
                connect(self._conninfo).close()
                return
            except psycopg.OperationalError:
                pass

    @contextmanager
    def transaction(self, access: Access, lock: str = "") -> Iterator[None]:
        """Open a transaction for a block, or join the one that is open."""
        if getattr(self._local, "connection", None) is not None:
            yield
            return
        if self._closed:
            raise StoreFailed(f"{self.place} {CLOSED}")
        with self.errors(), self._pool.connection() as connection:
            confirms = False
            try:
                with connection.pipeline() as pipeline:
                    self._local.connection = connection
                    try:
                        self._local.began = began = self._begin(connection, access, lock)
                        yield
                    finally:
                        self._local.connection = None
                    if began.writes:
                        # A commit that is sent with its statements would also be done after this
                        # process was killed, when its successor has read the session already.
                        pipeline.sync()
                        _ = began.identity
                    confirms = True
                    self._commit(connection)
            except psycopg.Error as error:
                if not confirms:
                    raise
                self._require_commit(began, error)
                # Else the pool would end the lost transaction again, and fail.
                connection.close()

    def lock(self, key: str) -> None:
        """Make other writers with this key wait until the transaction is over."""
        self._connection.execute(f"SELECT {_LOCK}", (f"{self._tenant} {key}",))

    def _begin(self, connection: Connection, access: Access, lock: str) -> _Began:
        """Open a transaction; return how to find it again if it writes."""
        calls = [self._settings]
        values = []
        if lock:
            calls.append(_LOCK)
            values.append(f"{self._tenant} {lock}")
        if access == "write":
            calls += ["pg_current_xact_id()::text", "pg_postmaster_start_time()::text"]
        connection.execute(_BEGIN[access])
        settings = connection.execute(f"SELECT {', '.join(calls)}", values)
        return _Began(access == "write", settings)

    def _commit(self, connection: Connection) -> None:
        connection.execute("COMMIT")

    def _require_commit(self, began: _Began, error: Exception) -> None:
        """Raise `ConnectionLost` if a transaction was lost while it was confirmed."""
        until = time.monotonic() + RETRY_SECONDS
        while time.monotonic() < until:
            try:
                kept = self._is_kept(began)
            except (psycopg.OperationalError, ConnectionLost):
                # The server is not back yet.
                kept = None
            if kept is False:
                raise ConnectionLost(f"{self.place}: {_first_line(error)}") from error
            if kept:
                return
            time.sleep(0.1)
        raise StoreFailed(
            f"{self.place} went away while a write was confirmed: it may be kept or not; "
            "open the session again and look before you repeat it"
        ) from error

    def _is_kept(self, began: _Began) -> bool | None:
        """Ask the server whether it kept a transaction; None if it cannot tell."""
        if not began.writes:
            return True
        number, since = began.identity
        with connect(self._conninfo) as connection:
            query = "SELECT pg_postmaster_start_time()::text, pg_xact_status(%s::xid8)"
            try:
                started, status = connection.execute(query, (number,)).fetchone() or ("", "")
            except errors.InvalidParameterValue:
                # A number that it does not know: the crash took the transaction.
                return False
        if status == "aborted":
            return False
        if status == "committed" and started == since:
            return True
        if status == "committed" and began.proof is not None:
            # After a crash the number may have been given to another transaction.
            proof = began.proof
            with self.transaction("read"):
                query = "SELECT 1 FROM message WHERE id = ? AND chain = ? AND seal = ?"
                return self.execute(query, proof).fetchone() is not None
        return None

    def find_session(self, query: str, name: str) -> Any:
        began = self._local.began
        if (query, name) in began.found:
            return began.found[query, name]
        row = self.execute(f"{query} = ?", (name,)).fetchone()
        # In a transaction that only reads, a session stays as it is.
        if not began.writes:
            began.found[query, name] = row
        return row

    def add_messages(self, rows: Sequence[MessageRow]) -> None:
        values = []
        for row in rows:
            hash = digest(row.text)
            seal = seal_row(row.id, hash, row.form, row.by)
            values.append((row.id, row.form, row.by, row.text, hash, row.chain, row.said, seal))
            self._local.began.proof = (row.id, row.chain, seal)
        self.execute_many(
            "INSERT INTO message (id, form, by, text, hash, chain, said, seal) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            values,
        )

    def remove_session(self, work: Callable[[], None], name: str) -> None:
        self.run("write", work, name)

    def remove_messages(self, session: int) -> tuple[int, int]:
        self.drop_index(session)
        found = self.execute(
            "WITH gone AS (DELETE FROM message WHERE id BETWEEN ? AND ? "
            "RETURNING octet_length(text) AS size) "
            "SELECT count(*), coalesce(sum(size), 0)::bigint FROM gone",
            row_span(session),
        ).fetchone()
        return found[0], found[1]

    def drop_index(self, session: int) -> None:
        """Remove what recall's index holds of a session."""
        span = (session << INDEX_SHIFT, (session + 1 << INDEX_SHIFT) - 1)
        for table in ("piece", "stated"):
            self.execute(f"DELETE FROM {table} WHERE id BETWEEN ? AND ?", span)
        self.execute("SELECT drop_vectors(?, ?)", span)
        for table in ("posting", "embedded", "shelf"):
            self.execute(f"DELETE FROM {table} WHERE number = ?", (session,))

    def erase(self, finish: Callable[[], T]) -> T:
        # The server reuses the space when it vacuums; rewriting tables would stop all others.
        return finish()

    def secret(self) -> bytes:
        """Return the tenant's key; it is in a table of its own, to be left out of backups."""

        def read() -> bytes:
            fresh = secrets.token_bytes(KEY_BYTES)
            self.execute("INSERT INTO secret (key) VALUES (?) ON CONFLICT DO NOTHING", (fresh,))
            return bytes(self.execute("SELECT key FROM secret").fetchone()[0])

        return self.run("write", read)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            POOLS.put_back(self._conninfo)


class PostgresStore(SQLStore):
    """Sessions, facts and memories in a PostgreSQL database, shared by many hosts."""

    def __init__(self, address: str, *, tenant: str = "", user: str = "") -> None:
        """Open the store at a `postgresql://` address; create its tables if they are missing.

        tenant: whose rows these are; the server shows no others. It may also stand in the
            address, as `?steno_tenant=`.
        user: bind the store to one user of the tenant, also as `?steno_user=`.
        """
        super().__init__(PostgresDatabase(address, tenant=tenant, user=user))


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _settings_of(tenant: str, user: str, role: str) -> str:
    """Return the calls that set what holds for one transaction."""
    settings = {
        "search_path": SEARCH_PATH,
        "steno.tenant": tenant,
        "steno.user": user,
        "statement_timeout": str(STATEMENT_MS),
        "lock_timeout": str(LOCK_MS),
        "idle_in_transaction_session_timeout": str(IDLE_MS),
        "role": role or "none",
        # A plan that was made while a table was small would read all of it later.
        "enable_seqscan": "off",
        "enable_bitmapscan": "off",
    }
    calls = [
        f"set_config({sql.quote(name)}, {sql.quote(escape_nul(value))}, true)"
        for name, value in settings.items()
    ]
    # Values are bound to the statement that these are in, so that % has a meaning.
    return ", ".join(calls).replace("%", "%%")
