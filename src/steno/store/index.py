"""What recall searches: pieces of what was said, in a file of its own beside the store.

It is apart so that filling it never waits for, or holds up, who says something; it
holds nothing that is not in the store, so that deleting it costs a rebuild and no
more. A piece's id is its shelf, its position and its number there, so that a
session is a range of ids. How far a shelf is filled stands in the same transaction
as what it was filled with: whoever is killed half way, the next goes on from there.
What to look for, and how to rank it, is `search`'s business.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from steno.store.errors import INDEX_SUFFIX, file_errors, is_damage
from steno.store.terms import VERSION, index_terms, valid_text

SHELF_BITS, CHUNK_BITS = 40, 12
"""Bits of a piece's id below its shelf, and below its position."""
CHUNKS_MOST = 1 << CHUNK_BITS
BUSY_SECONDS = 10.0
CACHE_KIB = 8_192
SUFFIX = INDEX_SUFFIX
IN_MEMORY = Path(":memory:")

_TABLES = (
    "CREATE TABLE made (version INTEGER NOT NULL) STRICT",
    """CREATE TABLE shelf (
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        user TEXT NOT NULL,
        upto INTEGER NOT NULL DEFAULT 0,
        chain BLOB NOT NULL DEFAULT x'',
        pieces INTEGER NOT NULL DEFAULT 0,
        size INTEGER NOT NULL DEFAULT 0,
        stated INTEGER NOT NULL DEFAULT 0,
        vocabulary INTEGER NOT NULL DEFAULT 0,
        born INTEGER NOT NULL DEFAULT (random())
    ) STRICT""",
    """CREATE TABLE piece (
        id INTEGER PRIMARY KEY,
        size INTEGER NOT NULL,
        role TEXT NOT NULL,
        tool TEXT NOT NULL,
        said REAL,
        block INTEGER NOT NULL,
        start INTEGER NOT NULL,
        paths TEXT NOT NULL,
        text TEXT NOT NULL
    ) STRICT""",
    # Terms come ready-made, so the tokenizer only parts them; lists of rows are all that ranking needs.
    "CREATE VIRTUAL TABLE words USING fts5 "
    "(terms, content = '', detail = none, columnsize = 0, tokenize = \"ascii tokenchars '_'\")",
    "CREATE TABLE stated (kind TEXT, id INTEGER, block INTEGER, PRIMARY KEY (kind, id, block)) STRICT, WITHOUT ROWID",
    """CREATE TABLE vector (
        embedder TEXT NOT NULL,
        id INTEGER NOT NULL,
        value BLOB NOT NULL,
        PRIMARY KEY (embedder, id)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE embedded (
        embedder TEXT NOT NULL,
        number INTEGER NOT NULL,
        upto INTEGER NOT NULL,
        PRIMARY KEY (embedder, number)
    ) STRICT, WITHOUT ROWID""",
)

_MARK = "number, upto, chain, pieces, size, stated, vocabulary"


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A stretch of one block, short enough to be about one thing."""

    position: int
    block: int
    start: int
    """Where in the block's text it begins."""
    text: str
    role: str
    tool: str = ""
    paths: str = ""
    said: float | None = None


@dataclass(frozen=True, slots=True)
class IndexMark:
    """How far a session is in the index."""

    number: int
    upto: int
    chain: bytes
    pieces: int
    size: int
    stated: int
    vocabulary: int

    def row(self, position: int) -> int:
        return self.number << SHELF_BITS | position << CHUNK_BITS


@runtime_checkable
class HasIndex(Protocol):
    """A store that has an index."""

    @property
    def index(self) -> Index: ...


class Index:
    def __init__(self, path: Path = IN_MEMORY) -> None:
        self.path = path
        self.lock = threading.RLock()
        self.rebuilt = False
        """It was damaged, and begun anew."""
        with file_errors(path):
            try:
                self.db = _open(path)
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
                self._recreate()

    @classmethod
    def beside(cls, path: Path) -> Index:
        return cls(path.with_name(path.name + SUFFIX))

    @staticmethod
    def exists_beside(path: Path) -> bool:
        return path.with_name(path.name + SUFFIX).exists()

    def close(self) -> None:
        with self.lock:
            self.db.close()

    def rebuild(self) -> None:
        """Throw away what is there, which the store can say again."""
        with self.lock, file_errors(self.path):
            self.db.close()
            self._recreate()

    def _recreate(self) -> None:
        for end in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + end).unlink(missing_ok=True)
        self.db = _open(self.path)
        self.rebuilt = True

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction; what is read from the store within it is still there when it is kept."""
        with self.lock, file_errors(self.path):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.db.execute("COMMIT")
            finally:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")

    def mark(self, name: str) -> IndexMark | None:
        with self.lock, file_errors(self.path):
            found = self.db.execute(f"SELECT {_MARK} FROM shelf WHERE name = ?", (name,)).fetchone()
        if found is None:
            return None
        return IndexMark(*found)

    def marks(self, user: str) -> dict[str, IndexMark]:
        with self.lock, file_errors(self.path):
            rows = self.db.execute(
                f"SELECT name, {_MARK} FROM shelf WHERE user = ?", (user,)
            ).fetchall()
        return {name: IndexMark(*rest) for name, *rest in rows}

    def ensure_mark(self, name: str, user: str) -> IndexMark:
        """The mark of a session, which may be new here."""
        self.db.execute("INSERT OR IGNORE INTO shelf (name, user) VALUES (?, ?)", (name, user))
        mark = self.mark(name)
        assert mark is not None
        return mark

    def names(self) -> list[str]:
        with self.lock, file_errors(self.path):
            return [
                name
                for (name,) in self.db.execute("SELECT name FROM shelf ORDER BY number").fetchall()
            ]

    def add_chunks(
        self, mark: IndexMark, pieces: Sequence[TextChunk], upto: int, chain: bytes
    ) -> None:
        """Take in pieces, and how far that goes; within `writing`."""
        at, position, sizes = 0, -1, 0
        for piece in pieces:
            at = at + 1 if piece.position == position else 0
            position = piece.position
            text = valid_text(piece.text)
            terms, size = index_terms(text)
            sizes += size
            row = mark.row(position) | at
            self.db.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (row, terms))
            about = (
                piece.role,
                valid_text(piece.tool),
                piece.said,
                piece.block,
                piece.start,
                valid_text(piece.paths),
            )
            self.db.execute(
                "INSERT INTO piece VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (row, size, *about, text)
            )
        self.db.execute(
            "UPDATE shelf SET upto = ?, chain = ?, pieces = pieces + ?, size = size + ? WHERE number = ?",
            (upto, chain, len(pieces), sizes, mark.number),
        )

    def add_facts(
        self, mark: IndexMark, stated: Sequence[tuple[int, int, str]], upto: int, vocabulary: int
    ) -> None:
        """Take in which blocks of which positions state which kinds of facts; within `writing`."""
        rows = [(kind, mark.row(position), block) for position, block, kind in stated]
        self.db.executemany("INSERT OR IGNORE INTO stated VALUES (?, ?, ?)", rows)
        given = (upto, vocabulary, mark.number)
        self.db.execute("UPDATE shelf SET stated = ?, vocabulary = ? WHERE number = ?", given)

    def clear_facts(self, mark: IndexMark) -> None:
        """Begin anew with the kinds of facts, which another vocabulary had read; within `writing`."""
        self.db.execute("DELETE FROM stated WHERE id BETWEEN ? AND ?", row_range(mark.number))
        self.db.execute(
            "UPDATE shelf SET stated = 0, vocabulary = 0 WHERE number = ?", (mark.number,)
        )

    def drop(self, name: str) -> None:
        """Take a session out; within `writing`."""
        mark = self.mark(name)
        if mark is None:
            return
        span = row_range(mark.number)
        # An index without content is told what to take out: the very terms that were put in.
        for row, text in self.db.execute(
            "SELECT id, text FROM piece WHERE id BETWEEN ? AND ?", span
        ).fetchall():
            self.db.execute(
                "INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)",
                (row, index_terms(text)[0]),
            )
        for table in ("piece", "stated", "vector"):
            self.db.execute(f"DELETE FROM {table} WHERE id BETWEEN ? AND ?", span)
        self.db.execute("DELETE FROM embedded WHERE number = ?", (mark.number,))
        self.db.execute("DELETE FROM shelf WHERE number = ?", (mark.number,))

    def forget(self, name: str) -> None:
        """Take a session out so that nothing of it is left in the file's bytes."""
        with self.lock, file_errors(self.path):
            self.db.execute("PRAGMA secure_delete = ON")
            with self.writing():
                self.drop(name)
                # Terms that were taken out stay in their segment until it is merged with the others.
                self.db.execute("INSERT INTO words (words) VALUES ('optimize')")
            self.db.execute("VACUUM")
            truncate_wal(self.db)


def row_range(number: int) -> tuple[int, int]:
    """The first and the last id that a shelf can hold."""
    return number << SHELF_BITS, (number + 1 << SHELF_BITS) - 1


def truncate_wal(db: sqlite3.Connection) -> None:
    """Empty the write-ahead log into the file; whoever still reads from it holds that up."""
    busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error


def _open(path: Path) -> sqlite3.Connection:
    if path is not IN_MEMORY and not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        db.create_function("casefold", 1, str.casefold, deterministic=True)
        db.execute("PRAGMA auto_vacuum = NONE")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")  # what a crash of the machine takes is built anew
        db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        db.execute("PRAGMA temp_store = MEMORY")
        db.execute("BEGIN IMMEDIATE")
        _create_tables(db)
        db.execute("COMMIT")
    except BaseException:
        db.close()
        raise
    return db


def _create_tables(db: sqlite3.Connection) -> None:
    """Make the tables, anew where they are of another version."""
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    if "made" in tables and db.execute("SELECT version FROM made").fetchone() == (VERSION,):
        return
    own = ("made", "shelf", "piece", "words", "stated", "vector", "embedded")
    for name in own:
        db.execute(f"DROP TABLE IF EXISTS {name}")
    for table in _TABLES:
        db.execute(table)
    db.execute("INSERT INTO made VALUES (?)", (VERSION,))
