"""How memories lie in their rows: written once, read in order, blanked when their session is forgotten."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from steno.core.store import GONE_MEMORY, Memory

_COLUMNS = "id, kind, text, trust, source, position, said, over"


def read_memories(db: sqlite3.Connection, user: str) -> list[Memory]:
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM memory WHERE user = ? ORDER BY id", (user,)
    ).fetchall()
    return [
        Memory(id, kind, text, trust, source, position, said, tuple(json.loads(over)))
        for id, kind, text, trust, source, position, said, over in rows
    ]


def write_memories(db: sqlite3.Connection, user: str, memories: Sequence[Memory]) -> None:
    rows = (
        (
            user,
            each.id,
            each.kind,
            each.text,
            each.trust,
            each.source,
            each.position,
            each.when,
            str(list(each.over)),
        )
        for each in memories
    )
    db.executemany(
        f"INSERT INTO memory (user, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
    )


def users_with_memories(db: sqlite3.Connection) -> list[str]:
    return [
        user for (user,) in db.execute("SELECT DISTINCT user FROM memory ORDER BY user").fetchall()
    ]


def has_memories_from(db: sqlite3.Connection, source: str) -> bool:
    return db.execute("SELECT 1 FROM memory WHERE source = ?", (source,)).fetchone() is not None


def blank_memories(db: sqlite3.Connection, source: str) -> None:
    """As `core.store.blank` has it: the numbers stay, so that none is given twice."""
    db.execute(
        "UPDATE memory SET over = CASE kind WHEN ? THEN over ELSE '[]' END, kind = ?, text = '', trust = '', "
        "source = '', position = NULL, said = 0 WHERE source = ?",
        (GONE_MEMORY, GONE_MEMORY, source),
    )
