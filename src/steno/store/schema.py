"""The tables of a store's file, how older files get them, and how a file is opened.

The version of a file is the number of migrations it has been through
(`PRAGMA user_version`); each migration runs in its own transaction.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from steno.core.errors import StoreFailed
from steno.store.file import DamagedRow, connect, use_wal

APPLICATION = 0x53544E4F
"""Marks the file as Steno's ("STNO")."""
CACHE_KIB = 512
"""Size of SQLite's page cache; a log is read once, in order."""
_NOW = "TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    # A fork inherits the messages before `fork` and the first `inherits` commits of its parent.
    (
        f"""CREATE TABLE session (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            wire TEXT NOT NULL,
            setup TEXT NOT NULL DEFAULT '{{}}',
            parent INTEGER REFERENCES session (id),
            fork INTEGER,
            inherits INTEGER NOT NULL DEFAULT 0,
            created {_NOW}
        ) STRICT""",
        """CREATE TABLE body (
            id INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            text TEXT NOT NULL
        ) STRICT""",
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
        """CREATE TABLE fact (
            id INTEGER PRIMARY KEY,
            vocabulary INTEGER NOT NULL,
            facts BLOB NOT NULL
        ) STRICT""",
        f"PRAGMA application_id = {APPLICATION}",
    ),
    # Lines beside the log; a fork inherits the first `jots` of its parent.
    (
        """CREATE TABLE jot (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            text TEXT NOT NULL,
            at INTEGER NOT NULL
        ) STRICT""",
        "ALTER TABLE session ADD COLUMN jots INTEGER NOT NULL DEFAULT 0",
    ),
    # The user of a session, the time of a message, and the list of deleted sessions.
    (
        "ALTER TABLE session ADD COLUMN user TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX session_user ON session (user)",
        "ALTER TABLE message ADD COLUMN said REAL",
        f"""CREATE TABLE forgotten (
            id INTEGER PRIMARY KEY,
            name BLOB NOT NULL,
            at {_NOW},
            messages INTEGER NOT NULL,
            commits INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            done INTEGER NOT NULL DEFAULT 0
        ) STRICT""",
    ),
    # Memories of users; the source is a name, because it may be a session elsewhere.
    (
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
        ) STRICT""",
        "CREATE INDEX memory_source ON memory (source)",
    ),
    # Hashes of rows; rows of before have none.
    tuple(f"ALTER TABLE {table} ADD COLUMN seal BLOB" for table in ("session", "message", "jot")),
    ("ALTER TABLE memory ADD COLUMN seal BLOB",),
    # The ids of deleted sessions, so that none is given again.
    ("ALTER TABLE forgotten ADD COLUMN session INTEGER",),
    # Which sessions got messages, in order; nothing reads or writes it any more.
    (
        """CREATE TABLE change (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL UNIQUE
        ) STRICT""",
    ),
    # What was added up of a session; the id holds how many messages that were.
    (
        """CREATE TABLE folded (
            id INTEGER PRIMARY KEY,
            version BLOB NOT NULL,
            chain BLOB NOT NULL,
            hash BLOB NOT NULL,
            body BLOB NOT NULL
        ) STRICT""",
    ),
)
"""Statements of each version; append to these, and never change one that was released."""


def migrate(db: sqlite3.Connection, path: Path) -> None:
    """Bring a file up to date; refuse one that is newer or not a Steno file."""
    # In one transaction, because another process may be migrating.
    db.execute("BEGIN")
    version = _pragma(db, "user_version")
    mark = _pragma(db, "application_id")
    tables = db.execute("SELECT 1 FROM sqlite_master").fetchone()
    db.execute("COMMIT")
    if (version or tables) and mark != APPLICATION:
        raise StoreFailed(f"{path} is a SQLite file, but not one of Steno's")
    if version < 0:
        raise DamagedRow(f"no file has version {version}")
    if version > len(MIGRATIONS):
        raise StoreFailed(
            f"{path} was written by a newer Steno (version {version}, "
            f"this one knows {len(MIGRATIONS)}): upgrade Steno"
        )
    for number in range(version, len(MIGRATIONS)):
        _run_migration(db, number)


def _run_migration(db: sqlite3.Connection, number: int) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it between our reading and our lock.
        if _pragma(db, "user_version") == number:
            for statement in MIGRATIONS[number]:
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {number + 1}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def open_file(path: Path, durable: bool) -> sqlite3.Connection:
    """Open a store's file, up to date and written ahead; create it if it is not there."""
    try:
        is_path = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_path = False
    if not is_path:
        raise StoreFailed(f"{str(path)!r} is no path")
    if path.is_dir():
        raise IsADirectoryError
    db = connect(path)
    try:
        # First of all, so that a file that is not ours is refused unchanged.
        migrate(db, path)
        use_wal(db)
        synchronous = "FULL" if durable else "NORMAL"
        db.execute(f"PRAGMA synchronous = {synchronous}")
        db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        db.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        db.close()
        raise
    return db
