"""The index that recall searches: chunks of text, in a file of its own beside the store's.

A file of its own, so that filling it never holds up a session that writes. It holds nothing
that is not in the store, so deleting it costs a rebuild and no data. A chunk's id is made of
its session's number, its position and its number there, so that a session is a range of ids.
How far a session is filled is written in the same transaction as its chunks: if a process is
killed, the next one goes on from there.

`index_of` finds the index of a store. Searching is in `search`, ranking in `rank`.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from steno.core.store import Store, observe_stores
from steno.recall.postgres import PostgresIndex
from steno.recall.rows import Filters, IndexMark, RowId, RowScope, TextChunk, row_range
from steno.recall.search import Search
from steno.recall.sql import RecallIndex, index_chunks
from steno.recall.terms import VERSION, index_terms
from steno.store.database import SharedDatabase
from steno.store.file import connect, file_errors, is_damage, truncate_wal, use_wal
from steno.store.sql import SQLStore

SUFFIX = "-recall"
"""An index's file has its store's name and this suffix."""
IN_MEMORY = Path(":memory:")
CACHE_KIB = 8_192
DAMAGED = "is damaged; it is only an index: delete it, and the next search builds it anew"

# `born` tells two fillings apart: after a drop, the same number may be given again, and
# vectors of the old one may still be held in memory.
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
        call TEXT NOT NULL,
        text TEXT NOT NULL
    ) STRICT""",
    # Terms are made by `terms`, so the tokenizer only splits at spaces. Ranking needs
    # the rows of a term and nothing else, so no positions and no sizes are kept.
    "CREATE VIRTUAL TABLE words USING fts5 "
    "(terms, content = '', detail = none, columnsize = 0, tokenize = \"ascii tokenchars '_'\")",
    """CREATE TABLE stated (
        kind TEXT,
        id INTEGER,
        block INTEGER,
        PRIMARY KEY (kind, id, block)
    ) STRICT, WITHOUT ROWID""",
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
_TABLE_NAMES = ("made", "shelf", "piece", "words", "stated", "vector", "embedded")


class Index(RecallIndex):
    """The chunks, terms, facts and vectors of a store's sessions."""

    def __init__(self, path: Path = IN_MEMORY) -> None:
        self.path: Path = path
        self.lock = threading.RLock()
        self.rebuilt = False
        """True after a damaged file was replaced by an empty one."""
        with file_errors(path, DAMAGED):
            try:
                self.db = _open(path)
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
                self._recreate()

    def close(self) -> None:
        with self.lock:
            self.db.close()

    def rebuild(self) -> None:
        """Replace the file by an empty one, to be filled from the store again."""
        with self.lock, file_errors(self.path, DAMAGED):
            self.db.close()
            self._recreate()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self.lock, file_errors(self.path, DAMAGED):
            yield self.db

    def snapshot(self) -> AbstractContextManager[None]:
        return nullcontext()

    @contextmanager
    def writing(self) -> Iterator[None]:
        with self.lock, file_errors(self.path, DAMAGED):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.db.execute("COMMIT")
            finally:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")

    def search(self, scope: RowScope, filters: Filters, seconds: float) -> Search:
        return Search(self, scope, filters, seconds)

    def ensure_mark(self, name: str, user: str) -> IndexMark:
        self.db.execute("INSERT OR IGNORE INTO shelf (name, user) VALUES (?, ?)", (name, user))
        mark = self.mark(name)
        assert mark is not None
        return mark

    def add_chunks(
        self, mark: IndexMark, chunks: Sequence[TextChunk], upto: int, chain: bytes
    ) -> None:
        added = index_chunks(mark, chunks)
        self.execute_many(
            "INSERT INTO words (rowid, terms) VALUES (?, ?)",
            [(chunk.row, chunk.terms) for chunk in added],
        )
        self.execute_many(
            "INSERT INTO piece VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(chunk.row, chunk.size, *chunk.columns, chunk.call, chunk.text) for chunk in added],
        )
        self.note_chunks(mark, upto, chain, added)

    def execute_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        self.db.executemany(statement, rows)

    def drop(self, name: str) -> None:
        mark = self.mark(name)
        if mark is None:
            return
        span = row_range(mark.number)
        query = "SELECT id, text, call FROM piece WHERE id BETWEEN ? AND ?"
        for row, text, call in self.db.execute(query, span).fetchall():
            # A contentless FTS5 table does not know its own terms: to remove a row,
            # it must be given the very terms that were put in.
            terms, _ = index_terms(text, call)
            self.db.execute(
                "INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)", (row, terms)
            )
        for table in ("piece", "stated", "vector"):
            self.db.execute(f"DELETE FROM {table} WHERE id BETWEEN ? AND ?", span)
        self.db.execute("DELETE FROM embedded WHERE number = ?", (mark.number,))
        self.db.execute("DELETE FROM shelf WHERE number = ?", (mark.number,))

    def add_vectors(
        self, embedder: str, number: int, vectors: Sequence[tuple[RowId, str, Sequence[bytes]]]
    ) -> None:
        with self.writing():
            for row, text, values in vectors:
                # Only if the row still has this text: the session may have been deleted
                # while the embedder worked.
                self.db.execute(
                    "INSERT OR REPLACE INTO vector "
                    "SELECT ?, id, ? FROM piece WHERE id = ? AND text = ?",
                    (embedder, b"".join(values), row, text),
                )
            self.db.execute(
                "INSERT OR REPLACE INTO embedded SELECT ?, number, ? FROM shelf WHERE number = ?",
                (embedder, vectors[-1][0], number),
            )

    def erase(self, name: str) -> None:
        with self.reading() as db:
            db.execute("PRAGMA secure_delete = ON")
            with self.writing():
                self.drop(name)
                # Removed terms stay in their segment until it is merged with the others.
                db.execute("INSERT INTO words (words) VALUES ('optimize')")
            db.execute("VACUUM")
            truncate_wal(db)

    def _recreate(self) -> None:
        # SQLite would take a log that is left behind for the new file's.
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        self.db = _open(self.path)
        self.rebuilt = True


class _StoreIndexes:
    """The open index of each store, for as long as the store is open."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Weak: an index must not keep a store alive that was never closed.
        self._open: WeakKeyDictionary[Store, RecallIndex] = WeakKeyDictionary()

    def get(self, store: Store) -> RecallIndex:
        with self._lock:
            index = self._open.get(store)
            if index is None:
                index = _new_index(store)
                self._open[store] = index
            return index

    def session_deleted(self, store: Store, name: str) -> None:
        # The file may hold the session's words although this process never searched it.
        if store in self._open or (store.path is not None and index_path(store.path).exists()):
            self.get(store).erase(name)

    def store_closed(self, store: Store) -> None:
        with self._lock:
            index = self._open.pop(store, None)
        if index is not None:
            index.close()


def _new_index(store: Store) -> RecallIndex:
    if isinstance(store, SQLStore) and isinstance(store.database, SharedDatabase):
        return PostgresIndex(store.database)
    if store.path is None:
        return Index()
    return Index(index_path(store.path))


_indexes = _StoreIndexes()
observe_stores(_indexes)


def index_of(store: Store) -> RecallIndex:
    """Return the index of a store; open it, or create it, when it is first needed."""
    return _indexes.get(store)


def index_path(path: Path) -> Path:
    """Return the path of the index that belongs to a store's file."""
    return path.with_name(path.name + SUFFIX)


def _open(path: Path) -> sqlite3.Connection:
    if path is IN_MEMORY:
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    else:
        db = connect(path)
    try:
        db.create_function("casefold", 1, str.casefold, deterministic=True)
        db.execute("PRAGMA auto_vacuum = NONE")
        use_wal(db)
        # What a crash of the machine takes is filled in again.
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        db.execute("PRAGMA temp_store = MEMORY")
        db.execute("BEGIN IMMEDIATE")
        _create_tables(db)
        db.execute("COMMIT")
    # Also on Ctrl-C: a connection in a transaction would lock the file for everyone else.
    except BaseException:
        db.close()
        raise
    return db


def _create_tables(db: sqlite3.Connection) -> None:
    """Create the tables; replace those of another version."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    tables = [name for (name,) in db.execute(query)]
    if "made" in tables and db.execute("SELECT version FROM made").fetchone() == (VERSION,):
        return
    for name in _TABLE_NAMES:
        db.execute(f"DROP TABLE IF EXISTS {name}")
    for statement in _TABLES:
        db.execute(statement)
    db.execute("INSERT INTO made VALUES (?)", (VERSION,))
