"""The tables of a Steno file, and how older files come to have them.

A message's row id is its session's id and its position, so that a session's rows
lie together and a range of positions is a range of ids. Bodies are stored once,
whoever says them again. The version is the number of migrations a file has been
through (`PRAGMA user_version`); each runs in a transaction of its own.

Opening a file: ours alone, up to date, and written ahead.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from steno.core.errors import StoreFailed

SHIFT = 32
"""Bits of a row id that are the position: four billion messages to a session."""
APPLICATION = 0x53544E4F
"""Marks the file as Steno's ("STNO")."""


def create_tables(db: sqlite3.Connection) -> None:
    """Sessions, messages, commits; facts per position under the version of their vocabulary.

    A fork inherits the messages before `fork` and the first `inherits` commits of its parent.
    """
    for table in (
        """CREATE TABLE session (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            wire TEXT NOT NULL,
            setup TEXT NOT NULL DEFAULT '{}',
            parent INTEGER REFERENCES session (id),
            fork INTEGER,
            inherits INTEGER NOT NULL DEFAULT 0,
            created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
        ) STRICT""",
        "CREATE TABLE body (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, text TEXT NOT NULL) STRICT",
        """CREATE TABLE message (
            id INTEGER PRIMARY KEY,
            body INTEGER NOT NULL REFERENCES body (id),
            form TEXT NOT NULL,
            by TEXT NOT NULL,
            chain BLOB NOT NULL
        ) STRICT""",
        "CREATE INDEX message_chain ON message (chain)",
        """CREATE TABLE commits (
            id INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            why TEXT NOT NULL,
            reverts INTEGER,
            hash BLOB NOT NULL,
            body BLOB NOT NULL
        ) STRICT""",
        "CREATE TABLE fact (id INTEGER PRIMARY KEY, vocabulary INTEGER NOT NULL, facts BLOB NOT NULL) STRICT",
        f"PRAGMA application_id = {APPLICATION}",
    ):
        db.execute(table)


def add_jots(db: sqlite3.Connection) -> None:
    """Lines beside the log; a fork inherits the first `jots` of its parent."""
    columns = "id INTEGER PRIMARY KEY, kind TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL"
    db.execute(f"CREATE TABLE jot ({columns}) STRICT")
    db.execute("ALTER TABLE session ADD COLUMN jots INTEGER NOT NULL DEFAULT 0")


def add_users(db: sqlite3.Connection) -> None:
    """Whose a session is, when a message was said, and which sessions were forgotten (nothing of what they held)."""
    for change in (
        "ALTER TABLE session ADD COLUMN user TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX session_user ON session (user)",
        "ALTER TABLE message ADD COLUMN said REAL",
        """CREATE TABLE forgotten (
            id INTEGER PRIMARY KEY,
            name BLOB NOT NULL,
            at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
            messages INTEGER NOT NULL,
            commits INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            done INTEGER NOT NULL DEFAULT 0
        ) STRICT""",
    ):
        db.execute(change)


def add_memories(db: sqlite3.Connection) -> None:
    """What is kept of a user for later sessions; its source is a name, because it need not be a session here."""
    db.execute(
        """CREATE TABLE memory (
            user TEXT NOT NULL,
            id INTEGER NOT NULL,
            kind TEXT NOT NULL,
            text TEXT NOT NULL,
            trust TEXT NOT NULL,
            source TEXT NOT NULL,
            position INTEGER,
            said REAL NOT NULL,
            over TEXT NOT NULL,
            PRIMARY KEY (user, id)
        ) STRICT"""
    )
    db.execute("CREATE INDEX memory_source ON memory (source)")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    create_tables,
    add_jots,
    add_users,
    add_memories,
)


def migrate(db: sqlite3.Connection, path: Path) -> None:
    """Bring a file up to date; refuse one that is newer or somebody else's."""
    db.execute("BEGIN")  # one look: another process may be migrating
    version, mark = _pragma(db, "user_version"), _pragma(db, "application_id")
    tables = db.execute("SELECT 1 FROM sqlite_master").fetchone()
    db.execute("COMMIT")
    if (version or tables) and mark != APPLICATION:
        raise StoreFailed(f"{path} is a SQLite file, but not one of Steno's")
    if version > len(MIGRATIONS):
        known = f"version {version}, this one knows {len(MIGRATIONS)}"
        raise StoreFailed(f"{path} was written by a newer Steno ({known}): upgrade Steno")
    for number in range(version, len(MIGRATIONS)):
        _run_migration(db, number)


def _run_migration(db: sqlite3.Connection, number: int) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it between our look and our lock.
        if _pragma(db, "user_version") == number:
            MIGRATIONS[number](db)
            db.execute(f"PRAGMA user_version = {number + 1}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


BUSY_SECONDS = 10.0
CACHE_KIB = 512
"""Of pages in memory: a log is read once, in order."""


def open_file(path: Path, durable: bool) -> sqlite3.Connection:
    if "\0" in str(path):
        raise StoreFailed(f"{str(path)!r} is no path")
    if path.is_dir():
        raise IsADirectoryError
    if not path.exists():
        # Made by us so that it is ours alone from its first byte; SQLite gives its side files the same mode.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        migrate(db, path)  # first, so that somebody else's file is refused as it is
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
