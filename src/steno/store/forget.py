"""The one way out of append-only: a session is removed, and nothing of it is left in the file's bytes.

What stays is a line that says when, how much, and a hash of what it was called. A
session that others were forked from stays: they begin with its words. Who is cut
off half way says it again; `done` tells whether the bytes are gone too.
"""

from __future__ import annotations

import sqlite3
from hashlib import blake2b

from steno.core.errors import BadInput, NotHere
from steno.core.store import Deletion
from steno.store import memory_rows
from steno.store.index import truncate_wal
from steno.store.schema import SHIFT

FORKS_NAMED = 10
_ALL = "SELECT lower(hex(name)), at, messages, commits, bytes, done FROM forgotten"


def remove_session(db: sqlite3.Connection, name: str) -> None:
    """Take the session and whatever only it said out of the tables."""
    db.execute("PRAGMA temp_store = MEMORY")
    db.execute("PRAGMA secure_delete = ON")
    # A body's users would be looked up one by one.
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("BEGIN IMMEDIATE")
    try:
        found = db.execute("SELECT id FROM session WHERE name = ?", (name,)).fetchone()
        if found is not None:
            _refuse_forked(db, found[0], name)
            _delete_rows(db, found[0], name)
        elif memory_rows.has_memories_from(db, name):  # of a file that is no session here
            memory_rows.blank_memories(db, name)
            _record_removal(db, name, 0, 0, 0)
        elif not _is_unfinished(db, name):
            names = [
                known for (known,) in db.execute("SELECT name FROM session ORDER BY id LIMIT 10")
            ]
            raise NotHere(f"no session is named {name!r}; there are: {', '.join(names) or 'none'}")
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
        db.execute("PRAGMA foreign_keys = ON")


def erase_bytes(db: sqlite3.Connection, name: str) -> Deletion:
    """Write the file anew without what was removed, and empty its side file."""
    db.execute("VACUUM")
    truncate_wal(db)
    db.execute("UPDATE forgotten SET done = 1 WHERE name = ?", (_hash_name(name),))
    truncate_wal(db)
    return _parse_row(
        db.execute(
            f"{_ALL} WHERE name = ? ORDER BY id DESC LIMIT 1", (_hash_name(name),)
        ).fetchone()
    )


def list_forgotten(db: sqlite3.Connection) -> list[Deletion]:
    return [_parse_row(row) for row in db.execute(f"{_ALL} ORDER BY id").fetchall()]


def _is_unfinished(db: sqlite3.Connection, name: str) -> bool:
    return (
        db.execute(
            "SELECT 1 FROM forgotten WHERE name = ? AND NOT done", (_hash_name(name),)
        ).fetchone()
        is not None
    )


def _refuse_forked(db: sqlite3.Connection, session: int, name: str) -> None:
    forks = [
        fork
        for (fork,) in db.execute(
            "SELECT name FROM session WHERE parent = ? ORDER BY id", (session,)
        )
    ]
    if forks:
        listed = ", ".join(forks[:FORKS_NAMED]) + (", …" if len(forks) > FORKS_NAMED else "")
        raise BadInput(
            f"{name!r} cannot be forgotten: forks begin with its words; forget them first: {listed}"
        )


def _delete_rows(db: sqlite3.Connection, session: int, name: str) -> None:
    span = (session << SHIFT, (session + 1 << SHIFT) - 1)
    db.execute(
        "CREATE TEMP TABLE gone AS SELECT DISTINCT body FROM message WHERE id BETWEEN ? AND ?", span
    )
    messages = db.execute("DELETE FROM message WHERE id BETWEEN ? AND ?", span).rowcount
    size = "coalesce(sum(length(CAST(text AS BLOB))), 0)"
    unused = "id IN (SELECT body FROM gone) AND id NOT IN (SELECT body FROM message)"
    (held,) = db.execute(f"SELECT {size} FROM body WHERE {unused}").fetchone()
    db.execute(f"DELETE FROM body WHERE {unused}")
    db.execute("DROP TABLE gone")
    commits = db.execute("DELETE FROM commits WHERE id BETWEEN ? AND ?", span).rowcount
    for table in ("fact", "jot"):
        db.execute(f"DELETE FROM {table} WHERE id BETWEEN ? AND ?", span)
    db.execute("DELETE FROM session WHERE id = ?", (session,))
    memory_rows.blank_memories(db, name)
    _record_removal(db, name, messages, commits, held)


def _record_removal(
    db: sqlite3.Connection, name: str, messages: int, commits: int, held: int
) -> None:
    row = (_hash_name(name), messages, commits, held)
    db.execute("INSERT INTO forgotten (name, messages, commits, bytes) VALUES (?, ?, ?, ?)", row)


def _hash_name(name: str) -> bytes:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _parse_row(row: tuple[str, str, int, int, int, int]) -> Deletion:
    name, at, messages, commits, size, done = row
    return Deletion(name, at, messages, commits, size, bool(done))
