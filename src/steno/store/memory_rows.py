"""The rows of memories in a store's file.

A memory is written once, beside a seal: whose it is, what it says and how far it is trusted. If
its session is deleted, its row is blanked and its id stays.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple

from steno.core.store import GONE_MEMORY, Memory
from steno.store.database import Database
from steno.store.file import DamagedRow
from steno.store.rows import seal_row, verify_row

_COLUMNS = '"user", id, kind, text, trust, source, position, said, over'
OLD_KINDS = {"rule": "constraint"}
"""Kinds of memories under the names that earlier versions wrote."""


def read_memories(db: Database, user: str) -> list[Memory]:
    """Return every memory of a user, by id."""
    query = f'SELECT seal, {_COLUMNS} FROM memory WHERE "user" = ? ORDER BY id'
    memories: list[Memory] = []
    for seal, *row in db.execute(query, (user,)):
        verify_row(seal, *row)
        _, id, kind, text, trust, source, position, when, replaced = row
        over = tuple(json.loads(replaced))
        kind = OLD_KINDS.get(kind, kind)
        memories.append(Memory(id, kind, text, trust, source, position, when, over))
    # None is ever removed: a gap is a row that lost its user or its number.
    if any(memory.id != number for number, memory in enumerate(memories, start=1)):
        raise DamagedRow("a memory is missing")
    return memories


def write_memories(db: Database, user: str, memories: Sequence[Memory]) -> None:
    """Add memories, numbered already."""
    for memory in memories:
        *fields, when, over = astuple(memory)
        row = (user, *fields, float(when), json.dumps(over))
        db.execute(
            f"INSERT INTO memory ({_COLUMNS}, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, seal_row(*row)),
        )


def blank_memories(db: Database, source: str) -> bool:
    """Blank every memory from this session, as `rules.blank_memory` does; tell if any was."""
    # Seals are not verified here: words must go also from a damaged row. The old seal goes
    # with them, because a guess at the words could be tested against it.
    rows = db.execute('SELECT "user", id FROM memory WHERE source = ?', (source,)).fetchall()
    db.execute(
        "UPDATE memory SET over = CASE WHEN kind = ? THEN over ELSE '[]' END, kind = ?, "
        "text = '', trust = '', source = '', position = NULL, said = 0 WHERE source = ?",
        (GONE_MEMORY, GONE_MEMORY, source),
    )
    for key in rows:
        query = f'SELECT {_COLUMNS} FROM memory WHERE "user" = ? AND id = ?'
        seal = seal_row(*db.execute(query, key).fetchone())
        db.execute('UPDATE memory SET seal = ? WHERE "user" = ? AND id = ?', (seal, *key))
    return bool(rows)
