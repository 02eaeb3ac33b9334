"""A store that keeps chain keys as the caller's list has them.

What is kept of a message may differ from what the caller sends from the next
call on (a reminder that lived on it, a secret that was redacted), and the
session must be found all the same. So the keys of a list go with its messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steno.core.error import NotHere
from steno.core.log import Commit
from steno.core.message import Message
from steno.core.store import Card, Kept, Read
from steno.store.sqlite import SQLiteStore


class KeyedStore:
    def __init__(self, store: SQLiteStore) -> None:
        self._store = store
        self._expected: dict[str, Sequence[bytes]] = {}

    def expect(self, name: str, keys: Sequence[bytes]) -> None:
        """The chain keys of what is appended next."""
        self._expected[name] = keys

    def append(self, name: str, messages: Sequence[Message]) -> int:
        keys = self._expected.pop(name, ())
        return self._store.append(name, messages, keys if len(keys) == len(messages) else ())

    def holding(self, keys: Sequence[bytes], most: int) -> list[tuple[str, int]]:
        return self._store.holding(keys, most)

    def has(self, name: str) -> bool:
        try:
            self._store.card(name)
        except NotHere:
            return False
        return True

    def create(self, name: str, wire: str, setup: str = "{}", *, parent: str | None = None, fork: int = 0) -> None:
        self._store.create(name, wire, setup, parent=parent, fork=fork)

    def commit(self, name: str, commit: Commit) -> Commit:
        return self._store.commit(name, commit)

    def load(self, name: str, read: Read, *, messages: int = 0, commits: int = 0) -> Kept:
        return self._store.load(name, read, messages=messages, commits=commits)

    def card(self, name: str) -> Card:
        return self._store.card(name)

    def names(self) -> list[str]:
        return self._store.names()

    def note(self, name: str, change: Callable[[str], str]) -> str:
        return self._store.note(name, change)

    def close(self) -> None:
        self._store.close()
