"""A SQLite file of ours: open it privately, and turn its failures into one sentence.

Owns what a store's file and recall's index have in common. The tables of a store are in
`schema`, those of the index in `recall.index`.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sqlite3
import stat
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import msgspec

from steno.core.errors import BadInput, StoreFailed

BUSY_SECONDS = 10.0
"""How long to wait for another process that holds the file."""
LOCKED = "is locked by another process; try again, or close it there"
KEY_SUFFIX = "-key"
"""The key of a store's file is in a file of its own: that name and this suffix."""
KEY_BYTES = 32
OTHERS = 0o077
"""Rights of the group and of everybody else."""
_MAKING = Lock()
"""Of two threads that make a file, none may close it while the other has it open."""
DAMAGED = "is damaged; keep a copy, then recover it with: sqlite3 {path} .recover"
DAMAGED_ROW = (
    "is damaged: {problem}; keep a copy, list all that is damaged with: steno store check {path}, "
    "and save each session that is whole with: steno store copy {path} NEW.db -s NAME"
)

SENTENCES = {
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
    sqlite3.SQLITE_READONLY: "cannot be written: the file or its folder is read-only",
    sqlite3.SQLITE_PERM: "cannot be opened: permission denied",
    sqlite3.SQLITE_FULL: (
        "cannot grow: the disk is full; nothing was written, free some space and try again"
    ),
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk answered with an error",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: "is not a Steno file",
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened: is its folder there, may it be written, and is there space on the disk?"
    ),
}
ADDRESS = re.compile(
    # A scheme or a login, as in `mysql://`, `jdbc:h2:/` and `me:word@host`; `C:/` is a path.
    r"(?!file:)(?=(?:[/\\]{2})?[^/\\:]{2,}:(?:(?:[^/\\]*:)?[/\\]|[^/\\]*@)"
    # Keywords, as libpq takes them: `host=db password=word`.
    r"|(?=[\s'\"]*\w+\s*=).*\b(?:host|hostaddr|dbname|password|pwd)\s*=)[^:=]*[:=]",
    re.I | re.S,
)
"""What is the address of something, and never the path of a file."""


def refuse_address(place: str | os.PathLike[str]) -> None:
    """Raise if what is given as the path of a file is an address; it may hold a password."""
    if found := ADDRESS.match(os.fspath(place)):
        raise BadInput(
            f"{found[0]!r} does not begin the path of a store: write that path, "
            "or postgresql://USER@HOST/DATABASE for PostgreSQL; ./NAME is always a file"
        )


class DamagedFile(StoreFailed):
    """A file that cannot be read as it was written."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.path = path


class DamagedRow(Exception):
    """A row that does not hold what was written."""


def connect(path: Path) -> sqlite3.Connection:
    """Open a SQLite file, for its owner alone from now on.

    The file itself is opened by SQLite alone: where a process closes it in any other way, the
    system takes all locks away that the process has on it.
    """
    with _MAKING:
        if not path.exists():
            # Created before SQLite does, so that it is private from its first byte;
            # SQLite gives its side files the same mode.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    # Transactions are begun by hand, and the owner's lock guards the connection.
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    # What is damaged is found by its hash, and must not end the reading of other rows.
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    if _is_sqlite(db):
        for suffix in ("", "-wal", "-shm"):
            tighten(path.with_name(path.name + suffix))
    return db


def _is_sqlite(db: sqlite3.Connection) -> bool:
    """Tell whether a file is SQLite's, or still empty; another's keeps its rights."""
    try:
        db.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        return _primary_code(error) != sqlite3.SQLITE_NOTADB
    return True


def tighten(path: Path) -> None:
    """Take every right of other users of the machine away from a file of ours."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & OTHERS:
            path.chmod(mode & ~OTHERS)
    except FileNotFoundError:
        # Side files come and go with other processes.
        pass
    except PermissionError:
        warnings.warn(
            f"{path} belongs to another user of this machine, and others may read it", stacklevel=2
        )


def key_beside(path: Path) -> bytes:
    """Return the random key that belongs to a file, from a private file beside it.

    It is not in the file itself, so that a copy of the file alone tells nothing of what the
    key hides.
    """
    place = path.with_name(path.name + KEY_SUFFIX)
    made = place.with_name(f"{place.name}.{secrets.token_hex(4)}")
    if not place.exists():
        file = os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            os.write(file, secrets.token_bytes(KEY_BYTES))
            os.fsync(file)
            _put_in_place(made, place)
        finally:
            os.close(file)
            made.unlink(missing_ok=True)
    tighten(place)
    key = place.read_bytes()
    if len(key) != KEY_BYTES:
        raise StoreFailed(f"{place} is not a key of Steno's: delete it, and a new one is made")
    return key


def _put_in_place(made: Path, place: Path) -> None:
    """Give a file its name, whole or not at all; the first of two processes wins."""
    try:
        os.link(made, place)
    except FileExistsError:
        pass
    except OSError:
        # Some file systems have no links.
        made.replace(place)


def use_wal(db: sqlite3.Connection) -> None:
    """Switch the file to a write-ahead log."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if _primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            # SQLite's own timeout does not cover this switch, so we wait here for
            # others that open the file at the same moment.
            time.sleep(0.005)


def truncate_wal(db: sqlite3.Connection) -> None:
    """Empty the write-ahead log into the file; raise if a reader still needs it."""
    busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error
    _, _, path = db.execute("PRAGMA database_list").fetchone()
    if path:
        # SQLite does not sync this: after a power loss the old log, with its words, would be back.
        sync_file(Path(f"{path}-wal"))


def sync_file(path: Path) -> None:
    """Wait until a file is on the disk as it is."""
    held = os.open(path, os.O_RDONLY)
    try:
        os.fsync(held)
    finally:
        os.close(held)


def file_identity(path: str, *, follow: bool = True) -> tuple[int, int] | None:
    """Return what tells the file at a path from any other; None if there is none.

    Without `follow` a link is a file of its own.
    """
    try:
        found = os.stat(path, follow_symlinks=follow)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


MOVED = (
    "was moved, deleted or replaced while it was open here: nothing was written; "
    "put the file back, or open the store anew"
)
CLOSED = "was closed, with its session or by itself; open it again to go on"
# Python raises it itself, without a code.
_CLOSED_DATABASE = "Cannot operate on a closed database."


@contextmanager
def file_errors(path: Path, damaged: str | None = None) -> Iterator[None]:
    """Turn a failure of the file into `StoreFailed`.

    `damaged` is the sentence for a damaged file, if the usual one does not fit.
    """
    try:
        yield
    except sqlite3.Error as error:
        code = _primary_code(error)
        if is_damage(error):
            sentence = damaged or SENTENCES.get(code, DAMAGED)
            raise DamagedFile(f"{path} {sentence.format(path=path)}", path) from error
        sentence = SENTENCES.get(code, f"failed: {error}")
        if str(error) == _CLOSED_DATABASE:
            sentence = CLOSED
        raise StoreFailed(f"{path} {sentence}") from error
    except DamagedRow as error:
        sentence = (damaged or DAMAGED_ROW).format(path=path, problem=error)
        raise DamagedFile(f"{path} {sentence}", path) from error
    except (msgspec.MsgspecError, json.JSONDecodeError, UnicodeDecodeError) as error:
        sentence = (damaged or DAMAGED).format(path=path)
        raise DamagedFile(f"{path} {sentence}", path) from error
    except StoreFailed:
        # It is an OSError too, and says already what happened.
        raise
    except OSError as error:
        raise StoreFailed(f"{path} {_os_sentence(error)}") from error


def is_damage(error: sqlite3.Error) -> bool:
    """Tell whether the file is not what was written."""
    return _primary_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _primary_code(error: sqlite3.Error) -> int:
    # The low byte is the kind of error; the rest tells its cause more closely.
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _os_sentence(error: OSError) -> str:
    match error:
        case IsADirectoryError():
            return "is a folder; name a file in it"
        case FileNotFoundError() | NotADirectoryError():
            return "cannot be made: its folder is not there"
        case PermissionError():
            return "cannot be opened: permission denied"
    reason = error.strerror or str(error)
    return f"cannot be opened: {reason.lower()}"
