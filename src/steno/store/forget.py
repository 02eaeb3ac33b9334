"""The one way out of append-only: a session is removed, and nothing of it is left in the file's bytes.

What stays is a line that says when, how much, and a hash of what it was called. A
session that others were forked from stays: they begin with its words. Who is cut
off half way says it again; `done` tells whether the bytes are gone too.
"""

from __future__ import annotations

import sqlite3
from hashlib import blake2b

from steno.core.error import BadInput, NotHere
from steno.core.store import Forgotten
from steno.store import remembered
from steno.store.index import scrubbed
from steno.store.schema import SHIFT

FORKS_NAMED = 10
_ALL = "SELECT lower(hex(name)), at, messages, commits, bytes, done FROM forgotten"


def removed(db: sqlite3.Connection, name: str) -> None:
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
            _remove(db, found[0], name)
        elif remembered.any_of(db, name):  # of a file that is no session here
            remembered.blanked(db, name)
            _note(db, name, 0, 0, 0)
        elif not _begun(db, name):
            names = [known for (known,) in db.execute("SELECT name FROM session ORDER BY id LIMIT 10")]
            raise NotHere(f"no session is named {name!r}; there are: {', '.join(names) or 'none'}")
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
        db.execute("PRAGMA foreign_keys = ON")


def finished(db: sqlite3.Connection, name: str) -> Forgotten:
    """Write the file anew without what was removed, and empty its side file."""
    db.execute("VACUUM")
    scrubbed(db)
    db.execute("UPDATE forgotten SET done = 1 WHERE name = ?", (_hashed(name),))
    scrubbed(db)
    return _read(db.execute(f"{_ALL} WHERE name = ? ORDER BY id DESC LIMIT 1", (_hashed(name),)).fetchone())


def forgotten(db: sqlite3.Connection) -> list[Forgotten]:
    return [_read(row) for row in db.execute(f"{_ALL} ORDER BY id").fetchall()]


def _begun(db: sqlite3.Connection, name: str) -> bool:
    return db.execute("SELECT 1 FROM forgotten WHERE name = ? AND NOT done", (_hashed(name),)).fetchone() is not None


def _refuse_forked(db: sqlite3.Connection, session: int, name: str) -> None:
    forks = [fork for (fork,) in db.execute("SELECT name FROM session WHERE parent = ? ORDER BY id", (session,))]
    if forks:
        listed = ", ".join(forks[:FORKS_NAMED]) + (", …" if len(forks) > FORKS_NAMED else "")
        raise BadInput(f"{name!r} cannot be forgotten: forks begin with its words; forget them first: {listed}")


def _remove(db: sqlite3.Connection, session: int, name: str) -> None:
    span = (session << SHIFT, (session + 1 << SHIFT) - 1)
    db.execute("CREATE TEMP TABLE gone AS SELECT DISTINCT body FROM message WHERE id BETWEEN ? AND ?", span)
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
    remembered.blanked(db, name)
    _note(db, name, messages, commits, held)


def _note(db: sqlite3.Connection, name: str, messages: int, commits: int, held: int) -> None:
    row = (_hashed(name), messages, commits, held)
    db.execute("INSERT INTO forgotten (name, messages, commits, bytes) VALUES (?, ?, ?, ?)", row)


def _hashed(name: str) -> bytes:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _read(row: tuple[str, str, int, int, int, int]) -> Forgotten:
    name, at, messages, commits, size, done = row
    return Forgotten(name, at, messages, commits, size, bool(done))
