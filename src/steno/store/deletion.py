"""Delete a session so that none of its words is left in the database.

The one exception to append-only. What stays is a row with the time, the size and a hash of
the session's name. The deletion has two steps, rows and bytes; between them the store lets
recall clear its index. A deletion that stops half way is finished by repeating it, and
`Deletion.done` tells whether it was.
"""

from __future__ import annotations

from steno.core.store import Deletion, hash_name, no_session
from steno.store import memory_rows
from steno.store.database import Database, row_span
from steno.store.rows import SessionRows
from steno.store.rules import has_forks


def remove_rows(db: Database, name: str) -> None:
    """Remove the session, and the bodies that only it has, from the tables."""
    rows = SessionRows(db)
    session = rows.find_id(name)
    if session is not None:
        query = "SELECT name FROM session WHERE parent = ? ORDER BY id"
        forks = [fork for (fork,) in db.execute(query, (session,))]
        if forks:
            raise has_forks(name, forks)
        _remove_session(db, session, name)
    elif memory_rows.blank_memories(db, name):
        # Memories may come from a transcript that was never a session here.
        _note_deletion(db, name, None, 0, 0, 0)
    elif not _is_unfinished(db, name):
        raise no_session(name, rows.names())


def finish_deletion(db: Database, name: str) -> Deletion:
    """Note that nothing is left of a session."""
    db.execute("UPDATE forgotten SET done = 1 WHERE name = ?", (hash_name(name),))
    query = (
        "SELECT at, messages, commits, bytes FROM forgotten WHERE name = ? ORDER BY id DESC LIMIT 1"
    )
    at, messages, commits, size = db.execute(query, (hash_name(name),)).fetchone()
    return Deletion(hash_name(name).hex(), at, messages, commits, size, done=True)


def _remove_session(db: Database, session: int, name: str) -> None:
    span = row_span(session)
    messages, bytes_removed = db.remove_messages(session)
    query = "DELETE FROM commits WHERE id BETWEEN ? AND ? RETURNING id"
    commits = len(db.execute(query, span).fetchall())
    for table in ("fact", "jot", "folded"):
        db.execute(f"DELETE FROM {table} WHERE id BETWEEN ? AND ?", span)
    db.execute("DELETE FROM session WHERE id = ?", (session,))
    memory_rows.blank_memories(db, name)
    _note_deletion(db, name, session, messages, commits, bytes_removed)


def _note_deletion(db: Database, name: str, session: int | None, *removed: int) -> None:
    """Note that messages, commits and bytes of a session were removed."""
    db.execute(
        "INSERT INTO forgotten (name, session, messages, commits, bytes) VALUES (?, ?, ?, ?, ?)",
        (hash_name(name), session, *removed),
    )


def _is_unfinished(db: Database, name: str) -> bool:
    query = "SELECT 1 FROM forgotten WHERE name = ? AND done = 0"
    return db.execute(query, (hash_name(name),)).fetchone() is not None
