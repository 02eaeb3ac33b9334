"""How a PostgreSQL database is reached: addresses, connections and pools.

An address may hold a password, so no error quotes one. A text with a NUL, which
PostgreSQL refuses, is escaped on its way in and restored on its way out.
"""

from __future__ import annotations

import os
import re
import threading
from itertools import filterfalse
from typing import Any, TypeVar, cast
from urllib.parse import parse_qsl

import psycopg
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.string import StrDumper, TextLoader
from psycopg.waiting import Ready, Wait
from psycopg_pool import ConnectionPool

from steno.core.errors import BadInput
from steno.store.postgres_schema import migrate, working_role

Connection = psycopg.Connection[Any]
T = TypeVar("T")

CONNECT_SECONDS = 10
POOL_SECONDS = 2.0
"""How long to wait for a connection before it is tried anew."""
POOL_MOST = 10
"""Connections of one process to one database."""
ESCAPE = "\ufdd0"
"""PostgreSQL keeps no NUL in a text: it is written as this and a 0, and this as itself and a 1."""


def escape_nul(text: str) -> str:
    """Return the text as PostgreSQL can keep it."""
    if ESCAPE in text or "\0" in text:
        return text.replace(ESCAPE, f"{ESCAPE}1").replace("\0", f"{ESCAPE}0")
    return text


class _TextDumper(StrDumper):
    def dump(self, obj: str) -> Any:
        return super().dump(escape_nul(obj))


class _TextLoader(TextLoader):
    def load(self, data: Any) -> str | bytes:
        text = super().load(data)
        if isinstance(text, str) and ESCAPE in text:
            return text.replace(f"{ESCAPE}0", "\0").replace(f"{ESCAPE}1", ESCAPE)
        return text


def _configure(connection: Connection) -> None:
    connection.adapters.register_dumper(str, _TextDumper)
    connection.adapters.register_loader("text", _TextLoader)


class _SendingConnection(psycopg.Connection[Any]):
    """A connection that waits for no answer before all of the question is sent.

    The driver's pipeline leaves off sending when the socket is full, and then the server waits
    for the rest of a message of a megabyte while we wait for the server, for ever.
    """

    def wait(self, gen: PQGen[T], *args: Any, **options: Any) -> T:
        return super().wait(self._sending(gen), *args, **options)

    def _sending(self, gen: PQGen[T]) -> PQGen[T]:
        try:
            wants = next(gen)
            while True:
                ready: int = Ready.NONE
                while wants == Wait.R and not ready and self.pgconn.flush():
                    ready = (yield Wait.RW) & Ready.R
                wants = gen.send(ready or (yield wants))
        except StopIteration as ended:
            return cast(T, ended.value)


class _Pools:
    """One pool for each database in a process, however many stores use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pools: dict[tuple[int, str], tuple[ConnectionPool[Connection], str, int]] = {}

    def get(self, conninfo: str, place: str) -> tuple[ConnectionPool[Connection], str]:
        """Return the pool of a database and the role to work as; open both if needed."""
        # A connection does not survive a fork of the process, so the child has its own.
        key = (os.getpid(), conninfo)
        with self._lock:
            if key in self._pools:
                pool, role, users = self._pools[key]
            else:
                # Connect once by hand: a pool would try for minutes and tell no reason.
                with connect(conninfo) as connection:
                    migrate(connection, place)
                    role = working_role(connection, place)
                pool, users = _open_pool(conninfo), 0
            self._pools[key] = (pool, role, users + 1)
            return pool, role

    def put_back(self, conninfo: str) -> None:
        """Close the pool with the last store that uses it."""
        key = (os.getpid(), conninfo)
        with self._lock:
            if key not in self._pools:
                return
            pool, role, users = self._pools[key]
            self._pools[key] = (pool, role, users - 1)
            if users > 1:
                return
            del self._pools[key]
        pool.close()


POOLS = _Pools()


def connect(conninfo: str) -> Connection:
    """Open a connection outside the pools."""
    return psycopg.connect(conninfo, autocommit=True, connect_timeout=CONNECT_SECONDS)


def _open_pool(conninfo: str) -> ConnectionPool[Connection]:
    return ConnectionPool(
        conninfo,
        kwargs={"autocommit": True, "connect_timeout": CONNECT_SECONDS},
        min_size=0,
        max_size=POOL_MOST,
        connection_class=_SendingConnection,
        configure=_configure,
        timeout=POOL_SECONDS,
        # Left alone it would pause for longer and longer, also after the server is back.
        reconnect_timeout=1.0,
        open=True,
    )


def split_address(address: str) -> tuple[str, dict[str, str]]:
    """Take our own options out of an address."""
    # A password may hold a `?`.
    credentials = address[: max(address.find("@", 0, address.find("/", len("postgresql://"))), 0)]
    bare, _, query = address[len(credentials) :].partition("?")
    bare = credentials + bare
    # The others stay as they are: libpq reads no `+` as a blank.
    options = [option for option in query.split("&") if option]
    given = parse_qsl("&".join(filter(_is_ours, options)), keep_blank_values=True)
    ours = dict(given)
    unknown = set(ours) - {"steno_tenant", "steno_user"}
    if unknown:
        raise BadInput(f"a store's address has no option {sorted(unknown)[0]}")
    if len(given) > len(ours) or not all(ours.values()):
        raise BadInput("a store's address says steno_tenant and steno_user once, and not empty")
    if others := list(filterfalse(_is_ours, options)):
        bare += f"?{'&'.join(others)}"
    try:
        port = str(conninfo_to_dict(bare).get("port") or "")
    except psycopg.Error:
        # The message quotes the address, which may hold a password.
        raise BadInput("store= is not an address of PostgreSQL's") from None
    # libpq takes a part of a password with marks for the host, port or database, and quotes it.
    named = bare[len(credentials) + 1 :].partition("?")[0]
    if not re.fullmatch(r"[\d,]*", port) or re.search("[@#]", named):
        raise BadInput(
            "store= is not an address of PostgreSQL's: a port is a number, and a name or password "
            "has %40 for @, %2F for /, %3A for : and %23 for #"
        )
    return bare, ours


def _is_ours(option: str) -> bool:
    return option.startswith("steno_")


def place_of(conninfo: str) -> str:
    """Return where a database is, without its password."""
    known = conninfo_to_dict(conninfo)
    host = known.get("host") or known.get("hostaddr") or "localhost"
    return f"PostgreSQL at {host} (database {known.get('dbname') or 'of that user'})"
