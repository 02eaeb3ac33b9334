"""Opening a file: ours alone, up to date, and written ahead."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

from steno.core.error import StoreFailed
from steno.store.schema import migrated

BUSY_SECONDS = 10.0
CACHE_KIB = 512
"""Of pages in memory: a log is read once, in order."""


def opened(path: Path, durable: bool) -> sqlite3.Connection:
    if "\0" in str(path):
        raise StoreFailed(f"{str(path)!r} is no path")
    if path.is_dir():
        raise IsADirectoryError
    if not path.exists():
        # Made by us so that it is ours alone from its first byte; SQLite gives its side files the same mode.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        migrated(db, path)  # first, so that somebody else's file is refused as it is
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
