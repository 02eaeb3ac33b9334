"""What goes wrong with a file, in one sentence that says what to do."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from steno.core.errors import StoreFailed

INDEX_SUFFIX = "-recall"
"""How the file of an index is called: by its store's name and this."""


class DamagedFile(StoreFailed):
    """A file that cannot be read as it was written."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.path = path


class DamagedRow(Exception):
    """What is kept is not what was written."""


SENTENCES = {
    sqlite3.SQLITE_BUSY: "is locked by another process; try again, or close it there",
    sqlite3.SQLITE_LOCKED: "is locked by another process; try again, or close it there",
    sqlite3.SQLITE_READONLY: "cannot be written: the file or its folder is read-only",
    sqlite3.SQLITE_PERM: "cannot be opened: permission denied",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full; nothing was written, free some space and try again",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk answered with an error",
    sqlite3.SQLITE_CORRUPT: "is damaged; keep a copy, then recover it with: sqlite3 FILE .recover",
    sqlite3.SQLITE_NOTADB: "is not a Steno file",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: is its folder there, and may it be written?",
}


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn a failure of the file into one of ours."""
    try:
        yield
    except sqlite3.Error as error:
        primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if is_damage(error):
            raise DamagedFile(f"{path} {_damage_sentence(path, primary)}", path) from error
        raise StoreFailed(f"{path} {SENTENCES.get(primary, f'failed: {error}')}") from error
    except (DamagedRow, msgspec.MsgspecError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DamagedFile(
            f"{path} {_damage_sentence(path, sqlite3.SQLITE_CORRUPT)}", path
        ) from error
    except StoreFailed:
        raise
    except OSError as error:
        raise StoreFailed(f"{path} {_os_sentence(error)}") from error


def is_damage(error: sqlite3.Error) -> bool:
    """The file is not what was written, whoever else may read it."""
    broken = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in broken or str(error).startswith(
        "Could not decode"
    )


def _damage_sentence(path: Path, primary: int) -> str:
    if path.name.endswith(INDEX_SUFFIX):
        return "is damaged; it is only an index: delete it, and the next search builds it anew"
    return SENTENCES.get(primary, SENTENCES[sqlite3.SQLITE_CORRUPT])


def _os_sentence(error: OSError) -> str:
    match error:
        case IsADirectoryError():
            return "is a folder; name a file in it"
        case FileNotFoundError() | NotADirectoryError():
            return "cannot be made: its folder is not there"
        case PermissionError():
            return "cannot be opened: permission denied"
    return f"cannot be opened: {(error.strerror or str(error)).lower()}"
