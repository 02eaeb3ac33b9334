"""Delete a session so that none of its words is left in the bytes of the file.

The one exception to append-only. What stays is a row with the time, the size and a hash of
the session's name. The deletion has two steps, rows and bytes; between them the store lets
recall clear its index. A deletion that stops half way is finished by repeating it, and
`Deletion.done` tells whether it was.
"""

from __future__ import annotations

import sqlite3

from steno.core.store import Deletion, has_forks, hash_name, no_session
from steno.store import memory_rows
from steno.store.file import truncate_wal
from steno.store.rows import SessionRows
from steno.store.schema import row_span

_DELETIONS = "SELECT lower(hex(name)), at, messages, commits, bytes, done FROM forgotten"
_UNUSED = "id IN (SELECT body FROM gone) AND id NOT IN (SELECT body FROM message)"


def remove_rows(db: sqlite3.Connection, name: str) -> None:
    """Remove the session, and the bodies that only it has, from the tables."""
    # No temporary file may be left with the words: VACUUM copies everything through one.
    db.execute("PRAGMA temp_store = MEMORY")
    db.execute("PRAGMA secure_delete = ON")
    try:
        # With foreign keys on, SQLite would look up the messages of every body one by one.
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("BEGIN IMMEDIATE")
        _remove(db, name)
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
        db.execute("PRAGMA foreign_keys = ON")


def erase_bytes(db: sqlite3.Connection, name: str) -> Deletion:
    """Rewrite the file without the removed rows, and empty its write-ahead log."""
    db.execute("VACUUM")
    truncate_wal(db)
    # Only now: a deletion that was interrupted before this can be repeated.
    db.execute("UPDATE forgotten SET done = 1 WHERE name = ?", (hash_name(name),))
    truncate_wal(db)
    query = f"{_DELETIONS} WHERE name = ? ORDER BY id DESC LIMIT 1"
    return _deletion(db.execute(query, (hash_name(name),)).fetchone())


def list_deletions(db: sqlite3.Connection) -> list[Deletion]:
    """Return what is known of deleted sessions, oldest first."""
    return [_deletion(row) for row in db.execute(f"{_DELETIONS} ORDER BY id")]


def _remove(db: sqlite3.Connection, name: str) -> None:
    rows = SessionRows(db)
    session = rows.find_id(name)
    if session is not None:
        query = "SELECT name FROM session WHERE parent = ? ORDER BY id"
        forks = [fork for (fork,) in db.execute(query, (session,))]
        if forks:
            raise has_forks(name, forks)
        _remove_session(db, session, name)
    elif memory_rows.has_memories_from(db, name):
        # Memories may come from a transcript that was never a session here.
        memory_rows.blank_memories(db, name)
        _note_deletion(db, name, 0, 0, 0)
    elif not _is_unfinished(db, name):
        raise no_session(name, rows.names())


def _remove_session(db: sqlite3.Connection, session: int, name: str) -> None:
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
    commits = db.execute("DELETE FROM commits WHERE id BETWEEN ? AND ?", span).rowcount
    for table in ("fact", "jot"):
        db.execute(f"DELETE FROM {table} WHERE id BETWEEN ? AND ?", span)
    db.execute("DELETE FROM session WHERE id = ?", (session,))
    memory_rows.blank_memories(db, name)
    _note_deletion(db, name, messages, commits, bytes_removed)


def _note_deletion(
    db: sqlite3.Connection, name: str, messages: int, commits: int, bytes_removed: int
) -> None:
    db.execute(
        "INSERT INTO forgotten (name, messages, commits, bytes) VALUES (?, ?, ?, ?)",
        (hash_name(name), messages, commits, bytes_removed),
    )


def _is_unfinished(db: sqlite3.Connection, name: str) -> bool:
    query = "SELECT 1 FROM forgotten WHERE name = ? AND NOT done"
    return db.execute(query, (hash_name(name),)).fetchone() is not None


def _deletion(row: tuple[str, str, int, int, int, int]) -> Deletion:
    name, at, messages, commits, size, done = row
    return Deletion(name, at, messages, commits, size, bool(done))
