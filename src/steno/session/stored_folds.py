"""What was added up of a long session, kept in its store: a restart reads only what is new.

It is kept for the very same code: any other adds everything up again. It is written seldom,
because it is written whole: when the log has grown by an eighth, and when the session is closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable

from steno.core.kept_folds import adopt_folds, encode_folds
from steno.core.message import Message
from steno.core.store import KeepsFolded
from steno.core.tape import Tape
from steno.session.stored_session import StoredSession

KEPT_LEAST = 1_024
"""Messages of a session from which on it pays, and new ones when it is closed."""
GROWN_BY = 8
"""It is kept again when the log has grown by this part of it."""
BYTES_MOST = 2**28
VERSION_BYTES = 16


class StoredFolds:
    """Passes what was added up of a session's messages to its store, and back."""

    def __init__(self, stored: StoredSession) -> None:
        self._stored = stored
        self._upto = 0
        """How many messages are added up in the store."""
        self._asked = False

    def load(self, messages: Tape[Message]) -> bool:
        """Hand what is kept to the tape, once; tell whether there was anything."""
        store = self._stored.store
        if self._asked or len(messages) < KEPT_LEAST or not isinstance(store, KeepsFolded):
            return False
        self._asked = True
        kept = store.folded(self._stored.key, code_version())
        if kept is None:
            return False
        self._upto, body = kept
        adopt_folds(messages, body)
        return True

    def save(self, messages: Tape[Message], *, closing: bool = False) -> None:
        """Keep what was added up, if it has grown by enough."""
        store = self._stored.store
        grown = KEPT_LEAST if closing else max(KEPT_LEAST, self._upto // GROWN_BY)
        if len(messages) - self._upto < grown or not isinstance(store, KeepsFolded):
            return
        # Also if it cannot be kept: the next try is not sooner.
        self._upto = len(messages)
        try:
            body = encode_folds(messages)
        except ValueError:
            return
        if len(body) <= BYTES_MOST:
            store.keep_folded(self._stored.key, code_version(), len(messages), body)


@cache
def code_version() -> bytes:
    """Return a hash of Steno's own files: what they add up means nothing to others."""
    hashed = blake2b(digest_size=VERSION_BYTES)
    for path, content in _contents(files("steno"), ""):
        hashed.update(f"{path} {len(content)} ".encode() + content)
    return hashed.digest()


def _contents(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_file():
            yield f"{path}/{entry.name}", entry.read_bytes()
        elif entry.name != "__pycache__":
            yield from _contents(entry, f"{path}/{entry.name}")
